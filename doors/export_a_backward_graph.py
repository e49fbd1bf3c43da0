# %% [markdown]
# # Can I export or store a backward graph for later use?
# No. Its nodes are objects of one run of your program, and pickle refuses them.
# A tensor can be stored, and comes back without its graph: as a leaf. What was saved for backward does not travel along.
# What can be exported is the program: `torch.export` and `torch.compile` read what forward does. To have a graph later, store weights and inputs, and run forward again.
# Asked: 002.export
# Also: pickle grad_fn; save computation graph to file; torch.save a tensor with grad_fn; reuse the backward graph; cannot pickle

# %% step
import pickle
import torch

w = torch.ones(1000, requires_grad=True)
k = w * 2
pickle.dumps(k.grad_fn)

# %% [markdown]
# ## What can be stored
# ### The tensor, without its graph

# %% way
import pickle
import torch

w = torch.ones(1000, requires_grad=True)
k = pickle.loads(pickle.dumps(w * 2))
print("grad_fn:", k.grad_fn, "- a leaf:", k.is_leaf, "- wants a gradient:", k.requires_grad)

# %% [markdown]
# ### The weights, and forward again

# %% way
import pickle
import torch

stored = pickle.dumps(torch.ones(1000))
w = pickle.loads(stored).requires_grad_()
(w * 2).sum().backward()
print(w.grad[0].item())

# %% [markdown]
# ### The gradient itself
# For a linear function it is all that a backward graph would be good for.

# %% way
import pickle
import torch

w = torch.ones(1000, requires_grad=True)
(g,) = torch.autograd.grad((w * 2).sum(), w)
del w
g = pickle.loads(pickle.dumps(g))
print(g[0].item())

# %% [markdown]
# ## In the course
# Lesson {08} stores a tensor and looks at what comes back, {13} has what can be kept of a program.
