# %% [markdown]
# # RuntimeError: can't retain_grad on Tensor that has requires_grad=False
# The tensor wants no gradient, so there will be none to keep, and none to call a hook with.
# Ask for the gradient before you compute: `requires_grad_()` on the leaf, and outside of `no_grad()`.
# A `detach()` on the way makes the tensor after it one that wants none.
# Also: cannot register a hook on a tensor that doesn't require gradient; register_hook fails

# %% step
import torch

x = torch.ones(1000)
h = x.exp()
h.retain_grad()

# %% [markdown]
# ## Ways out
# ### Want the gradient from the start

# %% way
import torch

x = torch.ones(1000, requires_grad=True)
h = x.exp()
h.retain_grad()
h.sum().backward()
print(h.grad.shape)

# %% [markdown]
# ### Without detach on the way

# %% way
import torch

x = torch.ones(1000, requires_grad=True)
h = x.exp()
h.register_hook(lambda g: print("a gradient of", g.shape))
h.sum().backward()

# %% [markdown]
# ## In the course
# Lesson {02} shows what wants a gradient, {03} follows it through the middle of a graph.
