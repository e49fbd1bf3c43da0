# %% [markdown]
# # Can a custom Function save nothing, and its gradient still be right?
# Yes where the rule needs no value of forward: a sum, a move, a product with a known number. Then nothing is saved, and nothing has to be magic.
# Else something must be there in backward: saved, or rebuilt from what is kept anyway, as `exp` from its own result or a reversible block from its output.
# A gradient that is made up, such as ones in a template, raises no error: the training goes on and is wrong. `torch.autograd.gradcheck` finds it.
# Asked: 000.magic-gradient
# Also: magic gradient; custom backward without saved tensors; do not save anything in ctx; compute the gradient with my own backward

# %% step
import torch


class Triple(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 3  # nothing is saved

    @staticmethod
    def backward(ctx, grad):
        return grad * 3


w = torch.ones(1000, requires_grad=True)
# the middle result goes at once
y = Triple.apply(Triple.apply(w)).sum()
y.backward()
print(w.grad[0].item())

# %% [markdown]
# ## Ways
# ### The rule needs a value: keep the one that is held anyway
# The gradient of `exp` is its result. Saved is a reference, no copy.

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

# %% [markdown]
# ### Keep what the rule reads, and no more
# The gradient of `relu` asks only where the input was positive: one byte for each number.

# %% way
import torch


class Relu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x > 0)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad):
        (positive,) = ctx.saved_tensors
        return grad * positive


w = torch.ones(1000, requires_grad=True)
Relu.apply(w * 2).sum().backward()

# %% [markdown]
# ### Find what is made up

# %% way
import torch


class Template(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * x

    @staticmethod
    def backward(ctx, grad):
        return torch.ones_like(grad)


w = torch.rand(5, dtype=torch.float64, requires_grad=True)
Template.apply(w).sum().backward()
print("no error, and right:", torch.allclose(w.grad, 2 * w.detach()))
print("gradcheck:", torch.autograd.gradcheck(Template.apply, w, raise_exception=False))

# %% [markdown]
# ## In the course
# Lesson {07} writes operations that save less, {11} rebuilds what was not saved.
