"""The operations as functions, as torch.exp(x) beside x.exp(); and those of several tensors."""

from __future__ import annotations

import numpy as np

from minigrad.core import backend
from minigrad.core.frames import warn
from minigrad.core.op import apply
from minigrad.core.promotion import in_range, plain, result_dtype
from minigrad.core.tensor import Tensor, attach, wrap
from minigrad.core.words import expected, wrong_kind
from minigrad.ops import shape as sh
from minigrad.ops.arithmetic import (
    AddBackward0,
    DivBackward0,
    MulBackward0,
    SubBackward0,
    WhereBackward0,
    of_scaled,
)  # fmt: skip
from minigrad.ops.checks import all_tensors, shape_of
from minigrad.ops.matmul import matmul, mm  # noqa: F401
from minigrad.ops.numbers import for_filling
from minigrad.ops.remainders import NotRounded, rounding
from minigrad.ops.shapes import ALL, Axis, axis, whole

BYTE_CONDITION = (
    "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a "
    "future version of PyTorch. Use a boolean condition instead."
)

# fmt: off
abs, argmax, argmin = Tensor.abs, Tensor.argmax, Tensor.argmin
chunk, clamp, clone, cos = Tensor.chunk, Tensor.clamp, Tensor.clone, Tensor.cos
cumsum, eq, exp = Tensor.cumsum, Tensor.eq, Tensor.exp
flatten, ge, gt, le = Tensor.flatten, Tensor.ge, Tensor.gt, Tensor.le
log, log_softmax, lt, max = Tensor.log, Tensor.log_softmax, Tensor.lt, Tensor.max
maximum, mean, min, minimum = Tensor.maximum, Tensor.mean, Tensor.min, Tensor.minimum
narrow, ne, neg = Tensor.narrow, Tensor.ne, Tensor.neg
numel, reciprocal, relu = Tensor.numel, Tensor.reciprocal, Tensor.relu
select, sigmoid = Tensor.select, Tensor.sigmoid
sin, softmax, split, sqrt = Tensor.sin, Tensor.softmax, Tensor.split, Tensor.sqrt
split_with_sizes = Tensor.split_with_sizes
square, sum = Tensor.square, Tensor.sum
t, tanh, transpose, unbind = Tensor.t, Tensor.tanh, Tensor.transpose, Tensor.unbind
unsqueeze, all, any = Tensor.unsqueeze, Tensor.all, Tensor.any
masked_fill, masked_select, tril = Tensor.masked_fill, Tensor.masked_select, Tensor.tril
triu, prod, var, std, norm = Tensor.triu, Tensor.prod, Tensor.var, Tensor.std, Tensor.norm
roll, gather, scatter = Tensor.roll, Tensor.gather, Tensor.scatter
diagonal, diag, trace = Tensor.diagonal, Tensor.diag, Tensor.trace
diag_embed = Tensor.diag_embed
scatter_add, index_select, sort = Tensor.scatter_add, Tensor.index_select, Tensor.sort
argsort, topk, bernoulli = Tensor.argsort, Tensor.topk, Tensor.bernoulli
multinomial, bmm, mv, dot = Tensor.multinomial, Tensor.bmm, Tensor.mv, Tensor.dot
addmm, baddbmm = Tensor.addmm, Tensor.baddbmm
outer, rsqrt, cumprod, isfinite = Tensor.outer, Tensor.rsqrt, Tensor.cumprod, Tensor.isfinite
logsumexp, clamp_min, equal = Tensor.logsumexp, Tensor.clamp_min, Tensor.equal
isnan, isinf, unique = Tensor.isnan, Tensor.isinf, Tensor.unique
logical_and, logical_or = Tensor.logical_and, Tensor.logical_or
logical_xor, logical_not, sign = Tensor.logical_xor, Tensor.logical_not, Tensor.sign
amax, amin, floor, ceil = Tensor.amax, Tensor.amin, Tensor.floor, Tensor.ceil
round, fmod = Tensor.round, Tensor.fmod
movedim, ravel, log1p = Tensor.movedim, Tensor.ravel, Tensor.log1p
log2, log10, logit = Tensor.log2, Tensor.log10, Tensor.logit
tan, sinh, cosh, atan2 = Tensor.tan, Tensor.sinh, Tensor.cosh, Tensor.atan2
asin, acos, atan = Tensor.asin, Tensor.acos, Tensor.atan
asinh, acosh, atanh = Tensor.asinh, Tensor.acosh, Tensor.atanh
erf, erfc, exp2, expm1 = Tensor.erf, Tensor.erfc, Tensor.exp2, Tensor.expm1
logaddexp, logcumsumexp = Tensor.logaddexp, Tensor.logcumsumexp
hardshrink, take_along_dim = Tensor.hardshrink, Tensor.take_along_dim
nan_to_num, nan_to_num_ = Tensor.nan_to_num, Tensor.nan_to_num_
# Other names for the same.
arcsin, arccos, arctan, arctan2 = asin, acos, atan, atan2
arcsinh, arccosh, arctanh = asinh, acosh, atanh
absolute, negative, clip, moveaxis = abs, neg, clamp, movedim
greater, greater_equal, less = gt, ge, lt
less_equal, not_equal, swapaxes, swapdims = le, ne, Tensor.swapaxes, transpose
# Those that write.
abs_, clamp_, clip_, cos_ = Tensor.abs_, Tensor.clamp_, Tensor.clip_, Tensor.cos_
detach_, exp_, fill_, log_ = Tensor.detach_, Tensor.exp_, Tensor.fill_, Tensor.log_
logit_ = Tensor.logit_
neg_, reciprocal_, relu_ = Tensor.neg_, Tensor.reciprocal_, Tensor.relu_
sigmoid_, sin_, sqrt_ = Tensor.sigmoid_, Tensor.sin_, Tensor.sqrt_
square_, tanh_, zero_ = Tensor.square_, Tensor.tanh_, Tensor.zero_
floor_, ceil_, round_ = Tensor.floor_, Tensor.ceil_, Tensor.round_
# fmt: on


