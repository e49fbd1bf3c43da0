"""Three tensors in one operation, as optimizers that are written by hand have them."""

from __future__ import annotations

import math

import numpy as np

from minigrad.core.dtypes import BY_NUMPY
from minigrad.core.inplace import apply_inplace
from minigrad.core.messages import CAST
from minigrad.core.op import Op
from minigrad.core.promotion import plain, result_dtype
from minigrad.core.tensor import Tensor, attach
from minigrad.core.words import kind_of
from minigrad.ops import messages
from minigrad.ops.arithmetic import MulBackward1, only_floats
from minigrad.ops.checks import check_apart, check_cast, check_single, shape_of
from minigrad.ops.halves import unrounded, wide
from minigrad.ops.numbers import a_number, converted, of_kernel, of_kernels

times = MulBackward1.forward  # by a number, in the dtype of the array


class LerpBackward0(Op):
    """lerp(end, number) saves no tensor: each gradient is a part of the incoming one."""

    inputs = stretched = ("self", "end")
    argument_names = ("weight",)

    @staticmethod
    def forward(x, end, weight):
        only_floats(x, "lerp_kernel_scalar")
        return between(x, end, weight)

    def backward(node, grad):
        (weight,) = node.arguments
        return tuple(
            [
                grad * unrounded(part, grad) if yes else None
                for part, yes in zip((1 - weight, weight), node.needs_input_grad, strict=True)
            ]
        )


class LerpBackward1(Op):
    """lerp(end, weight) saves the weight always, and both ends if that needs a gradient."""

    inputs = stretched = ("self", "end", "weight")
    saves = {"end": "weight", "self": "weight", "weight": "self end weight"}

    @staticmethod
    def forward(x, end, weight):
        dtype = result_dtype(x, end, weight)
        x, end, weight = (one.astype(dtype, copy=False) for one in (x, end, weight))
        only_floats(x, "lerp_kernel_tensor")
        return between(x, end, weight)

    def backward(node, grad, end, x, weight):
        for_x, for_end, _ = node.needs_input_grad
        of_bools = x is not None and x.dtype.kind == end.dtype.kind == "b"
        if of_bools or (for_x and weight.dtype.kind == "b"):
            raise RuntimeError(messages.BOOL_MINUS)
        return (
            grad * (1 - weight) if for_x else None,
            grad * weight if for_end else None,
            None if x is None else grad * (end - x),
        )

    def peak(node, grad, end, x, weight):
        """What comes of it, and 1 - weight or the difference of the ends."""
        for_x, for_end, _ = node.needs_input_grad
        both = grad.nbytes * (for_x + for_end)
        first = both + (weight.nbytes if for_x else 0)
        return max(first, 0 if x is None else both + grad.nbytes + difference(end, x))


def beside(part, grad):
    """A part of a slope in the dtype of its product with the gradient: that may be of less digits,
    of a write in place."""
    return part.astype(result_dtype(grad, part), copy=False)


class AddcmulBackward0(Op):
    """x + value * a * b saves b for a's gradient and a for b's."""

    inputs = stretched = ("self", "tensor1", "tensor2")
    saves = {"tensor1": "tensor2", "tensor2": "tensor1"}
    argument_names = ("value",)

    @staticmethod
    def forward(x, a, b, value):
        return added(x, a, b, value, np.multiply, "addcmul_cpu_out")

    def backward(node, grad, a, b):
        (value,) = node.arguments
        for_a = None if b is None else grad * beside(times(b, value), grad)
        return grad, for_a, None if a is None else grad * beside(times(a, value), grad)

    def peak(node, grad, a, b):
        """What comes of it, and a product with the value."""
        first = 0 if b is None else grad.nbytes
        return max(
            first + (first and b.nbytes), first + (0 if a is None else grad.nbytes + a.nbytes)
        )


class AddcdivBackward0(Op):
    """x + value * a / b saves b always, and a if b needs a gradient."""

    inputs = stretched = ("self", "tensor1", "tensor2")
    saves = {"tensor1": "tensor2", "tensor2": "self tensor1 tensor2"}
    argument_names = ("value",)

    @staticmethod
    def forward(x, a, b, value):
        return added(x, a, b, value, np.divide, "addcdiv_cpu_out")

    def backward(node, grad, a, b):
        (value,) = node.arguments
        for_a = node.needs_input_grad[1]
        if for_a:
            check_quotient(value, b)
        return (
            grad,
            grad * beside(value / b, grad) if for_a else None,
            None if a is None else -grad * beside(times(a, value) / (b * b), grad),
        )

    def peak(node, grad, a, b):
        """What comes of it, and the parts of the formula for b."""
        first = grad.nbytes if node.needs_input_grad[1] else 0
        rest = 0 if a is None else 2 * grad.nbytes + a.nbytes + b.nbytes + difference(a, b)
        return max(first + (first and b.nbytes), first + rest)


