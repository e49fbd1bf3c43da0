# %% [markdown]
# # RuntimeError: Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.
# NumPy records nothing, so a tensor with a graph behind it is not handed over unless you say that the gradient ends here.
# `t.detach().numpy()` is an array on the same bytes; no byte is copied, and a write into one is seen in the other.
# For a number to log, use `loss.item()`: a list of `loss` itself keeps the nodes of every turn, and without a backward all that these saved.
# Also: Error Can't call `numpy()` on Tensor that requires grad; np.mean or np.sum over losses; plot loss with matplotlib; convert tensor to numpy array; cannot pickle; Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol; a Tensor with 2 elements cannot be converted to Scalar

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
loss = w.exp().sum()
loss.numpy()

# %% [markdown]
# ## Ways out
# ### `detach()`

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
array = h.detach().numpy()
h.sum().backward()

# %% [markdown]
# ### A number: `item()`

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
losses = []
for turn in range(3):
    loss = w.exp().sum()
    loss.backward()
    losses.append(loss.item())

# %% [markdown]
# ### Nothing is to be learned here: `no_grad()`

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
with torch.no_grad():
    array = w.exp().numpy()

# %% [markdown]
# ## In the course
# Lesson {08} is about what a kept loss costs.
