"""The operations: each file has rules, what they save, and the methods that Tensor gets of them."""

# ruff: noqa: F401  (to be imported is to be attached)

from minigrad.core import backward
from minigrad.ops import (
    arithmetic,
    compared,
    copies,
    elementwise,
    indexing,
    inplace,
    losses,
    matmul,
    reading,
    reduce,
    views,
)  # fmt: skip
