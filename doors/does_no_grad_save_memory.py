# %% [markdown]
# # Does `torch.no_grad()` save memory, and what does `eval()` do?
# Under `no_grad()` no node is made and nothing is saved: a result goes when its last name goes. It changes no size of any result.
# `eval()` only switches modules (dropout, batch norm) to their other behaviour. It records and saves as before.
# It must stand around the computation: what was recorded before the block stays saved.
# Also: remove gradient calculation during inference; where does no_grad belong; volatile; model.eval() memory; add with torch.no_grad(); inference memory

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp().sin().cos()
loss = h.sum()

# %% [markdown]
# ## What it costs
# ### The same under `no_grad()`

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
with torch.no_grad():
    h = w.exp().sin().cos()
    loss = h.sum()

# %% [markdown]
# ### Under `inference_mode()`
# The same bytes; the results can be used in no graph later.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
with torch.inference_mode():
    h = w.exp().sin().cos()
    loss = h.sum()

# %% [markdown]
# ### After the fact: `detach()`, and the old names gone

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp().sin().cos()
h = h.detach()
loss = h.sum()

# %% [markdown]
# ### No parameter wants a gradient

# %% way
import torch

w = torch.ones(1000)
h = w.exp().sin().cos()
loss = h.sum()

# %% [markdown]
# ## In the course
# Lesson {08}: detach, no_grad, and leaks.
