# %% [markdown]
# # RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a shape of torch.Size([3]).
# The gradient that you hand to `backward(gradient)` or `autograd.grad(..., grad_outputs=...)` must have the shape of the output it belongs to.
# It is the gradient of a loss by this output, so it has one number for each element of the output.
# For several outputs give a list of as many gradients, in the same order.
# Also: gradients can be either Tensors or None; got 2 tensors and 1 gradients; grad_outputs shape

# %% step
import torch

w = torch.ones(3, requires_grad=True)
y = w * 2
y.backward(torch.ones(2))

# %% [markdown]
# ## Ways out
# ### `torch.ones_like(y)`: the gradient of `y.sum()`

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
y = w * 2
y.backward(torch.ones_like(y))

# %% [markdown]
# ### Sum first

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
(w * 2).sum().backward()

# %% [markdown]
# ### Several outputs: one gradient for each

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
y, z = w * 2, w.exp()
torch.autograd.backward([y, z], [torch.ones_like(y), torch.ones_like(z)])

# %% [markdown]
# ## In the course
# Lesson {03} follows a gradient from node to node.
