# %% [markdown]
# # Why is the gradient None after `backward()`: `param.grad`, `weight.grad`?
# The loss does not depend on this tensor as the graph sees it: it was not used, or was used through `detach()`, `no_grad()`, `.item()` or a conversion to NumPy.
# Or the tensor is no leaf: `.to(device)`, `.float()`, `* 0.1` after `requires_grad=True` make a new tensor, and the gradient went to the one before.
# Or `zero_grad()` ran after backward: it sets `.grad` to `None`.
# Also: NoneType of param.grad.data; 'NoneType' object has no attribute 'data'; loss.backward() does not update model parameters; gradient of a parameter is None; gradient of self.weight is None in a train step; weight's grad is none

# %% step
import torch

w = torch.ones(1000, requires_grad=True) * 0.1  # no leaf: the result of a product
loss = w.exp().sum()
loss.backward()
print(w.is_leaf, w.grad)

# %% [markdown]
# ## Ways out
# ### Make the leaf last

# %% way
import torch

w = (torch.ones(1000) * 0.1).requires_grad_()
loss = w.exp().sum()
loss.backward()
print(w.is_leaf, w.grad is not None)

# %% [markdown]
# ### Compute from the leaf, and read the leaf's

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
loss = (w * 0.1).exp().sum()
loss.backward()
print(w.grad is not None)

# %% [markdown]
# ### A module's own: `torch.nn.Parameter`

# %% way
import torch

w = torch.nn.Parameter(torch.ones(1000) * 0.1)
loss = w.exp().sum()
loss.backward()
print(w.grad is not None)

# %% [markdown]
# ### Not used on purpose: ask

# %% way
import torch

used, unused = (torch.ones(1000, requires_grad=True) for _ in range(2))
used.exp().sum().backward()
print([p.grad is None for p in (used, unused)])

# %% [markdown]
# ## In the course
# Lesson {02} tells leaves from what was computed, {03} shows where gradients end.
