# %% [markdown]
# # Why does `backward()` pass in a loop if forward is inside, and fail if it stands before?
# Inside, each turn makes a graph of its own. Backward frees what that one had saved; the next turn saves anew. Layer and input are yours, and never freed by it.
# Before the loop there is one graph. In the second turn backward meets a node of it that has nothing any more.
# Half is not enough: with the layer before and `sum` inside, the new node of `sum` leads to the old one of the layer, which fails. A new `sum` alone makes no new graph below it.
# Asked: 003.loops 003.why-first-passes
# Also: example 1 passed, example 2 failed; forward outside the for loop; y = torch.sum(x(a)) moved outside the loop; does torch.sum recreate a graph; x_out in the loop

# %% step
import torch

layer = torch.nn.Linear(30, 30)
a = torch.ones(30, 30)
# before the loop: its node saves a
out = layer(a)
for turn in range(2):
    # a new node, on the old one
    y = out.sum()
    y.backward()

# %% [markdown]
# ## The loops that pass
# ### All of forward inside

# %% way
import torch

layer = torch.nn.Linear(30, 30)
a = torch.ones(30, 30)
for turn in range(2):
    y = layer(a).sum()
    y.backward()

# %% [markdown]
# ### Forward before, and kept
# The same gradient is added twice; the bytes stay until the last turn.

# %% way
import torch

layer = torch.nn.Linear(30, 30)
a = torch.ones(30, 30)
y = layer(a).sum()
y.backward(retain_graph=True)
y.backward()

# %% [markdown]
# ### Before the loop, where no rule has saved anything
# The graph of a sum has nothing to lose.

# %% way
import torch

w = torch.ones(1000, requires_grad=True)
y = w.sum()
for turn in range(2):
    y.backward()
print(w.grad[0].item())

# %% [markdown]
# ## In the course
# Lesson {05} runs all five loops of the thread, and asks first in which turn each stops.
