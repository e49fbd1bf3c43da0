# %% [markdown]
# # How do I change a gradient on its way through the graph?
# `h.register_hook(change)`: backward calls it with the gradient of `h`, and goes on with what it returns. Nothing is kept for it.
# What arrives at `h` is the sum over all that used `h`. To change the part of a penalty alone, give the penalty a way of its own: `h.view_as(h)` with the hook, or a Function whose backward scales.
# If the scale is known only at the end, take the gradient at once with `torch.autograd.grad(penalty, h)`, and hand it over later: `torch.autograd.backward([loss, h], [None, scale * g])`.
# Asked: 001.rescale
# Also: scale the gradient of one loss; modify a gradient in backward; manipulate the gradient after computing it; a scale for each sample; gradient reversal; pass through unchanged in forward

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
# the penalty's own way to h, on the same bytes
way = h.view_as(h)
way.register_hook(lambda g: 0.1 * g)
penalty = way.sin().sum()
loss = (h * 2).sum()
(loss + penalty).backward()

# %% [markdown]
# ## Ways
# ### Everything that arrives at `h`

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
h.register_hook(lambda g: 0.1 * g)
(h.sin().sum() + (h * 2).sum()).backward()

# %% [markdown]
# ### A Function that passes forward unchanged

# %% way
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return ctx.scale * grad, None


w = torch.ones(1000, requires_grad=True)
h = w.exp()
(Scaled.apply(h, 0.1).sin().sum() + (h * 2).sum()).backward()

# %% [markdown]
# ### The scale is known at the end
# The penalty's graph is gone by then; what waits is one gradient of the size of `h`.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
(g,) = torch.autograd.grad(h.sin().sum(), h)
loss = (h * 2).sum()
scale = 1 / loss.item()
torch.autograd.backward([loss, h], [None, scale * g])

# %% [markdown]
# ## In the course
# Lesson {09} changes gradients by a hook, by a Function, and late.
