# %% [markdown]
# # What do the numbers mean that `torch.cuda.memory_allocated()` prints?
# The bytes of all tensors that live on the card, each storage in steps of 512: a loss of 4 B counts as 512. A view adds nothing.
# The difference between two prints is what the lines between made and still hold. What came and went between them is in `max_memory_allocated()` only.
# nvidia-smi shows more: the pool of what was freed, and CUDA itself. The first matrix product may add a workspace, of some MiB in people's reports, that is no tensor of yours.
# Asked: 000.gpu-bytes
# Also: memory_allocated after each line; memory does not change after del; 512 bytes; calculate result four times

# %% step
import torch

a = torch.zeros([32, 64], requires_grad=True)
b = torch.zeros([64, 128], requires_grad=True)
c = torch.zeros([128, 256], requires_grad=True)
d = torch.matmul(a, b)
e = torch.matmul(d, c)
# the second product has saved it for the gradient of c
del d
del e

# %% [markdown]
# ## What changes the numbers
# The programs of this page run on the processor, where bytes are not rounded up. The thread's sizes are
# whole numbers of 512, so a card counts them as the same bytes; only the 4 B of a sum are 512 there.
# ### Nobody wants the gradient of `c`
# Then nothing needs `d`: it goes at `del d`.

# %% way
import torch

a = torch.zeros([32, 64], requires_grad=True)
b = torch.zeros([64, 128], requires_grad=True)
c = torch.zeros([128, 256])
d = torch.matmul(a, b)
e = torch.matmul(d, c)
del d

# %% [markdown]
# ### `del d` alone, with all three wanted

# %% way
import torch

a = torch.zeros([32, 64], requires_grad=True)
b = torch.zeros([64, 128], requires_grad=True)
c = torch.zeros([128, 256], requires_grad=True)
d = torch.matmul(a, b)
e = torch.matmul(d, c)
del d

# %% [markdown]
# ### After backward
# Now `d` is gone, and the gradients are there.

# %% way
import torch

a = torch.zeros([32, 64], requires_grad=True)
b = torch.zeros([64, 128], requires_grad=True)
c = torch.zeros([128, 256], requires_grad=True)
d = torch.matmul(a, b)
e = torch.matmul(d, c)
del d
e.sum().backward()

# %% [markdown]
# ## In the course
# Lesson {14} counts a program line by line, on the card and beside it; {04} shows who holds `d`.
