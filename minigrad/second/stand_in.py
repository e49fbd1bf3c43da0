"""A tensor that answers to numpy's names: what a rule computes with it becomes part of the graph.

    def backward(node, grad, x):  # a rule, written once, for arrays
        return grad * np.cos(x)

TensorStandIn arrays, it computes; shown tensors, it is recorded: MulBackward0, CosBackward0.
"""

from __future__ import annotations

import operator
from types import SimpleNamespace
from typing import Any

import numpy as np

from minigrad.core.backend import full
from minigrad.core.dtypes import BY_NUMPY, bool_
from minigrad.core.op import Op
from minigrad.core.stand_ins import StandIn
from minigrad.core.tensor import Tensor
from minigrad.core.words import USUAL
from minigrad.ops import functions as F
from minigrad.ops.activations import HardtanhBackward0, SoftplusBackward0
from minigrad.ops.arithmetic import AddBackward1, DivBackward1, MulBackward1
from minigrad.ops.criteria import SubBackward1
from minigrad.ops.elementwise import SignBackward0
from minigrad.ops.linear import BmmBackward0, MvBackward0
from minigrad.ops.masks import MaskedFillBackward0
from minigrad.ops.picking import GatherBackward0, ScatterBackward0
from minigrad.ops.ranges import full_like
from minigrad.ops.rearranged import FlipBackward0
from minigrad.ops.remainders import renamed
from minigrad.second.places import put_into

REFUSED = (
    "minigrad cannot record this backward (create_graph=True), since its rule asks for {}, which "
    "has no gradient here: use PyTorch for this second derivative"
)


class TensorStandIn(StandIn, np.lib.mixins.NDArrayOperatorsMixin):
    """A tensor, to a rule that takes it for an array."""

    __slots__ = ("own", "tensor")

    def __init__(self, tensor, own=False):
        self.tensor = tensor
        self.own = own  # made by the rule, all of it: what is written into it, nobody else has

    # What can be asked of it: everything but its numbers.
    array: Any = property(lambda self: self.tensor._array)
    shape = property(lambda self: self.array.shape)
    dtype = property(lambda self: self.array.dtype)
    ndim = property(lambda self: self.array.ndim)
    size = property(lambda self: self.array.size)
    flags = SimpleNamespace(c_contiguous=True)  # nobody need lay it anew
    T = property(lambda self: TensorStandIn(self.tensor.t()))

    def __len__(self):
        return len(self.array)

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        if (ufunc, method) == (np.add, "at"):
            return _add_at(*inputs)
        plain = method == "__call__" and not options
        function = known(UFUNCS.get(ufunc.__name__) if plain else None, ufunc.__name__)
        return TensorStandIn(function(*[tensor_of(x, self) for x in inputs]))

    def __array_function__(self, function, types, arguments, options):
        return known(FUNCTIONS.get(function.__name__), function.__name__)(*arguments, **options)

    def __getattr__(self, name):
        return known(METHODS.get(name), name).__get__(self)

    def __getitem__(self, index):
        return TensorStandIn(self.tensor[tensor_of(index, self)])

    def __setitem__(self, index, value):
        known(self.own or None, "writing into a part of an array")
        self.tensor[tensor_of(index, self)] = tensor_of(value, self)


def known(function, name):
    if function is None:
        raise NotImplementedError(REFUSED.format(name))
    return function


def tensor_of(thing, beside):
    """What a rule has in its hands, as an operation on tensors takes it."""
    if isinstance(thing, TensorStandIn):
        return thing.tensor
    if isinstance(thing, tuple):
        return tuple(tensor_of(one, beside) for one in thing)
    if isinstance(thing, type(beside.array)):  # a constant of the rule
        return beside.tensor._new(thing)
    return thing


# -- operations that only PyTorch's own code makes --


