# %% [markdown]
# # What does `retain_graph=True` keep, and do I need it?
# It leaves in place what the nodes have saved, so that backward can be called again over the same graph. It costs exactly those bytes, until the graph goes.
# You need it when two backwards share a part of one graph and cannot be one. The last of them is called without it.
# Set against "a second time" in a training loop it hides the mistake: the graph then grows turn by turn, and memory with it.
# Also: why use retain_graph; memory blow up when setting retain_graph = True; retain_graph out of memory issue; retain_variables; keep_graph; Tensor.backward() got an unexpected keyword argument; why set retain_graph to true in backward

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
state = torch.zeros(1000)
for turn in range(3):
    state = (state + w).tanh()  # leads to all earlier turns
    state.sum().backward(retain_graph=True)

# %% [markdown]
# ## Ways out
# ### The state without its graph

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
state = torch.zeros(1000)
for turn in range(3):
    state = (state.detach() + w).tanh()
    state.sum().backward()

# %% [markdown]
# ### All turns, then one backward
# Also through time, and each node runs once.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
state, losses = torch.zeros(1000), []
for turn in range(3):
    state = (state + w).tanh()
    losses.append(state.sum())
torch.stack(losses).sum().backward()

# %% [markdown]
# ### Two losses, one backward

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
(h.sum() + h.sin().sum()).backward()

# %% [markdown]
# ### Where it is right: two gradients apart

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
(one,) = torch.autograd.grad(h.sum(), w, retain_graph=True)
(two,) = torch.autograd.grad(h.sin().sum(), w)

# %% [markdown]
# ## In the course
# Lesson {05} prices what can be done instead, {08} shows graphs that grow.
