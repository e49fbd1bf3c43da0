# %% [markdown]
# # How can I check whether a buffer was freed by backward?
# Ask the node. `y.grad_fn._saved_result` is the saved tensor before backward, and raises once it was freed; `dir(y.grad_fn)` has the names.
# That the node let go does not mean that the tensor is gone. `weakref.ref(t)` tells: called, it gives `None` when nobody holds `t` any more.
# To write into a tensor and see whether backward fails spoils what it looks at, and misses what was put on `ctx` or written through `.data`.
# Asked: 003.check
# Also: check if the buffers and temporary variables are deleted; is there an API to check what is freed; see saved tensors of grad_fn; _saved_self; weakref tensor

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
print("before:", h.grad_fn._saved_result.numel())
h.sum().backward()
h.grad_fn._saved_result

# %% [markdown]
# ## Ways to check
# ### Ask, and take the refusal as the answer

# %% way
import torch


def freed(node, name):
    try:
        getattr(node, name)
    except RuntimeError:
        return True
    return False


w = torch.ones(1000, requires_grad=True)
h = w.exp()
print(freed(h.grad_fn, "_saved_result"))
h.sum().backward()
print(freed(h.grad_fn, "_saved_result"))

# %% [markdown]
# ### Is anybody holding it? A weak reference
# It follows the Python object. A node that has saved its own result, as that of `exp`, holds the bytes
# without that object: here `sin` has saved its input.

# %% way
import torch
import weakref

w = torch.ones(1000, requires_grad=True)
h = w.exp()
seen = weakref.ref(h)
loss = h.sin().sum()
del h
print("held:", seen() is not None)
loss.backward()
print("held:", seen() is not None)

# %% [markdown]
# ### Who is holding it? `whoholds`

# %% way
import torch
import whoholds

w = torch.ones(1000, requires_grad=True)
h = w.exp()
print(whoholds.who(h))
h.sum().backward()
print(whoholds.who(h))

# %% [markdown]
# ## In the course
# Lesson {04} checks in four ways, {01} shows what a weak reference is.
