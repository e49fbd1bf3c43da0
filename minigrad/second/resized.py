"""The second derivative of resizing an image: it is linear, so it is resized once more."""

from __future__ import annotations

from minigrad.core.function import Function
from minigrad.ops.resizing import UpsampleBilinear2DBackward0, UpsampleNearest2DBackward0


def records(rule):
    """Where the rule's backward is recorded, a Function is, under PyTorch's name."""

    class Resized(Function):
        @staticmethod
        def forward(ctx, node, grad):
            ctx.arguments = node.arguments
            return grad._new(node.backward(grad._array))

        @staticmethod
        def backward(ctx, grad):
            return None, rule.call(grad, *ctx.arguments)

    Resized._backward_cls.__name__ = f"{rule.__name__[:-1]}Backward0"
    rule.recorded = lambda node, grad: Resized.apply(node, grad)


records(UpsampleNearest2DBackward0)
records(UpsampleBilinear2DBackward0)
