"""Where PyTorch's backward is one operation, it has a name, and it saves tensors of its own.

What such an operation computes is the backward of its first rule. New here is its own backward,
for second derivatives; for third ones that is recorded in turn, as any rule's is, or named here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.core.op import Op
from minigrad.ops import functions as F
from minigrad.ops.activations import LogSigmoidBackward0, logistic
from minigrad.ops.arithmetic import MulBackward1, WhereBackward0
from minigrad.ops.attention import SafeSoftmaxBackward0
from minigrad.ops.criteria import XlogyBackward0
from minigrad.ops.cumulative import CumprodBackward0, CumsumBackward0, adds_up
from minigrad.ops.elementwise import ReluBackward0, SigmoidBackward0, TanhBackward0
from minigrad.ops.index_adding import IndexAddBackward0
from minigrad.ops.losses import (
    LogSoftmaxBackward0,
    MseLossBackward0,
    NllLoss2DBackward0,
    NllLossBackward0,
    SoftmaxBackward0,
    mse_slope,
)
from minigrad.ops.masks import TrilBackward0, TriuBackward0
from minigrad.ops.medians import MedianBackward0
from minigrad.ops.picking import GatherBackward0, ScatterAddBackward0, ScatterBackward1
from minigrad.ops.powers import PowBackward0
from minigrad.ops.rearranged import FlipBackward0, RollBackward0
from minigrad.ops.reduce import MaxBackward1, MinBackward1
from minigrad.ops.shape import IndexBackward0, SelectBackward0, SliceBackward0
from minigrad.second.places import put_into_zeros


def backward_of(first):
    """That rule's backward as the `forward` of another: of arrays, then the node's arguments."""
    count = 1 + len(first.saves)

    def forward(*given):
        node, at = first(), count
        if first.sized:
            node.sizes, at = given[count], count + 1
        node.arguments = given[at:]
        return first.backward(node, *given[:count])

    return staticmethod(forward)


def needing(steps):
    """A peak: what PyTorch's formula for the result holds, above the other gradient if wanted."""
    return lambda node, grad, grad_output, result: (
        grad.nbytes * (node.needs_input_grad[0] + (steps if grad_output is not None else 0))
    )


class OfResult(Op):
    """The backward of a rule that saved its result: both of its tensors matter."""

    inputs = ("grad_output", "output")
    saves = {"grad_output": "output", "output": "grad_output output"}


class TanhBackwardBackward0(OfResult):
    """grad * (1 - tanh**2), recorded."""

    peak = needing(3)
    forward = backward_of(TanhBackward0)

    def backward(node, grad, grad_output, result):
        for_result = None if grad_output is None else grad * (-2 * result * grad_output)
        return grad * (1 - result * result), for_result


class SigmoidBackwardBackward0(OfResult):
    """grad * s * (1 - s), recorded."""

    peak = needing(4)
    forward = backward_of(SigmoidBackward0)

    def backward(node, grad, grad_output, result):
        for_result = None if grad_output is None else grad * grad_output * (1 - 2 * result)
        return grad * (result * (1 - result)), for_result


class LogSigmoidBackwardBackward0(Op):
    """grad * sigmoid(-x), recorded: what the forward has kept for it is a function of x."""

    inputs = ("grad_output", "self")
    extras = ("buffer",)
    saves = dict.fromkeys(("buffer", "grad_output", "self"), "grad_output self")

    @staticmethod
    def forward(grad, x, buffer):
        return LogSigmoidBackward0().backward(grad, buffer, x)

    def backward(node, grad, buffer, grad_output, x):
        rest = logistic(-x)
        for_x = None if grad_output is None else grad * grad_output * ((rest - 1) * rest)
        return grad * rest, for_x


class SoftmaxBackwardDataBackward0(OfResult):
    """The backward of softmax, recorded."""

    argument_names = ("dim",)
    forward = backward_of(SoftmaxBackward0)

    def backward(node, grad, grad_output, result):
        def total(x):
            return x.sum(node.arguments[0], keepdims=True)

        inner = total(grad * result)
        for_result = None
        if grad_output is not None:
            for_result = grad * (grad_output - total(grad_output * result)) - grad_output * inner
        return result * (grad - inner), for_result


