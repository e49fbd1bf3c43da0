# %% [markdown]
# # TypeError: Output of saved tensor unpack_hook expected to be a Tensor but got result of type int
# Of the two functions of `saved_tensors_hooks(pack, unpack)` the first may return anything; the second must turn that into the tensor again.
# `pack` may not write into the tensor it is given: it is the program's own.
# What `pack` returns is held by the node, and goes when backward frees it.
# Also: A saved tensor pack hook is modifying its input in place; Calling register_hooks on a saved tensor after it has been freed; Calling register_hooks on a saved tensor whose hooks have already been set; save_on_cpu; offload activations

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda packed: 3):
    loss = w.exp().sum()
loss.backward()

# %% [markdown]
# ## Ways out
# ### Unpack to a tensor: half the bytes, and half the digits

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
hooks = torch.autograd.graph.saved_tensors_hooks(lambda t: t.half(), lambda t: t.float())
h = w
with hooks:
    for block in range(8):
        h = h.tanh()
    loss = h.sum()
loss.backward()

# %% [markdown]
# ### Without hooks

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w
for block in range(8):
    h = h.tanh()
loss = h.sum()
loss.backward()

# %% [markdown]
# ## In the course
# Lesson {07} packs what is saved, and {10} computes it again instead.
