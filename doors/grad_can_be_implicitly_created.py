# %% [markdown]
# # RuntimeError: grad can be implicitly created only for scalar outputs
# `backward()` starts with a gradient of one; of a tensor with several elements it cannot know which you mean.
# Mostly a loss was not reduced: take `.sum()` or `.mean()`, and it is the loss you meant.
# If you do want a weighted sum of the elements' gradients, give the weights: `y.backward(weights)`.
# Also: Gradient can only be implicitly created for scalar outputs; reduction="none"; loss is a vector; backward on an output of several elements

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
y = w.exp()
y.backward()

# %% [markdown]
# ## Ways out
# ### Reduce: `sum()` or `mean()`

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
y = w.exp()
y.mean().backward()

# %% [markdown]
# ### Give the weights
# The same gradients as those of `(y * weights).sum()`, with no product computed.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
y = w.exp()
y.backward(torch.full((1000,), 0.001))

# %% [markdown]
# ### A gradient for each element: one row at a time
# All rows together are the Jacobian: so many backwards as there are elements. This one is 4 x 1000.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
y = w.exp().view(4, 250).sum(1)
rows = [torch.autograd.grad(y[i], w, retain_graph=True)[0] for i in range(4)]

# %% [markdown]
# ## In the course
# Lesson {03} follows the first gradient on its way back.
