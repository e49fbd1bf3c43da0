# %% [markdown]
# # Why does `c = a * 5` refuse a second `backward()`, and which operations allow it?
# A product saves the other factor, the number 5 too: as a tensor of one number. It is freed with the first backward, and the second asks for it.
# Operations that save nothing allow it: sums, differences, shapes, copies. There is nothing that the first backward could have taken.
# One node that had saved something is enough to stop the second backward, wherever it stands on the way.
# Asked: 003.twice-number
# Also: multiply by a scalar backward twice; a*5 trying to backward through the graph a second time; second backward without an error; operations that save nothing

# %% step
import torch

a = torch.tensor(2.0, requires_grad=True)
c = a * 5
print("saved:", c.grad_fn._saved_other)
c.backward()
c.backward()

# %% [markdown]
# ## Which allow it

# %% run
import torch

OPS = {
    "x + 5": lambda x: x + 5,
    "x - 5": lambda x: x - 5,
    "-x": lambda x: -x,
    "x.sum()": lambda x: x.sum(),
    "x.mean()": lambda x: x.mean(),
    "x.view(10, 100)": lambda x: x.view(10, 100),
    "x.expand(2, 1000)": lambda x: x.expand(2, 1000),
    "x[3]": lambda x: x[3],
    "x.clone()": lambda x: x.clone(),
    "x.double()": lambda x: x.double(),
    "x * 5": lambda x: x * 5,
    "x / 5": lambda x: x / 5,
    "x ** 2": lambda x: x**2,
    "x.exp()": lambda x: x.exp(),
    "x.relu()": lambda x: x.relu(),
    "x.max()": lambda x: x.max(),
}
for text, op in OPS.items():
    x = torch.ones(1000, requires_grad=True)
    y = op(x)
    y.backward(torch.ones_like(y))
    try:
        y.backward(torch.ones_like(y))
        print(f"{text:<20}passes")
    except RuntimeError:
        print(f"{text:<20}refuses")

# %% [markdown]
# ## Ways out
# ### Make it anew

# %% way
import torch

a = torch.ones(1000, requires_grad=True)
for turn in range(2):
    (a * 5).sum().backward()

# %% [markdown]
# ### Keep it: `retain_graph=True`

# %% way
import torch

a = torch.ones(1000, requires_grad=True)
c = (a * 5).sum()
c.backward(retain_graph=True)
c.backward()

# %% [markdown]
# ### An operation that saves nothing

# %% way
import torch

a = torch.ones(1000, requires_grad=True)
c = (a + 5).sum()
c.backward()
c.backward()
print(a.grad[0].item())

# %% [markdown]
# ## In the course
# Lesson {05} asks why the number is saved, {06} what each operation saves.
