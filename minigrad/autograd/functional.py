"""PyTorch's names for derivatives of functions."""

# ruff: noqa: F401  (the public face)

from minigrad.utils.derivatives import hessian, hvp, jacobian, jvp, vhp, vjp
