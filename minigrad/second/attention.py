"""Attention in one operation has no second derivative, in PyTorch as here: who asks is told."""

from __future__ import annotations

from minigrad.core.function import Function
from minigrad.ops.attention import ScaledDotProductFlashAttentionForCpuBackward0

NO_SECOND = (
    "derivative for aten::_scaled_dot_product_flash_attention_for_cpu_backward is not implemented"
)


class NotImplementedBackward(Function):
    """The gradients, and an error for the gradient of one."""

    @staticmethod
    def forward(ctx, node, tensors, *_):
        found = node.backward(*(None if t is None else t._array for t in tensors))
        return tuple(tensors[0]._new(array) for array in found)

    @staticmethod
    def backward(ctx, *grads):
        raise RuntimeError(NO_SECOND)


def recorded(node, *tensors):
    """The gradients, whose node leads to all that they depend on."""
    grad, mask, key, query, value, rows, result = tensors
    before = [t for t in (grad, query, key, value, result) if t.requires_grad]
    return NotImplementedBackward.apply(node, tensors, *before)


for attribute, value in {
    "__name__": "NotImplemented",
    "name": lambda node: "torch::autograd::NotImplemented",
}.items():
    setattr(NotImplementedBackward._backward_cls, attribute, value)
ScaledDotProductFlashAttentionForCpuBackward0.recorded = recorded
