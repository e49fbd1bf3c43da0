"""Automatic differentiation: what `torch.autograd` is to torch."""

# ruff: noqa: F401  (the public face)

from minigrad.autograd import function, functional, graph
from minigrad.autograd.function import Function
from minigrad.core.backward import backward, grad
from minigrad.core.modes import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from minigrad.core.tensor import Tensor as Variable
from minigrad.utils.gradcheck import gradcheck, gradgradcheck
