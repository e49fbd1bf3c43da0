# %% [markdown]
# # RuntimeError: hook '<lambda>' has changed the size of value
# What a tensor's hook returns takes the gradient's place, so it must be a tensor of the same size and type.
# A hook that only looks returns nothing: a `lambda` that ends in an expression returns that expression.
# To scale a gradient, return it scaled; to cut it, return zeros, or `detach()` in forward.
# Also: has changed the type of value; expected Variable, but hook returned 'str'; register_hook return value

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
h.register_hook(lambda g: g[:10])
h.sum().backward()

# %% [markdown]
# ## Ways out
# ### Return the same size

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
h.register_hook(lambda g: g * 0.5)
h.sum().backward()

# %% [markdown]
# ### Only look

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
seen = []
h = w.exp()
h.register_hook(lambda g: seen.append(g.norm().item()))
h.sum().backward()
print(len(seen), "gradient seen")

# %% [markdown]
# ### The hook can be taken off again

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
handle = h.register_hook(lambda g: g[:10])
handle.remove()
h.sum().backward()

# %% [markdown]
# ## In the course
# Lesson {09} changes gradients on their way.
