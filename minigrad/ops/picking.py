"""Elements picked by their index along one axis, or put there: gather, scatter, index_select."""

from __future__ import annotations

import numpy as np

from minigrad.core.arrays import WIDER, add_at, in_order
from minigrad.core.backend import beside
from minigrad.core.dtypes import int64
from minigrad.core.promotion import in_range, plain
from minigrad.core.stand_ins import through
from minigrad.core.tensor import Tensor, attach
from minigrad.core.words import expected
from minigrad.ops import messages, reading
from minigrad.ops.checks import check_apart, together
from minigrad.ops.inplace import write_over
from minigrad.ops.numbers import converted
from minigrad.ops.shapes import Shown, axis

ALONG = "torch.take_along_dim(): "
ALONG_AXES = (
    "input and indices should have the same number of dimensions, but got {} dimensions for input, "
    "and {} dimensions for indices"
)


def in_axes(array):
    """A single number as an axis of one element, for which PyTorch takes it here."""
    return array if array.ndim else array.reshape(1)


def places(index, dim):
    """The index as numpy wants it for all axes: `index` along `dim`, else where it stands."""
    index = in_axes(index)
    found = [
        beside(np.arange(n).reshape(-1, *(1,) * (index.ndim - 1 - i)), index)
        for i, n in enumerate(index.shape)
    ]
    found[dim] = index
    return tuple(found)


class GatherBackward0(Shown):
    """gather saves the index, and its input, of which backward wants the shape only."""

    extras = ("index",)
    saves = {"index": "self", "self": "self"}
    argument_names = ("dim", "sparse_grad")

    @staticmethod
    def forward(x, index, dim, sparse):
        return in_order(taken(x, index, dim))

    def backward(node, grad, index, x):
        result = np.zeros_like(grad, order="C", shape=x.shape)
        return added(result, index, node.arguments[0], grad)


def put(x, index, dim, value):
    """A copy of `x` with `value` at the places of `index`."""
    result = in_axes(x).copy("C")
    if index.size:  # else nothing of it needs to fit
        result[places(index, dim)] = value
    return result.reshape(x.shape)


def added(x, index, dim, values):
    """`x`, an array of its own, with the values added at the places of `index`."""
    result = in_axes(x)
    if index.size:
        add_rounded_once(result, places(index, dim), in_axes(values))
    return result.reshape(x.shape)


def add_rounded_once(array, place, values) -> None:
    """add_at(); a sum of half floats is rounded when all of it is there, as most of PyTorch's."""
    if array.dtype != np.float16:
        return add_at(array, place, values)
    total = array.astype(WIDER["e"])
    add_at(total, place, values)
    array[...] = total


def taken(grad, index, dim):
    """A copy of the elements at the places of `index`, in its shape."""
    if not index.size:
        return np.zeros_like(grad, shape=index.shape)
    return in_axes(grad)[places(index, dim)].reshape(index.shape)


def corner(src, index):
    """As much of `src`, from its first element on, as the index is large."""
    return in_axes(src)[tuple(map(slice, in_axes(index).shape))] if index.size else src


class ScatterBackward0(Shown):
    """scatter saves the index: what was overwritten has no gradient, what came has it."""

    inputs = ("self", "src")
    extras = ("index",)
    saves = {"index": "self src"}
    argument_names = ("dim",)

    @staticmethod
    def forward(x, src, index, dim):
        return put(x, index, dim, corner(src, index))

    def backward(node, grad, index):
        (dim,), (for_x, for_src) = node.arguments, node.needs_input_grad
        return (
            put(grad, index, dim, 0) if for_x else None,
            taken(grad, index, dim) if for_src else None,
        )


class ScatterBackward1(Shown):
    """scatter of a number saves the index."""

    extras = ("index",)
    saves = {"index": "self"}
    argument_names = ("dim", "")

    @staticmethod
    def forward(x, index, dim, value):
        return put(x, index, dim, value)

    def backward(node, grad, index):
        return put(grad, index, node.arguments[0], 0)


