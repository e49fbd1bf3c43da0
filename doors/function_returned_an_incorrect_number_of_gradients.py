# %% [markdown]
# # RuntimeError: function BadBackward returned an incorrect number of gradients (expected 2, got 1)
# The backward of your `autograd.Function` must return one gradient for each argument of forward, in their order.
# For an argument that has none (a number, a flag, an index) return `None`.
# Each gradient has the shape of its argument: what was broadcast in forward is summed in backward.
# Also: returned an invalid gradient at index 0; expected shape compatible with; You must implement the forward function for custom autograd.Function; You must implement either the backward or vjp method; Legacy autograd function with non-static forward method is deprecated; save_for_backward can only save variables; trying to differentiate twice a function that was marked with @once_differentiable; expected Variable or None

# %% step
import torch


class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor


w = torch.ones(1000, requires_grad=True)
Bad.apply(w, 3.0).sum().backward()

# %% [markdown]
# ## Ways out
# ### One for each argument, `None` for a number

# %% way
import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


w = torch.ones(1000, requires_grad=True)
Scale.apply(w, 3.0).sum().backward()

# %% [markdown]
# ### No Function at all
# Autograd has a rule for each operation that you use. A Function is worth it where you can save less.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
(w * 3.0).sum().backward()

# %% [markdown]
# ## In the course
# In lesson {07} you write operations of your own, and ones that save less.
