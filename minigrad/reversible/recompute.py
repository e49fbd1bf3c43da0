"""To run F a second time and get the very same: its random numbers, its weights, its checks.

The walk through what was computed again ends in a Collector: no parameter's `.grad` or hook is
touched before the block's input has come back as it was.
"""

from __future__ import annotations

from typing import Any

from minigrad.core.backward import run
from minigrad.core.modes import enable_grad, recomputing, state
from minigrad.core.node import AccumulateGrad, Node, accumulator, edge, newer
from minigrad.core.tensor import Tensor
from minigrad.nn.module import Parameter
from minigrad.ops.reading import seen
from minigrad.utils.rng import random_numbers, rng_states

ONCE = (
    "a reversible chain computes its activations again without recording it, so it has no second "
    "derivative: call its blocks one by one, or leave out create_graph=True"
)
FOREIGN = (
    "{} uses a tensor that requires grad and is not one of its parameters, so its gradient would "
    "be lost; make it a Parameter, or detach() it"
)


def ran(fn, u):
    """fn(u), in the dtype of fn's parameters; an error if it cannot be part of a coupling."""
    own = next((p.dtype for p in fn.parameters()), u.dtype)
    u = u.to(own)
    version = u._version
    v = fn(u)
    name = type(fn).__name__
    if u._version != version:
        raise RuntimeError(
            f"{name} changed its input in place, so the stream it came from is lost; "
            "let it compute into a new tensor"
        )
    if not isinstance(v, Tensor) or (v.shape, v.dtype) != (u.shape, u.dtype):
        got = f"{v.dtype} {list(v.shape)}" if isinstance(v, Tensor) else type(v).__name__
        raise RuntimeError(
            f"{name} must return a tensor like its input, {u.dtype} {list(u.shape)}, since it is "
            f"added to the other stream, but it returned {got}"
        )
    return v


def refuse_recording() -> None:
    """A recomputation is thrown away again: nothing could be differentiated a second time."""
    if state.grad_enabled:
        raise NotImplementedError(ONCE)


class Again:
    """F or G in one forward pass: called once, and then once more by `again`."""

    random: Any = None  # where the random numbers stood, if fn drew any

    def __init__(self, fn):
        self.fn = fn

    def __call__(self, u):
        before = rng_states()
        v = ran(self.fn, u)
        if rng_states() != before:
            self.random = before
        return v

    def into(self, collector):
        """What undo() calls: the parameters' gradients go to `collector`."""
        return lambda u: self.again(u, collector)

    def again(self, u, collector):
        """fn(u), recorded this time, and a function that carries its gradient through to u."""
        catch = Catch()
        u = u.detach()
        u._edge = catch, 0
        with random_numbers(self.random or rng_states()), enable_grad(), recomputing():
            v = ran(self.fn, u)

        def pull(dv):
            if v.requires_grad:
                collector.begins = catch._order, type(self.fn).__name__
                run([(*edge(v), dv.to(v.dtype))], False, collector)
            return catch.grad

        return v, pull


class Catch(Node):
    """The end of a recomputed graph. (A leaf would do; but who sees one takes it for a weight.)"""

    grad: Any = None

    def __init__(self):
        self._order = next(newer)

    def apply(self, grads: list, asked=None) -> list:
        (self.grad,) = grads
        return []


class Collector:
    """Where a walk goes (see core.backward.walk), and what it does at a parameter: add up, here."""

    begins: tuple  # the number of the oldest node of this recomputation, and whose it is

    def __init__(self, parameters):
        self.parameters = {id(p): p for p in parameters if p.requires_grad}
        self.leaves: dict = {}  # id of a parameter -> what adds up its gradient here

    def visit(self, node, grads: list) -> bool:
        """True if the node has to run."""
        oldest, name = self.begins
        if not isinstance(node, AccumulateGrad):
            if node._order > oldest:
                raise RuntimeError(FOREIGN.format(name))
            return True
        if (p := self.parameters.get(id(node.variable))) is None:
            raise RuntimeError(FOREIGN.format(name))
        AccumulateGrad(self.leaves.setdefault(id(p), Parameter(p))).apply(grads)
        return False

    def asked(self, node) -> None:
        """Everywhere."""

    def hand_on(self) -> None:
        """Add to `.grad` what is here, so that a deep chain never holds all of it at once.

        Not if hooks wait for the whole gradient, nor in a walk that asks for some gradients only.
        """
        for key in () if state.walk.partial else list(self.leaves):
            target = accumulator(self.parameters[key])
            if target._hooks is None and not target.variable._grad_hooks:
                target.apply([self.leaves.pop(key)._grad])

    def gradients(self, parameters) -> list:
        """One per parameter; None for one that is frozen, was not used, or is handed on."""
        return [getattr(self.leaves.get(id(p)), "grad", None) for p in parameters]


class Unchanged:
    """What must be as it was when backward comes: the weights, and the input once it is back."""

    def __init__(self, module, x1, x2):
        self.module, self.weights = module, _versions(module)
        self.sample = _sample(x1) + _sample(x2)

    def check_weights(self) -> None:
        """Before anything is recomputed."""
        if _versions(self.module) != self.weights:
            raise RuntimeError(
                "a parameter of the chain was changed between forward and backward, so the "
                "activations cannot be computed again; call optimizer.step() after backward()"
            )

    def check_input(self, x1, x2, tolerance) -> None:
        """After: a few numbers of the input, remembered, against those that came back."""
        back = _sample(x1) + _sample(x2)
        error = sum((a - b) ** 2 for a, b in zip(self.sample, back, strict=True)) ** 0.5
        size = sum(a * a for a in self.sample) ** 0.5 or 1  # of zeros, rounding makes a little
        if tolerance is not None and not error <= tolerance * size:
            raise RuntimeError(
                f"the input came back with a relative error of {seen(error / size):.1g}: F or G "
                "is not deterministic, its mode or an output changed, or rounding errors have "
                "grown; try stream_dtype=minigrad.float64, or tolerance=None to go on regardless"
            )


def _versions(module) -> list:
    return [(id(p), p._version, p.requires_grad) for p in module.parameters()]


def _sample(x, count: int = 32) -> list:
    """Up to `count` numbers of x, evenly spread."""
    flat = x._array.ravel()
    return flat[:: max(flat.size // count, 1)][:count].astype(float).tolist()
