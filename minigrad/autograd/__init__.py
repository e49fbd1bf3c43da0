"""Automatic differentiation: what `torch.autograd` is to torch."""

from minigrad.autograd import function, graph
from minigrad.autograd.api import backward, grad
from minigrad.autograd.function import Function
from minigrad.autograd.gradcheck import gradcheck
from minigrad.autograd.modes import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from minigrad.variable import Variable

__all__ = [
    "Function", "Variable", "backward", "enable_grad", "function", "grad", "gradcheck", "graph",
    "is_grad_enabled", "no_grad", "set_grad_enabled",
]  # fmt: skip