class ScatterAddBackward0(Shown):
    """scatter_add saves the index, and only if what is added needs a gradient."""

    inputs = ("self", "src")
    extras = ("index",)
    saves = {"index": "src"}
    argument_names = ("dim",)

    @staticmethod
    def forward(x, src, index, dim):
        return added(x.copy("C"), index, dim, corner(src, index))

    def backward(node, grad, index):
        return grad, None if index is None else taken(grad, index, *node.arguments)


class IndexSelectBackward0(Shown):
    """index_select saves the index."""

    extras = ("index",)
    saves = {"index": "self"}
    sized = True
    argument_names = ("dim",)

    @staticmethod
    def forward(x, index, dim):
        return in_order(np.take(x, index.reshape(-1), dim)) if x.ndim else x.copy()

    def backward(node, grad, index):
        (dim,), result = node.arguments, np.zeros_like(grad, order="C", shape=node.sizes)
        if not result.ndim:
            return grad
        place = (slice(None),) * (dim % result.ndim) + (index.reshape(-1),)
        (add_at if result.ndim == 1 else add_rounded_once)(result, place, grad)  # as PyTorch's
        return result


# -- methods --


def _check_index(name, x, dim, index) -> int:
    """The axis, and an index of whole numbers; one of none may have any dtype."""
    at = axis(x, dim)
    if index._array.size and index.dtype.name not in ("int32", "int64"):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    return at


def _check(name, x, dim, index, src=None) -> None:
    """PyTorch's words for an index that does not fit."""
    at = _check_index(name, x, dim, index)
    if not index._array.size:
        return
    _check_axes(index, x, "input" if name == "gather" else "self")
    long = [i for i, n in enumerate(index.shape) if i != at and n > x.shape[i]]
    if src is not None:
        long = long or _longer(index, src)
        _check_axes(index, src, "src")
    if long:
        raise RuntimeError(messages.index_size_error(name, long[0], index, x, at, src))
    through(all_inside, index._array, x._array.shape[at] if x._array.ndim else 1, at)


def _check_axes(index, other, called) -> None:
    if (index._array.ndim or 1) != (other._array.ndim or 1):
        raise RuntimeError(messages.INDEX_DIMENSIONS.format(called))


def _longer(index, src) -> list:
    """The first axis along which the index is longer than the source, if there is one.

    PyTorch looks for it before it counts the axes.
    """
    for i, n in enumerate(index.shape or (1,)):
        if n > (src.shape[axis(src, i)] if src.shape else 1):
            return [i]
    return []


def outside(index, n):
    """Those of the indices that are out of bounds, in a row."""
    return index[(index < 0) | (index >= n)].reshape(-1)


def all_inside(index, n, dim) -> None:
    """RuntimeError for the first that is not."""
    wrong = outside(index, n)
    if wrong.size:
        said = f"index {int(wrong[0])} is out of bounds for dimension {dim} with size {n}"
        raise reading.seen(RuntimeError(said))


def gather(x, dim, index, *, sparse_grad=False):
    """x[..., index[..., i, ...], ...]: along `dim` the elements that `index` names."""
    _check("gather", x, dim, index)
    return GatherBackward0.call(x, index, dim, sparse_grad)


def take_along_dim(x, indices, dim=None):
    """gather() where both are repeated to fit; an index beyond the end begins anew.

    Without `dim` of all elements in a row, by indices in a row.
    """
    expected(indices, Tensor, "indices", "Tensor")
    if dim is None:
        return gather(x.view(-1), 0, indices.view(-1))
    dim = _checked_along(x, indices, dim)
    before, after, length = x.shape[:dim], x.shape[dim + 1 :], x.shape[dim]
    shape = together((*before, indices.shape[dim], *after), indices.shape)
    whole = x.expand(*shape[:dim], length, *shape[dim + 1 :])
    return GatherBackward0.call(whole, indices.expand(shape).remainder(length), dim, False)


