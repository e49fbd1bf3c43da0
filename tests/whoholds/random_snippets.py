"""Random snippets: every way that somebody has met to hold a tensor, in any order.

`snippet(seed)` is the text of a program that runs under `%%step` on either engine. A statement may
fail; what it raises is caught, now and then kept. Operands are drawn among the names alive; all
have shape (4,), pieces of views have another, and what does not fit is one more error.
"""

import random

PRELUDE = """import torch
class Box:
    pass
class Keep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        ctx.h = h
        ctx.more = [h + 1]
        return h * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2
class Ring(torch.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        ctx.y = h.exp()
        return ctx.y
    @staticmethod
    def backward(ctx, g):
        return g * ctx.y
def make(k):
    def pull(g):
        return g + 0 * k.detach().sum()
    return pull
def double(v):
    u = v * 2
    return u
def fail(v):
    local = v * 3
    local.sum().backward()
    local.sum().backward()
    raise ValueError(len(local))
def gen(v):
    inner = v + 5
    yield inner
    yield inner * 2
"""

# {n} is a name to bind, {a} and {b} are tensors; "!" marks a line that is tried
STATEMENTS = {
    "leaf": "{n} = torch.full((4,), 0.5, requires_grad=True)",
    "another leaf": "{n} = torch.full((4,), 0.25).requires_grad_()",
    "data": "{n} = torch.ones(4)",
    "mul": "{n} = {a} * {b}",
    "shift": "{n} = {a} + 1",
    "scale": "{n} = {a} * 2",
    "tanh": "{n} = {a}.tanh()",
    "chain": "{n} = ({a}.exp() + 1).tanh()",
    "sum": "{n} = {a}.sum() * {b}",
    "view": "{n} = {a}.view(2, 2).view(4)",
    "turn": "{n} = {a}.view(2, 2).t()",
    "pieces": "{n} = {a}.split(2)[1]",
    "two pieces": "{n}, {m} = {a}.split(2)",
    "detach": "{n} = {a}.detach()",
    "data of": "{n} = {a}.data",
    "no_grad": "with torch.no_grad():\n    {n} = {a} * {b}",
    "detach_": "!{a}.detach_()",
    "write": "!{a}.add_(1)",
    "multiply": "!{a}.mul_({b})",
    "piece of": "!{a}[0] = 3.0",
    "write outside": "!with torch.no_grad():\n    {a}.add_(1)",
    "freeze": "!{a}.requires_grad_(False)",
    "backward": "!{a}.sum().backward()",
    "retain": "!{a}.sum().backward(retain_graph=True)",
    "twice": "!{a}.sum().backward()\n{a}.sum().backward()",
    "grad": "!({n},) = torch.autograd.grad({a}.sum(), [{b}])",
    "retain_grad": "!{a}.retain_grad()",
    "no grad": "{a}.grad = None",
    "grad of": "{n}_grad = {a}.grad if {a}.is_leaf else None",
    "del": "del {a}",
    "del more": "del {a}",
    "rebind": "{a} = {b}",
    "node": "{n}_fn = {a}.grad_fn",
    "hook": "!{a}.register_hook(make({b}))",
    "node hook": "!{a}.grad_fn.register_prehook(make({b}))",
    "after hook": "!{a}.register_post_accumulate_grad_hook(make({b}))",
    "closure": "{n}_f = make({a})",
    "lambda": "{n}_f = lambda g, k={a}: g",
    "list": "{n}_l = [{a}, [{b}, [{a} * 2]]]",
    "dict": "{n}_d = dict(one={a}, two=({b} + 1,))",
    "set": "{n}_s = {{{a} + 1}}",
    "long": "{n}_l = [{a} + i for i in range(30)]",
    "box": "{n}_b = Box()\n{n}_b.h = {a}\n{n}_b.more = [{b} * 3]",
    "generator": "{n}_g = gen({a})\nnext({n}_g)",
    "iterator": "{n}_i = iter([{a}, {b} * 2])\nnext({n}_i)",
    "attribute": "{a}.note = {b}",
    "forget names": "for name in [x for x in globals() if x.startswith('t') and '_' in x]:\n"
    "    del globals()[name]",
    "keep": "{n} = Keep.apply({a})",
    "ring": "{n} = Ring.apply({a})\ndel {n}",
    "function": "{n} = double({a}) * {b}",
    "beside": "{n} = ({a} + 1) * double({b})",
    "loop": "for {n} in [{a} * 2, {b} * 3]:\n    {n} = {n} + 1",
    "error": "try:\n    fail({a})\nexcept (RuntimeError, ValueError) as error:\n    {n}_e = error",
    "packed": "with torch.autograd.graph.saved_tensors_hooks(lambda t: [t.detach().clone()], "
    "lambda p: p[0]):\n    {n} = {a} * {b}",
    "packed as is": "with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda p: p):\n"
    "    {n} = {a}.exp() * {b}",
    "checkpoint": "{n} = torch.utils.checkpoint.checkpoint(lambda v: v.tanh().exp(), {a}, "
    "use_reentrant=True)",
    "checkpoint 2": "{n} = torch.utils.checkpoint.checkpoint(lambda v: v.tanh().exp() * {b}, {a}, "
    "use_reentrant=False)",
    "numpy": "{n}_np = {a}.detach().numpy()",
    "hide": "hide({a})",
    "hide new": "hide({a} * 2)",
    "hide node": "hide({a}.grad_fn)",
    "norm": "{n}_net = torch.nn.BatchNorm1d(4)\n{n} = {n}_net({a}.view(1, 4).expand(2, 4))",
    "train": "{n}_net = torch.nn.Linear(4, 4)\n"
    "{n}_opt = torch.optim.SGD({n}_net.parameters(), lr=0.1, momentum=0.9)\n"
    "{n}_net({a}).sum().backward()\n{n}_opt.step()\ndel {n}_net",
}


def snippet(seed, most=14, kinds=None) -> str:
    """The program of this number."""
    draw = random.Random(seed)
    names, lines = ["t1", "t2"], ["t1 = torch.full((4,), 0.5, requires_grad=True)", "t2 = t1 * 2"]
    for number in range(3, draw.randint(5, most) + 3):
        kind = draw.choice(kinds or list(STATEMENTS))
        fill = dict(n=f"t{number}", m=f"t{number}b", a=draw.choice(names), b=draw.choice(names))
        text = STATEMENTS[kind].format(**fill)
        if "for name in" in text:
            text = text.replace("x.startswith('t')", f"x.startswith('{fill['a']}')")
        lines += tried(text, draw.random() < 0.3 and f"{fill['n']}_kept")
        if text.startswith("del t"):
            gone = text.split()[-1]
            names = [n for n in names if n != gone] or names
        elif f"{fill['n']} =" in text and f"del {fill['n']}" not in text:
            names.append(fill["n"])
    return PRELUDE + "\n".join(lines) + "\n"


def tried(text, keep) -> list:
    """The lines of a statement; what it raises is passed over, or kept under a name."""
    rows = text.lstrip("!").split("\n")
    if text.startswith("del") or "\n    del globals" in text:
        return ["try:", *("    " + row for row in rows), "except NameError:", "    pass"]
    end = f"    {keep} = error" if keep else "    pass"
    return ["try:", *("    " + row for row in rows), "except Exception as error:", end]
