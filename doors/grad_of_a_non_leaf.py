# %% [markdown]
# # UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is being accessed.
# Backward puts gradients into the `.grad` of leaves only. That of a computed tensor goes to the next node and is gone: its `.grad` is `None`.
# If you want it, call `retain_grad()` on the tensor before backward; it then costs the tensor's own size in bytes.
# If you meant a parameter, you read a copy: `w.cuda()`, `w.float()` or `w * 1` is a new tensor, and no leaf.
# Asked: 003.middle-grad
# Also: accessing grad attribute of non-leaf Tensors; save the gradient of an intermediate tensor; .grad of a tensor in the middle of the graph is None; how to solve .grad problem

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
h.sum().backward()
print(h.grad)

# %% [markdown]
# ## Ways out
# ### Keep it: `retain_grad()`

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
h.retain_grad()
h.sum().backward()
print(h.grad[:2])

# %% [markdown]
# ### Look at it on its way: a hook
# Nothing is kept but what the hook keeps.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
h.register_hook(lambda g: print("of h:", g[:2]))
h.sum().backward()

# %% [markdown]
# ### Ask for it: `autograd.grad`
# No `.grad` is written, also not that of `w`; only the nodes above `h` run.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
h = w.exp()
(grad,) = torch.autograd.grad(h.sum(), h)

# %% [markdown]
# ### You meant the leaf

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
copy = w.double()
copy.sum().backward()
print(w.grad.dtype, copy.is_leaf)

# %% [markdown]
# ## In the course
# Lesson {03} follows gradients through the middle of a graph.
