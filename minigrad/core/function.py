"""Function: your own operation, a pair of static rules on tensors.

The `ctx` that forward and backward receive is the node itself: what you save on it is what the
graph keeps. `ctx.save_for_backward` is checked for changes and freed by backward; a plain
attribute (`ctx.x = x`) is neither.
"""

from __future__ import annotations

import inspect
from typing import Any

from minigrad.core import messages, observer, saved
from minigrad.core.backend import full
from minigrad.core.frames import warn
from minigrad.core.inplace import check_writable, rebase
from minigrad.core.messages import freed_error
from minigrad.core.modes import no_grad
from minigrad.core.node import Freed, Node, edge, newer
from minigrad.core.op import become_view, fit
from minigrad.core.resized import fits
from minigrad.core.saved import keep, keep_output
from minigrad.core.tensor import Tensor, recording, wrap

PLACE = "minigrad.autograd.function"  # where PyTorch has it, and reprs say so


class Function:
    """Derive from this: static forward(ctx, *args) and backward(ctx, *grads); call .apply()."""

    __module__ = PLACE

    def __init_subclass__(cls):
        for option in ("clear_saved_tensors_on_access", "boxed_grads_call"):
            if getattr(cls, option, False):
                raise NotImplementedError(f"minigrad has no {option}; leave it out of {cls}")
        body = {"_function": cls, "__module__": PLACE}
        cls._backward_cls = type(cls.__name__ + "Backward", (BackwardCFunction,), body)

    def __init__(self, *args, **kwargs):
        warn(messages.NO_INSTANCES.format(type(self)), DeprecationWarning)

    def __call__(self, *args, **kwargs):
        raise RuntimeError(messages.LEGACY)

    @staticmethod
    def forward(*args):
        raise NotImplementedError(messages.NO_FORWARD)

    @staticmethod
    def backward(*args):
        raise NotImplementedError(messages.NO_BACKWARD)

    vjp = backward  # the other name that one may give it

    _backward_cls: type
    setup_context: Any = None  # PyTorch's second style: setup_context(ctx, inputs, output)

    @classmethod
    def apply(cls, *args, **kwargs):
        """Run forward without recording its inside, then record the whole as one node."""
        args = _by_place(cls, args, kwargs) if kwargs or cls.setup_context else args
        node = cls._backward_cls()
        tensors = [a for a in args if isinstance(a, Tensor)]
        node._is_tensor = [isinstance(a, Tensor) for a in args]
        node._needs = tuple(isinstance(a, Tensor) and a._requires_grad for a in args)
        recorded = recording(tensors)
        if recorded:
            node.next_functions = tuple([edge(t) for t in tensors])
            node._inputs = [(t._array.shape, t._array.dtype) for t in tensors]
        node._order = next(newer)
        with no_grad():
            results = cls._run(node, args)
        outputs = results if isinstance(results, tuple) else (results,)
        outputs = _outputs(node, tensors, outputs, recorded)
        return outputs if isinstance(results, tuple) else outputs[0]

    @classmethod
    def _run(cls, node, args):
        if cls.setup_context is None:
            return cls.forward(node, *args)
        results = cls.forward(*args)
        cls.setup_context(node, args, results)
        return results


def _by_place(cls, args: tuple, kwargs: dict) -> tuple:
    """The arguments of forward with those given by name where they stand in it: they are inputs,
    too.
    """
    signature = inspect.signature(cls.forward)
    if cls.setup_context:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        args, kwargs = bound.args, bound.kwargs
    _, *names = (p.name for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD)
    for name in kwargs:
        if name not in names:
            raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
        if name in names[: len(args)]:
            raise TypeError(f"forward() got multiple values for argument '{name}'")
    wanted = names[len(args) : 1 + max(map(names.index, kwargs), default=-1)]
    for place, name in enumerate(wanted, len(args)):
        if name not in kwargs:
            raise TypeError(f"forward() missing required argument: '{name}' (position {place})")
    return (*args, *(kwargs[name] for name in wanted))


# -- the results of forward as outputs of the node --


def _outputs(node, tensors, results, recorded: bool) -> tuple:
    """What the caller of apply() receives: tensors of this node, other objects as they are."""
    for marked, words in (node._dirty, messages.DIRTY), (node._non_differentiable, messages.MARKED):
        if not all(isinstance(t, Tensor) for t in marked):
            raise RuntimeError(words)
    outputs = tuple(
        _output(node, tensors, t, recorded) if isinstance(t, Tensor) else t for t in results
    )
    node._num_outputs = len(outputs)
    node._outputs = [None] * len(outputs)
    if recorded:
        for i, out in enumerate(outputs):
            if isinstance(out, Tensor):
                _attach(node, i, out, results[i], tensors)
    if not all(_among(t, results) for t in node._dirty):
        raise RuntimeError(messages.DIRTY_NOT_RETURNED)
    if recorded:
        node._saved, node._outputs_kept = _saved(node, results, outputs)
        for tell in observer.on_recorded:
            tell(node, _first_tensor(outputs), tensors)
    node._to_save = node._dirty = node._non_differentiable = ()
    return outputs


def _output(node, tensors, t, recorded: bool):
    """`t` itself if forward made it or changed it in place; a view if it is an input's.

    What can have no gradient lets go of the graph that it had: an input by a new tensor.
    """
    given, dirty = _among(t, tensors), _among(t, node._dirty)
    if dirty:
        t._storage.written()
    if t._requires_grad and not (recorded and _differs(node, t)):
        return t.detach() if given else t.detach_() if t._base is None else t
    if dirty:
        return t
    if given:
        out = t._share(t._array)
        become_view(out, t)
        out._view_kind = "custom"
        return out
    if t._base is not None:
        t._view_kind = "custom"
    return t


