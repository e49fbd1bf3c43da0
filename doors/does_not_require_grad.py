# %% [markdown]
# # RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
# `backward()` was called on a tensor without a graph: nothing on the way to it wanted a gradient, or the way was cut.
# What cuts it: `torch.no_grad()`, `detach()`, `.data`, `.item()`, `argmax` and comparisons, a new `torch.tensor(...)` made of the result, parameters that were all frozen.
# Print `t.requires_grad` and `t.grad_fn` from the loss upward: the first `None` on the way is the place.
# Also: tensors does not require grad; loss has no grad_fn; loss.requires_grad is False; frozen parameters

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
with torch.no_grad():
    h = w.exp()
loss = h.sum()
loss.backward()

# %% [markdown]
# ## Ways out
# ### Compute outside of `no_grad()`

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
loss = w.exp().sum()
loss.backward()

# %% [markdown]
# ### Do not make the loss anew
# `torch.tensor(loss.item())`, or `loss.requires_grad_()` on a loss without a graph, silences the error
# and trains nothing: the new tensor is a leaf of its own. Work with the loss itself.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
parts = [w.exp().sum(), (w * w).sum()]
loss = torch.stack(parts).sum()
loss.backward()

# %% [markdown]
# ### A choice has no gradient: use what was chosen from
# `argmax` gives an index, without a graph. A loss of the scores has one.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
scores = w * torch.arange(1000.0)
print(scores.argmax().requires_grad)
(-scores.log_softmax(0)[7]).backward()

# %% [markdown]
# ### Frozen on purpose: ask first

# %% way
import torch

w = torch.ones(1000)
loss = w.exp().sum()
if loss.requires_grad:
    loss.backward()

# %% [markdown]
# ## In the course
# Lesson {02} shows when an operation is recorded, {08} what `detach` and `no_grad` cut.
