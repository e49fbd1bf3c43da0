"""Matrix products: each factor is saved for the other's gradient, and only if that is wanted."""

from __future__ import annotations

import numpy as np

from minigrad.ops.op import Op


def transposed(x):
    return x.swapaxes(-1, -2)


def is_transposed(x) -> bool:
    """True if `x` is a transposed view of a contiguous matrix, as in `weight.t()`."""
    return x.ndim == 2 and x.flags.f_contiguous and not x.flags.c_contiguous


def like_layout(was_transposed, left, right):
    """left @ right, laid out as the factor it is the gradient of, so that `.grad` needs no copy."""
    return transposed(transposed(right) @ transposed(left)) if was_transposed else left @ right


class MmBackward0(Op):
    """x @ y of matrices saves y if x needs a gradient, and x if y does."""

    inputs = ("self", "mat2")
    saves = {"self": "mat2", "mat2": "self"}
    argument_names = ("self_sym_sizes", "mat2_sym_sizes", "layout")

    @staticmethod
    def forward(x, y, *shapes):
        return x @ y

    def backward(node, grad, x, y):
        *_, (x_flipped, y_flipped) = node.arguments
        return (
            None if y is None else like_layout(x_flipped, grad, transposed(y)),
            None if x is None else like_layout(y_flipped, transposed(x), grad),
        )


class BmmBackward0(Op):
    """A stack of matrix products saves like a single one."""

    inputs = ("self", "mat2")
    saves = {"self": "mat2", "mat2": "self"}

    @staticmethod
    def forward(x, y):
        return x @ y

    def backward(node, grad, x, y):
        return (
            None if y is None else grad @ transposed(y),
            None if x is None else transposed(x) @ grad,
        )


class MvBackward0(Op):
    """matrix @ vector saves each factor for the other."""

    inputs = ("self", "vec")
    saves = {"self": "vec", "vec": "self"}

    @staticmethod
    def forward(x, vector):
        return x @ vector

    def backward(node, grad, x, vector):
        return (
            None if vector is None else grad[:, None] * vector,
            None if x is None else grad @ x,
        )


class DotBackward0(Op):
    """vector @ vector saves each factor for the other."""

    inputs = ("self", "tensor")
    saves = {"self": "tensor", "tensor": "self"}

    @staticmethod
    def forward(x, y):
        return x @ y

    def backward(node, grad, x, y):
        return None if y is None else grad * y, None if x is None else grad * x


class AddmmBackward0(Op):
    """bias + x @ y, the heart of a Linear layer, saves as the product does; the bias is free."""

    inputs = ("self", "mat1", "mat2")
    saves = {"mat1": "mat2", "mat2": "mat1"}
    argument_names = ("mat1_sym_sizes", "mat2_sym_sizes", "layout", "alpha", "beta")

    @staticmethod
    def forward(bias, x, y, *arguments):
        result = x @ y
        result += bias
        return result

    def backward(node, grad, x, y):
        x_flipped, y_flipped = node.arguments[2]
        return (
            grad,
            None if y is None else like_layout(x_flipped, grad, transposed(y)),
            None if x is None else like_layout(y_flipped, transposed(x), grad),
        )


def describe(x, y) -> tuple:
    """What a matrix product remembers besides tensors: both shapes and both layouts."""
    return x.shape, y.shape, (is_transposed(x), is_transposed(y))


def check_shapes(x, y) -> None:
    """PyTorch's words for matrices that do not fit."""
    if x.shape[-1] != y.shape[0]:
        left, right = ("x".join(map(str, a.shape)) for a in (x, y))
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({left} and {right})")
    if x.dtype != y.dtype:
        names = {np.dtype("f4"): "float", np.dtype("f8"): "double", np.dtype("i8"): "long int"}
        left, right = (names.get(a.dtype, a.dtype.name) for a in (x, y))
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {left} != {right}")
