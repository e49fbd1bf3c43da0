# %% [markdown]
# # Are the gradients still right if activations are rebuilt, and how do I check it?
# They are if backward computes again exactly what forward computed: the same random numbers, the same mode, the same precision. `checkpoint` replays the random state by itself; your own Function does not.
# A reversible block rebuilds its input by subtraction, which rounds anew. How far off that gets depends on depth and on how much a block stretches.
# To check, take one batch twice from the same weights and random state, once with everything stored, and compare all gradients. The loss cannot tell: it is forward's, and the same in both.
# Asked: 000.still-right
# Also: wrong gradient with recomputation; dropout and checkpoint; preserve_rng_state; reversible network numerical error; does it give unexpected results

# %% step
import torch
from torch.nn.functional import dropout


class Again(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return dropout(x.exp())

    @staticmethod
    def backward(ctx, grad):
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with torch.enable_grad():
            # other dice: another function
            again = dropout(x.exp())
        return torch.autograd.grad(again, x, grad)


w = torch.ones(1000, requires_grad=True)
y = Again.apply(w)
y.sum().backward()
print("gradient where forward dropped:", bool((w.grad[y == 0] != 0).any()))

# %% [markdown]
# ## Ways out
# ### Let `checkpoint` replay the dice

# %% way
import torch
from torch.nn.functional import dropout
from torch.utils.checkpoint import checkpoint

w = torch.ones(1000, requires_grad=True)
y = checkpoint(lambda x: dropout(x.exp()), w, use_reentrant=False)
y.sum().backward()
print("gradient where forward dropped:", bool((w.grad[y == 0] != 0).any()))

# %% [markdown]
# ### Compare with what is stored
# From one state of the random numbers, all gradients.

# %% way
import torch
from torch.nn.functional import dropout
from torch.utils.checkpoint import checkpoint


def block(x):
    return dropout((x * x).exp())


def gradient(rebuilt):
    torch.manual_seed(1)
    w = torch.linspace(-1, 1, 1000, requires_grad=True)
    y = checkpoint(block, w, use_reentrant=False) if rebuilt else block(w)
    return torch.autograd.grad(y.sum(), w)[0]


print("the same:", torch.equal(gradient(rebuilt=True), gradient(rebuilt=False)))

# %% [markdown]
# ### Streams in float64, where subtraction loses too much
# Eight times a block is run and undone: how many of the thousand inputs come back within a millionth.

# %% way
import torch


def undone(dtype):
    a, b = torch.linspace(-1, 1, 1000, dtype=dtype), torch.ones(1000, dtype=dtype)
    start = a
    for block in range(8):
        a = a + 9 * b.tanh()
        b = b + 9 * a.tanh()
    for block in range(8):
        b = b - 9 * a.tanh()
        a = a - 9 * b.tanh()
    return int(((a - start).abs() < 1e-6).sum())


print("float32 all:", undone(torch.float32) == 1000)
print("float64 all:", undone(torch.float64) == 1000)

# %% [markdown]
# ## In the course
# Lesson {12}, "Still right?", is about nothing else.
