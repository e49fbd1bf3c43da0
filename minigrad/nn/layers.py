"""The layers that the lessons use."""

from __future__ import annotations

from minigrad.factories import rand
from minigrad.matmul import linear
from minigrad.nn.module import Module, Parameter


class Linear(Module):
    """x @ weight.T + bias; weight is (out_features, in_features)."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True):
        self.in_features, self.out_features = in_features, out_features
        bound = in_features**-0.5
        self.weight = Parameter((rand(out_features, in_features) * 2 - 1) * bound)
        self.bias = Parameter((rand(out_features) * 2 - 1) * bound) if bias else None

    def forward(self, x):
        return linear(x, self.weight, self.bias)

    def extra_repr(self):
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class ReLU(Module):
    def forward(self, x):
        return x.relu()


class Tanh(Module):
    def forward(self, x):
        return x.tanh()
