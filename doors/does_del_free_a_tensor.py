# %% [markdown]
# # Does `del`, `detach()` or `no_grad()` free a tensor's memory?
# `del x` takes a name away. The bytes go with the last reference, and the graph is one: what a node has saved stays until backward, or until the graph goes.
# `x.detach()` is a second tensor on the same bytes: it frees nothing as long as `x`, or its graph, is held by somebody else.
# Under `no_grad()` nothing is saved in the first place; it frees nothing that was saved before.
# Asked: 000.freed-by-del 003.delete-other-name
# Also: deleting a tensor or a model does not free space; why does del d give nothing back; memory_allocated stays the same after del; delete an intermediate result; deleting one reference

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()  # the node saves its result: h
loss = (h * 2).sum()
del h
print(
    "the graph holds it still:",
    loss.grad_fn.next_functions[0][0].next_functions[0][0]._saved_result.numel(),
)
loss.backward()

# %% [markdown]
# ## Ways out
# ### `backward()` lets go of what was saved
# The bytes of `h` go while backward runs, with `h` deleted or out of reach.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
loss = (w.exp() * 2).sum()
loss.backward()
del loss

# %% [markdown]
# ### No backward: delete the last name of the graph
# The graph lives as long as a tensor leads to it. Here `loss` was the last.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
loss = (h * 2).sum()
del h, loss

# %% [markdown]
# ### Keep a value, not its graph: `detach()`
# What you keep is `h` alone; with `loss` gone, nodes and all else they saved go.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
loss = (h * h.sin()).sum()
kept = h.detach()
del h, loss

# %% [markdown]
# ### Nothing saved: `no_grad()`

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
with torch.no_grad():
    h = w.exp()
    loss = (h * 2).sum()
del h

# %% [markdown]
# ## In the course
# Lesson {01} is about names and bytes, {04} about which is freed and which is not, {08} about `detach`,
# `no_grad` and leaks.
