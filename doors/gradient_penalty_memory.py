# %% [markdown]
# # Why does my gradient penalty (`create_graph=True`) leak memory?
# `loss.backward(create_graph=True)` puts a gradient with a graph into `.grad`, and that graph leads back to the parameter: a ring that no `del` ends.
# `torch.autograd.grad(loss, params, create_graph=True)` gives the same gradients and writes no `.grad`: no ring.
# If it must be `backward`, set `.grad = None` after use; a penalty that is summed over turns keeps the graphs of all of them.
# Also: UserWarning Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient which can cause a memory leak; memory leak in torch.autograd.grad; WGAN-GP out of memory; double backward memory; doing backward with a grad as the gradient of itself; gradient of gradient; custom grad

# %% step
import torch


def turn():
    w = torch.ones(1000, requires_grad=True)
    loss = w.exp().sum()
    loss.backward(create_graph=True)


turn()
turn()  # all names are gone, and what two turns made is not

# %% [markdown]
# ## Ways out
# What stays at the end is what the next turns add to. Python's collector does not end such a ring:
# the gradient is held by C++, where it does not look, and `gc.collect()` frees nothing.
# ### `autograd.grad`

# %% way
import torch


def turn():
    w = torch.ones(1000, requires_grad=True)
    loss = w.exp().sum()
    (grad,) = torch.autograd.grad(loss, w, create_graph=True)
    (loss + (grad**2).sum()).backward()


turn()
turn()

# %% [markdown]
# ### `.grad = None` after use

# %% way
import torch


def turn():
    w = torch.ones(1000, requires_grad=True)
    loss = w.exp().sum()
    loss.backward(create_graph=True)
    penalty = (w.grad**2).sum()
    w.grad = None
    penalty.backward()


turn()
turn()

# %% [markdown]
# ### A plain backward, for comparison

# %% way
import torch


def turn():
    w = torch.ones(1000, requires_grad=True)
    loss = w.exp().sum()
    loss.backward()


turn()
turn()

# %% [markdown]
# ## In the course
# Lesson {09} takes penalties at once, {08} is about leaks.
