"""The operations: each file has rules, what they save, and the methods that Tensor gets of them."""

# ruff: noqa: F401  (to be imported is to be attached)

from minigrad.core import backward
from minigrad.ops import (
    arithmetic,
    compared,
    copies,
    cumulative,
    elementwise,
    following,
    indexing,
    inplace,
    leaves,
    losses,
    makers,
    masks,
    matmul,
    moments,
    picking,
    pickling,
    powers,
    products,
    putting,
    randoms,
    reading,
    rearranged,
    rebasing,
    reduce,
    sorting,
    vector_norm,
    views,
)  # fmt: skip
