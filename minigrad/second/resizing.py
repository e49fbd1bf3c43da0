"""The second derivative of resizing: a gradient's gradient is resized as the image was."""

from __future__ import annotations

from typing import Any

from minigrad.core.op import Op
from minigrad.ops.resizing import UpsampleBilinear2DBackward0, UpsampleNearest2DBackward0
from minigrad.second.rules import backward_of


class _Again(Op):
    """A gradient brought to the size of the image, recorded."""

    inputs = ("grad_output",)
    first: Any

    def backward(node, grad):
        return node.first.forward(grad, *node.arguments[1:])

    def recorded(node, grad):
        return node.first.call(grad, *node.arguments[1:])


class UpsampleNearest2DBackwardBackward0(_Again):
    first = UpsampleNearest2DBackward0
    argument_names, forward = ("", *first.argument_names), backward_of(first)


class UpsampleBilinear2DBackwardBackward0(_Again):
    first = UpsampleBilinear2DBackward0
    argument_names, forward = ("", *first.argument_names), backward_of(first)


for _rule in (UpsampleNearest2DBackwardBackward0, UpsampleBilinear2DBackwardBackward0):
    _rule.first.recorded = lambda node, grad, op=_rule: op.call(grad, node.sizes, *node.arguments)
