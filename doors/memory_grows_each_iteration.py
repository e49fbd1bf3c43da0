# %% [markdown]
# # Why does my memory grow at every iteration, until CUDA is out of memory?
# Something that outlives the turn leads to the turn's graph, or to its tensors: a sum of losses, a list of outputs, a hidden state, an attribute of a module.
# Keep numbers (`loss.item()`) or tensors without a graph (`h.detach()`), not the results themselves.
# `whoholds.grows(step)` calls your step four times and names what holds the growth, and the line that made it.
# Asked: 004.job-grows
# Also: GPU memory leaks and keeps increasing; why does GPU memory increase; memory leak during training; always out of memory after some minutes; CUDA out of memory after more than a thousand iterations; accumulative loss; total_loss += loss; backward with an accumulated loss

# %% step
import torch

w = torch.ones(1000, requires_grad=True)
total = 0
for turn in range(3):
    loss = w.exp().sum()
    total = total + loss  # and so the graph of every turn

# %% [markdown]
# ## Ways out
# ### A number: `item()`
# On a GPU it waits until the value is there; a tensor without a graph does not.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
total = 0
for turn in range(3):
    loss = w.exp().sum()
    loss.backward()
    total = total + loss.item()

# %% [markdown]
# ### The value without its graph: `detach()`

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
total = 0
for turn in range(3):
    loss = w.exp().sum()
    loss.backward()
    total = total + loss.detach()

# %% [markdown]
# ### You want the gradient of the sum: backward in each turn
# Gradients add up in `.grad`. This is accumulation, and holds one turn's graph at a time.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
for turn in range(3):
    w.exp().sum().backward()

# %% [markdown]
# ### An update by hand: under `no_grad()`
# `w = w - lr * g` makes a new tensor with a graph that leads to the old one, and so on.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
for turn in range(3):
    (g,) = torch.autograd.grad(w.exp().sum(), w)
    with torch.no_grad():
        w -= 0.1 * g

# %% [markdown]
# ## In the course
# Lesson {08} finds leaks, and the smallest change that ends each.
