# %% [markdown]
# # What are the leaves of a graph, and what are its roots?
# A leaf is a tensor that no recorded operation made: it has no `grad_fn`. Gradients are collected in the `.grad` of leaves that want one; a tensor that wants none is a leaf too.
# A root is what you call `backward()` on. References lead from the root down to the leaves and never up, so a graph lives as long as somebody holds a root, or a result in between.
# A penalty is a root, as the loss is: drop it, and what only the penalty leads to is freed. What the loss leads to as well stays.
# Asked: 001.root
# Also: is_leaf; leaf tensor meaning; why is my tensor not a leaf; root of the computation graph; several losses and penalties

# %% step
import torch

# the leaf
w = torch.ones(1000, requires_grad=True)
h = w.exp()
penalty = h.sin().tanh().sum()  # a root
loss = (h * 2).sum()  # another
print(w.is_leaf, h.is_leaf, penalty.is_leaf, torch.ones(3).is_leaf)
# what only the penalty led to goes
del penalty
loss.backward()

# %% [markdown]
# ## Ways to go on with two roots
# ### One root: add them

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
(h.sin().tanh().sum() + (h * 2).sum()).backward()

# %% [markdown]
# ### Both roots in one call

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
torch.autograd.backward([h.sin().tanh().sum(), (h * 2).sum()])

# %% [markdown]
# ### A leaf that is made where it shall be
# A copy to another type or device is computed, and so no leaf: its `.grad` stays `None`.

# %% way
import torch

w = torch.ones(1000, dtype=torch.float64, requires_grad=True)
print(w.is_leaf, "- a copy of it:", w.float().is_leaf)
w.exp().sum().backward()

# %% [markdown]
# ## In the course
# Lesson {02} finds leaves and roots in a graph, {09} has penalties as roots of their own.
