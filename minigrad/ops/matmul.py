"""x @ y for every pair of dimensions, as PyTorch composes it, and the fused Linear."""

from __future__ import annotations

import math

from minigrad.core.tensor import Tensor, attach
from minigrad.core.words import ask_for_nodes
from minigrad.ops import linear as ops
from minigrad.ops import messages
from minigrad.ops.checks import spelled, together
from minigrad.ops.shape import SqueezeBackward4, UnsafeViewBackward0, UnsqueezeBackward0
from minigrad.ops.views import as_shape, expand, rearranged, reshape


def mm(x, y):
    """matrix @ matrix: one product, one node."""
    for name, matrix in (("self", x), ("mat2", y)):
        if matrix._array.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix")
    ops.check_shapes(x._array, y._array)
    _check_kernel(x, y)
    return ops.MmBackward0.call(x, y, *ops.describe(x._array, y._array))


def _check_kernel(x, y) -> None:
    if x._array.dtype == bool and x._array.size and y._array.size:  # else no kernel is called
        raise messages.not_implemented("addmm_impl_cpu_", x)


def check_axes(name, x, y) -> None:
    a, b = x._array.ndim, y._array.ndim
    if not (a and b):
        raise RuntimeError(
            f"both arguments to {name} need to be at least 1D, but they are {a}D and {b}D"
        )


def matmul(x, y):
    """x @ y; what PyTorch makes of it depends on the numbers of dimensions."""
    if not isinstance(y, Tensor):
        raise TypeError(f"unsupported operand type(s) for @: 'Tensor' and '{type(y).__name__}'")
    kind = x._array.ndim, y._array.ndim
    try:
        if kind == (2, 2):
            return mm(x, y)
        check_axes("matmul", x, y)
        if kind == (1, 1):
            return _dot(x, y)
        if kind == (2, 1):
            return _mv(x, y)
        if kind == (1, 2):
            return _vm(x, y)
        return _folded(x, y) if _folds(x, y) else _of_batches(x, y)
    except RuntimeError:
        ask_for_nodes(x, y)
        raise


def _check_dtypes(x, y, kernel, text) -> None:
    """Both of one dtype, and not bools; `text` says the first in PyTorch's words."""
    computes = kernel == "dot" or x._array.size and y._array.size  # else no kernel is called
    if computes and x._array.dtype == bool and (kernel == "bmm" or y._array.dtype == bool):
        raise messages.not_implemented(kernel, x)
    if x._array.dtype != y._array.dtype:
        raise RuntimeError(text.format(x.dtype.scalar_type, y.dtype.scalar_type))


def _dot(x, y):
    if x._array.shape == y._array.shape or x._array.dtype != y._array.dtype:
        _check_dtypes(x, y, "dot", messages.DOT_DTYPES)
    else:
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
    _check_dtypes(x, y, "addmv_impl_cpu", messages.MV_DTYPES)
    return ops.MvBackward0.call(x, y)


def _folds(x, y) -> bool:
    """Is one of them, of 3 axes or more, one long matrix to the other, of 2 or 1?

    So PyTorch multiplies by what has a gradient, which would have to be summed over the batches;
    else where the long matrix is a view.
    """
    kind = x._array.ndim, y._array.ndim
    if max(kind) < 3 or min(kind) > 2:
        return False
    if (y if kind[0] > kind[1] else x)._requires_grad:
        return True
    if kind[0] == 2:
        return False
    long = (x if kind[0] > kind[1] else y.transpose(-2, -1))._array
    folded = zip(long.strides[:-2], long.strides[1:], long.shape[1:-1], strict=False)
    return not long.size or all(step == under * n for step, under, n in folded)


def _folded(x, y):
    """(a, b, n) @ (n, m): the leading axes are one long axis of the matrix product."""
    if x._array.ndim < y._array.ndim:
        out = _folded(y.transpose(-2, -1), x.t() if x._array.ndim == 2 else x)
        return out.transpose(-2, -1).contiguous() if x._array.ndim == 2 else out
    *leading, n = x._array.shape
    matrix = reshape(x, (math.prod(leading), n))
    product = (mm if y._array.ndim == 2 else _mv)(matrix, y)
    return rearranged(UnsafeViewBackward0, product, (*leading, *y._array.shape[1:]))


