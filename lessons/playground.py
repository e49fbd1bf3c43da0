# %% [markdown]
# # Watch your own code
# You have a few lines of PyTorch and a question about them. Put `%%step` above the lines and run
# the cell: it takes them one statement at a time and shows, for each moment, which names, tensors
# and nodes exist, who holds whom, and how many bytes that is. Click into a view and use the arrow
# keys. (On a plain web page a view is a picture of the moment it opens on.)
#
# Five questions that were asked in PyTorch's forum are here as a menu, with code of our own. Each
# section runs by itself: run the cell below this one, then go where you like.
#
# - 000: [Can the graph stay while the data goes?](#000-Keep-the-graph-and-free-the-data)
# - 001: [Can a penalty give its memory back at once?](#001-The-gradient-of-a-penalty-at-once)
# - 002: [The graph is freed: what does that mean?](#002-What-freeing-the-graph-means)
# - 003: [Why does the second backward fail?](#003-Which-is-freed-and-which-is-not)
# - 004: [When does the graph of a loop's last turn go?](#004-A-graph-for-each-turn-of-a-loop)
# - [Your own code](#Yours)
#
# In these cells `import torch` means minigrad, an engine that saves and frees what PyTorch does.
# With `--engine torch` a cell runs on PyTorch itself, if you have it. `--fresh` gives a cell names
# of its own, so you can change it and run it again from nothing.

# %%
from whoholds.step import step  # also brings %%step
from whoholds.views import show

# %% [markdown]
# ## 000 Keep the graph and free the data
# The asker builds a reversible network, which can compute an earlier activation from a later one,
# so the graph need not keep it. But deleting the product in the middle gives no byte back. Who has
# it?

# %%
# %%step --fresh --title "A product in the middle"
import torch

p = torch.ones(16, 32, requires_grad=True)
q = torch.ones(32, 16, requires_grad=True)
r = torch.ones(16, 16, requires_grad=True)
middle = p @ q
last = middle @ r
del middle

# %% [markdown]
# Look at line 8: the name goes and the bytes stay, because the node of `last` has saved them. Add
# `del last`, and they go with that node. Or leave `requires_grad=True` out for `r`: then nobody
# needs `middle`, and line 8 frees it.
#
# On PyTorch: `%%step --fresh --engine torch --title "A product in the middle"`
#
# So what the asker needs is an operation that saves nothing and finds its gradient in another way.
# Here is the simplest one: the gradient of doubling needs no activation at all.

# %%
# %%step --fresh --title "An operation that saves nothing"
import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


h = torch.ones(16, 16, requires_grad=True)
for layer in range(3):
    h = Double.apply(h)
h.sum().backward()

# %% [markdown]
# Look at the loop: each turn adds a node, but only the newest activation is alive beside the leaf.
# Now put `ctx.save_for_backward(x)` above `return x * 2`, and every turn keeps one more.
#
# On PyTorch: `%%step --fresh --engine torch --title "An operation that saves nothing"`
#
# More: [lesson 07](07_write_your_own_op.ipynb).

# %% [markdown]
# ## 001 The gradient of a penalty at once
# The asker adds a penalty to the loss at each stage of a huge model. No later stage depends on a
# penalty. So could its gradient be computed at once, and all that it saved be freed before the next
# stage begins? First the usual way, jointly:

# %%
JOINT = """import torch
h = torch.ones(16, 16)
w = torch.full((16, 16), 0.01, requires_grad=True)
loss = 0
for stage in range(4):
    h = (h @ w).tanh()
    loss = loss + h.exp().exp().exp().sum()
(loss + h.sum()).backward()
"""

# %% [markdown]
# And the way of the first reply, eagerly, drawn on one axis with the other (dashed):

# %%
EAGER = """import torch
h = torch.ones(16, 16)
w = torch.full((16, 16), 0.01, requires_grad=True)
for stage in range(4):
    h = (h @ w).tanh()
    h.exp().exp().exp().sum().backward(retain_graph=True)
h.sum().backward()
"""
show({"eager": step(EAGER), "joint": step(JOINT)})

# %% [markdown]
# Compare the curves: jointly, the penalties pile up until the end; eagerly, each one is gone with
# its line, and only the stages stay. The price is work, not bytes: each early backward walks once
# more through all the stages before it.
#
# On PyTorch: `show({"eager": step(EAGER, "torch"), "joint": step(JOINT, "torch")})`
#
# The last reply knows a shorter walk, `inputs=`, which stops at the penalty's input. Does it?

# %%
# %%step --fresh --title "backward(inputs=[h])"
import torch

w = torch.full((16, 16), 0.01, requires_grad=True)
h = (torch.ones(16, 16) @ w).tanh()
penalty = h.exp().sum()
penalty.backward(inputs=[h])
h.sum().backward()

# %% [markdown]
# Look at line 6: the node that made `h` runs too and loses what it saved, so line 7 fails. Write
# `g, = torch.autograd.grad(penalty, h)` as line 6, and it passes. (How `g` goes on from there is in
# lesson 09.)
#
# On PyTorch: `%%step --fresh --engine torch --title "backward(inputs=[h])"`
#
# More: [lesson 09](09_eager_penalties.ipynb).

