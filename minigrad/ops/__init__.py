"""The operations: each file has rules, what they save, and the methods that Tensor gets of them."""

# ruff: noqa: F401, I001  (to be imported is to be attached)

from minigrad.core import backward
from minigrad.core.tensor import Tensor
from minigrad.ops import (
    among_arrays, arithmetic, arranged, bits, compared, copies, cumulative, diagonals, elementwise,
    extremes, following, indexing, inplace, interleaved, leaves, logarithms, losses, makers, masks,
    matmul, moments, not_numbers, picking, pickling, powers, products, putting, randoms, reading,
    rearranged, rebasing, reduce, remainders, rounding, shrinking, sorting, trigonometry, unique,
    vector_norm, views,
)  # fmt: skip
from minigrad.ops.checks import leaf_first

# These look at their arguments before they write.
for _name in (
    "__iadd__ __isub__ add_ bernoulli_ clamp_ clip_ fill_ masked_fill_ normal_ scatter_"
    " scatter_add_ sub_ tril_ triu_ uniform_ __imod__ __ifloordiv__ remainder_ fmod_ floor_divide_"
).split():
    setattr(Tensor, _name, leaf_first(getattr(Tensor, _name)))

# Second names of methods.
for _name, _other in (
    ("abs", "absolute"), ("abs_", "absolute_"), ("neg", "negative"), ("neg_", "negative_"),
    ("mul", "multiply"), ("mul_", "multiply_"), ("sub", "subtract"), ("sub_", "subtract_"),
    ("div", "divide"), ("div_", "divide_"), ("gt", "greater"), ("ge", "greater_equal"),
    ("lt", "less"), ("le", "less_equal"), ("ne", "not_equal"), ("movedim", "moveaxis"),
    ("asin", "arcsin"), ("acos", "arccos"), ("atan", "arctan"), ("asinh", "arcsinh"),
    ("acosh", "arccosh"), ("atanh", "arctanh"), ("atan2", "arctan2"),
):  # fmt: skip
    setattr(Tensor, _other, getattr(Tensor, _name))
