"""What PyTorch composes of other operations, and so is in no node of its own."""

from __future__ import annotations

from math import prod

from minigrad.core.tensor import Tensor, attach
from minigrad.core.words import expected, kind_of
from minigrad.ops.creation import sizes, zeros_like
from minigrad.ops.functions import cat
from minigrad.ops.shapes import all_whole, axes, axis, once, whole

NO_DIMS = (
    "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing "
    "two lists, but got dims={}"
)
UNEQUAL = (
    "contracted dimensions need to match, but first has size {} in dim {} and second has size {} "
    "in dim {}"
)
OTHER_LENGTH = (
    "inner() the last dimension must match on both input tensors but got shapes {} and {}"
)
OTHER_SHAPE = (
    "diff expects the shape of tensor to prepend or append to match that of input except along the "
    "differencing dimension; input.size({0}) = {1}, but got tensor.size({0}) = {2}"
)


def tensordot(a, b, dims=2):
    """The products of a and b, added up along the last axes of a and the first of b, or along those
    that two lists name."""
    if isinstance(dims, Tensor):
        dims = dims.tolist() if dims.numel() > 1 else int(dims.item())
    if not isinstance(dims, (tuple, list, int)):
        raise RuntimeError(NO_DIMS.format(dims))
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.ndim, b.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        dims = [*range(-dims, 0)], [*range(dims)]
    along_a, along_b = dims
    both = {"dims_self": along_a, "dims_other": along_b}
    for place, (name, along) in enumerate(both.items(), 3):
        if not isinstance(along, (tuple, list)):
            found = f"(position {place}) must be tuple of ints, not {kind_of(along)}"
            raise TypeError(f"tensordot(): argument '{name}' {found}")
    return contracted(a, b, *(all_whole(along, name) for name, along in both.items()))


def contracted(a, b, along_a, along_b):
    """Both as matrices, their product, and that in its shape."""
    if len(along_a) != len(along_b):
        raise RuntimeError("both dimension lists should have same length")
    if a.dtype is not b.dtype:
        raise RuntimeError("both inputs should have same dtype")
    for i, k in zip(along_a, along_b, strict=True):
        n, m = a.size(i), b.size(k)
        if m == 1:  # what is repeated is added up before
            a = a.sum(i, keepdim=True)
        elif n == 1:
            b = b.sum(k, keepdim=True)
        elif n != m:
            raise RuntimeError(UNEQUAL.format(n, i, m, k))
    first, second = (once(axes(x, along)) for x, along in ((a, along_a), (b, along_b)))
    left = [i for i in range(a.ndim) if i not in first]
    right = [k for k in range(b.ndim) if k not in second]
    shape = [a.shape[i] for i in left] + [b.shape[k] for k in right]
    inside = prod(a.shape[i] for i in first)
    a, b = a.permute((*left, *first)), b.permute((*second, *right))
    rows, columns = (prod(n) for n in (a.shape[: len(left)], b.shape[len(second) :]))
    if rows == columns == 1 and a.is_contiguous() and b.is_contiguous():
        return a.flatten().dot(b.flatten()).view(shape)
    if rows == columns == 1:  # no copy in order is made for it
        return (a.squeeze() * b.squeeze()).sum(dtype=a.dtype).view(shape)
    return a.reshape(rows, inside).mm(b.reshape(inside, columns)).view(shape)


def inner(x, other):
    """The products of the rows of both; of a single number, its products."""
    expected(other, Tensor, "other", "Tensor")
    if not (x.ndim and other.ndim):
        return x * other
    if x.shape[-1] != other.shape[-1]:
        raise RuntimeError(OTHER_LENGTH.format([*x.shape], [*other.shape]))
    return contracted(x, other, (-1,), (-1,))


def diff(x, n=1, dim=-1, prepend=None, append=None):
    """Each element less the one before it along `dim`, and that n times."""
    n, dim = whole(n, "n"), whole(dim, "dim")
    if not x.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    for name, more in (("prepend", prepend), ("append", append)):
        if more is not None:
            _check_more(x, expected(more, Tensor, name, "Tensor"), axis(x, dim))
    if not n:
        return zeros_like(x).copy_(x)
    parts = [part for part in (prepend, x, append) if part is not None]
    x, dim = cat(parts, dim) if len(parts) > 1 else x, axis(x, dim)
    for length in range(x.shape[dim] - 1, max(x.shape[dim] - 1 - n, -1), -1):
        before, after = x.narrow(dim, 0, length), x.narrow(dim, 1, length)  # as PyTorch's compiler
        x = after.logical_xor(before) if x._array.dtype == bool else after - before
    return x


def _check_more(x, more, dim) -> None:
    """What is put before or after `x` has its shape, but for that axis."""
    if more.ndim != x.ndim:
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    for i, (n, m) in enumerate(zip(x.shape, more.shape, strict=True)):
        if n != m and i != dim:
            raise RuntimeError(OTHER_SHAPE.format(i, n, m))


def tile(x, dims):
    """`x` so many times along its last axes; more numbers than axes make new ones in front."""
    expected(dims, (tuple, list), "dims", "tuple of ints")
    return x.tile(dims)


def fliplr(x):
    """The elements of each row from last to first."""
    if x.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return x.flip(1)


def flipud(x):
    """The rows from last to first."""
    if x.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return x.flip(0)


@attach
class Combined(Tensor):
    """Methods of Tensor."""

    fliplr, flipud, inner, diff = fliplr, flipud, inner, diff

    def tile(x, *dims):
        """`x` so many times along its last axes; more numbers than axes make new ones in front."""
        dims = sizes(dims, "dims")
        return x.repeat((1,) * (x.ndim - len(dims)) + dims)
