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


# %% answer="nodes_that_ran" style="a dict of slices and set intersection, numpy bool"
import numpy as np


def nodes_that_ran(steps, way):
    """[how many of the nodes of `steps` the first backward ran, whether the last line passes]"""
    window = steps[dict(plain=slice(None), inputs=slice(-1, None), grad=slice(0, 0))[way]]
    return np.int32(len(window)), np.bool_({"tanh", "double"}.isdisjoint(window))


# %% answer="nodes_that_ran" style="namedtuple"
from collections import namedtuple
Ran = namedtuple("Ran", "nodes passes")
def nodes_that_ran(steps, way):
    ran = {"plain": steps, "inputs": steps[-1:], "grad": []}[way]
    return Ran(len(ran), not {"tanh", "double"} & set(ran))


# %% answer="ScaleRows" style="h[:] as the view, needs_input_grad, a gradient cloned and scaled in place"
class ScaleRows(mg.autograd.Function):
    """h, unchanged; its gradient comes out multiplied by `scale`, row by row."""

    @staticmethod
    def forward(ctx, h, scale):
        ctx.save_for_backward(scale)
        return h[:]

    @staticmethod
    def backward(ctx, grad_output):
        scale, = ctx.saved_tensors
        grad_h = grad_scale = None
        if ctx.needs_input_grad[0]:
            grad_h = grad_output.clone().mul_(scale)
        return grad_h, grad_scale


# %% answer="ScaleRows" style="h.view(h.shape), expand_as"
class ScaleRows(mg.autograd.Function):
    """h, unchanged; its gradient comes out multiplied by `scale`, row by row."""

    @staticmethod
    def forward(ctx, h, scale):
        ctx.save_for_backward(scale)
        return h.view(*h.shape)

    @staticmethod
    def backward(ctx, grad):
        return mg.mul(ctx.saved_tensors[0].expand_as(grad), grad), None


# %% answer="ScaleRows" style="returns h itself"
class ScaleRows(mg.autograd.Function):
    """h, unchanged; its gradient comes out multiplied by `scale`, row by row."""

    @staticmethod
    def forward(ctx, h, scale):
        ctx.save_for_backward(scale)
        return h

    @staticmethod
    def backward(ctx, grad):
        (scale,) = ctx.saved_tensors
        return grad * scale, None


# %% answer="ScaleRows" style="setup_context apart from forward"
class ScaleRows(mg.autograd.Function):
    """h, unchanged; its gradient comes out multiplied by `scale`, row by row."""

    @staticmethod
    def forward(h, scale):
        return h.view_as(h)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[1])

    @staticmethod
    def backward(ctx, grad):
        return ctx.saved_tensors[0] * grad, None


# %% answer="late_scale" style="autograd.grad for the penalty, added to the gradient in place"
def late_scale(x, first, second, penalty):
    """Leaves its gradients in the weights of `first` and `second`; returns nothing."""
    h = first(x)
    cut = h.detach().requires_grad_()
    (g,) = mg.autograd.grad(penalty(cut), cut)
    out = second(cut)
    with mg.no_grad():
        g.mul_(out.mean(1, keepdim=True))
    out.sum().backward()
    del out
    cut.grad += g
    h.backward(gradient=cut.grad)


# %% answer="late_scale" style="a hook on h adds the scaled gradient, one backward"
def late_scale(x, first, second, penalty):
    """Leaves its gradients in the weights of `first` and `second`; returns nothing."""
    h = first(x)
    c = h.detach().requires_grad_()
    g = mg.autograd.grad(penalty(c), [c])[0]
    out = second(h)
    g *= out.detach().mean(dim=1).unsqueeze(1)
    h.register_hook(lambda grad: grad + g)
    out.sum().backward()


# %% answer="late_scale" style="penalty walked with inputs=[c], scale computed under no_grad"
def late_scale(x, first, second, penalty):
    """Leaves its gradients in the weights of `first` and `second`; returns nothing."""
    h = first(x)
    c = h.detach().requires_grad_(True)
    penalty(c).backward(inputs=[c])
    from_penalty, c.grad = c.grad, None
    out = second(c)
    with mg.no_grad():
        scale = out.mean(dim=1, keepdim=True)
    out.sum().backward()
    del out
    total = c.grad.addcmul_(from_penalty, scale)
    h.backward(total)