class SgnBackward0(Op):
    """sign under its other name, which also complex numbers have: PyTorch saves for their sake."""

    forward = staticmethod(SignBackward0.forward)
    saves = {"result": "self", "self": "self"}

    def backward(node, grad, result, x):
        return np.zeros_like(grad)


# -- numpy's names --


class Kept(float):
    """A number that a node has saved, as in `x * 3`: to PyTorch a tensor, unlike a rule's own."""


USUAL.add(Kept)


def _product(x, y):
    x, y = (x, y) if isinstance(x, Tensor) else (y, x)
    if isinstance(y, Tensor):
        return x * y
    return x * float(y) if isinstance(y, Kept) else MulBackward1.call(x, y)


def _quotient(x, y):
    if isinstance(y, Tensor):
        return F.div(float(x), y) if isinstance(x, Kept) else x / y
    return x / float(y) if isinstance(y, Kept) else DivBackward1.call(x, y)


def _matmul(x, y):
    """One operation each, where `@` prepares its operands first."""
    rule = {(2, 2): F.mm, (2, 1): MvBackward0.call, (3, 3): BmmBackward0.call}
    return rule.get((x.ndim, y.ndim), F.matmul)(x, y)


def _plus(x, y):
    """x + y; a rule's own number behind is no tensor."""
    alone = type(y) in (int, float) and isinstance(x, Tensor)
    return AddBackward1.call(x, y) if alone else x + y


def _both(x, y):
    """x & y, of which one may be plain True: no bound on that side."""
    return y if x is True else x if y is True else x & y


def _tensor(thing, like):
    """A number as a 0-d tensor."""
    if isinstance(thing, Tensor):
        return thing
    return like._new(full((), thing, like._array.dtype, like.device))


def _with_numbers(function):
    """A function of two tensors, of which one may be a number here."""

    def applied(x, y):
        like = x if isinstance(x, Tensor) else y
        return function(*[_tensor(t, like) for t in (x, y)])

    return applied


def _difference(x, y):
    """x - y, also of bools, which only numpy subtracts; a rule's own number behind is no tensor."""
    if type(y) in (int, float):
        return SubBackward1.call(x, y)
    if type(x) in (int, float):
        return full_like(y, x) - y
    if isinstance(x, Tensor) and isinstance(y, Tensor):
        x, y = (a.to(b.dtype) if a.dtype is bool_ else a for a, b in ((x, y), (y, x)))
    return x - y


UFUNCS = {
    "add": _plus,
    "subtract": _difference,
    "multiply": _product,
    "divide": _quotient,
    "power": operator.pow,
    "negative": operator.neg,
    "matmul": _matmul,
    "exp": F.exp,
    "log": F.log,
    "sqrt": F.sqrt,
    "sin": F.sin,
    "cos": F.cos,
    "square": F.square,
    "absolute": F.abs,
    "reciprocal": F.reciprocal,
    "tanh": F.tanh,
    "sinh": F.sinh,
    "cosh": F.cosh,
    "maximum": _with_numbers(F.maximum),
    "minimum": _with_numbers(F.minimum),
    "isnan": lambda x: x != x,
    "sign": SgnBackward0.call,
    "log1p": F.log1p,
    "logaddexp": lambda x, y: SoftplusBackward0.call(x - y, 1, 20) + y,
    "bitwise_and": _both,
    "bitwise_or": operator.or_,
    "invert": operator.invert,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}


# PyTorch fills what the formula has made before: the result lies as it does.
Filled = renamed(
    "MaskedFillBackward0",
    MaskedFillBackward0,
    forward=staticmethod(lambda x, mask, value: np.where(mask, value, x)),
)


def _where(condition, x, y):
    """As where() of tensors, or masked_fill() with a number; a number takes the other's dtype."""
    if not any(isinstance(a, TensorStandIn) for a in (x, y)):
        return TensorStandIn(condition.tensor._new(np.where(condition.array, x, y)))
    if not isinstance(x, TensorStandIn) and np.ndim(x) == 0:
        mask = tensor_of(condition, y)
        return TensorStandIn(Filled.call(y.tensor, mask, x))
    like = next(a for a in (x, y) if isinstance(a, TensorStandIn))
    x, y = (_tensor(tensor_of(a, like), like.tensor) for a in (x, y))
    return TensorStandIn(F.where(tensor_of(condition, like), x, y))


