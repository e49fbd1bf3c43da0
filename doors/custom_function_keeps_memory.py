# %% [markdown]
# # Why does my custom `autograd.Function` leak memory, and what may go on `ctx`?
# `ctx` is the node. What you put on it as an attribute lives as long as the node, and backward does not free it.
# An *output* on `ctx` closes a ring: the output holds its node, the node the output. Only Python's collector frees it, later.
# `ctx.save_for_backward(...)` is for tensors: freed by backward, checked for writes in place, and no ring. Numbers and flags may go on `ctx`.
# Asked: 000.ctx
# Also: torch.autograd.Function memory leak; save_for_backward versus ctx attribute; contexts not garbage collected when output tensors are assigned as attributes; what is permitted to be saved; what is the ctx of a Function and how long does it live

# %% step
import torch


class Leaky(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.result = x.exp()  # the output, as an attribute
        return ctx.result

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.result


w = torch.ones(1000, requires_grad=True)
y = Leaky.apply(w)
y.sum().backward()
del y  # the ring stays

# %% [markdown]
# ## Ways out
# ### `save_for_backward`

# %% way
import torch


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad):
        (result,) = ctx.saved_tensors
        return grad * result


w = torch.ones(1000, requires_grad=True)
y = Exp.apply(w)
y.sum().backward()
del y

# %% [markdown]
# ### An attribute that is no output
# No ring, but backward does not free it: it goes with the node.

# %% way
import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.twice = 2 * x
        return x * x

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.twice


w = torch.ones(1000, requires_grad=True)
y = Square.apply(w)
y.sum().backward()

# %% [markdown]
# ## In the course
# Lesson {07}: write your own op, and see what it keeps.
