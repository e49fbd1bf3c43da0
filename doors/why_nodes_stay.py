# %% [markdown]
# # Why are the graph's nodes kept when their saved tensors are gone?
# Because they belong to tensors that you hold: `loss.grad_fn` is a part of `loss`, and each node holds the nodes before it. Backward does not know whether you need them; your names do.
# They are still good for something: a part that saved nothing can be walked again, and a new result on top of it finds its way to the leaves.
# They hold no result any more, so they cost next to nothing in tensors. They go with the last tensor that leads to them; `detach()` keeps a value without them.
# Asked: 002.why-nodes-stay
# Also: why does grad_fn remain after backward; utility of keeping the backward graph; why is the graph not garbage collected with retain_graph=False

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
h = w + 1  # its rule saves nothing
h.exp().sum().backward()
# the old node of h leads both to w
h.sin().sum().backward()
print(h.grad_fn.name(), (w.grad != 0).all().item())

# %% [markdown]
# ## Ways to let them go
# ### Keep the value alone: `detach()`

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
loss = w.exp().sum()
loss.backward()
kept = loss.detach()
del loss
print(kept.grad_fn)

# %% [markdown]
# ### The last name goes, and all nodes with it

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
loss = w.exp().sum()
loss.backward()
del loss

# %% [markdown]
# ### Keep them: what it costs
# The 4 B of the result itself, as with `detach()`; the nodes hold no bytes of tensors beside `w`.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
loss = w.exp().sum()
loss.backward()
print(loss.grad_fn.next_functions[0][0].name())

# %% [markdown]
# ## In the course
# Lesson {04} asks what the nodes still cost, and what they are shared by.
