# %% [markdown]
# # RuntimeError: Output 0 of Unbind is a view and is being modified inplace.
# One of several views that a function returned together was written in place; autograd cannot follow that write to the others.
# Write out of place, or index the base once for each part: `h[0]` alone is a single view, and may be written.
# The same words follow for a view that a custom Function returned, and for one made under `no_grad()`.
# Also: This view is the output of a function that returns multiple views. Such functions do not allow the output views to be modified inplace; This view was created inside a custom Function; A view was created in no_grad mode and is being modified inplace with grad mode enabled; chunk split unbind in-place; Output 0 of SplitBackward0

# %% step
import torch

w = torch.ones(2, 500, requires_grad=True)
h = w * 2
first, second = h.unbind()
first += 1

# %% [markdown]
# ## Ways out
# ### Out of place

# %% way
import torch

w = torch.ones(2, 500, requires_grad=True)
h = w * 2
first, second = h.unbind()
first = first + 1
(first * second).sum().backward()

# %% [markdown]
# ### A single view of the base
# The write is recorded in the base: `h` changes, too, and gets a new node, `CopySlices`.

# %% way
import torch

w = torch.ones(2, 500, requires_grad=True)
h = w * 2
first = h[0]
first += 1
h.sum().backward()
print(h.grad_fn.name())

# %% [markdown]
# ### A copy

# %% way
import torch

w = torch.ones(2, 500, requires_grad=True)
first, second = (w * 2).unbind()
first = first.clone()
first += 1
(first * second).sum().backward()

# %% [markdown]
# ## In the course
# Lesson {06} shows what may be written in place, and what that does to saved tensors.