class LogSoftmaxBackwardDataBackward0(OfResult):
    """The backward of log_softmax, recorded."""

    argument_names = ("dim",)
    forward = backward_of(LogSoftmaxBackward0)

    def backward(node, grad, grad_output, result):
        (dim,) = node.arguments
        spread = np.exp(result)
        for_result = None
        if grad_output is not None:
            for_result = -grad * spread * grad_output.sum(dim, keepdims=True)
        return grad - (grad * spread).sum(dim, keepdims=True), for_result


class ThresholdBackwardBackward0(Op):
    """The gradient where relu's result is positive, recorded; which elements that are is fixed."""

    inputs = ("grad_output", "self")
    saves = {"self": "grad_output self"}
    argument_names = ("threshold",)
    forward = backward_of(ReluBackward0)

    def backward(node, grad, result):
        return np.where(result > 0, grad, 0), np.zeros_like(grad)


class MseLossBackwardBackward0(Op):
    """2 * (x - target) * grad, recorded: all three matter."""

    inputs = ("grad_output", "self", "target")
    stretched = ("self", "target")
    saves = dict.fromkeys(inputs, "grad_output self target")
    argument_names = ("reduction",)
    forward = staticmethod(mse_slope)

    def backward(node, grad, grad_output, x, target):
        (reduction,) = node.arguments
        for_grad = mse_slope(grad, x, target, reduction)
        if reduction:
            for_grad = for_grad.sum()
        slope = grad * (grad_output * (2 / max(grad.size, 1) if reduction == 1 else 2))
        return for_grad, slope, -slope


class NllLossBackwardBackward0(Op):
    """The gradient laid where the classes are, recorded: its own takes them out again."""

    inputs = ("grad_output", "self")
    extras = ("target", "weight", "total_weight")
    saves = dict.fromkeys(("target", "weight"), "grad_output self") | {
        "total_weight": "grad_output"
    }
    argument_names = ("reduction", "")
    forward = backward_of(NllLossBackward0)

    def backward(node, grad, target, weight, total):
        for_x = np.zeros_like(grad)
        if not node.needs_input_grad[0]:
            return None, for_x
        return NllLossBackward0.forward(grad, target, weight, total, *node.arguments), for_x


class NllLoss2DBackwardBackward0(NllLossBackwardBackward0):
    """The same for the places of images."""

    forward = backward_of(NllLoss2DBackward0)


class OfLinear(Op):
    """The backward of a rule that is linear and saves nothing, recorded: its own is that rule.

    Derive from it, and name the rule: `first`, which is told what is recorded for it.
    """

    inputs = ("grad_output",)
    first: Any

    def __init_subclass__(cls):
        first = cls.first
        cls.argument_names, cls.forward = ("", *first.argument_names), backward_of(first)
        super().__init_subclass__()
        first.recorded = lambda node, grad: cls.call(grad, node.sizes, *node.arguments)

    def backward(node, grad):
        return node.first.forward(grad, *node.arguments[1:])

    def recorded(node, grad):
        return node.first.call(grad, *node.arguments[1:])


class SelectBackwardBackward0(OfLinear):
    """A gradient put into zeros at one index, recorded."""

    first = SelectBackward0


class SliceBackwardBackward0(OfLinear):
    """A gradient put into zeros at a slice, recorded."""

    first = SliceBackward0


# -- what is recorded where the backward of a rule runs --

for first, second in {
    TanhBackward0: TanhBackwardBackward0,
    SigmoidBackward0: SigmoidBackwardBackward0,
    SafeSoftmaxBackward0: SoftmaxBackwardDataBackward0,
    SoftmaxBackward0: SoftmaxBackwardDataBackward0,
    LogSoftmaxBackward0: LogSoftmaxBackwardDataBackward0,
    NllLossBackward0: NllLossBackwardBackward0,
    NllLoss2DBackward0: NllLoss2DBackwardBackward0,
}.items():
    first.recorded = lambda node, *tensors, op=second: op.call(*tensors, *node.arguments)
ReluBackward0.recorded = lambda node, *tensors: ThresholdBackwardBackward0.call(*tensors, 0)


def _of_tanh(node, grad, grad_output, result):
    for_result = None if grad_output is None else grad * (-2 * result * grad_output)
    return TanhBackwardBackward0.call(grad, result), for_result