def _checked_along(x, indices, dim) -> int:
    """The axis; PyTorch's words for places that cannot be along it."""
    if indices.ndim != x.ndim:
        raise RuntimeError(ALONG + ALONG_AXES.format(x.ndim, indices.ndim))
    if indices.dtype is not int64:
        kind = indices.dtype.scalar_type
        raise RuntimeError(ALONG + f"dtype of indices should be Long but got {kind}")
    dim = int(axis(x, dim, name="dim"))
    if not x.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    return dim


def _scattering(x, dim, index, src, value, reduce):
    """(rule, the other tensors, plain arguments) of a scatter."""
    if reduce is not None:
        raise NotImplementedError("minigrad's scatter has no reduce=: use scatter_add to add")
    src = plain(value if src is None else src)
    in_range(src, x._array.dtype)
    if not isinstance(src, Tensor):
        _check("scatter", x, dim, index)
        return ScatterBackward1, (index,), (dim, converted(src, x._array.dtype))
    _check_source("scatter", x, src, index, dim)
    return ScatterBackward0, (src, index), (dim,)


def _check_source(name, x, src, index, dim) -> None:
    _check_index("scatter", x, dim, index)
    if src.dtype is not x.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    _check("scatter", x, dim, index, src)
    if src._requires_grad and src.shape != index.shape:
        raise NotImplementedError(
            f"minigrad's {name} has a gradient for a source of the index's shape only: narrow() it"
        )


def scatter(x, dim, index, src=None, value=None, reduce=None):
    """A copy of `x` with the elements of `src`, or a number, at the places of `index`."""
    rule, others, arguments = _scattering(x, dim, index, src, value, reduce)
    return rule.call(x, *others, *arguments)


def scatter_(x, dim, index, src=None, value=None, reduce=None):
    """The same in place."""
    return _write_apart(x, *_scattering(x, dim, index, src, value, reduce))


def _adding(x, dim, index, src):
    expected(src, Tensor, "src", "Tensor")
    _check_source("scatter_add", x, src, index, dim)
    return ScatterAddBackward0, (src, index), (dim,)


def scatter_add(x, dim, index, src):
    """A copy of `x` to which the elements of `src` are added at the places of `index`."""
    rule, others, arguments = _adding(x, dim, index, src)
    return rule.call(x, *others, *arguments)


def scatter_add_(x, dim, index, src):
    """The same in place."""
    return _write_apart(x, *_adding(x, dim, index, src))


def _write_apart(x, rule, others, arguments):
    """Write to `x` what is read elsewhere."""
    for other in others:
        check_apart(x._array, other, same=False)
    return write_over(rule, x, *others, arguments=arguments)


def index_select(x, dim, index):
    """The slices along `dim` that a vector of indices names."""
    at = axis(x, dim)
    if index._array.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if not x._array.ndim and index._array.size != 1:
        raise RuntimeError(messages.INDEX_TO_SCALAR.format(index._array.size))
    if index.dtype.name not in ("int32", "int64"):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    through(slices_inside, index._array, x._array.shape, at)
    return IndexSelectBackward0.call(x, index, dim)


def slices_inside(index, shape, at) -> None:
    n = shape[at] if shape else 1
    if index.size and not n and len(shape) > 1:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    wrong = outside(index, n)
    if wrong.size and (at == 1 or (len(shape) > 1 and 0 in shape)):
        raise reading.seen(RuntimeError(messages.INDEX_OUT_OF_DATA.format(int(wrong[0]), n)))
    if wrong.size:
        raise reading.seen(IndexError("index out of range in self"))


@attach
class Picking(Tensor):
    """Methods of Tensor."""

    gather, index_select, take_along_dim = gather, index_select, take_along_dim
    scatter, scatter_, scatter_add, scatter_add_ = scatter, scatter_, scatter_add, scatter_add_
