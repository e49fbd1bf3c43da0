# %% [markdown]
# # How can I run backward only down to a tensor in the middle?
# `torch.autograd.grad(penalty, h)` runs the nodes between `penalty` and `h` and returns the gradient. What lies below `h` is neither walked nor freed.
# `penalty.backward(inputs=[h])` writes `h.grad` instead. But of an `h` that was computed it runs the node too, and frees what that one had saved: the next backward through `h` can fail.
# `h.detach().requires_grad_()` cuts beforehand: the penalty's graph ends there, and you hand its `.grad` on yourself.
# Asked: 001.stop
# Also: backward computes the whole tree; compute gradient with respect to an intermediate tensor; backward(inputs=); partial backward; only until the input of the penalty

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
h.sin().sum().backward(inputs=[h])
(h * 2).sum().backward()

# %% [markdown]
# ## Ways out
# ### `autograd.grad` stops above the node of `h`

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
(g,) = torch.autograd.grad(h.sin().sum(), h)
torch.autograd.backward([(h * 2).sum(), h], [None, g])

# %% [markdown]
# ### Cut with `detach()`, and hand the gradient on

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
cut = h.detach().requires_grad_()
cut.sin().sum().backward()
torch.autograd.backward([(h * 2).sum(), h], [None, cut.grad])

# %% [markdown]
# ### All the way, each time
# The part below `h` is walked twice.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
h.sin().sum().backward(retain_graph=True)
(h * 2).sum().backward()

# %% [markdown]
# ## In the course
# Lesson {09} counts the nodes that run, for each of these.
