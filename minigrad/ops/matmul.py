"""x @ y for every pair of dimensions the lessons use, and the fused Linear."""

from __future__ import annotations

from minigrad.core.messages import broadcast_error
from minigrad.core.tensor import Tensor, attach
from minigrad.ops import linear as ops
from minigrad.ops.shape import SqueezeBackward4, UnsafeViewBackward0, UnsqueezeBackward0
from minigrad.ops.views import as_shape, expand, rearranged, reshape


def mm(x, y):
    """matrix @ matrix: one product, one node."""
    for name, matrix in (("self", x), ("mat2", y)):
        if matrix._array.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix")
    ops.check_shapes(x._array, y._array)
    return ops.MmBackward0.call(x, y, *ops.describe(x._array, y._array))


def matmul(x, y):
    """x @ y; what PyTorch makes of it depends on the numbers of dimensions."""
    if not isinstance(y, Tensor):
        raise TypeError(f"unsupported operand type(s) for @: 'Tensor' and '{type(y).__name__}'")
    kind = x._array.ndim, y._array.ndim
    if kind == (2, 2):
        return mm(x, y)
    if 0 in kind:
        raise RuntimeError(
            "both arguments to matmul need to be at least 1D, but they are "
            f"{kind[0]}D and {kind[1]}D"
        )
    if kind == (1, 1):
        return _dot(x, y)
    if kind == (2, 1):
        return _mv(x, y)
    if kind == (1, 2):
        return _vm(x, y)
    if kind[0] >= 3 and kind[1] == 2:
        return _folded(x, y)
    if kind == (3, 3):
        return _of_batches(x, y)
    raise NotImplementedError(
        f"minigrad multiplies no {kind[0]}-d by a {kind[1]}-d tensor: bring both to 3-d with view()"
    )


def _dot(x, y):
    if x.dtype is not y.dtype:
        raise RuntimeError(
            "dot : expected both vectors to have same dtype, but found "
            f"{x.dtype.scalar_type} and {y.dtype.scalar_type}"
        )
    if x._array.shape != y._array.shape:
        raise RuntimeError(
            "inconsistent tensor size, expected tensor "
            f"{list(x.shape)} and src {list(y.shape)} to have the same number of elements, but got "
            f"{x._array.size} and {y._array.size} elements respectively"
        )
    return ops.DotBackward0.call(x, y)


def _vm(x, y):
    """vector @ matrix: a product with one row, which PyTorch then drops in place."""
    out = rearranged(SqueezeBackward4, mm(UnsqueezeBackward0.call(x, 0), y), 0)
    out._storage.version += 1
    return out


def _mv(x, y):
    rows, columns = x._array.shape
    if columns != y._array.shape[0]:
        raise RuntimeError(
            f"size mismatch, got input ({rows}), mat ({rows}x{columns}), vec ({y._array.size})"
        )
    if x.dtype is not y.dtype:
        one, other = x.dtype.scalar_type, y.dtype.scalar_type
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {other}, {one}, and {other}"
        )
    return ops.MvBackward0.call(x, y)


def _folded(x, y):
    """(a, b, n) @ (n, m): the leading axes are one long axis of the matrix product."""
    *leading, n = x._array.shape
    product = mm(reshape(x, (-1, n)), y)
    return rearranged(UnsafeViewBackward0, product, (*leading, y._array.shape[1]))


def _of_batches(x, y):
    """One matrix may serve all of the other's: if it has a gradient, as one long matrix."""
    one, other = x._array.shape[0], y._array.shape[0]
    if one != 1 == other and y._requires_grad:
        return _folded(x, y.squeeze(0))
    if one == 1 != other and x._requires_grad:
        return _folded(y.transpose(-2, -1), x.squeeze(0).t()).transpose(-2, -1).contiguous()
    return _bmm(x, y)


def _bmm(x, y):
    lengths = {x._array.shape[0], y._array.shape[0]} - {1} or {1}
    if len(lengths) > 1:
        raise broadcast_error(x._array.shape[:1], y._array.shape[:1])
    x, y = _as_batch(x, *lengths), _as_batch(y, *lengths)
    _check_batches(x, y)
    product = ops.BmmBackward0.call(x, y)
    return rearranged(UnsafeViewBackward0, product, product._array.shape)


def _check_batches(x, y) -> None:
    if x._array.shape[0] != y._array.shape[0] or x._array.shape[2] != y._array.shape[1]:
        raise RuntimeError(
            "Expected size for first two dimensions of batch2 tensor to be: "
            f"[{x._array.shape[0]}, {x._array.shape[2]}] but got: "
            f"[{y._array.shape[0]}, {y._array.shape[1]}]."
        )
    if x.dtype is not y.dtype:
        one, other = x.dtype.scalar_type, y.dtype.scalar_type
        raise RuntimeError(f"expected scalar type {one} but found {other}")


def bmm(x, y):
    """A stack of matrix products."""
    for name, batch in (("batch1", x), ("batch2", y)):
        if batch._array.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    _check_batches(x, y)
    return ops.BmmBackward0.call(x, y)


def mv(x, y):
    """matrix @ vector."""
    if (x._array.ndim, y._array.ndim) != (2, 1):
        raise RuntimeError(
            f"vector + matrix @ vector expected, got 1, {x._array.ndim}, {y._array.ndim}"
        )
    return _mv(x, y)


def dot(x, y):
    """vector @ vector."""
    if (x._array.ndim, y._array.ndim) != (1, 1):
        raise RuntimeError(
            f"1D tensors expected, but got {x._array.ndim}D and {y._array.ndim}D tensors"
        )
    return _dot(x, y)


def outer(x, y):
    """x[:, None] * y of two vectors."""
    for name, vector in (("self", x), ("vec2", y)):
        if vector._array.ndim != 1:
            raise RuntimeError(
                f"outer: Expected 1-D argument {name}, but got {vector._array.ndim}-D"
            )
    return reshape(x, (-1, 1)) * y


def _as_batch(x, n: int):
    """PyTorch expands the batch axis, also if it has the common length already."""
    shape = n, *x._array.shape[1:]
    return reshape(expand(x, shape), shape)


def linear(x, weight, bias=None):
    """x @ weight.T + bias; the node is AddmmBackward0 over the weight's TBackward0."""
    if bias is None:
        return matmul(x, weight.t())
    if x._array.ndim == 2:
        return addmm(bias, x, weight.t())
    *leading, n = x._array.shape
    if not x._array.flags.c_contiguous:
        return matmul(x, weight.t()).add_(bias)
    return as_shape(
        addmm(bias, reshape(x, (-1, n)), weight.t()), (*leading, weight._array.shape[0])
    )


def addmm(bias, x, y):
    """bias + x @ y in one node."""
    ops.check_shapes(x._array, y._array)
    return ops.AddmmBackward0.call(bias, x, y, *ops.describe(x._array, y._array), 1, 1)


@attach
class Products(Tensor):
    """Methods of Tensor."""

    __matmul__ = matmul = matmul
    mm, bmm, mv, dot, outer = mm, bmm, mv, dot, outer
