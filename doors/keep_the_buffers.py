# %% [markdown]
# # How do I keep the saved tensors from being freed: is my own reference enough?
# It keeps the tensor, and not the graph's reference to it. After backward the node has let go, so a second backward fails although the very tensor is still there.
# `backward(retain_graph=True)` on the first call makes the nodes hold on; it costs what they have saved, for as long as the graph lives.
# If you only want to read the value, your own name is enough, and needs no option.
# Asked: 003.keep-buffers
# Also: prevent the buffer or temporary variable from being freed after backward; keep_graph=True; Tensor.backward() got an unexpected keyword argument 'keep_graph'; hold a reference to a saved tensor

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
# saved by its node, and held by this name
h = w.exp()
loss = h.sum()
loss.backward()
print("still here:", h.shape)
loss.backward()

# %% [markdown]
# ## Ways out
# ### `retain_graph=True` on all calls but the last

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
loss = w.exp().sum()
loss.backward(retain_graph=True)
loss.backward()

# %% [markdown]
# ### Only the value: a name

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
h.sum().backward()
print(round(h[0].item(), 3))

# %% [markdown]
# ### Twice the same gradient: ask once
# A second backward over one graph adds the same numbers again.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
(2 * w.exp().sum()).backward()

# %% [markdown]
# ## In the course
# Lesson {05} tries an own reference, and prices what can be done.
