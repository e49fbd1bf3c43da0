# %% [markdown]
# # RuntimeError: Can't detach views in-place. Use detach() instead.
# `detach_()` would cut a tensor off the graph in place; of a view it cannot, since base and view share their history.
# `x = x.detach()` does the same for your name, and is what you want nearly always.
# Detach before you take the view, or detach the view out of place.
# Also: Trying to use a saved tensor that has been detached in-place, i.e. with .detach_(). This is not supported, please use out-of-place `.detach()` instead; gradient_as_bucket_view detach_

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
half = h[:500]
half.detach_()

# %% [markdown]
# ## Ways out
# ### Out of place

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
half = h[:500].detach()
print(half.requires_grad, h.requires_grad)

# %% [markdown]
# ### First detach, then take the view
# The whole of `h` stays alive as long as its part does: a view holds the bytes of its base.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
half = w.exp().detach()[:500]

# %% [markdown]
# ### Keep the half alone

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
half = w.exp()[:500].detach().clone()

# %% [markdown]
# ## In the course
# Lesson {08} is about `detach`, {01} about views and the bytes they hold.
