# %% [markdown]
# # Why does Adam need so much more memory than SGD?
# Adam keeps two tensors for each parameter, each as large as the parameter: `exp_avg` and `exp_avg_sq`. SGD keeps none, with momentum one.
# They are made in the first `step()`: a program that fits before it may run out of memory in it.
# They do not grow afterwards, and do not depend on the batch size.
# Also: OOM when using Adam optimizer compared to SGD with the same batch size; CUDA out of memory at optimizer.step; OutOfMemoryError after the first update; optimizer state offloading; exp_avg exp_avg_sq memory

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
opt = torch.optim.Adam([w])
for turn in range(2):
    opt.zero_grad()
    w.exp().sum().backward()
    opt.step()

# %% [markdown]
# ## What each costs
# ### SGD

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for turn in range(2):
    opt.zero_grad()
    w.exp().sum().backward()
    opt.step()

# %% [markdown]
# ### SGD with momentum

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1, momentum=0.9)
for turn in range(2):
    opt.zero_grad()
    w.exp().sum().backward()
    opt.step()

# %% [markdown]
# ### Adam, gradients dropped after the step

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
opt = torch.optim.Adam([w])
for turn in range(2):
    w.exp().sum().backward()
    opt.step()
    opt.zero_grad()

# %% [markdown]
# ## In the course
# Lesson {14} fits a training into a GPU, {15} does it with real data.