# %% [markdown]
# ## 002 What freeing the graph means
# The asker calls `backward()`, keeps the result, prints it later, and finds a `grad_fn`: the graph
# that should be freed is still there. What was freed, and what would let go of the rest?

# %%
# %%step --fresh --title "Keep the result"
import torch

leaf = torch.zeros(256, requires_grad=True)
for turn in range(1):
    result = (leaf * leaf).exp().sum()
    result.backward()
    kept = result
del result
print(kept)

# %% [markdown]
# Look at the nodes after line 6: all are there, and what they had saved is struck through. That is
# what freeing means. The nodes themselves stay as long as a name leads to them, here `kept`.
#
# On PyTorch: `%%step --fresh --engine torch --title "Keep the result"`

# %%
# %%step --fresh --title "Keep a detached one"
import torch

leaf = torch.zeros(256, requires_grad=True)
for turn in range(1):
    result = (leaf * leaf).exp().sum()
    result.backward()
    kept = result.detach()
del result
print(kept)

# %% [markdown]
# Look at line 8: the nodes go with the last name that led to them, not with the end of the loop.
#
# On PyTorch: `%%step --fresh --engine torch --title "Keep a detached one"`
#
# More: [lesson 04](04_which_is_freed.ipynb).

# %% [markdown]
# ## 003 Which is freed and which is not
# With the forward pass inside the loop all is well. The asker moves it out, and the second
# `backward()` is an error about values that have been freed. Which values? And why does it not help
# to take at least the sum back in?

# %%
# %%step --fresh --title "Backward alone in the loop"
import torch

data = torch.ones(16, 16)
layer = torch.nn.Linear(16, 16)
total = layer(data).tanh().sum()
for turn in range(2):
    total.backward()

# %% [markdown]
# Look at what the nodes hold on line 7: the first backward frees it, node by node, and the second
# stops at the first node that needs its own. Below the view stand the ways out, each with its
# price.
#
# On PyTorch: `%%step --fresh --engine torch --title "Backward alone in the loop"`

# %%
# %%step --fresh --title "A new sum on an old layer"
import torch

data = torch.ones(16, 16)
layer = torch.nn.Linear(16, 16)
out = layer(data).tanh()
for turn in range(2):
    total = out.sum()
    total.backward()

# %% [markdown]
# Look at the second turn: the sum's node is new, but its edge leads to an old one, which has
# nothing left. (With `out = data.requires_grad_() + 1` it passes: neither `+` nor the sum saves
# anything.)
#
# On PyTorch: `%%step --fresh --engine torch --title "A new sum on an old layer"`
#
# More: [lesson 05](05_second_time.ipynb).

# %% [markdown]
# ## 004 A graph for each turn of a loop
# The asker has a forward and a backward in a loop. Does each turn make a new graph, and when does
# the old one go? And with `retain_graph=True`, are there a hundred graphs after a hundred turns?

# %%
# %%step --fresh --title "A new graph each turn"
import torch

a = torch.zeros(16, 16, requires_grad=True)
for turn in range(3):
    y = (a * a).exp().sum()
    y.backward(retain_graph=True)

# %% [markdown]
# Look at line 5 in the second turn: the old graph goes when `y` gets its new value, and by then the
# new graph is made. So there are two for a moment, and one after the loop.
#
# On PyTorch: `%%step --fresh --engine torch --title "A new graph each turn"`

# %%
# %%step --fresh --title "A value fed back"
import torch

a = torch.ones(16, 16, requires_grad=True)
u = torch.ones(16, 16)
for turn in range(3):
    u = (u * a).tanh()
    u.sum().backward(retain_graph=True)

# %% [markdown]
# Look at the staircase: each `u` was made from the one before, so the newest node leads to the
# oldest and nothing goes. Write `u = (u.detach() * a).tanh()`, and the stairs are gone.
#
# On PyTorch: `%%step --fresh --engine torch --title "A value fed back"`
#
# More: [lesson 08](08_detach_and_leaks.ipynb).

# %% [markdown]
# ## Yours
# Paste your lines over the last three and run the cell. Small tensors are best: the same nodes, a
# picture you can read.

# %%
# %%step --fresh --title "Yours"
import torch

x = torch.ones(256, requires_grad=True)
y = (x * x).sum()
y.backward()

# %% [markdown]
# What you can add to the first line:
#
# - `--engine torch` runs the cell on PyTorch itself, `--engine minigrad` on minigrad. Without either,
#   `import torch` brings minigrad; but a cell that only PyTorch can run gets PyTorch, if you have it,
#   and says why.
# - `--fresh` hides the notebook's other names; leave it out to work with a model of an earlier
#   cell.
# - `--title "Why does it grow?"` writes a heading over the view.
# - `--export answer.html` writes the view to one page that needs no Python, for a reply in a forum.
# - `--raise` raises the cell's error again, after the view; without it the error is only printed.
#
# What it does not do:
#
# - `while True` is stopped after 20,000 statements, and you see what happened up to there.
# - A syntax error runs nothing and names the line; so does a `%` or `!` line, which is not Python.
# - minigrad has no GPU and not every operation: without PyTorch, the error names what is missing.
#   `python3 run.py lab --torch` brings PyTorch.
