# %% [markdown]
# # UserWarning: None of the inputs have requires_grad=True. Gradients will be None
# `checkpoint(..., use_reentrant=True)` records a node only if one of its *inputs* wants a gradient; the parameters inside do not count. Then they get none, and the block is not trained.
# Use `use_reentrant=False`: the block is recorded as it would be without checkpoint, its parameters too, and the warning is gone.
# Under `no_grad()`, in inference, there is nothing to be trained, and the warning is harmless.
# Also: Torch UserWarning checkpoint; requires_grad not explicitly set for checkpoint inputs; the use_reentrant parameter should be passed explicitly; gradient checkpointing model is not training; torch.utils.checkpoint is incompatible with .grad(); A different number of tensors was saved during the original forward and recomputation; Recomputed values for the following tensors have different metadata than during the forward pass; enable_input_require_grads

# %% step
import torch
from torch.utils.checkpoint import checkpoint

block = torch.nn.Linear(32, 32)
x = torch.ones(8, 32)
y = checkpoint(block, x, use_reentrant=True)
print(y.requires_grad, block.weight.grad)

# %% [markdown]
# ## Ways out
# ### `use_reentrant=False`

# %% way
import torch
from torch.utils.checkpoint import checkpoint

block = torch.nn.Linear(32, 32)
x = torch.ones(8, 32)
y = checkpoint(block, x, use_reentrant=False)
y.sum().backward()
print(block.weight.grad is not None)

# %% [markdown]
# ### An input that wants a gradient
# For code that you cannot change. The gradient of the input is computed for nothing.

# %% way
import torch
from torch.utils.checkpoint import checkpoint

block = torch.nn.Linear(32, 32)
x = torch.ones(8, 32).requires_grad_()
y = checkpoint(block, x, use_reentrant=True)
y.sum().backward()
print(block.weight.grad is not None)

# %% [markdown]
# ### Without checkpoint

# %% way
import torch

block = torch.nn.Linear(32, 32)
block(torch.ones(8, 32)).sum().backward()

# %% [markdown]
# ## In the course
# Lesson {10} builds checkpointing and measures it.
