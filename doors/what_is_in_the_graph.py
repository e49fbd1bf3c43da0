# %% [markdown]
# # What is in the graph: tensors, modules or functions?
# Nodes, one for each recorded operation. They are functions of backward; tensors and modules are not its parts.
# A node holds the nodes before it and what its rule has saved. At the lower ends nodes called `AccumulateGrad` hold the leaves, to write their `.grad`.
# Of a module only the parameters are in it, as such leaves. A tensor that wants no gradient is in it only where a rule has saved it.
# Asked: 003.2
# Also: which autograd.Variables and nn.Module are contained in the graph; what does next_functions contain; AccumulateGrad; is the input part of the graph

# %% step
import torch

layer = torch.nn.Linear(30, 30)
a = torch.ones(30, 30)  # wants no gradient
y = layer(a).sum()
node = y.grad_fn
while node:
    print(node.name(), [below.name() for below, _ in node.next_functions if below])
    node = node.next_functions[0][0] if node.next_functions else None

# %% [markdown]
# ## Ways to see it
# ### A result that no rule saved is not in it
# The product goes with its name; its node stays.

# %% way
import torch
import weakref

w = torch.ones(1000, requires_grad=True)
h = w * 2
seen = weakref.ref(h)
loss = h.sum()
del h
print("tensor:", seen(), "- node:", loss.grad_fn.next_functions[0][0].name())
loss.backward()

# %% [markdown]
# ### The input is in it because a rule saved it

# %% way
import torch

layer, a = torch.nn.Linear(30, 30), torch.ones(30, 30)
print("for the weight:", layer(a).grad_fn._saved_mat1 is not None)
layer.weight.requires_grad_(False)
print("frozen weight: ", layer(a).grad_fn._saved_mat1 is not None)

# %% [markdown]
# ### The layer is not in it
# It can go before backward; its parameters cannot.

# %% way
import torch
import weakref

layer = torch.nn.Linear(30, 30)
seen, weight = weakref.ref(layer), weakref.ref(layer.weight)
y = layer(torch.ones(30, 30)).sum()
del layer
print("layer:", seen(), "- weight:", weight() is not None)
y.backward()

# %% [markdown]
# ## In the course
# Lesson {02} takes the graph of a layer apart.