def _of_batches(x, y):
    """A product for each pair of matrices; one matrix may serve all of the other's.

    If it has a gradient, the others are one long matrix to it.
    """
    left, right = x._array.shape, y._array.shape
    if (len(left), len(right)) == (3, 3) and left[0] != right[0]:
        if left[0] == 1 and x._requires_grad:
            return matmul(x.squeeze(0), y)
        if right[0] == 1 and y._requires_grad:
            return matmul(x, y.squeeze(0))
    leading = together(left[:-2], right[:-2])
    rows, columns = left[-2:-1], right[-2:][1:]  # () where there is a vector
    first = _as_batch(x, leading, (*(rows or (1,)), left[-1]))
    second = _as_batch(y, leading, right[-2:])
    if not columns:
        second = second.unsqueeze(2)
    _check_batches(first, second)
    product = ops.BmmBackward0.call(first, second)
    if not columns:
        product = product.squeeze(-1)
    return rearranged(UnsafeViewBackward0, product, (*leading, *rows, *columns))


def _check_batches(x, y) -> None:
    _check_stacks(x, y)
    _check_dtypes(x, y, "bmm", messages.OTHER_DTYPE)


def _check_stacks(x, y) -> None:
    n, m = len(x), len(y)
    if n != m or x._array.shape[2] != y._array.shape[1]:
        raise RuntimeError(
            "Expected size for first two dimensions of batch2 tensor to be: "
            f"[{n}, {x._array.shape[2]}] but got: [{m}, {y._array.shape[1]}]."
        )


def bmm(x, y):
    """A stack of matrix products."""
    _check_3d(x, y)
    _check_batches(x, y)
    return ops.BmmBackward0.call(x, y)


def _check_3d(*batches) -> None:
    for number, batch in enumerate(batches, 1):
        if batch._array.ndim != 3:
            raise RuntimeError(f"batch{number} must be a 3D tensor")


def baddbmm(x, batch1, batch2):
    """x + batch1 @ batch2, a stack of matrix products, in one node."""
    sizes = batch1.size(0), batch1.size(1), batch2.size(2)
    expand(x.detach(), sizes)  # it may be repeated
    _check_added(x, batch1, batch2)
    return ops.BaddbmmBackward0.call(x, batch1, batch2, 1, 1)


def _check_added(x, batch1, batch2) -> None:
    kinds = x.dtype, batch1.dtype, batch2.dtype
    if kinds[0] is not kinds[1]:
        names = "input {}, batch1: {}, batch2: {}".format(*(kind.c_name for kind in kinds))
        raise RuntimeError(f"Input dtypes must be the same, got: {names}")
    _check_3d(batch1, batch2)
    _check_stacks(batch1, batch2)
    if x._array.dtype == bool:
        raise messages.not_implemented("baddbmm", x)
    if kinds[1] is not kinds[2]:
        raise RuntimeError(messages.OTHER_DTYPE.format(*(kind.scalar_type for kind in kinds[1:])))


def mv(x, y):
    """matrix @ vector."""
    if not x._array.ndim:
        raise IndexError(messages.NO_DIMENSIONS.format(0))
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


def _as_batch(x, leading, last):
    """PyTorch expands the batch axes to the common sizes, also where they have them already."""
    expanded = expand(x, (*leading, *last))
    return reshape(expanded, (math.prod(leading), *last))


def linear(x, weight, bias=None):
    """x @ weight.T + bias; the node is AddmmBackward0 over the weight's TBackward0."""
    check_axes("linear", x, weight)
    turned = weight.t()
    if bias is None:
        return matmul(x, turned)
    if x._array.ndim == 2:
        return addmm(bias, x, turned)
    if not (x._array.flags.c_contiguous and _is_row(bias._array)):
        return matmul(x, turned).add_(bias)
    *leading, n = x._array.shape
    rows = addmm(bias, reshape(x, (math.prod(leading), n)), turned)
    return as_shape(rows, (*leading, weight._array.shape[0]))


def _is_row(bias) -> bool:
    """One axis, beside others of length 1, and in order: PyTorch adds it within the product."""
    long = bias.ndim if bias.ndim < 2 else sum(n != 1 for n in bias.shape)
    return long == 1 and bias.flags.c_contiguous


def addmm(x, mat1, mat2):
    """x + mat1 @ mat2 in one node."""
    ops.check_sum(x._array, mat1._array, mat2._array)
    if x._array.shape != (width := mat2._array.shape[1],):
        expand(x.detach(), (mat1._array.shape[0], width))  # it may be repeated
    _check_kernel(mat1, mat2)
    return ops.AddmmBackward0.call(x, mat1, mat2, *ops.describe(mat1._array, mat2._array), 1, 1)


@attach
class Products(Tensor):
    """Methods of Tensor."""

    __matmul__, matmul = spelled(matmul), matmul
    mm, bmm, addmm, baddbmm, mv, dot, outer = mm, bmm, addmm, baddbmm, mv, dot, outer
