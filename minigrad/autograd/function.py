"""PyTorch's names for your own operations."""

# ruff: noqa: F401  (the public face)

from minigrad.autograd.once import once_differentiable
from minigrad.core.function import BackwardCFunction, Function