# %% answer="penalised_step" style="checkpoint around the penalty, sum of losses"
def penalised_step(x, blocks, penalty):
    """One forward and backward; leaves its gradients in the weights and returns nothing."""
    h, total = x, 0.0
    for block in blocks:
        h = block(h)
        total = total + mg.utils.checkpoint.checkpoint(penalty, h, use_reentrant=False)
    (h.sum() + total).backward()


# %% answer="penalised_step" style="an autograd Function that injects a saved gradient"
class AddGrad(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h, g):
        ctx.save_for_backward(g)
        return h.view_as(h)

    @staticmethod
    def backward(ctx, grad):
        return grad + ctx.saved_tensors[0], None


def penalised_step(x, blocks, penalty):
    """One forward and backward; leaves its gradients in the weights and returns nothing."""
    h = x
    for block in blocks:
        h = block(h)
        leaf = h.detach().clone().requires_grad_()
        penalty(leaf).backward()
        h = AddGrad.apply(h, leaf.grad)
        del leaf
    h.sum().backward()


# %% answer="penalised_step" style="autograd.grad for all, list of gradients, hooks by a factory function"
def adder(g):
    def hook(grad):
        grad = grad.clone()
        grad += g
        return grad
    return hook


def penalised_step(x, blocks, penalty):
    """One forward and backward; leaves its gradients in the weights and returns nothing."""
    h = x
    for block in blocks:
        h = block(h)
        cut = h.detach().requires_grad_()
        penalty(cut).backward()
        h.register_hook(adder(cut.grad))
        del cut
    h.backward(mg.ones_like(h))


# %% answer="nodes_that_ran" style="dict of slices, any() with a set, runs the program in minigrad for comparison"
LOSES = {"tanh", "double"}
RAN = {"plain": slice(None), "inputs": slice(-1, None), "grad": slice(0, 0)}


def nodes_that_ran(steps, way):
    """[how many of the nodes of `steps` the first backward ran, whether the last line passes]"""
    ran = steps[RAN[way]]
    return [len(ran), LOSES.isdisjoint(ran)]


def passes(steps, way):
    h = mg.ones(4, requires_grad=True)
    do = {"tanh": lambda h: h.tanh(), "minus": lambda h: -h, "plus": lambda h: h + 1, "double": lambda h: h * 2}
    for step in steps:
        h = do[step](h)
    p = (h * h).sum()
    if way == "plain": p.backward()
    if way == "inputs": p.backward(inputs=[h])
    if way == "grad": mg.autograd.grad(p, [h])
    return attempt(h.sum().backward) == "passes"


for way in RAN:
    for steps in (["plus"], ["tanh", "minus"], ["minus", "double"]):
        assert nodes_that_ran(steps, way)[1] == passes(steps, way), (steps, way)


# %% answer="ScaleRows" style="like GradScale with save_for_backward, numpy check below"
class ScaleRows(mg.autograd.Function):
    """h, unchanged; its gradient comes out multiplied by `scale`, row by row."""

    @staticmethod
    def forward(ctx, h, scale):
        ctx.save_for_backward(scale)
        return h.view_as(h)

    @staticmethod
    def backward(ctx, grad):
        (scale,) = ctx.saved_tensors
        return grad * scale, None


import numpy as np

h = mg.ones(3, 2, requires_grad=True)
ScaleRows.apply(h, mg.tensor([[1.0], [2.0], [3.0]])).sum().backward()
assert np.array_equal(h.grad.numpy(), [[1, 1], [2, 2], [3, 3]])
del h


# %% answer="ScaleRows" style="shape asserts with messages, needs_input_grad, static helper"
class ScaleRows(mg.autograd.Function):
    """h, unchanged; its gradient comes out multiplied by `scale`, row by row."""

    @staticmethod
    def _check(h, scale):
        assert scale.shape == (h.shape[0], 1), f"{scale.shape = }, {h.shape = }"
        assert not scale.requires_grad

    @staticmethod
    def forward(ctx, h, scale):
        ScaleRows._check(h, scale)
        ctx.save_for_backward(scale)
        return h.view(h.shape)

    @staticmethod
    def backward(ctx, grad):
        if not ctx.needs_input_grad[0]:
            return None, None
        return ctx.saved_tensors[0] * grad, None


