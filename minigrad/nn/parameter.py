"""PyTorch's name of the module that has Parameter."""

# ruff: noqa: F401  (the public face)

from minigrad.nn.parameters import Parameter
