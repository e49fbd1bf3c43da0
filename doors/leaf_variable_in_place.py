# %% [markdown]
# # RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.
# A leaf that wants a gradient (a parameter, say) has no node that could remember the write, so autograd refuses it; of a slice it says "a view of a leaf Variable".
# For an update by hand, write under `torch.no_grad()`: then the write is no part of the graph.
# For a value that is to be computed with, write out of place (`w2 = w * 2`), or into a `clone()`.
# Also: a view of a leaf Variable that requires grad is being used in an in-place operation; a leaf Variable that requires grad has been used in an in-place operation; inplace operation changes is_leaf attribute; w -= lr * w.grad; fill a parameter; w[0] = 5

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
(w * w).sum().backward()
w -= 0.1 * w.grad

# %% [markdown]
# ## Ways out
# ### An update by hand: under `no_grad()`

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
(w * w).sum().backward()
with torch.no_grad():
    w -= 0.1 * w.grad
print(w.is_leaf, w.requires_grad)

# %% [markdown]
# ### A value to compute with: out of place
# The new tensor is no leaf any more; `w` stays one.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
scaled = w * 2
scaled.sum().backward()
print(w.is_leaf, scaled.is_leaf)

# %% [markdown]
# ### One element: write into a clone

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
changed = w.clone()
changed[0] = 5
changed.sum().backward()
print(w.grad[:2])

# %% [markdown]
# ### A parameter's start: `torch.nn.init`
# It writes under `no_grad()` for you.

# %% way
import torch

w = torch.nn.Parameter(torch.empty(1000))
torch.nn.init.ones_(w)
w.sum().backward()

# %% [markdown]
# ## In the course
# Lesson {02} tells leaves from what was computed, {08} what `no_grad` leaves out of the graph.
