# %% [markdown]
# # With `retain_graph=True` in a loop, do all 100 graphs stay in memory?
# Only the last, if each turn makes its graph anew and the same name gets it: the old graph goes with its last reference, retained or not.
# For a moment there are two: the new one is made before the name lets go of the old.
# All stay where something leads from one turn to the next: a list of losses, a sum of them, a state that is carried on.
# Asked: 004.hundred-graphs
# Also: retain_graph in a for loop; are previous 99 graphs freed; only the last graph exists; intermediary results of each iteration

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
for turn in range(4):
    y = w.exp().sum()
    y.backward(retain_graph=True)

# %% [markdown]
# ## What it costs
# ### Without it, as here nothing needs it

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
for turn in range(4):
    y = w.exp().sum()
    y.backward()

# %% [markdown]
# ### A list keeps them all

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
kept = []
for turn in range(4):
    y = w.exp().sum()
    y.backward(retain_graph=True)
    kept.append(y)

# %% [markdown]
# ### Retained, and let go before the next

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
for turn in range(4):
    y = w.exp().sum()
    y.backward(retain_graph=True)
    del y

# %% [markdown]
# ## In the course
# Lesson {05} draws the curve of a hundred turns.
