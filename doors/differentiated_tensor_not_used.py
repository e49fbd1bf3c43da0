# %% [markdown]
# # RuntimeError: The differentiated Tensor at index 0 appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.
# `autograd.grad(loss, inputs)` was asked for an input that the loss does not depend on, as far as the graph knows.
# Most often the tensor is a copy, a slice or a converted version of what was used: ask for the very tensor that went into the computation.
# `allow_unused=True` gives `None` for it, and what you do with `None` is the next error; `materialize_grads=True` gives zeros.
# Also: One of the differentiated Tensors appears to not have been used in the graph; One of the differentiated Tensors does not require grad; unused variables or parameters; allow_unused

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
half = w[:500]  # a new tensor; the loss is made of w
loss = w.exp().sum()
torch.autograd.grad(loss, half)

# %% [markdown]
# ## Ways out
# ### Ask for what was used

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
loss = w.exp().sum()
(grad,) = torch.autograd.grad(loss, w)
half = grad[:500]

# %% [markdown]
# ### Use what you ask for

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
half = w[:500]
loss = half.exp().sum() + w[500:].exp().sum()
(grad,) = torch.autograd.grad(loss, half)

# %% [markdown]
# ### It may be unused: `None`, or zeros

# %% way
import torch

w, unused = torch.ones(1000, requires_grad=True), torch.ones(1000, requires_grad=True)
loss = w.exp().sum()
print(torch.autograd.grad(loss, unused, allow_unused=True, retain_graph=True))
(zeros,) = torch.autograd.grad(loss, unused, materialize_grads=True)
print(zeros.count_nonzero())

# %% [markdown]
# ## In the course
# Lesson {02} shows what is in a graph and what is not, {09} uses `autograd.grad` on parts of one.