def _zeros_like(x, order="K", shape=None):
    return TensorStandIn(x.tensor._new(np.zeros_like(x.array, order=order, shape=shape)), own=True)


def _ones_like(x, shape=None):
    return TensorStandIn(x.tensor._new(np.ones_like(x.array, shape=shape)), own=True)


def _listed(axes) -> tuple:
    return (axes,) if isinstance(axes, int) else tuple(axes)


def _expand_dims(x, axes):
    result = x.tensor
    for axis in sorted(_listed(axes)):
        result = result.unsqueeze(axis)
    return TensorStandIn(result)


def _add_at(into, place, values):
    known(into.own or None, "add.at of a view")
    place = place if isinstance(place, tuple) else (place,)
    indices = [None if isinstance(i, slice) else tensor_of(i, values) for i in place]
    into.tensor = put_into(into.tensor, indices, values.tensor)


def _put_along_axis(into, indices, values, axis):
    known(into.own or None, "put_along_axis of a view")
    into.tensor = ScatterBackward0.call(into.tensor, values.tensor, indices.tensor, axis)


FUNCTIONS = {
    "nan_to_num": lambda x: x,  # asked for a sign, which SgnBackward0 gives nan as well
    "where": _where,
    "zeros_like": _zeros_like,
    "ones_like": _ones_like,
    "clip": lambda x, low, high: TensorStandIn(HardtanhBackward0.call(x.tensor, low, high)),
    "expand_dims": _expand_dims,
    "put_along_axis": _put_along_axis,
    "take_along_axis": lambda x, indices, axis: TensorStandIn(
        GatherBackward0.call(x.tensor, indices.tensor, axis, False)
    ),
    "flip": lambda x, axis: TensorStandIn(FlipBackward0.call(x.tensor, _listed(axis))),
    "broadcast_to": lambda x, shape: TensorStandIn(x.tensor.expand(shape)),
    "concatenate": lambda parts, axis: TensorStandIn(F.cat([p.tensor for p in parts], axis)),
    "stack": lambda parts, axis: TensorStandIn(F.stack([p.tensor for p in parts], axis)),
}


def _sum(x, axis=None, dtype=None, out=None, keepdims=False):
    if axis == ():  # to numpy, over no axis
        return x
    dtype = None if dtype is None else BY_NUMPY[np.dtype(dtype)]
    axes = () if axis is None else (axis, keepdims)
    return TensorStandIn(x.tensor.sum(*axes, dtype=dtype))


def _mean(x, axis=None, dtype=None, out=None, keepdims=False):
    return TensorStandIn(x.tensor.mean(*(() if axis is None else (axis, keepdims))))


def _squeeze(x, axes):
    result = x.tensor
    for axis in sorted(_listed(axes), reverse=True):
        result = result.squeeze(axis)
    return TensorStandIn(result)


METHODS: dict = {
    "sum": _sum,
    "squeeze": _squeeze,
    "mean": _mean,
    "rsqrt": lambda x: TensorStandIn(x.tensor.rsqrt()),
    "reshape": lambda x, *shape: TensorStandIn(x.tensor.reshape(*shape)),
    "swapaxes": lambda x, i, j: TensorStandIn(x.tensor.transpose(i, j)),
    "transpose": lambda x, dims: TensorStandIn(x.tensor.permute(dims)),
    "all": lambda x: x.array.all(),  # a question about numbers, which has no gradient
    "copy": lambda x, order="C": TensorStandIn(x.tensor.clone(), own=True),
    "astype": lambda x, dtype, copy=True: TensorStandIn(x.tensor.to(BY_NUMPY[np.dtype(dtype)])),
}
