# %% [markdown]
# # How is the computation graph created and freed, and does each turn of a loop make a new one?
# Every operation on a tensor that wants a gradient makes a node, when it runs: there is no graph before it, and a loop makes a new one in each turn.
# A graph goes when the last tensor that leads to it goes: mostly when the name `loss` gets the next turn's loss.
# The new graph is made before the name lets go of the old one, so forward's saved tensors of two turns can be alive at once, unless backward has freed the first.
# Asked: 003.1 004.1 004.what-frees
# Also: How to free graph manually; when is the graph created; does calling loss.backward() reduce memory usage; does each iteration create a completely new graph; what frees the graph of the previous iteration; with retain_graph=True in a loop do all 100 graphs stay in memory

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
for turn in range(3):
    loss = w.exp().sum()  # a new graph, while loss leads to the old one

# %% [markdown]
# ## Ways to have less of it
# ### Backward in each turn frees what was saved

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
for turn in range(3):
    loss = w.exp().sum()
    loss.backward()

# %% [markdown]
# ### Without backward: let the old graph go first

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
for turn in range(3):
    loss = w.exp().sum()
    del loss

# %% [markdown]
# ### `retain_graph=True` in a loop keeps one graph, not a hundred
# Retained is what this backward would have freed. It still goes with its last name.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
for turn in range(3):
    loss = w.exp().sum()
    loss.backward(retain_graph=True)

# %% [markdown]
# ## In the course
# Lesson {02}: what a graph is made of. Lesson {05} runs the loops of the threads.
