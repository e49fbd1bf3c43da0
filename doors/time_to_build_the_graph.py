# %% [markdown]
# # What share of the time goes into building the graph, and can it be saved?
# A small one: a few per cent of forward and backward for a chain of tiny operations, and too little to be seen where products are large. To measure it, time the same forward with and without `no_grad()`.
# The graph cannot be kept for the next turn, since its nodes hold the values of this one. What keeps a program and not a graph is `torch.compile`, or CUDA Graphs.
# Fewer operations are fewer nodes: count them. Where no gradient is wanted, `no_grad()` records none.
# Asked: 004.share
# Also: static graph versus dynamic graph overhead; percentage of forward-backward time; performance hit of dynamic graph construction; save the graph object between forward passes

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
h = w
for layer in range(3):
    # three nodes in each turn
    h = (h * 0.5 + 1).tanh()
h.sum().backward()

# %% [markdown]
# ## Fewer nodes
# The table counts the operations that were recorded and those that backward ran.
# ### One operation in place of two

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
one = torch.tensor(1.0)
h = w
for layer in range(3):
    # 1 + 0.5 * h
    h = torch.add(one, h, alpha=0.5).tanh()
h.sum().backward()

# %% [markdown]
# ### No gradient is wanted: `no_grad()`

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w
with torch.no_grad():
    for layer in range(3):
        h = (h * 0.5 + 1).tanh()

# %% [markdown]
# ### Only a part is to learn: the rest records nothing

# %% way
import torch

w = torch.ones(1000)
last = torch.ones(1000, requires_grad=True)
h = w
for layer in range(3):
    h = (h * 0.5 + 1).tanh()
(h * last).sum().backward()

# %% [markdown]
# ## In the course
# Lesson {13} measures the share on your machine, keeps a program instead of a graph, and says how much that saves.
