"""Modules: parameters with a forward. A module is in no graph; its parameters are leaves."""

from __future__ import annotations

from minigrad.nn import functional
from minigrad.nn.layers import Linear, ReLU, Tanh
from minigrad.nn.module import Module, Parameter, Sequential

__all__ = ["Linear", "Module", "Parameter", "ReLU", "Sequential", "Tanh", "functional"]
