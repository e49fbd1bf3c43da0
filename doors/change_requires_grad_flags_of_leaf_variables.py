# %% [markdown]
# # RuntimeError: you can only change requires_grad flags of leaf variables.
# A computed tensor wants a gradient because its inputs did; the flag follows from the graph and cannot be switched off afterwards.
# To compute on without the graph, take `x.detach()`: a second tensor on the same bytes, with the flag off.
# To freeze a part of a model, switch the parameters off before forward.
# Also: If you want to use a computed variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach(); requires_grad = False on a non-leaf; freeze layers

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
h.requires_grad = False

# %% [markdown]
# ## Ways out
# ### `detach()`
# No byte is copied.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp().detach()
print(h.requires_grad, (h * 2).requires_grad)

# %% [markdown]
# ### Freeze the parameter before forward
# Nothing is recorded, and nothing saved.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
w.requires_grad_(False)
h = w.exp()
print(h.requires_grad)

# %% [markdown]
# ### A part of the program: `no_grad()`

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
with torch.no_grad():
    h = w.exp()
print(h.requires_grad)

# %% [markdown]
# ## In the course
# Lesson {02} tells leaves from what was computed, {08} what `detach` does.
