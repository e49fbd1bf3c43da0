"""Function: your own operation, a pair of static rules on tensors.

The `ctx` that forward and backward receive is the node itself: what you save on it is what the
graph keeps. `ctx.save_for_backward` is checked for changes and freed by backward; a plain
attribute (`ctx.x = x`) is neither.
"""

from __future__ import annotations

import functools
import warnings
from typing import Any

from minigrad.autograd.context import BackwardCFunction
from minigrad.core import messages
from minigrad.core.modes import no_grad
from minigrad.core.node import edge, newer
from minigrad.core.record import move_on
from minigrad.core.saved import keep, keep_output
from minigrad.core.variable import Variable, recording


class Function:
    """Derive from this: static forward(ctx, *args) and backward(ctx, *grads); call .apply()."""

    def __init_subclass__(cls):
        for option in ("clear_saved_tensors_on_access", "boxed_grads_call"):
            if getattr(cls, option, False):
                raise NotImplementedError(f"minigrad has no {option}; leave it out of {cls}")
        body = {"_function": cls, "__module__": __name__}
        cls._backward_cls = type(cls.__name__ + "Backward", (BackwardCFunction,), body)

    def __init__(self, *args, **kwargs):
        warnings.warn(messages.NO_INSTANCES.format(type(self)), DeprecationWarning, stacklevel=2)

    def __call__(self, *args, **kwargs):
        raise RuntimeError(messages.LEGACY)

    @staticmethod
    def forward(*args):
        raise NotImplementedError(messages.NO_FORWARD)

    @staticmethod
    def backward(*args):
        raise NotImplementedError(messages.NO_BACKWARD)

    _backward_cls: type
    setup_context: Any = None  # PyTorch's second style: setup_context(ctx, inputs, output)

    @classmethod
    def apply(cls, *args, **kwargs):
        """Run forward without recording its inside, then record the whole as one node."""
        node = cls._backward_cls()
        node.order = next(newer)
        tensors = [a for a in args if isinstance(a, Variable)]
        node._is_tensor = [isinstance(a, Variable) for a in args]
        node._needs = tuple(isinstance(a, Variable) and a._requires_grad for a in args)
        recorded = recording(tensors)
        if recorded:
            node.next_functions = tuple([edge(t) for t in tensors])
            node._inputs = [(t._array.shape, t._array.dtype) for t in tensors]
        with no_grad():
            results = cls._run(node, args, kwargs)
        outputs = results if isinstance(results, tuple) else (results,)
        outputs = _outputs(node, tensors, outputs, recorded)
        return outputs if isinstance(results, tuple) else outputs[0]

    @classmethod
    def _run(cls, node, args, kwargs):
        if cls.setup_context is None:
            return cls.forward(node, *args, **kwargs)
        results = cls.forward(*args, **kwargs)
        cls.setup_context(node, args, results)
        return results


# -- the results of forward as outputs of the node --


def _outputs(node, tensors, results, recorded: bool) -> tuple:
    """What the caller of apply() receives: tensors of this node, other objects as they are."""
    outputs = tuple(_output(node, tensors, t) if isinstance(t, Variable) else t for t in results)
    node.num_outputs = len(outputs)
    node._outputs = [None] * len(outputs)
    if recorded:
        for i, out in enumerate(outputs):
            if isinstance(out, Variable):
                _attach(node, i, out, results[i])
        node.saved, node._saved_outputs = _saved(node, results, outputs)
    node._to_save = node._dirty = node._non_differentiable = ()
    return outputs


def _output(node, tensors, t):
    """`t` itself if forward made it or changed it in place; a view if it is an input's."""
    if _among(t, node._dirty):
        t._storage.version += 1
        return t
    if _among(t, tensors):
        out = t._share(t._array)
        out._base = t if t._base is None else t._base
        out._view_kind = "custom"
        return out
    if t._base is not None:
        t._view_kind = "custom"
    return t


def _attach(node, i, out, result) -> None:
    """Make `out` output number `i` of the node, if it can have a gradient."""
    if not out.dtype.is_floating_point and not _among(result, node._non_differentiable):
        return
    node._outputs[i] = out._array.shape, 0, out._array.dtype, out.device
    if _among(result, node._non_differentiable):
        return
    if _among(result, node._dirty):
        if out._requires_grad and out.grad_fn is None:
            raise RuntimeError(messages.DIRTY_LEAF)
        move_on(out, node)
    out._edge = node, i


def _saved(node, results, outputs) -> tuple:
    """The entries of `node.saved`, and which of them are outputs: {index: output number}."""
    entries, numbers = [], {}
    for index, t in enumerate(node._to_save):
        made = [i for i, r in enumerate(results) if r is t and r is outputs[i]]
        if made:
            numbers[index] = made[0]
        entries.append(None if t is None else keep_output(t) if made else keep(t))
    return entries, numbers


def _among(t, tensors) -> bool:
    return any(t is other for other in tensors)


def once_differentiable(backward):
    """For a backward whose own gradient cannot be taken; in minigrad, that is every backward."""

    @functools.wraps(backward)
    def inside(ctx, *grads):
        with no_grad():
            return backward(ctx, *grads)

    return inside