def check_quotient(value, b) -> None:
    """value / b in an array like `b`, as PyTorch computes it, must be floats."""
    if b.dtype.kind != "f":
        converted(value, b.dtype)
        raise RuntimeError(CAST.format("Float", BY_NUMPY[b.dtype].scalar_type))


def difference(x, y) -> int:
    """Bytes of an array that is made of both."""
    return math.prod(np.broadcast_shapes(x.shape, y.shape)) * max(x.itemsize, y.itemsize)


# -- what they compute --


def between(x, end, weight):
    """x at 0 and the end at 1, from whichever is nearer, so that both are met exactly."""
    a, b = wide(x), wide(end)
    if not hasattr(weight, "dtype"):
        weight = of_kernel(weight, x.dtype)
        found = a + weight * (b - a) if abs(weight) < 0.5 else b + (weight - 1) * (b - a)
    else:
        weight = wide(weight)
        small = np.abs(weight) < 0.5
        found = np.where(small, weight, weight - 1) * (b - a) + np.where(small, a, b)
    return found.astype(x.dtype, copy=False)


def added(x, a, b, value, combine, kernel):
    dtype = result_dtype(x, a, b)
    if dtype.kind == "b":
        raise messages.not_implemented(kernel, BY_NUMPY[dtype])
    x, a, b = (one.astype(of_kernels(dtype), copy=False) for one in (x, a, b))
    value = of_kernel(value, dtype)
    return (x + combine(a * value, b)).astype(dtype, copy=False)


# -- methods --

NO_DIVISION = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will "
    "perform a true division of tensor1 and tensor2. The historic addcdiv behavior can be "
    "implemented as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer "
    "inputs and as (input + value * tensor1 / tensor2) for float inputs. The future addcdiv "
    "behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all "
    "dtypes."
)


def lerp(x, end, weight):
    """x + weight * (end - x); the weight is a number or a tensor."""
    op, tensors, numbers = lerped("lerp", x, end, plain(weight))
    check_dtypes(*tensors)
    shape_of(*tensors)
    return op.call(*tensors, *numbers)


def lerp_(x, end, weight):
    """The same in the place of x."""
    op, tensors, numbers = lerped("lerp_", x, end, plain(weight))
    return put(op, tensors, numbers, check_dtypes)


def lerped(name, x, end, weight):
    """(the rule, its tensors, its numbers)."""
    if isinstance(weight, Tensor):
        return LerpBackward1, (x, end, weight), ()
    if not isinstance(weight, (bool, int, float)):
        kinds = ", ".join(map(kind_of, (end, weight)))
        raise TypeError(f"{name}() received an invalid combination of arguments - got ({kinds})")
    return LerpBackward0, (x, end), (a_number(weight),)


def check_dtypes(x, *others):
    """All must have the first one's; a weight of no axis goes as any number does."""
    for name, other in zip(("end", "weight"), others, strict=False):
        if other.dtype is not x.dtype and (name == "end" or other.ndim):
            wanted, found = (one.dtype.c_name for one in (x, other))
            raise RuntimeError(f"expected dtype {wanted} for `{name}` but got dtype {found}")


def addcmul(x, tensor1, tensor2, *, value=1):
    """x + value * tensor1 * tensor2."""
    shape_of(x, tensor1, tensor2)
    return AddcmulBackward0.call(x, tensor1, tensor2, a_number(value))


def addcmul_(x, tensor1, tensor2, *, value=1):
    """The same in the place of x."""
    return put(AddcmulBackward0, (x, tensor1, tensor2), (a_number(value),))


def addcdiv(x, tensor1, tensor2, *, value=1):
    """x + value * tensor1 / tensor2."""
    check_division(x, tensor1, tensor2)
    shape_of(x, tensor1, tensor2)
    return AddcdivBackward0.call(x, tensor1, tensor2, a_number(value))


def addcdiv_(x, tensor1, tensor2, *, value=1):
    """The same in the place of x."""
    numbers = (a_number(value),)
    return put(AddcdivBackward0, (x, tensor1, tensor2), numbers, check_division)


def put(op, tensors, numbers, check=None):
    """The first of the tensors, with what the rule gives in the place of its old values.

    That it may be written is asked first, and `check` of all tensors after it.
    """

    def compute(array):
        if check:
            check(*tensors)
        check_single(array)
        for other in tensors[1:]:
            check_apart(array, other)
        if (shape := shape_of(*tensors)) != array.shape:
            raise RuntimeError(messages.NO_ROOM.format([*array.shape], [*shape]))
        check_cast(tensors[0], result_dtype(*[t._array for t in tensors]))
        return op.forward(*[t._array for t in tensors], *numbers)

    return apply_inplace(op, tensors[0], compute, *tensors[1:], arguments=numbers)


def check_division(x, a, b):
    if not (a.is_floating_point() or b.is_floating_point()):
        raise RuntimeError(NO_DIVISION)


@attach
class Blends(Tensor):
    """Methods of Tensor."""

    lerp, lerp_ = lerp, lerp_
    addcmul, addcmul_, addcdiv, addcdiv_ = addcmul, addcmul_, addcdiv, addcdiv_
