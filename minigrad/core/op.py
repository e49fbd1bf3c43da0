"""An Op is one operation: a forward rule on arrays, a backward rule on arrays, and what it saves.

The class is the rule and an instance is the node of one use, as in PyTorch, and both carry
PyTorch's name (`MulBackward0`). A rule never sees a Tensor and never writes into `grad`.

    saves = {"self": "other", "other": "self"}

reads: keep the input `self` if `other` needs a gradient, and `other` if `self` does. The name
`result` stands for the output. What is not needed is not kept: that is the whole secret of
which bytes the graph holds.
"""

from __future__ import annotations

import functools
from typing import Any

from minigrad.core import generate, modes, observer, saved, storage
from minigrad.core.arrays import added, in_order
from minigrad.core.dtypes import BY_NUMPY
from minigrad.core.modes import state
from minigrad.core.node import LOST, NOWHERE, Node, edge, newer
from minigrad.core.promotion import agreed, operands, scalar, settled
from minigrad.core.saved import NUMBERS, SavedTensor, keep, keep_output
from minigrad.core.words import exact

OUTPUT = -1


class Op(Node):
    """`forward(*arrays, *arguments) -> array`; `backward(node, grad, *saved) -> gradients`.

    `Rule.call(*tensors, *arguments)` computes it on tensors, and records it: see `apply`.
    """

    inputs: tuple = ("self",)
    extras: tuple = ()  # tensors that forward takes besides, which can have no gradient: indices
    saves: Any = {}  # what to keep, and for whose gradients
    argument_names: tuple = ()  # of forward's plain arguments; "" where PyTorch shows none
    stretched: tuple = ()  # inputs, by name, that may be repeated or promoted: see `fit`
    floating = False  # it computes in floats, also of whole numbers
    chosen = False  # a stretched input is fitted to what an index chooses, not to the result
    promotes = False  # forward wants its inputs in one dtype, and takes a number for the second
    exact = False  # its arguments are the engine's own plain numbers: see `settled`
    view = False  # the result shares the bytes of its one input
    sized = False  # backward needs the shape of the first input: node.sizes
    symbol = "this"  # how Python writes it, for a message
    # The most bytes that PyTorch's backward has alive at a moment, where that is more than what
    # comes of it: so many times those of the gradient, or a function as backward is one.
    peak: Any = 0

    forward: Any
    backward: Any
    beside: Any = None  # (x, y): what stands for y in forward, if it is a number beside half floats
    check: Any  # of two operands that are promoted: raises what PyTorch refuses of them
    recorded: Any = None  # (node, *tensors): what PyTorch records in its place, if that is one op
    call: Any  # made for each rule when its class is
    order: list  # that of PyTorch, of what it saves

    # Of a node:
    arguments: tuple = ()
    sizes: tuple
    lengths: list  # of what cat joins; None for what it leaves out
    shapes: list  # of the pieces of split and unbind

    def __init_subclass__(cls):
        names = {f.__name__: f for f in (apply, apply_view, fit, settled, Op)}
        made = {"call": _general(cls)} | ({} if modes.plain else generate.functions(cls, names))
        if cls.apply is not Op.apply and not hasattr(cls.apply, "generated"):
            made.pop("apply", None)  # it has one of its own
        for name, function in made.items():
            setattr(cls, name, staticmethod(function) if name == "call" else function)
        for index, name in enumerate(cls.saves):
            setattr(cls, f"_saved_{name}", _saved_tensor(index))
            setattr(cls, f"_raw_saved_{name}", _saved_slot(index))
        cls.order = saved.in_order(cls.saves)
        for name in cls.number_names():
            setattr(cls, f"_saved_{name}", _saved_number(name))

    @classmethod
    def source(cls) -> str:
        """The text of what was generated for the ordinary case: `call` and `apply`."""
        return "\n\n".join(generate.texts(cls).values())

    @classmethod
    def source_of(cls, name: str) -> int:
        """Where a saved tensor comes from: its place among what forward is given, or OUTPUT."""
        return OUTPUT if name == "result" else (*cls.inputs, *cls.extras).index(name)

    @classmethod
    @functools.cache
    def plan(cls, wanted: tuple) -> tuple:
        """The sources of what to keep, for the gradients that are wanted; None: not kept.

        What serves all of them is kept in any case, as in PyTorch: also if all of them are lost.
        """
        users = {name for name, yes in zip(cls.inputs, wanted, strict=False) if yes}
        served = {name: set(inputs.split()) for name, inputs in cls.saves.items()}
        return tuple(
            cls.source_of(name) if users & names or names >= set(cls.inputs) else None
            for name, names in served.items()
        )

    @classmethod
    def number_names(cls) -> tuple:
        """The names of numbers(): plain arguments, and the size of the input."""
        sizes = ("self_sym_sizes",) if cls.sized else ()
        return (*filter(None, cls.argument_names), *sizes)

    # -- backward --

    def apply(self, grads: list, asked=None) -> list:
        if asked is not None and not self._asked:
            return self._narrowed(self.apply, grads, tuple(asked))
        grad = grads[0]
        if grad is None:
            return [None] * len(self.next_functions)
        given, entries, rule = grad._array, self._saved, type(self)
        if self.saves and not entries and not any(self.needs_input_grad):  # all of them are lost
            return [None] * len(self.next_functions)
        kept = saved.arrays(self, entries) if entries else [None] * len(self.saves)
        if asked is not None:
            if not any(asked):  # only now: what was freed or changed is an error all the same
                return [None] * len(asked)
            kept = self.only(kept)
        if peak := rule.peak:
            storage.pass_by(peak * given.nbytes if type(peak) is int else peak(self, given, *kept))
        outputs = rule.backward(self, given, *kept)
        outputs = outputs if outputs.__class__ is tuple else (outputs,)
        observer.tell_computed(rule, outputs)
        if asked is not None:
            outputs = [out if yes else None for out, yes in zip(outputs, asked, strict=True)]
        wrapped = [_gradient(array, grad) for array in outputs]
        for i, shape, dtype in self._meta:
            wrapped[i] = fit(wrapped[i], shape, dtype)
        return wrapped

    def _narrowed(self, run, grads: list, asked: tuple) -> list:
        """run(grads, asked), while `needs_input_grad` says what is asked for."""
        self._asked = asked
        try:
            return run(grads, asked)
        finally:
            self._asked = ()

    def only(self, kept: list) -> list:
        """Without what serves inputs nobody asked for: the rule leaves their gradients out."""
        plan = self.plan(self._asked)
        return [None if source is None else a for a, source in zip(kept, plan, strict=True)]

    def _never_kept(self, index: int) -> bool:
        if not self.saves:  # what it keeps it has made itself
            return False
        return self.plan(self.needs_input_grad)[index] is None

    def _output_number(self, index: int):
        """The output that saved tensor `index` is, or None if it is an input."""
        return 0 if list(self.saves)[index] == "result" else None

    def numbers(self) -> dict:
        """The plain values PyTorch shows as `_saved_<name>`; they survive the release."""
        sizes = {"self_sym_sizes": self.sizes} if self.sized else {}
        return dict(zip(self.argument_names, self.arguments, strict=True)) | sizes

    def as_tensor(self, value):
        """A Python number of the expression, shown as PyTorch does: a 0-d tensor."""
        return scalar(value) if isinstance(value, (bool, int, float)) else value