# %% answer="late_scale" style="edited in place, comments, trace of bytes kept in a list"
trace = []


def late_scale(x, first, second, penalty):
    """Leaves its gradients in the weights of `first` and `second`; returns nothing."""
    trace.clear()
    note = lambda what: trace.append((what, mg.memory_allocated()))
    h = first(x)
    c = h.detach().requires_grad_()
    note("cut")
    penalty(c).backward()            # c.grad: the penalty's, and nothing else yet
    note("penalty walked")
    out = second(c)
    note("second")
    c.grad.mul_(out.detach().mean(dim=1, keepdim=True))
    out.sum().backward()             # added to the scaled one
    del out
    note("out walked")
    h.backward(c.grad)
    note("end")


# %% answer="late_scale" style="autograd.grad for the penalty, small functions, pathological type hints"
from typing import Callable, TypeAlias

Module: TypeAlias = Callable[[mg.Tensor], mg.Tensor]


def slope_of(penalty: Module, c: mg.Tensor) -> mg.Tensor:
    (g,) = mg.autograd.grad(penalty(c), [c])
    return g


def late_scale(x: mg.Tensor, first: Module, second: Module, penalty: Module) -> None:
    """Leaves its gradients in the weights of `first` and `second`; returns nothing."""
    h = first(x)
    c = h.detach().requires_grad_()
    g = slope_of(penalty, c)
    out = second(c)
    with mg.no_grad():
        scale = out.mean(dim=1, keepdim=True)
        g *= scale
    out.sum().backward()
    del out
    c.grad += g
    del g
    h.backward(c.grad)


# %% answer="penalised_step" style="hook made by functools.partial and a helper"
import functools


def plus(g, grad):
    return grad + g


def penalised_step(x, blocks, penalty):
    """One forward and backward; leaves its gradients in the weights and returns nothing."""
    h = x
    for block in blocks:
        h = block(h)
        (g,) = mg.autograd.grad(penalty(h), [h])
        h.register_hook(functools.partial(plus, g))
        del g
    h.sum().backward()


# %% answer="penalised_step" style="own Function that injects the gradient, generator of activations"
class Inject(mg.autograd.Function):
    """h, unchanged; g is added to its gradient."""

    @staticmethod
    def forward(ctx, h, g):
        ctx.save_for_backward(g)
        return h.view_as(h)

    @staticmethod
    def backward(ctx, grad):
        (g,) = ctx.saved_tensors
        return grad + g, None


def with_penalty(h, penalty):
    c = h.detach().requires_grad_()
    return Inject.apply(h, mg.autograd.grad(penalty(c), c)[0])


# ==== next cell
def penalised_step(x, blocks, penalty):
    """One forward and backward; leaves its gradients in the weights and returns nothing."""
    for block in blocks:
        x = with_penalty(block(x), penalty)
    x.sum().backward()


# %% answer="nodes_that_ran" style="if/elif chain with returns, docstring example run by doctest"
import doctest


def nodes_that_ran(steps, way):
    """[how many of the nodes of `steps` the first backward ran, whether the last line passes]

    >>> nodes_that_ran(["tanh", "plus"], "inputs")
    [1, True]
    >>> nodes_that_ran(["tanh", "plus"], "plain")
    [2, False]
    """
    if way == "plain":
        ran = list(steps)
    elif way == "inputs":
        ran = [steps[-1]]
    elif way == "grad":
        ran = []
    else:
        raise ValueError(f"unknown {way = }")
    return [len(ran), not any(step in {"tanh", "double"} for step in ran)]


print(doctest.testmod(optionflags=doctest.ELLIPSIS, verbose=False))


# %% answer="ScaleRows" style="prints both tensors in backward, mul_ on a clone, gradcheck and attempt at the bottom"
class ScaleRows(mg.autograd.Function):
    """h, unchanged; its gradient comes out multiplied by `scale`, row by row."""

    @staticmethod
    def forward(ctx, h, scale):
        ctx.save_for_backward(scale)
        ctx.rows = len(h)
        return h.view_as(h)

    @staticmethod
    def backward(ctx, grad):
        scale = ctx.saved_tensors[0]
        print(ctx.rows, grad, scale)
        result = grad.clone()
        result.mul_(scale)
        return result, None


