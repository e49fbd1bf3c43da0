# %% [markdown]
# # What does `detach()` do, and why detach a tensor at all?
# It gives a second tensor on the same bytes, with no graph behind it: no gradient goes back through it. Nothing is copied, and nothing is freed by it.
# You need it where a value is to be used as a number: a target, a fake picture shown to the discriminator, what is stored for later, what is logged.
# `detach().clone()` copies, for a value that you will write into; `.data` is `detach()` without the check for writes, and can be silently wrong.
# Also: confused at detach(); why operate detach() for fake in a GAN; detach the target of a loss; when do I need detach; why detach a prediction (pred) or a stored value; detach() in encoder; detach versus data; clone().detach(); stop gradient

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
target = h.detach()
loss = ((h.sin() - target) ** 2).sum()
loss.backward()
print(target.data_ptr() == h.data_ptr(), target.requires_grad)

# %% [markdown]
# ## With it, and without
# ### With `detach()`
# The gradient goes through one way only.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
fake = w.exp()
judged = fake.detach().sin().sum()
print(judged.requires_grad)

# %% [markdown]
# ### Without it
# The graph goes on through `sin`, and would give `w` a gradient that was not meant.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
fake = w.exp()
judged = fake.sin().sum()
print(judged.requires_grad)
judged.backward()

# %% [markdown]
# ### To keep a value and let the graph go

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
kept = h.detach()
del h

# %% [markdown]
# ### To write into it: `detach().clone()`

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
mine = h.detach().clone()
mine += 1
h.sum().backward()

# %% [markdown]
# ## In the course
# Lesson {08}: detach, no_grad, and leaks.
