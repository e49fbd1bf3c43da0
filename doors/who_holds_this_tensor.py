# %% [markdown]
# # How do I find out who still holds a tensor?
# `import whoholds; print(whoholds.who(tensor))` names every holder by a path that you can type: names, lists, attributes, `.grad`, optimizer state, slots of the graph.
# `gc.get_referrers` shows Python's holders only. What a node has saved is held in C++, and it does not see that.
# `whoholds.grows(step)` calls a step four times, and says what grows, who holds it and the line that made it.
# Also: how to debug causes of GPU memory leaks; find memory leak; gc.get_referrers gc.get_objects tensors; which variable holds the reference; memory_snapshot; is there an API that shows for a whole graph what is kept

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
cache = [h]
del h

# %% [markdown]
# ## Ways to find it
# ### `whoholds.who`

# %% way
import torch
import whoholds

w = torch.ones(1000, requires_grad=True)
h = w.exp()
cache = {"outputs": [h]}
print(whoholds.who(cache["outputs"][0]))

# %% [markdown]
# ### Python alone
# It finds the list, and not the node.

# %% way
import torch
import gc

w = torch.ones(1000, requires_grad=True)
cache = [w.exp()]
print([type(holder).__name__ for holder in gc.get_referrers(cache[0])])

# %% [markdown]
# ### Ask the graph

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
loss = w.exp().sum()
node = loss.grad_fn.next_functions[0][0]
print(node.name(), [name for name in dir(node) if name.startswith("_saved_")])

# %% [markdown]
# ## In the course
# Lesson {08} finds leaks, {06} shows what each operation saves.