leaf, scale = mg.ones(2, 2, requires_grad=True), mg.ones(2, 1)
y = ScaleRows.apply(leaf, scale)
scale += 1
print(attempt(y.sum().backward))
del leaf, scale, y


# %% answer="late_scale" style="nested with, a class Boundary of her own, logging.basicConfig"
import logging

logging.basicConfig(level="INFO")


class Boundary:
    """cuts a net at h; inside the with one works with .c, and resume() walks on below"""

    def __init__(self, h):
        self.h = h

    def __enter__(self):
        self.c = self.h.detach().requires_grad_()
        return self.c

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.h.backward(self.c.grad)
        self.h = self.c = None


def late_scale(x, first, second, penalty):
    """Leaves its gradients in the weights of `first` and `second`; returns nothing."""
    with Boundary(first(x)) as c:
        penalty(c).backward()
        out = second(c)
        with mg.no_grad():
            scale = out.mean(dim=1, keepdim=True)
            logging.info("scales from %.3f to %.3f", scale.min().item(), scale.max().item())
            c.grad *= scale
        out.sum().backward()
        del out


# %% answer="penalised_step" style="checkpoint around the penalty, adds to a running total, sum at the end"
from functools import partial

checkpoint = partial(mg.utils.checkpoint.checkpoint, use_reentrant=False)


def penalised_step(x, blocks, penalty):
    """One forward and backward; leaves its gradients in the weights and returns nothing."""
    h, total = x, 0.0
    for number, block in enumerate(blocks):
        h = block(h)
        p = checkpoint(penalty, h)
        total = total + p
        print(f"block {number}: penalty {p.item():.4f}")
    (h.sum() + total).backward()


# %% answer="penalised_step" style="a thread per penalty"
from concurrent.futures import ThreadPoolExecutor


def penalised_step(x, blocks, penalty):
    class Add(mg.autograd.Function):
        @staticmethod
        def forward(ctx, h, g):
            ctx.save_for_backward(g)
            return h.view_as(h)

        @staticmethod
        def backward(ctx, grad):
            return grad + ctx.saved_tensors[0], None

    def slope(h):
        leaf = h.detach().requires_grad_()
        return mg.autograd.grad(penalty(leaf), leaf)[0]

    h = x
    with ThreadPoolExecutor(2) as pool:
        for block in blocks:
            h = block(h)
            h = Add.apply(h, pool.submit(slope, h).result())
    h.sum().backward()


# %% answer="ScaleRows" style="mark by ctx.set_materialize-free code, expand_as for the view, einsum"
class ScaleRows(mg.autograd.Function):
    """Forward hands h on; backward gives each row a factor of its own."""

    @staticmethod
    def forward(ctx, h, scale):
        assert scale.shape == (h.shape[0], 1), f"{scale.shape=}"
        ctx.save_for_backward(scale)
        return h[...]

    @staticmethod
    def backward(ctx, grad):
        (scale,) = ctx.saved_tensors
        return mg.einsum("rc,ro->rc", grad, scale), None


# %% answer="late_scale" style="nested functions, hook-free, multiplication out of place"
def late_scale(x, first, second, penalty):
    h = first(x)
    cut = h.detach().requires_grad_(True)
    penalty(cut).backward()
    out = second(cut)
    with mg.no_grad():
        cut.grad *= out.mean(1, keepdim=True)
    out.sum().backward()
    del out
    h.backward(cut.grad)


# %% answer="penalised_step" style="functools.partial with operator.add as the hook"
from functools import partial
from operator import add


def penalised_step(x, blocks, penalty):
    h = x
    for block in blocks:
        h = block(h)
        g = mg.autograd.grad(penalty(h), h)[0]
        h.register_hook(partial(add, g))
    del g
    h.sum().backward()


# %% answer="nodes_that_ran" style="match with or-patterns, set isdisjoint"
def nodes_that_ran(steps, way):
    match way:
        case "plain":
            ran = steps
        case "inputs":
            ran = [steps[-1]]
        case "grad":
            ran = []
    return [len(ran), {"tanh", "double"}.isdisjoint(ran)]
