"""index_add: slices added at the places along one axis that a vector of indices names."""

from __future__ import annotations

from functools import partial

from minigrad.core.arrays import add_at
from minigrad.core.stand_ins import through
from minigrad.core.tensor import Tensor, attach
from minigrad.core.words import expected
from minigrad.ops import reading
from minigrad.ops.checks import check_apart, check_single, leaf_first
from minigrad.ops.inplace import write_over
from minigrad.ops.numbers import a_number, converted
from minigrad.ops.picking import add_rounded_once, all_inside, outside, slices_inside
from minigrad.ops.shapes import Shown, axis

COUNT = (
    "index_add_(): Number of indices ({}) should be equal to source.size(dim): ({}), for dim: {}"
)
OTHER_SHAPE = (
    "source tensor shape must match self tensor shape, excluding the specified dimension. Got "
    "self.shape = {} source.shape = {}"
)


class IndexAddBackward0(Shown):
    """index_add saves the index and what is added, and only if that needs a gradient."""

    inputs = ("self", "source")
    extras = ("index",)
    saves = {"index": "source", "source": "source"}
    argument_names = ("dim", "alpha", "source_dim")

    @staticmethod
    def forward(x, source, index, dim, alpha, _):
        result = x.copy("C")
        if index.size and x.size:
            values = source if alpha == 1 else source * converted(alpha, x.dtype)
            adding = add_rounded_once if _at_once(x, dim, index, alpha) else add_at
            adding(result.reshape(1) if not x.ndim else result, at(index, dim), values)
        return result

    def backward(node, grad, index, source):
        if index is None:
            return grad, None
        dim, alpha, _ = node.arguments
        if not grad.size:
            slices_inside(index, grad.shape, dim)
        slices = grad.reshape(source.shape) if not grad.ndim else grad[at(index, dim)]
        return grad, slices.reshape(source.shape) * alpha if alpha != 1 else slices

    def peak(node, grad, index, source):
        """The slices, and these times alpha."""
        return 0 if source is None else source.nbytes * (1 + (node.arguments[1] != 1))


def at(index, dim) -> tuple:
    """What an array is indexed with, for these places along an axis."""
    return (slice(None),) * dim + (index.reshape(-1),)


def _check(x, dim, index, source, alpha, written) -> None:
    """PyTorch's words for what does not fit."""
    _check_kinds(x, index, source)
    _check_shape(x._array.shape, dim, index._array.size, source._array.shape)
    if written:
        check_single(x._array)
    written = index._array.size and x._array.size
    if x.ndim < 2:
        converted(alpha, x._array.dtype)
    if written or (index._array.size and x.ndim < 2):
        at_once = _at_once(x._array, dim, index._array, alpha)
        factor = None if at_once else partial(converted, alpha)
        through(_check_inside, index._array, x._array, dim, factor)


def _at_once(x, dim, index, alpha) -> bool:
    """Whether PyTorch adds all slices at once."""
    one = alpha == 1 and alpha is not True
    return one and dim in (0, x.ndim - 1) and x.ndim > 1 and index.itemsize == 8


def _check_kinds(x, index, source) -> None:
    said, have, kind = "index_add_(): ", index._array, index.dtype.scalar_type
    if have.ndim > 1:
        raise IndexError(
            f"{said}Index is supposed to be a vector, but got dim: {have.ndim} with type: "
            f"{kind} and size: {[*have.shape]}"
        )
    if index.dtype.name not in ("int32", "int64"):
        raise RuntimeError(f"{said}Expected dtype int32/int64 for index but got: {kind}")
    if x.dtype is not source.dtype:
        kinds = f"self ({x.dtype.scalar_type}) and source ({source.dtype.scalar_type})"
        raise RuntimeError(f"{said}{kinds} must have the same scalar type")


def _check_shape(shape, dim, count, other) -> None:
    said = "index_add_(): "
    if dim and dim >= len(other):
        axes = f"of the source tensor with dim {len(other)}"
        raise RuntimeError(f"{said}Indexing dim {dim} is out of bounds {axes}")
    n = other[dim] if other else 1
    if count != n and not other:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if count != n:
        raise RuntimeError(COUNT.format(count, n, dim))
    _check_rest(shape, other, dim if shape and other else len(shape) + len(other))


def _check_rest(shape, other, skip) -> None:
    """But for the axis that is skipped, both have the same lengths."""
    rest = [[m for i, m in enumerate(one) if i != skip] for one in (shape, other)]
    if rest[0] != rest[1]:
        raise RuntimeError(OTHER_SHAPE.format([*shape], [*other]))


def _check_inside(index, x, dim, factor) -> None:
    """If slice is added by slice, its place is looked at first, and then alpha."""
    n = x.shape[dim] if x.ndim else 1
    if factor is None:
        return all_inside(index, n, dim)
    if not outside(index.reshape(-1)[:1], n).size:
        factor(x.dtype)
    if outside(index, n).size:
        raise reading.seen(IndexError("index out of range in self"))


def _adding(x, dim, index, source, alpha, written=False) -> tuple:
    """(the other tensors, plain arguments)."""
    expected(source, Tensor, "source", "Tensor")
    dim, alpha = axis(x, dim), a_number(alpha)
    _check(x, dim, index, source, alpha, written)
    return (source, index), (dim, alpha, source.ndim)


def index_add(x, dim, index, source, *, alpha=1):
    """A copy of `x` with the slices of `source`, times alpha, added at the places of `index`."""
    others, arguments = _adding(x, dim, index, source, alpha)
    return IndexAddBackward0.call(x, *others, *arguments)


@leaf_first
def index_add_(x, dim, index, source, *, alpha=1):
    """The same in place."""
    others, arguments = _adding(x, dim, index, source, alpha, written=True)
    for other in others:
        check_apart(x._array, other, same=False)
    return write_over(IndexAddBackward0, x, *others, arguments=arguments)


@attach
class IndexAdding(Tensor):
    """Methods of Tensor."""

    index_add, index_add_ = index_add, index_add_