# -- of two operands, the first of which may be the number --


def add(x, other, *, alpha=1):
    """x + alpha * other."""
    if starts_with_number(x, other):
        return after_number(AddBackward0, x, other, alpha)
    return x.add(other, alpha=alpha)


def sub(x, other, *, alpha=1):
    """x - alpha * other."""
    if starts_with_number(x, other):
        return after_number(SubBackward0, x, other, alpha)
    return x.sub(other, alpha=alpha)


def mul(x, other):
    """x * other."""
    return apply(MulBackward0, (plain(x), other)) if starts_with_number(x, other) else x.mul(other)


def div(x, other, *, rounding_mode=NotRounded):
    """x / other; with rounding_mode="floor" or "trunc" a whole number."""
    if not starts_with_number(x, other):
        return x.div(other, rounding_mode=rounding_mode)
    if rounding_mode is NotRounded:
        return apply(DivBackward0, (plain(x), other))
    return apply(rounding(rounding_mode), (plain(x), other), (rounding_mode,))


def remainder(x, other):
    """What is left of x, with the sign of other."""
    return x % other if starts_with_number(x, other) else x.remainder(other)


def floor_divide(x, other):
    """x // other."""
    return x // other if starts_with_number(x, other) else x.floor_divide(other)


def starts_with_number(x, y) -> bool:
    """Is the first operand a number, and the second a tensor?"""
    return isinstance(x, (int, float, np.generic)) and isinstance(y, Tensor)


def after_number(op, number, y, alpha):
    """op(number, y), where y counts alpha times."""
    given = plain(number), y
    if alpha.__class__ is int and alpha == 1:
        return apply(op, given)
    return of_scaled(op, given, alpha, y, given[0])


def true_divide(x, other):
    """x / other."""
    return div(x, other)


multiply, subtract, divide = mul, sub, div


def permute(x, dims):
    """The axes in another order."""
    return x.permute(_listed("dims", dims))


def reshape(x, shape):
    """A view if the bytes allow it, else a copy."""
    return x.reshape(_listed("shape", shape))


def squeeze(x, dim=ALL, *more):
    """Without one axis of length 1, or several, or without all of them."""
    if more:
        raise TypeError("squeeze() received an invalid combination of arguments: axes in no tuple")
    return x.squeeze(dim)


def _listed(name, numbers):
    """The numbers; TypeError if it is but one: a function takes them in a tuple."""
    return expected(numbers, (tuple, list), name, "tuple of ints")


