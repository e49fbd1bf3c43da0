"""Matrix products: each factor is saved for the other's gradient, and only if that is wanted."""

from __future__ import annotations

import operator

from minigrad.core.dtypes import BY_NUMPY
from minigrad.core.op import Op
from minigrad.ops.arithmetic import MulBackward0
from minigrad.ops.halves import HALF, wide
from minigrad.ops.shapes import steps


def transposed(x):
    return x.swapaxes(-1, -2)


def product_and(bias, x, y):
    """x @ y + bias; of half floats the sum is rounded, and not the product."""
    half = bias.dtype == HALF
    result = wide(x) @ wide(y) if half else x @ y
    result += bias
    return result.astype(HALF) if half else result


def is_transposed(sizes, strides, step) -> bool:
    """True for a transposed view of a contiguous matrix, as `weight.t()` is; strides in bytes."""
    return strides == (step, step * sizes[0]) and strides != (step * sizes[1], step)


class _Product(Op):
    """What mm and addmm share: both shapes, and the strides of the factors that want gradients."""

    exact = True

    def gradients(node, grad, x, y) -> tuple:
        """Of both factors, each laid out as its factor is, so that `.grad` needs no copy.

        None where the other factor was not saved, since nobody asked.
        """
        x_sizes, x_strides, y_sizes, y_strides, step = node.arguments[:5]
        for_x = for_y = None
        if y is not None:
            flipped = is_transposed(x_sizes, x_strides, step)
            for_x = (y @ grad.T).T if flipped else grad @ y.T
        if x is not None:
            flipped = is_transposed(y_sizes, y_strides, step)
            for_y = (grad.T @ x).T if flipped else x.T @ grad
        return for_x, for_y

    def numbers(node):
        wanted = node.needs_input_grad[-2:]
        values = super().numbers()
        step = values.pop("")
        for name, want in zip(node.inputs[-2:], wanted, strict=True):
            sizes, strides = (values[f"{name}_sym_{what}"] for what in ("sizes", "strides"))
            given = steps(sizes) if 0 in sizes else tuple(n // step for n in strides)
            values[f"{name}_sym_strides"] = given if want else ()  # PyTorch counts in elements
        return values


class MmBackward0(_Product):
    """x @ y of matrices saves y if x needs a gradient, and x if y does."""

    inputs = ("self", "mat2")
    saves = {"self": "mat2", "mat2": "self"}
    argument_names = (
        "self_sym_sizes", "self_sym_strides", "mat2_sym_sizes", "mat2_sym_strides", ""
    )  # fmt: skip

    @staticmethod
    def forward(x, y, *shapes):
        return x @ y

    def backward(node, grad, x, y):
        return node.gradients(grad, x, y)


class BmmBackward0(Op):
    """A stack of matrix products saves like a single one."""

    inputs = ("self", "mat2")
    saves = {"self": "mat2", "mat2": "self"}

    forward = operator.matmul

    def backward(node, grad, x, y):
        return (
            None if y is None else grad @ transposed(y),
            None if x is None else transposed(x) @ grad,
        )


class BaddbmmBackward0(Op):
    """x + a stack of matrix products saves as the products do; x is free."""

    inputs = ("self", "batch1", "batch2")
    stretched = ("self",)
    saves = {"batch1": "batch2", "batch2": "batch1"}
    argument_names = ("alpha", "beta")

    @staticmethod
    def forward(x, batch1, batch2, alpha, beta):
        return product_and(x, batch1, batch2)

    def backward(node, grad, batch1, batch2):
        return (
            grad if node.needs_input_grad[0] else None,
            None if batch2 is None else grad @ transposed(batch2),
            None if batch1 is None else transposed(batch1) @ grad,
        )


class MvBackward0(Op):
    """matrix @ vector saves each factor for the other."""

    inputs = ("self", "vec")
    saves = {"self": "vec", "vec": "self"}

    forward = operator.matmul

    def backward(node, grad, x, vector):
        return (
            None if vector is None else grad.reshape(-1, 1) * vector,
            None if x is None else x.T @ grad,
        )


class DotBackward0(Op):
    """vector @ vector saves each factor for the other."""

    inputs = ("self", "tensor")
    saves = {"self": "tensor", "tensor": "self"}

    forward = operator.matmul

    backward = MulBackward0.backward


class AddmmBackward0(_Product):
    """bias + x @ y, the heart of a Linear layer, saves as the product does; the bias is free."""

    inputs = ("self", "mat1", "mat2")
    stretched = ("self",)
    saves = {"mat1": "mat2", "mat2": "mat1"}
    argument_names = (
        "mat1_sym_sizes", "mat1_sym_strides", "mat2_sym_sizes", "mat2_sym_strides", "", "alpha",
        "beta",
    )  # fmt: skip

    @staticmethod
    def forward(bias, x, y, *arguments):
        return product_and(bias, x, y)

    def backward(node, grad, x, y):
        return grad, *node.gradients(grad, x, y)


def describe(x, y) -> tuple:
    """What a matrix product remembers besides tensors: shapes, strides, bytes of an element."""
    return x.shape, x.strides, y.shape, y.strides, x.itemsize


def check_shapes(x, y) -> None:
    """PyTorch's words for matrices that do not fit."""
    _check_lengths(x, y)
    if x.dtype != y.dtype:
        left, right = (BY_NUMPY[a.dtype].c_name for a in (x, y))
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {left} != {right}")


def check_sum(bias, x, y) -> None:
    """The same beside a bias, where the dtypes come first."""
    for name, one in (("self", bias), ("mat1", x)):
        if one.dtype != y.dtype:
            kinds = " and ".join(BY_NUMPY[a.dtype].scalar_type for a in (one, y))
            raise RuntimeError(f"{name} and mat2 must have the same dtype, but got {kinds}")
    for name, one in (("mat1", x), ("mat2", y)):
        if one.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {one.ndim}-D tensor")
    _check_lengths(x, y)


def _check_lengths(x, y) -> None:
    if x.shape[-1] != y.shape[0]:
        left, right = ("x".join(map(str, a.shape)) for a in (x, y))
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({left} and {right})")
