# %% [markdown]
# # RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
# A node saved this tensor for backward, and something wrote into it afterwards: `+=`, `x[i] = ...`, `relu_()`, an optimizer's step.
# The message names the tensor by its type and shape, and the operation whose output it is; the version counts the writes.
# Write out of place (`x = x + 1`) what a later backward needs; which factor that is depends on the operation before it.
# Also: inplace operation error, is at version 1; expected version 0 instead, which output is output 0 of; when is an inplace operation allowed and when not; optimizer.step between two backwards

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()  # exp saves its result
h += 1
h.sum().backward()

# %% [markdown]
# ## Ways out
# ### Write out of place
# The old tensor stays as it was saved, and the new one has bytes of its own.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
h = h + 1
h.sum().backward()

# %% [markdown]
# ### Write in place where nothing has saved
# Addition saves nothing and `sum` saves nothing: their results may be written into. So may a result of
# `*`, if no node has saved it yet.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w * 2  # saves 2, not the result
h += 1
h.sum().backward()

# %% [markdown]
# ### Write into a copy
# A clone is a tensor of its own; the one that `exp` has saved is left alone.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp().clone()
h += 1
h.sum().backward()

# %% [markdown]
# ### The optimizer wrote: run forward again after its step
# `optimizer.step()` writes into the parameters. A graph made before it cannot be walked after it.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for turn in range(2):
    opt.zero_grad()
    (w * w).sum().backward()
    opt.step()

# %% [markdown]
# ## In the course
# Lesson {06} shows what each operation saves, and so what may be written into. In {05} the error is one
# of three that a second backward can meet.
