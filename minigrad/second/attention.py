"""Attention and hardsigmoid have no second derivative, in PyTorch as here: who asks is told."""

from __future__ import annotations

from minigrad.core.function import Function
from minigrad.ops.activations import HardsigmoidBackward0
from minigrad.ops.attention import ScaledDotProductFlashAttentionForCpuBackward0

NO_SECOND = "derivative for aten::{} is not implemented"
ATTENTION = "_scaled_dot_product_flash_attention_for_cpu_backward"


class NotImplementedBackward(Function):
    """The gradients, and an error for the gradient of one."""

    @staticmethod
    def forward(ctx, name, node, tensors, *_):
        ctx.operation = name
        found = node.backward(*(None if t is None else t._array for t in tensors))
        found = found if isinstance(found, tuple) else (found,)
        return tuple(tensors[0]._new(array) for array in found)

    @staticmethod
    def backward(ctx, *grads):
        raise RuntimeError(NO_SECOND.format(ctx.operation))


def recorded(node, *tensors):
    """The gradients, whose node leads to all that they depend on."""
    grad, mask, key, query, value, rows, result = tensors
    before = [t for t in (grad, query, key, value, result) if t.requires_grad]
    return NotImplementedBackward.apply(ATTENTION, node, tensors, *before)


def of_hardsigmoid(node, *tensors):
    """The gradient; PyTorch's node has the same name."""
    return NotImplementedBackward.apply("hardsigmoid_backward", node, tensors, *tensors)


for attribute, value in {
    "__name__": "NotImplemented",
    "name": lambda node: "torch::autograd::NotImplemented",
}.items():
    setattr(NotImplementedBackward._backward_cls, attribute, value)
ScaledDotProductFlashAttentionForCpuBackward0.recorded = recorded
HardsigmoidBackward0.recorded = of_hardsigmoid