def _of_sigmoid(node, grad, grad_output, result):
    for_result = None if grad_output is None else grad * grad_output * (-2 * result + 1)
    return SigmoidBackwardBackward0.call(grad, result), for_result


def _mse(node, grad, x, target):
    (reduction,) = node.arguments
    for_x = MseLossBackwardBackward0.call(grad, x, target, reduction)
    if not node.needs_input_grad[1]:
        return for_x, None
    return for_x, MseLossBackwardBackward0.call(grad, target, x, reduction)


def _cumprod(node, grad, result, x):
    if not (grad.ndim and grad.numel()):
        return grad
    dim = node.arguments[0]
    xs, grads, results = (t.unbind(dim) for t in (x.to(grad.dtype), grad, result))
    later = [grads[-1]]  # what comes for a place and for all behind it, without its own factor
    for factor, slope in zip(xs[:0:-1], grads[-2::-1], strict=True):
        later.append(slope + factor * later[-1])
    before = [1, *results[:-1]]
    return F.stack([a * b for a, b in zip(reversed(later), before, strict=True)], dim)


def _cumsum(node, grad):
    (dim,) = node.arguments
    return grad.flip(dim).cumsum(dim).flip(dim) if adds_up(grad._array, dim) else grad


def _log_sigmoid(node, grad, buffer, x):
    return LogSigmoidBackwardBackward0.call(grad, x, buffer)


def _where(node, grad, condition):
    for_x, for_y = node.needs_input_grad
    return (
        F.where(condition, grad, 0) if for_x else None,
        F.where(condition, 0, grad) if for_y else None,
    )


def _power(node, grad, x):
    (exponent,) = node.arguments
    if exponent or exponent is False:
        return grad * MulBackward1.call(x ** (exponent - 1), exponent)
    return grad._zeros()


def _extremum(node, grad, x, result):
    winners = (x == result) | (x != x)
    return x.new_zeros(x.shape).masked_fill(winners, grad / winners.sum())


def _index_add(node, grad, index, source):
    if index is None:
        return grad, None
    dim, alpha, _ = node.arguments
    slices = grad.index_select(dim, index)
    slices = slices.expand(source.shape) if source.ndim else slices
    return grad, MulBackward1.call(slices, alpha) if alpha != 1 else slices


TanhBackwardBackward0.recorded, SigmoidBackwardBackward0.recorded = _of_tanh, _of_sigmoid
MseLossBackward0.recorded = _mse
CumprodBackward0.recorded, CumsumBackward0.recorded = _cumprod, _cumsum
PowBackward0.recorded = _power
MaxBackward1.recorded = MinBackward1.recorded = MedianBackward0.recorded = _extremum
LogSigmoidBackward0.recorded = _log_sigmoid
FlipBackward0.recorded = lambda node, grad: FlipBackward0.call(grad, *node.arguments)
RollBackward0.recorded = lambda node, grad: RollBackward0.call(
    grad, tuple(-n for n in node.arguments[0]), node.arguments[1]
)
TrilBackward0.recorded = lambda node, grad: TrilBackward0.call(grad, *node.arguments)
TriuBackward0.recorded = lambda node, grad: TriuBackward0.call(grad, *node.arguments)
GatherBackward0.recorded = lambda node, grad, index, x: ScatterAddBackward0.call(
    grad._new(np.zeros_like(x._array)), grad, index, node.arguments[0]
)
IndexAddBackward0.recorded = _index_add
ScatterBackward1.recorded = lambda node, grad, index: ScatterBackward1.call(
    grad, index, node.arguments[0], 0
)
WhereBackward0.recorded = _where
IndexBackward0.recorded = lambda node, grad, indices: put_into_zeros(grad, indices, node.sizes)


def xlogy_recorded(node, grad, y, x):
    """Both gradients, in PyTorch's terms: xlogy of the gradient, a product and a quotient."""
    for_x, for_y = node.needs_input_grad
    nowhere = (x == 0) & (y <= 0)
    return (
        XlogyBackward0.call(grad, y).masked_fill(nowhere, 0) if for_x else None,
        grad * x / y if for_y else None,
    )


XlogyBackward0.recorded = xlogy_recorded
