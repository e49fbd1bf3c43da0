"""Lesson 09: honest answers in further styles."""


# %% answer="nodes_that_ran" style="match statement with guards, type hints"
from typing import Literal, Sequence

FREES = {"tanh": True, "double": True, "plus": False, "minus": False}


def nodes_that_ran(steps: Sequence[str], way: Literal["plain", "inputs", "grad"]) -> list:
    """[how many of the nodes of `steps` the first backward ran, whether the last line passes]"""
    match way:
        case "plain":
            return [len(steps), not any(FREES[s] for s in steps)]
        case "inputs":
            return [1, not FREES[steps[-1]]]
        case "grad":
            return [0, True]
    raise ValueError(f"no such way: {way}")


print(nodes_that_ran(["plus", "tanh"], "plain"), nodes_that_ran(["tanh", "plus"], "inputs"))


# %% answer="nodes_that_ran" style="itertools.islice over reversed, camelCase"
from itertools import islice


def nodes_that_ran(steps, way):
    """[how many of the nodes of `steps` the first backward ran, whether the last line passes]"""
    howMany = {"plain": None, "inputs": 1, "grad": 0}[way]
    nodesRun = list(islice(reversed(steps), howMany))
    hasSaved = "tanh" in nodesRun or "double" in nodesRun
    return [len(nodesRun), not hasSaved]


assert nodes_that_ran(["tanh"], "grad") == [0, True]


# %% answer="nodes_that_ran" style="toy nodes that raise, try and except"
class ToyNode:
    def __init__(self, step):
        self.saved = ["something"] if step in ("tanh", "double") else None
        self.runs = 0

    def run(self):
        if self.saved == []:
            raise RuntimeError("a second time")
        self.runs += 1
        if self.saved:
            self.saved.clear()


def nodes_that_ran(steps, way):
    """[how many of the nodes of `steps` the first backward ran, whether the last line passes]"""
    nodes = [ToyNode(step) for step in steps]
    first = nodes if way == "plain" else nodes[-1:] if way == "inputs" else []
    for n in first[::-1]:
        n.run()
    ran = sum(n.runs for n in nodes)
    try:
        for n in nodes[::-1]:
            n.run()
    except RuntimeError as error:
        print(f"{steps} {way}: {error}")
        return [ran, False]
    else:
        return [ran, True]


# %% answer="ScaleRows" style="in-place on the incoming gradient avoided, a demo of the error below"
class ScaleRows(mg.autograd.Function):
    """h, unchanged; its gradient comes out multiplied by `scale`, row by row."""

    @staticmethod
    def forward(ctx, h, scale):
        assert scale.shape[-1] == 1, "one scale a row"
        ctx.save_for_backward(scale)
        return h.view_as(h)

    @staticmethod
    def backward(ctx, grad):
        (s,) = ctx.saved_tensors
        scaled = mg.zeros_like(grad)
        scaled += grad
        scaled *= s
        return scaled, None


h = mg.ones(3, 2, requires_grad=True)
s = mg.tensor([[1.0], [2.0], [3.0]])
out = ScaleRows.apply(h, s).sum()
s += 1
try:
    out.backward()
except RuntimeError as error:
    print("as it should be:", error)
del h, s, out


# %% answer="ScaleRows" style="a subclass with named helpers, a tuple with None built by a list"
class RowOp(mg.autograd.Function):
    """Base: the identity in forward, `change` of the gradient in backward."""

    @staticmethod
    def change(grad, extra):
        raise NotImplementedError

    @staticmethod
    def forward(ctx, h, *extra):
        ctx.save_for_backward(*extra)
        return h.view(*h.shape)


class ScaleRows(RowOp):
    """h, unchanged; its gradient comes out multiplied by `scale`, row by row."""

    @staticmethod
    def backward(ctx, grad):
        extra = ctx.saved_tensors
        return tuple([grad * extra[0]] + [None] * len(extra))


# %% answer="late_scale" style="a context-free class Cut with resume, gc.collect at the end"
import gc


class Cut:
    def __init__(self, below):
        self.below = below
        self.leaf = below.detach().requires_grad_(True)

    def resume(self):
        self.below.backward(self.leaf.grad)


def late_scale(x, first, second, penalty):
    """Leaves its gradients in the weights of `first` and `second`; returns nothing."""
    cut = Cut(first(x))
    penalty(cut.leaf).backward()
    out = second(cut.leaf)
    with mg.no_grad():
        scale = out.mean(dim=1, keepdim=True)
        cut.leaf.grad *= scale
    loss = out.sum()
    del out
    loss.backward()
    cut.resume()
    del cut
    gc.collect()