def _gradient(array, grad):
    """What a rule made of `grad`, as a tensor."""
    if array is None or array is grad._array:  # the rule of a sum hands on what it was given
        return None if array is None else grad
    return grad._new(array) if array.base is None else grad._wrap(array)


def _saved_tensor(index):
    return property(lambda node: node.as_tensor(saved.unpack(node, index)))


def _saved_slot(index):
    return property(lambda node: SavedTensor(node, index))


def _saved_number(name):
    return property(lambda node: node.numbers()[name])


# -- forward --


def apply(op, given: tuple, arguments: tuple = ()):
    """op(*given, *arguments): a new tensor, and its node if one of the inputs needs a gradient.

    `given` has a tensor for each of op.inputs and op.extras. None stands for one that is left out,
    and a Python number may stand for one of two: it has no bytes and no gradient.
    """
    if modes.packing:
        pack_first(op, given)
    try:
        result = op.forward(*operands(op, given), *map(exact, arguments))
    except (TypeError, ValueError) as error:
        return apply(op, agreed(op, given, error), arguments)
    observer.tell_computed(op)
    first = given[0] if given[0].__class__ not in NUMBERS else given[1]
    out = first._new(result)
    if (wanted := gradients_wanted(op, given)) and state.grad_enabled:
        record(op, out, given, wanted, arguments)
    return out


def _general(op):
    """Rule.call where nothing is generated."""
    if op.view:
        return lambda x, *arguments: apply_view(op, x, *arguments)
    count = len(op.inputs) + len(op.extras)

    def call(*values):
        return apply(op, values[:count], values[count:])

    vars(call)["inputs"] = op.inputs  # which words.py names
    return call


def gradients_wanted(op, given: tuple) -> tuple:
    """For each input: does it need a gradient? () if none does."""
    inputs = given[: len(op.inputs)] if op.extras else given
    wanted = tuple([t.__class__ not in NUMBERS and t._edge is not NOWHERE for t in inputs])
    return wanted if True in wanted else ()


