"""What is recorded when a tensor is overwritten: the old value's gradient ends or is cut out."""

from __future__ import annotations

from minigrad.core.op import Op


class ZeroBackward0(Op):
    """zero_() saves nothing: the old value no longer matters."""

    def backward(node, grad):
        return grad * 0


class FillBackward2(ZeroBackward0):
    """fill_(number) saves nothing."""


class CopyBackwards(Op):
    """copy_(other) saves nothing: the gradient is the other's now."""

    inputs = stretched = ("self", "other")

    def name(self):
        return "torch::autograd::CopyBackwards"

    def backward(node, grad):
        return grad * 0 if node.needs_input_grad[0] else None, grad


class CopySlices(Op):
    """x[index] = value: the gradient of x loses that part, which goes to `value`.

    The write counts as saved, so that a second backward is refused, as PyTorch's is.
    """

    inputs = ("self", "value")
    argument_names = ("",)  # the index

    def name(self):
        return "torch::autograd::CopySlices"

    def backward(node, grad, _):
        (index,) = node.arguments
        rest = None
        if node.needs_input_grad[0]:
            rest = grad.copy()
            rest[index] = 0
        return rest, grad[index].copy() if node.needs_input_grad[1] else None
