# %% [markdown]
# # RuntimeError: attempting to assign a gradient of size '[3]' to a tensor of size '[2]'. Please ensure that the gradient and the tensor are the same size
# `.grad` takes a tensor of its tensor's size, type and device, or `None`.
# To drop a gradient, and its bytes, assign `None`; that is what `zero_grad()` does.
# A tensor cannot be its own gradient, and `x.grad = y` makes no copy: both names lead to one tensor.
# Also: can't assign Variable as its own grad; assigned grad expected to be a Tensor or None but got grad of type float; set .grad by hand

# %% step
import torch

w = torch.ones(2, requires_grad=True)
w.grad = torch.ones(3)

# %% [markdown]
# ## Ways out
# ### The same size

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
w.grad = torch.zeros_like(w)
w.sum().backward()

# %% [markdown]
# ### Drop it

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
w.sum().backward()
w.grad = None

# %% [markdown]
# ### A scaled gradient: write into it

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
w.sum().backward()
w.grad.mul_(0.5)

# %% [markdown]
# ## In the course
# Lesson {03} shows who writes `.grad`, and that later gradients are added in place.
