"""Automatic differentiation: what `torch.autograd` is to torch."""

# ruff: noqa: F401  (the public face)

from minigrad.autograd import function, functional, grad_mode, graph
from minigrad.autograd.anomaly import detect_anomaly, set_detect_anomaly
from minigrad.autograd.batched import grad
from minigrad.autograd.function import Function
from minigrad.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck
from minigrad.autograd.inference import inference_mode
from minigrad.autograd.variable import Variable, variable
from minigrad.core.backward import backward
from minigrad.core.modes import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
