"""Automatic differentiation: what `torch.autograd` is to torch."""

# ruff: noqa: F401  (the public face)

from minigrad.autograd import function, graph
from minigrad.autograd.api import backward, grad
from minigrad.autograd.function import Function
from minigrad.autograd.gradcheck import gradcheck
from minigrad.autograd.modes import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from minigrad.variable import Variable
