# %% [markdown]
# # Why does a hook keep my tensors or my module alive?
# What a hook appends to a list, or stores on an object, lives as long as that list does; an output that it stores brings its graph along.
# A hook that mentions its own module, `self` for one, closes a ring: the module holds the hook and the hook the module. Only Python's collector frees it, later.
# Store `output.detach()`, remove the hook by its handle when you are done, and let it hold a `weakref` to the module.
# Also: GPU memory when registering a forward hook with self access; op hook leads to memory leak; full backward hook won't release grad_outputs; memory leak under full backward hook; register_forward_hook; store activations

# %% step
import torch

layer = torch.nn.Linear(30, 30)
seen = []
layer.register_forward_hook(lambda module, inputs, output: seen.append(output))
for turn in range(3):
    layer(torch.ones(100, 30)).sum().backward()

# %% [markdown]
# ## Ways out
# ### Keep a number

# %% way
import torch

layer = torch.nn.Linear(30, 30)
seen = []
layer.register_forward_hook(lambda module, inputs, output: seen.append(output.std().item()))
for turn in range(3):
    layer(torch.ones(100, 30)).sum().backward()

# %% [markdown]
# ### Keep the last one, without its graph

# %% way
import torch

layer = torch.nn.Linear(30, 30)
last = {}
layer.register_forward_hook(lambda module, inputs, output: last.update(out=output.detach()))
for turn in range(3):
    layer(torch.ones(100, 30)).sum().backward()

# %% [markdown]
# ### Take the hook off

# %% way
import torch

layer = torch.nn.Linear(30, 30)
seen = []
handle = layer.register_forward_hook(lambda module, inputs, output: seen.append(output))
layer(torch.ones(100, 30)).sum().backward()
handle.remove()
seen.clear()
for turn in range(2):
    layer(torch.ones(100, 30)).sum().backward()

# %% [markdown]
# ### A module that its own hook mentions: hold it weakly

# %% way
import torch
import weakref

layer = torch.nn.Linear(30, 30)
me = weakref.ref(layer)
layer.register_forward_hook(lambda module, inputs, output: print(me().weight.numel()))
layer(torch.ones(100, 30)).sum().backward()
del layer

# %% [markdown]
# ## In the course
# Lesson {08} is about what holds on.
