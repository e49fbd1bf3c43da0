# %% [markdown]
# # Is a layer freed with the graph, and does `Linear` store its input?
# The layer is not freed: the graph does not hold it, you do. The graph holds its parameters; backward adds to their `.grad` and frees neither.
# The layer stores no input. The node of its result does, for the gradient of the weight.
# Freed means that this node lets go of the input. If you hold it, it is there after backward as before; if nobody does, its bytes go now.
# Asked: 003.module-freed 003.input-freed
# Also: was x also freed, x is nn.Module; nn.Linear input is stored as an attribute of the module; input buffers are freed but the input still exists

# %% step
import torch

layer = torch.nn.Linear(30, 30)
a = torch.ones(30, 30)
out = layer(a)
del a  # the node of out holds it still
out.sum().backward()
print([name for name, _ in layer.named_parameters()], layer.weight.grad.shape)

# %% [markdown]
# ## Ways to see it
# ### Your own name keeps the input

# %% way
import torch

layer = torch.nn.Linear(30, 30)
a = torch.ones(30, 30)
out = layer(a)
print("saved by the node:", out.grad_fn._saved_mat1 is a)
out.sum().backward()
print("still here:", a.shape)

# %% [markdown]
# ### A frozen weight needs no input
# Then it goes at once.

# %% way
import torch

layer = torch.nn.Linear(30, 30)
layer.weight.requires_grad_(False)
a = torch.ones(30, 30)
out = layer(a)
del a
out.sum().backward()

# %% [markdown]
# ### The layer serves the next turn

# %% way
import torch

layer = torch.nn.Linear(30, 30)
for turn in range(2):
    layer(torch.ones(30, 30)).sum().backward()
print(layer.weight.grad[0, 0].item())

# %% [markdown]
# ## In the course
# Lesson {02} tries both with weak references, {05} has the loops of this thread.
