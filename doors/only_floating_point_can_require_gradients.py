# %% [markdown]
# # RuntimeError: Only Tensors of floating point and complex dtype can require gradients
# A whole number does not change by a little, so it has no gradient; `requires_grad=True` on an integer or bool tensor is refused.
# `torch.tensor([1, 2])` is int64: write `[1.0, 2.0]`, or give `dtype=torch.float32`.
# Convert before you ask for the gradient: of `x.float()` made afterwards `x` itself gets none.
# Also: only Tensors of floating point dtype can require gradients; integer tensor requires_grad; LongTensor gradient

# %% step
import torch

w = torch.tensor([1, 2, 3], requires_grad=True)

# %% [markdown]
# ## Ways out
# ### Make it of floating point numbers

# %% way
import torch

w = torch.arange(1000, dtype=torch.float32, requires_grad=True)
w.sum().backward()

# %% [markdown]
# ### Convert, then ask

# %% way
import torch

whole = torch.arange(1000)
w = whole.float().requires_grad_()
w.sum().backward()

# %% [markdown]
# ### An index stays whole: what it picks gets the gradient

# %% way
import torch

table = torch.ones(1000, 4, requires_grad=True)
index = torch.tensor([3, 5])
table[index].sum().backward()

# %% [markdown]
# ## In the course
# Lesson {02} shows which tensors an operation is recorded for.
