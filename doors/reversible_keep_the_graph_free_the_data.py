# %% [markdown]
# # Can I keep the structure of the computational graph without the tensors' data?
# A node saves only what its rule needs for backward. What no rule saves dies with its last name, and the graph is there all the same.
# Where a rule needs an activation it must be saved, or computed again: by a checkpoint from an input, by a reversible block from its output.
# Emptying `.data` under a graph does free bytes, and backward then fails, or is wrong without a word.
# Asked: 000.1 000.reversible
# Also: reversible network or reversible layers memory usage; preserve the structure of computational graph without tensor data; RevNet activations not stored; chaining reversible blocks; reversible layers increase memory; memory saving; is memory constant in depth; free the activations

# %% step
import torch

w = torch.ones(50_000, requires_grad=True)
h = w
for block in range(8):
    h = h * 2 + 1  # no rule here needs an activation
h.sum().backward()

# %% [markdown]
# ## What each costs
# One chain in four ways, all with the same gradients: eight blocks on two streams.
# ### As usual: each `tanh` keeps its result

# %% way
import torch


def block(a, b):
    a = a + b.tanh()
    return a, b + a.tanh()


x, y = (torch.ones(50_000, requires_grad=True) for _ in range(2))
a, b = x, y
for turn in range(8):
    a, b = block(a, b)
(a + b).sum().backward()
print(round(x.grad[0].item(), 3), round(y.grad[0].item(), 3))

# %% [markdown]
# ### Checkpoints: a pair kept for each four blocks, the others computed again

# %% way
import torch
from torch.utils.checkpoint import checkpoint


def block(a, b):
    a = a + b.tanh()
    return a, b + a.tanh()


def four(a, b):
    for turn in range(4):
        a, b = block(a, b)
    return a, b


x, y = (torch.ones(50_000, requires_grad=True) for _ in range(2))
a, b = x, y
for part in range(2):
    a, b = checkpoint(four, a, b, use_reentrant=False)
(a + b).sum().backward()
print(round(x.grad[0].item(), 3), round(y.grad[0].item(), 3))

# %% [markdown]
# ### Reversible: only the last pair is kept
# Each block can be undone, so backward computes its input from its output, block by block. What is
# computed so is rounded anew: lesson 12 asks how far off it can be.

# %% way
import torch


class Chain(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        for turn in range(8):
            a = a + b.tanh()
            b = b + a.tanh()
        ctx.save_for_backward(a, b)
        return a, b

    @staticmethod
    def backward(ctx, for_a, for_b):
        a, b = ctx.saved_tensors
        for turn in range(8):
            for_a = for_a + for_b * (1 - a.tanh() ** 2)
            b = b - a.tanh()
            for_b = for_b + for_a * (1 - b.tanh() ** 2)
            a = a - b.tanh()
        return for_a, for_b


x, y = (torch.ones(50_000, requires_grad=True) for _ in range(2))
a, b = Chain.apply(x, y)
(a + b).sum().backward()
print(round(x.grad[0].item(), 3), round(y.grad[0].item(), 3))

# %% [markdown]
# ### In a module of your own
# Chaining blocks by hand is easily wrong: dropout, autocast and parameters need care. The course has a
# file to copy, `for_torch/reversible.py`: `ReversibleSequential(*[ReversibleBlock(F(), G()), ...])` for
# any modules F and G. Memory is constant in depth but for parameters and their gradients.
#
# ## In the course
# Lesson {11} builds reversible chains whose memory is flat, {12} asks if they are still right, {04} shows
# why deleting gives nothing back.
