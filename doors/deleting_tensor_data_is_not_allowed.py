# %% [markdown]
# # RuntimeError: Deleting tensor data is not allowed. Delete tensor instead!
# `x.data` is not a place that holds bytes: each time it is read, it makes a second tensor on the same bytes. There is nothing to delete.
# The bytes go with the last reference to them: delete the names, and see that no graph has saved the tensor.
# Setting `x.data` to an empty tensor does free the bytes, and a backward that needs them then fails, or is silently wrong.
# Asked: 000.unexpected
# Also: Variable data has to be a tensor, but got NoneType; del x.data; free tensor data but keep the graph; data set to a tensor that requires gradients must be floating point or complex dtype

# %% step
import torch

h = torch.ones(1000)
del h.data

# %% [markdown]
# ## Ways out
# ### Delete the names

# %% way
import torch

h = torch.ones(1000)
del h

# %% [markdown]
# ### A graph holds it: backward first, or drop the graph

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
loss = h.sum()
loss.backward()
del h, loss

# %% [markdown]
# ## In the course
# A reversible block does without what it has saved: lesson {11}. Lesson {04} shows why deleting gives nothing back while a graph holds on, {12} what goes wrong when data
# is exchanged under it.
