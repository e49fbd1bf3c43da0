# %% [markdown]
# # Why does gradient checkpointing not lower my memory?
# A checkpoint keeps its input and saves nothing inside; backward runs it again, and then all that is inside is there at once. One checkpoint around everything saves nothing at the peak.
# Cut the chain into parts, about as many as the square root of its length; each part's input stays.
# It saves activations only: parameters, gradients and the optimizer's state are as large as before, and at small sizes they are what you see.
# Asked: 001.checkpoint
# Also: checkpointed model uses more GPU memory than the original model; checkpoint does not reduce memory footprint; torch.utils.checkpoint memory; gradient checkpointing in PyTorch; recompute activations; how do checkpoints work and what do they cost; memory efficiency

# %% step
import torch
from torch.utils.checkpoint import checkpoint


def chain(x, length=16):
    for block in range(length):
        x = x.tanh()
    return x


x = torch.ones(50_000, requires_grad=True)
checkpoint(chain, x, use_reentrant=False).sum().backward()

# %% [markdown]
# ## Ways out
# ### No checkpoint, for comparison

# %% way
import torch


def chain(x, length=16):
    for block in range(length):
        x = x.tanh()
    return x


x = torch.ones(50_000, requires_grad=True)
chain(x).sum().backward()

# %% [markdown]
# ### Four parts
# Sixteen blocks, four at a time. Forward runs twice.

# %% way
import torch
from torch.utils.checkpoint import checkpoint


def chain(x, length=16):
    for block in range(length):
        x = x.tanh()
    return x


x = torch.ones(50_000, requires_grad=True)
h = x
for part in range(4):
    h = checkpoint(chain, h, 4, use_reentrant=False)
h.sum().backward()

# %% [markdown]
# ### All but the last part
# What the last part has saved is needed at once, so there it is no gain to run it again.

# %% way
import torch
from torch.utils.checkpoint import checkpoint


def chain(x, length=16):
    for block in range(length):
        x = x.tanh()
    return x


x = torch.ones(50_000, requires_grad=True)
h = x
for part in range(3):
    h = checkpoint(chain, h, 4, use_reentrant=False)
chain(h, 4).sum().backward()

# %% [markdown]
# ## In the course
# Lesson {10} builds it, finds the best cuts, and says what it costs.
