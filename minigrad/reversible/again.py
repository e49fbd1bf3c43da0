"""To run F a second time and get the very same: its random numbers, its weights, its checks.

The recomputation runs on stand-ins for the parameters. They collect the gradients, so that no
parameter's `.grad` or hook is touched before the chain's own node hands the gradients on.
"""

from __future__ import annotations

import contextlib
from typing import Any

from minigrad.autograd.engine import count_consumers
from minigrad.autograd.graph import AccumulateGrad, Node, newer
from minigrad.autograd.modes import enable_grad, recomputing
from minigrad.backend import get_rng_state, set_rng_state
from minigrad.nn.module import Module, Parameter
from minigrad.tensor import Tensor


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


class Again:
    """F or G in one forward pass: called once, and then once more by `again`."""

    random: Any = None  # where the random numbers stood, if fn drew any

    def __init__(self, fn):
        self.fn = fn

    def __call__(self, u):
        before = get_rng_state()
        v = ran(self.fn, u)
        if get_rng_state() != before:
            self.random = before
        return v

    def again(self, u):
        """fn(u), recorded, with the random numbers of before; and the Catch for u's gradient."""
        catch = Catch()
        u = u.detach()
        u._edge = catch, 0
        now = get_rng_state()
        try:
            if self.random is not None:
                set_rng_state(self.random)
            with enable_grad(), recomputing():
                v = ran(self.fn, u)
        finally:
            set_rng_state(now)
        self._check_leaves(v)
        return v, catch

    def _check_leaves(self, v) -> None:
        """The chain knows u and the parameters; a gradient for anything else would be lost."""
        known = {*map(id, self.fn.parameters())}
        for node in count_consumers([v.grad_fn] if v.grad_fn else []):
            if isinstance(node, AccumulateGrad) and id(node.variable) not in known:
                raise RuntimeError(
                    f"{type(self.fn).__name__} uses a tensor that requires grad and is not one of "
                    "its parameters, so its gradient would be lost; make it a Parameter"
                )


class Catch(Node):
    """The end of a recomputed graph. (A leaf would do; but who sees one takes it for a weight.)"""

    grad: Any = None

    def __init__(self):
        self.order = next(newer)

    def apply(self, grads: list, asked=None) -> list:
        self.grad = grads.pop()
        return []


@contextlib.contextmanager
def stand_ins(module: Module):
    """Inside, leaves on the same bytes stand where the parameters were: {id(parameter): leaf}."""
    places = list(_places(module))
    leaves = {id(p): Parameter(p, p.requires_grad) for _, _, p in places}
    try:
        for owner, name, p in places:
            setattr(owner, name, leaves[id(p)])
        yield leaves
    finally:
        for owner, name, p in places:
            setattr(owner, name, p)


def _places(module: Module):
    """(module, attribute, parameter), here and below."""
    yield from ((module, k, p) for k, p in vars(module).items() if isinstance(p, Parameter))
    for child in module.children():
        yield from _places(child)


class Unchanged:
    """What must be as it was when backward comes: the weights, and the input once it is back."""

    def __init__(self, parameters, x1, x2):
        self.versions = [p._version for p in parameters]
        self.sample = _sample(x1) + _sample(x2)

    def check_weights(self, parameters) -> None:
        """Before anything is recomputed."""
        if [p._version for p in parameters] != self.versions:
            raise RuntimeError(
                "a parameter of the chain was changed in place between forward and backward, so "
                "the activations cannot be computed again; call optimizer.step() after backward()"
            )

    def check_input(self, x1, x2, tolerance) -> None:
        """After: a few numbers of the input, remembered, against those that came back."""
        back = _sample(x1) + _sample(x2)
        error = sum((a - b) ** 2 for a, b in zip(self.sample, back, strict=True)) ** 0.5
        size = sum(a * a for a in self.sample) ** 0.5
        if tolerance is not None and not error <= tolerance * size:
            raise RuntimeError(
                f"the input came back with a relative error of {error / (size or 1):.1g}: F or G "
                "is not deterministic, its mode or an output changed, or rounding errors have "
                "grown; try stream_dtype=minigrad.float64, or tolerance=None to go on regardless"
            )


def _sample(x, count: int = 32) -> list:
    """Up to `count` numbers of x, evenly spread."""
    flat = x._array.ravel()
    return flat[:: max(flat.size // count, 1)][:count].astype(float).tolist()
