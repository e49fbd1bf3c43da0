# %% [markdown]
# # Cheat sheet: what each operation saves, what frees what, what each way out costs
# A node saves what its rule needs for backward, and lets go of it right after it has run in a backward that does not retain.
# Bytes go with the last reference; names, lists, graphs, `.grad` and optimizers are references.
# Every line below was printed by a cell of this page, on tensors of 1,000 numbers of float32: 4,000 B each.
# Also: what does each op save for backward; _saved_self _saved_other _saved_result; memory of relu, gelu, softmax, matmul, layer norm, dropout; which operations save nothing

# %% [markdown]
# ## What each operation saves
# Of inputs that want a gradient. *result* is the operation's own result, which you mostly hold anyway.

# %% run
import torch
import torch.nn.functional as F


def saved(op):
    x, y = (torch.rand(40, 25).requires_grad_() for _ in range(2))
    node = op(x, y).grad_fn
    while node.name() in ("ViewBackward0", "UnsafeViewBackward0", "TBackward0"):
        node = node.next_functions[0][0]
    found = {}
    for name in dir(node):
        tensor = getattr(node, name) if name.startswith("_saved_") else None
        if isinstance(tensor, torch.Tensor):
            found[name.removeprefix("_saved_")] = tensor.numel() * tensor.element_size()
    rows = [f"{name} {size:,} B" for name, size in found.items()]
    return node.name(), ", ".join(rows) or "nothing"


OPS = {
    "x + y": lambda x, y: x + y,
    "x * 2": lambda x, y: x * 2,
    "x * y": lambda x, y: x * y,
    "x / y": lambda x, y: x / y,
    "x ** 2": lambda x, y: x**2,
    "x @ y.T": lambda x, y: x @ y.T,
    "x.sum()": lambda x, y: x.sum(),
    "x.mean()": lambda x, y: x.mean(),
    "x.max()": lambda x, y: x.max(),
    "x.exp()": lambda x, y: x.exp(),
    "x.log()": lambda x, y: x.log(),
    "x.sin()": lambda x, y: x.sin(),
    "x.sqrt()": lambda x, y: x.sqrt(),
    "x.tanh()": lambda x, y: x.tanh(),
    "x.sigmoid()": lambda x, y: x.sigmoid(),
    "x.relu()": lambda x, y: x.relu(),
    "F.gelu(x)": lambda x, y: F.gelu(x),
    "F.silu(x)": lambda x, y: F.silu(x),
    "F.dropout(x)": lambda x, y: F.dropout(x),
    "x.softmax(1)": lambda x, y: x.softmax(1),
    "x.log_softmax(1)": lambda x, y: x.log_softmax(1),
    "F.layer_norm(x, (25,))": lambda x, y: F.layer_norm(x, (25,)),
    "F.mse_loss(x, y)": lambda x, y: F.mse_loss(x, y),
    "x.clone()": lambda x, y: x.clone(),
    "x[3]": lambda x, y: x[3],
    "x.double()": lambda x, y: x.double(),
    "torch.where(x > y, x, y)": lambda x, y: torch.where(x > y, x, y),
}
for text, op in OPS.items():
    name, what = saved(op)
    print(f"{text:<26}{name:<26}{what}")

# %% [markdown]
# ## What frees what
# `w` is a parameter, `h = w.exp()`, `loss = h.sin().sum()`: alive after the last line are

# %% run
from course.site.record import price
from whoholds.step import step

START = """import torch
w = torch.ones(1000, requires_grad=True)
h = w.exp()
loss = h.sin().sum()
"""
LINES = {
    "(nothing more)": "",
    "del h": "del h",
    "h = h.detach()": "h = h.detach()",
    "del loss": "del loss",
    "del h, loss": "del h, loss",
    "loss.backward()": "loss.backward()",
    "loss.backward(); del h, loss": "loss.backward()\ndel h, loss",
    "... and w.grad = None": "loss.backward()\ndel h, loss\nw.grad = None",
    "loss.backward(retain_graph=True)": "loss.backward(retain_graph=True)",
    "torch.autograd.grad(loss, h)": "torch.autograd.grad(loss, h)",
    "total = loss.item(); del h, loss": "total = loss.item()\ndel h, loss",
    "total = loss.detach(); del h, loss": "total = loss.detach()\ndel h, loss",
    "total = 0 + loss; del h, loss": "total = 0 + loss\ndel h, loss",
}
for text, lines in LINES.items():
    print(f"{text:<38}{price(step(START + lines, engine='torch'))['end']:>8,} B")

# %% [markdown]
# ## What each way out costs
# Two losses over one shared part `h`: bytes at the peak, and operations that backward ran.

# %% run
from course.site.record import price
from whoholds.step import step

START = """import torch
w = torch.ones(1000, requires_grad=True)
h = w.exp().sin().tanh()
"""
WAYS = {
    "(h.sum() + (h * h).sum()).backward()": "(h.sum() + (h * h).sum()).backward()",
    "h.sum().backward(retain_graph=True), then the other": (
        "h.sum().backward(retain_graph=True)\n(h * h).sum().backward()"
    ),
    "h anew for the second": (
        "h.sum().backward()\nh = w.exp().sin().tanh()\n(h * h).sum().backward()"
    ),
    "the second on h.detach(): no gradient through it": (
        "h.sum().backward()\nh = h.detach()\n(h * h).sum()"
    ),
}
for text, lines in WAYS.items():
    cost = price(step(START + lines, engine="torch"))
    print(f"{text:<52}{cost['peak']:>8,} B {cost['walked']:>4}")

# %% [markdown]
# ## In the course
# Lesson {06} shows what each operation saves, {04} what backward frees, {05} what each way out costs.