# %% answer="late_scale" style="a closure for each stretch, partial application, French names"
def late_scale(x, first, second, penalty):
    """Leaves its gradients in the weights of `first` and `second`; returns nothing."""
    bas = first(x)
    coupe = bas.detach()
    coupe.requires_grad_()

    def penaliser():
        p = penalty(coupe)
        return mg.autograd.grad(p, coupe)[0]

    def continuer():
        sortie = second(coupe)
        echelle = sortie.detach().mean(dim=1, keepdim=True)
        sortie.sum().backward()
        return echelle

    penalite = penaliser()
    penalite *= continuer()
    coupe.grad += penalite
    bas.backward(coupe.grad)


# %% answer="penalised_step" style="functools.partial as a hook, operator.add"
from functools import partial
from operator import add


def penalised_step(x, blocks, penalty):
    """One forward and backward; leaves its gradients in the weights and returns nothing."""
    for block in blocks:
        x = block(x)
        (extra,) = mg.autograd.grad(penalty(x), [x])
        x.register_hook(partial(add, extra))
    x.sum().backward()


# %% answer="penalised_step" style="a stack of cuts, dataclass frames, while loop back"
from dataclasses import dataclass


@dataclass
class Frame:
    """One block: what came out, and the leaf that goes on from there."""

    result: mg.Tensor
    leaf: mg.Tensor


def penalised_step(x, blocks, penalty):
    """One forward and backward; leaves its gradients in the weights and returns nothing."""
    stack, h = [], x
    for b in blocks:
        result = b(h)
        h = result.detach().requires_grad_()
        penalty(h).backward()  # into h.grad
        stack.append(Frame(result, h))
        del result
    h.sum().backward()  # adds ones
    while stack:
        frame = stack.pop()
        frame.result.backward(frame.leaf.grad)
        del frame


# %% answer="penalised_step" style="a class with hook methods and a handle removed at the end"
class Penalties:
    def __init__(self, penalty):
        self.penalty = penalty
        self.handles = []

    def at(self, h):
        (g,) = mg.autograd.grad(self.penalty(h), h)

        def hook(grad):
            return grad + g

        self.handles.append(h.register_hook(hook))
        return h

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        for handle in self.handles:
            handle.remove()


def penalised_step(x, blocks, penalty):
    """One forward and backward; leaves its gradients in the weights and returns nothing."""
    with Penalties(penalty) as penalties:
        for block in blocks:
            x = penalties.at(block(x))
        x.sum().backward()


# %% answer="late_scale" style="a saved_tensors look, hooks on the leaf, memory curve kept in a list"
curve_of = []


def late_scale(x, first, second, penalty):
    """Leaves its gradients in the weights of `first` and `second`; returns nothing."""
    curve_of.clear()
    h = first(x)
    curve_of.append(mg.memory_allocated())
    leaf = h.detach().requires_grad_()
    penalty(leaf).backward()
    curve_of.append(mg.memory_allocated())
    out = second(leaf)
    curve_of.append(mg.memory_allocated())
    leaf.grad *= out.detach().mean(dim=1, keepdim=True)
    out.sum().backward()
    h.backward(leaf.grad)
    curve_of.append(mg.memory_allocated())


# %% answer="nodes_that_ran" style="runs the snippet with minigrad below it and compares"
def nodes_that_ran(steps, way):
    """[how many of the nodes of `steps` the first backward ran, whether the last line passes]"""
    n = len(steps) if way == "plain" else 1 if way == "inputs" else 0
    last = steps[len(steps) - n :] if n else []
    passes = True
    for step in last:
        passes &= step not in ["tanh", "double"]
    return [n, bool(passes)]


def really(steps, way):
    h = mg.ones(4, requires_grad=True)
    for step in steps:
        h = {"tanh": h.tanh, "minus": h.neg, "plus": lambda: h + 1, "double": lambda: h * 2}[step]()
    p = (h * h).sum()
    if way == "plain":
        p.backward()
    if way == "inputs":
        p.backward(inputs=[h])
    if way == "grad":
        mg.autograd.grad(p, [h])
    return attempt(h.sum().backward)


for way in ("plain", "inputs", "grad"):
    print(way, nodes_that_ran(["plus", "tanh"], way), really(["plus", "tanh"], way))