def _differs(node, t) -> bool:
    """Whether a result of forward can have a gradient."""
    return t.dtype.is_floating_point and not _among(t, node._non_differentiable)


def _attach(node, i, out, result, tensors) -> None:
    """Make `out` output number `i` of the node, if it can have a gradient."""
    node._outputs[i] = out._array.shape, 0, out._array.dtype, out.device
    if not _differs(node, result):
        return
    if _among(result, node._dirty):
        _check_dirty(node, out, tensors)
        rebase(out, node)
        if out._base is not None:
            return
    out._edge = node, i
    if out._base is not None:
        out._come_into_doubt()


def _check_dirty(node, out, tensors) -> None:
    """Refuse what forward must not have changed in place."""
    if out._requires_grad and out._node is None:
        raise RuntimeError(messages.DIRTY_LEAF)
    if out._base is not None and node._num_outputs > 1:
        raise RuntimeError(messages.DIRTY_VIEW)
    out._grad = None  # first, as in PyTorch: it is gone, too, where the write is refused now
    check_writable(out)
    if out._base is not None and out is not tensors[0]:
        raise NotImplementedError(messages.DIRTY_VIEW_PLACE)


def _saved(node, results, outputs) -> tuple:
    """The entries of `node._saved`, and which of them are outputs: {index: output number}."""
    entries, numbers = [], {}
    for index, t in enumerate(node._to_save):
        if t is not None and not isinstance(t, Tensor):
            raise TypeError(messages.NOT_SAVED.format(index, type(t).__name__))
        made = [i for i, r in enumerate(results) if r is t and r is outputs[i]]
        if made:
            numbers[index] = made[0]
        entries.append(None if t is None else keep_output(t) if made else keep(t))
    return entries, numbers


def _first_tensor(outputs):
    return next((t for t in outputs if isinstance(t, Tensor)), None)


def _among(t, tensors) -> bool:
    return any(t is other for other in tensors)


# -- the node, which forward and backward are given as ctx --


class BackwardCFunction(Node):
    """The node of a Function, and its ctx."""

    __module__ = PLACE
    several = True
    _minds = False

    _function: Any  # the Function class
    _is_tensor: list  # of each argument of apply()
    _inputs: list  # (shape, dtype) of each tensor among them
    _outputs: list  # (shape, 0, dtype, device) of each result that is a tensor: zeros like it
    _outputs_kept: dict  # which saved tensor is which output
    _to_save: tuple = ()
    _dirty: tuple = ()
    _non_differentiable: tuple = ()
    _materialize = True
    _needs: tuple = ()

    # -- what forward may say --

    def save_for_backward(self, *tensors) -> None:
        """Keep these tensors (inputs, outputs, others, or None) until backward has run."""
        self._to_save = tensors

    def mark_dirty(self, *tensors) -> None:
        """These inputs were changed in place; return them."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors) -> None:
        """These outputs have no gradient."""
        self._non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """If False, backward receives None instead of zeros for an output nobody used."""
        self._materialize = value

    @property
    def needs_input_grad(self) -> tuple:
        return self._needs

    @property
    def saved_tensors(self) -> tuple:
        """What save_for_backward kept; an error once it was freed or if it was changed."""
        if self._saved.__class__ is Freed:
            raise freed_error(self, self._saved)
        return tuple([saved.unpack(self, i) for i in range(len(self._saved))])

    def __repr__(self):
        return f"<{type(self).__module__}.{type(self).__name__} object at {id(self):#x}>"

    # -- what the engine asks --

    def _output_number(self, index: int):
        return self._outputs_kept.get(index)

    def apply(self, grads: list, asked=None) -> list:
        if self._materialize:
            grads = [self._zeros(i) if g is None else g for i, g in enumerate(grads)]
        results = self._rule()(self, *grads)
        results = results if isinstance(results, tuple) else (results,)
        return [self._checked(i, g) for i, g in enumerate(self._for_tensors(results))]

    def _rule(self):
        both = {self._function.backward, self._function.vjp} - {Function.backward}
        if len(both) > 1:
            raise RuntimeError(messages.BACKWARD_AND_VJP)
        return both.pop() if both else Function.backward

    def __call__(self, *grads):
        raise TypeError(f"'{type(self).__name__}' object is not callable")

    def _zeros(self, i):
        """Zeros for an output that nobody used; None for what is no tensor."""
        return None if self._outputs[i] is None else wrap(full(*self._outputs[i]))

    def _for_tensors(self, results: tuple) -> list:
        """One gradient per tensor argument; what came for other arguments must be None."""
        expected, got = len(self._is_tensor), len(results)
        if got > expected and all(g is None for g in results[expected:]):
            results = results[:expected]
        if len(results) != expected:
            raise RuntimeError(
                f"function {type(self).__name__} returned an incorrect number of gradients "
                f"(expected {expected}, got {got})"
            )
        for i, (g, is_tensor) in enumerate(zip(results, self._is_tensor, strict=True)):
            if g is not None and not is_tensor:
                raise RuntimeError(
                    f"function {type(self).__name__} returned a gradient different than None at "
                    f"position {i + 1}, but the corresponding forward input was not a Variable"
                )
        return [g for g, is_tensor in zip(results, self._is_tensor, strict=True) if is_tensor]

    def _checked(self, i, g):
        """A gradient that fits input `i`: broadcasting undone, dtype restored."""
        if g is None or self.next_functions[i][0] is None:  # then the node's hooks alone see it
            return g
        if not isinstance(g, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type(g).__name__})")
        shape, _ = self._inputs[i]
        if not fits(shape, g._array.shape):
            name = type(self).__name__
            raise RuntimeError(messages.INVALID.format(name, i, [*g.shape], [*shape]))
        return fit(g, *self._inputs[i])
