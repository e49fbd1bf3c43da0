"""Modules: parameters with a forward. A module is in no graph; its parameters are leaves."""

from __future__ import annotations

from minigrad.nn import functional
from minigrad.nn.layers import (
    BatchNorm1d,
    Conv2d,
    CrossEntropyLoss,
    Dropout,
    LayerNorm,
    Linear,
    ReLU,
    Tanh,
)  # fmt: skip
from minigrad.nn.module import Module, Parameter, Sequential

__all__ = [
    "BatchNorm1d", "Conv2d", "CrossEntropyLoss", "Dropout", "LayerNorm", "Linear", "Module",
    "Parameter", "ReLU", "Sequential", "Tanh", "functional",
]  # fmt: skip