def record(op, out, given: tuple, wanted: tuple, arguments: tuple = (), written=None):
    """Make the node of this use of `op`: its number, its edges, and what the rule has to keep.

    `wanted` says for each input whether it needs a gradient; `given` may be longer, by extras.
    Of `written`, which the use is about to overwrite, a clone is saved; its new value later.
    """
    node = op()
    node.next_functions = tuple(
        [t._edge or edge(t) if yes else NOWHERE for t, yes in zip(given, wanted, strict=False)]
    )
    node._order = next(newer)  # newer than the node that a view gets when it is asked for its edge
    if node.next_functions.count(NOWHERE) > wanted.count(False):  # some are lost
        wanted = node.needs_input_grad
    if arguments:
        node.arguments = arguments if op.exact else settled(arguments)
    if op.sized:
        node.sizes = given[0]._array.shape
    if op.stretched:
        node._meta = stretched(op, given, wanted, out._array)
    out._edge = node, 0
    plan = op.plan(wanted) if op.saves else ()
    if plan.count(None) < len(plan):
        later = (None,) if written is None else (None, OUTPUT)
        own = {i: kept(plan[i], given, out, written) for i in op.order if plan[i] not in later}
        node._saved = [own.get(i) for i in range(len(plan))]
    observer.tell_recorded(node, out, given)
    return node


def kept(source: int, given, out, written=None):
    """One entry of node._saved, from one of op.plan()."""
    if source == OUTPUT:
        return keep_output(out)
    if source == 0 and written is not None:
        return keep(written.clone())
    several = given[source].__class__ is list
    return [keep(t) for t in given[source]] if several else keep(given[source])


def stretched(op, given, wanted, result):
    """(index, shape, dtype) of the inputs whose gradients are to be fitted, if one of them is."""
    like = result.shape, result.dtype
    found, other = [], op.chosen
    for name in op.stretched:
        i = op.inputs.index(name)
        if given[i].__class__ not in NUMBERS:
            array = given[i]._array
            other = other or (array.shape, array.dtype) != like
            if wanted[i]:
                found.append((i, array.shape, array.dtype))
    return found if other else ()


def pack_first(op, given) -> None:
    """Let the pack hooks see the inputs before `op` computes, as in PyTorch: one may stop it."""
    packed = []
    if state.saved_hooks and state.grad_enabled and (wanted := gradients_wanted(op, given)):
        arrive = zip(given, wanted, strict=False)  # the gradients that are not lost on their way
        wanted = tuple([yes and (t._edge or edge(t)) != NOWHERE for t, yes in arrive])
        for i in op.order:
            source = op.plan(wanted)[i]
            if source not in (None, OUTPUT) and given[source].__class__ not in NUMBERS:
                packed.append((given[source], keep(given[source])))
    state.packed = packed


# -- views --


def apply_view(op, x, *arguments):
    """op(x): a new tensor on the same bytes."""
    out = x._share(op.forward(x._array, *arguments))
    become_view(out, x)
    if x._edge is not NOWHERE and state.grad_enabled:
        record(op, out, (x,), (True,), arguments)
        out._come_into_doubt()
    return out


def become_view(out, x) -> None:
    """Say that `out` shares `x`'s bytes; a later in-place write may have to know it."""
    base = out._base = x if x._base is None else x._base
    if not state.grad_enabled:
        out._view_kind = "inference" if state.inference else "no_grad"
        out._edge = LOST if base._requires_grad else NOWHERE
    elif x._view_kind:
        out._view_kind = x._view_kind
    if x._edge is NOWHERE or not state.grad_enabled:
        base._remember_view(out)
    else:
        out._made_at = x._storage.stamp


# -- what backward undoes --


def fit(grad, shape, dtype):
    """`grad` with the shape and dtype of the input it is for: undoes broadcasting and promotion."""
    if grad is None:
        return None
    if state.grad_enabled:
        return grad._summed_to(shape).to(BY_NUMPY[dtype])
    if grad._array.shape != shape:
        grad = grad._new(unbroadcast(grad._array, shape))
    return grad if grad._array.dtype == dtype else grad._new(grad._array.astype(dtype))


def unbroadcast(grad, shape):
    """Sum over what broadcasting repeated: leading axes, and axes of length 1."""
    extra = grad.ndim - len(shape)
    if grad.shape[extra:] == shape:
        return in_order(added(grad, tuple(range(extra))))
    full = (0,) * extra + shape[max(-extra, 0) :]  # `x[i] = y` takes a y with more axes of length 1
    repeated = [i for i, n in enumerate(full) if i < extra or (n == 1 and grad.shape[i] != 1)]
    total = in_order(added(grad, tuple(repeated), keepdims=True))
    return total.reshape(shape) if extra else total  # as it is it is no view