def cat(tensors, dim=0):
    """The tensors one after the other along `dim`."""
    tensors = _several(tensors)
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    filled = [i for i, t in enumerate(tensors) if t._array.shape != (0,)]  # the rest is left out
    dim = _cat_axis(tensors, dim, filled) if filled else Axis(0, whole(dim, "dim"))
    out = apply(sh.CatBackward0, tensors, (dim, result_dtype(*[t._array for t in tensors])))
    if out.grad_fn is not None:
        out.grad_fn.lengths = [
            t._array.shape[dim] if i in filled else None for i, t in enumerate(tensors)
        ]
        _restore_dtypes(out, tensors)
    return out


def _several(tensors) -> tuple:
    """The tensors; a tensor is not taken for those along its first axis."""
    if isinstance(tensors, Tensor):
        raise wrong_kind("tensors", "tuple of Tensors", tensors)
    return all_tensors(tuple(tensors))


def _restore_dtypes(out, tensors) -> None:
    """Let the gradients have the dtypes of the tensors that were promoted."""
    arrays = [t._array for t in tensors]
    if {a.dtype for a in arrays} != {out._array.dtype}:
        wanted = enumerate(out.grad_fn.needs_input_grad)
        out.grad_fn._meta = [(i, arrays[i].shape, arrays[i].dtype) for i, yes in wanted if yes]


concat = concatenate = cat


def flip(x, dims):
    """The elements along these axes from last to first."""
    return x.flip(tuple(_listed("dims", dims)))


def _cat_axis(tensors, dim, filled) -> int:
    """The axis; PyTorch's words for tensors that cannot stand one after the other."""
    for i, t in enumerate(tensors):
        if not t._array.ndim:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    first = tensors[filled[0]]
    for i in filled:
        t = tensors[i]
        if t._array.ndim != first._array.ndim:
            want, have = first._array.ndim, t._array.ndim
            raise RuntimeError(
                f"Tensors must have same number of dimensions: got {want} and {have}"
            )
        place = axis(t, dim)
        for k, (want, have) in enumerate(zip(first.shape, t.shape, strict=False)):
            if k != place and want != have:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {place}. Expected size "
                    f"{want} but got size {have} for tensor number {i} in the list."
                )
    return place


def stack(tensors, dim=0):
    """The tensors along a new axis."""
    tensors = _several(tensors)
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    dim = axis(tensors[0], dim, extra=1)
    first = tensors[0]._array.shape
    for i, t in enumerate(tensors):
        if t._array.shape != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 "
                f"and {list(t.shape)} at entry {i}"
            )
    out = apply(sh.StackBackward0, tensors, (dim, result_dtype(*[t._array for t in tensors])))
    if out.grad_fn is not None:
        _restore_dtypes(out, tensors)
    return out


def where(condition, x=ALL, y=ALL):
    """x where the condition holds, else y; of a condition alone the places where it holds."""
    if x is ALL and y is ALL:
        return condition.nonzero(as_tuple=True)
    x, y = (None if v is ALL else plain(v) for v in (x, y))
    for number in (x, y):
        in_range(number, np.dtype(float))
    dtype = result_dtype(*[getattr(v, "_array", v) for v in (x, y)])
    x, y = (v if isinstance(v, Tensor) else _number(v, dtype, condition) for v in (x, y))
    if condition._array.dtype not in (bool, np.uint8):
        kind = condition.dtype.scalar_type
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype {kind}"
        )
    if condition._array.dtype == np.uint8:
        warn(BYTE_CONDITION)
    shape_of(condition, x, y)
    return WhereBackward0.call(x, y, condition, dtype)


@attach
class Choices(Tensor):
    """Methods of Tensor."""

    def where(x, condition, other):
        return where(condition, x, other)


def _number(value, dtype, beside):
    """A Python number as a 0-d tensor on the device of another."""
    return wrap(backend.full((), for_filling(value, dtype, 1), dtype, beside.device))


def pow(x, exponent):
    """x ** exponent; one of them may be a number."""
    if isinstance(exponent, Tensor) and isinstance(x, (int, float)):
        return exponent.__rpow__(x)
    return Tensor.pow(x, exponent)


def is_tensor(x) -> bool:
    return isinstance(x, Tensor)
