# %% [markdown]
# # Can I take the gradient of a penalty at once, so that its tensors are freed?
# Yes: `torch.autograd.grad(penalty, h)` runs only the penalty's own nodes down to `h`, and frees what they saved.
# Keep the small gradient, and hand it over at the end: `torch.autograd.backward([loss, h], [None, g])`.
# `penalty.backward(retain_graph=True)` works too, and walks the shared part again for each penalty.
# Asked: 001.eager
# Also: compute gradient of a regularization term early; free penalty graph before the loss; backward(inputs=...); how can a gradient be changed on its way by a scale that is known only at the end

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
penalty = h.sin().tanh().sum()
loss = (h * 2).sum()
(loss + penalty).backward()

# %% [markdown]
# ## Ways
# ### At once, to the boundary

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
(g,) = torch.autograd.grad(h.sin().tanh().sum(), h)
loss = (h * 2).sum()
torch.autograd.backward([loss, h], [None, g])

# %% [markdown]
# ### At once, with a scale that is known at the end

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
(g,) = torch.autograd.grad(h.sin().tanh().sum(), h)
loss = (h * 2).sum()
torch.autograd.backward([loss, h], [None, 0.1 * g])

# %% [markdown]
# ### `retain_graph=True`

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
h.sin().tanh().sum().backward(retain_graph=True)
(h * 2).sum().backward()

# %% [markdown]
# ## In the course
# Lesson {09}, "Eager penalties", is this question, with several penalties and their bytes.
