"""The second derivative of layers whose rules take for given what depends on their input.

layer_norm and batch_norm have saved a mean and a deviation: they are computed again, as functions
of the input. A convolution is linear in image and weight: its derivatives are convolutions again.
"""

from __future__ import annotations

from functools import partial

from minigrad.core.backward import grad as gradients_of
from minigrad.core.function import Function
from minigrad.core.modes import enable_grad, state
from minigrad.core.op import apply
from minigrad.ops.convolution import ConvolutionBackward0
from minigrad.ops.creation import zeros, zeros_like
from minigrad.ops.norm import (
    NativeBatchNormBackward0,
    NativeLayerNormBackward0,
    gradients,
    per_channel,
)
from minigrad.ops.padding import ConstantPadNdBackward0, negated
from minigrad.second.stand_in import TensorStandIn


def records(first, name):
    """`@records(rule, name)`: where that rule's backward is recorded, this Function is, by name."""

    def decorate(function):
        function._backward_cls.__name__ = name
        first.recorded = lambda node, *tensors: function.apply(
            node.arguments, node.needs_input_grad, *tensors
        )
        return function

    return decorate


class Again(Function):
    """The gradients of a layer as one node, whose own backward computes them again, recorded.

    Derive from it: `formula(arguments, wanted, *tensors)` gives them, as functions of the tensors.
    """

    zeros = False  # in place of None, where they do not depend on a tensor
    unneeded: tuple = ()  # places of tensors that the derivatives do not ask for: 0 is the gradient

    @classmethod
    def formula(cls, arguments, wanted, *tensors) -> tuple:
        raise NotImplementedError

    @classmethod
    def forward(cls, ctx, arguments, wanted, *tensors):
        kept = [None if i in cls.unneeded else t for i, t in enumerate(tensors)]
        ctx.save_for_backward(*kept)
        ctx.set_materialize_grads(False)
        ctx.formula, ctx.zeros = partial(cls.formula, arguments, wanted), cls.zeros
        ctx.shape = tensors[0].shape
        return ctx.formula(*tensors)

    @staticmethod
    def backward(ctx, *grads):
        (grad, *tensors), create_graph = ctx.saved_tensors, state.grad_enabled
        one = next((g for g in grads if g is not None), None)
        if one is None:
            return (None,) * len(ctx.needs_input_grad)
        if grad is None:  # any will do
            grad = zeros((), dtype=one.dtype, device=one.device).expand(ctx.shape)
            grad.requires_grad_(ctx.needs_input_grad[2])
        tensors = [grad, *tensors]
        with enable_grad():
            given = [t[...] if t is not None and t.requires_grad else t for t in tensors]
            outputs = ctx.formula(*given)
        both = zip(outputs, grads, strict=True)
        pairs = [(out, g) for out, g in both if g is not None and out.requires_grad]
        wanted = [t for t, old in zip(given, tensors, strict=True) if t is not old]
        found: tuple = (None,) * len(wanted)
        if pairs:
            outputs, grads = zip(*pairs, strict=True)
            found = gradients_of(outputs, wanted, grads, None, create_graph, allow_unused=True)
        each = zip(found, wanted, strict=True)
        filled = iter([zeros_like(t) if g is None and ctx.zeros else g for g, t in each])
        slopes = [None if t is old else next(filled) for t, old in zip(given, tensors, strict=True)]
        return None, None, *slopes


def standardized(x, scale, over) -> tuple:
    """(x - mean) / deviation over these axes, and 1 / deviation, as functions of x.

    `scale` is the 1 / deviation that was saved: with x's variance it tells which eps was added.
    """
    centered = x - x.mean(over, keepdim=True)
    variance = (centered * centered).mean(over, keepdim=True)
    scale = (variance + (scale.detach() ** -2 - variance.detach())) ** -0.5
    return centered * scale, scale


def by_rule(wanted, grad, hat, scale, weight, over, alone) -> tuple:
    """The rule's own gradients of input, weight and bias."""
    weight = None if weight is None else TensorStandIn(weight)
    grad, hat, scale = map(TensorStandIn, (grad, hat, scale))
    found = gradients(wanted, grad, hat, scale, weight, over, alone)
    return tuple(None if g is None else g.tensor for g in found)


@records(NativeLayerNormBackward0, "NativeLayerNormBackwardBackward0")
class NativeLayerNormBackward(Again):
    unneeded = (1,)  # bias

    @classmethod
    def formula(cls, arguments, wanted, grad, bias, x, mean, scale, weight):
        first = x.ndim - len(arguments[0])
        over, alone = tuple(range(first, x.ndim)), tuple(range(first))
        hat, scale = standardized(x, scale, over)
        return by_rule(wanted, grad, hat, scale, weight, over, alone)


@records(NativeBatchNormBackward0, "NativeBatchNormBackwardBackward0")
class NativeBatchNormBackward(Again):
    @classmethod
    def formula(
        cls, arguments, wanted, grad, x, running_mean, running_var, mean, scale, weight
    ):  # fmt: skip
        (training, eps), alone = arguments, (0, *range(2, x.ndim))
        if training:
            hat, scale = standardized(x, per_channel(x, scale), alone)
        else:
            scale = per_channel(x, (running_var + eps) ** -0.5)
            hat = (x - per_channel(x, running_mean)) * scale
        over = alone if training else ()
        return by_rule(wanted, grad, hat, scale, per_channel(x, weight), over, alone)


@records(ConvolutionBackward0, "ConvolutionBackwardBackward0")
class ConvolutionBackward(Function):
    @staticmethod
    def forward(ctx, arguments, wanted, grad, x, weight):
        ctx.save_for_backward(grad, x, weight)
        ctx.set_materialize_grads(False)
        ctx.arguments = arguments
        rule = ConvolutionBackward0()
        rule.arguments = arguments
        found = rule.gradients(wanted, grad._array, x._array, weight._array)
        return tuple(None if array is None else grad._new(array) for array in found)

    @staticmethod
    def backward(ctx, for_x, for_weight, for_bias):
        grad, x, weight = ctx.saved_tensors
        again = partial(ConvolutionBackward.apply, ctx.arguments)
        parts: list = []
        back_x = back_weight = None
        if for_x is not None:
            parts.append(convolved(for_x, weight, ctx.arguments))
            back_weight = again((False, True, False), grad, for_x, weight)[1]
        if for_weight is not None:
            parts.append(convolved(x, for_weight, ctx.arguments))
            back_x = again((True, False, False), grad, x, for_weight)[0]
        if for_bias is not None:
            parts.append(for_bias.view(1, -1, *[1] * (grad.ndim - 2)).expand(grad.shape))
        back_grad = sum(parts[1:], parts[0]) if parts else None
        return None, None, back_grad, back_x, back_weight


def convolved(x, weight, arguments):
    return apply(ConvolutionBackward0, (x, weight, None), arguments)


ConstantPadNdBackward0.recorded = lambda node, grad: ConstantPadNdBackward0.call(
    grad, negated(node.arguments[0]), 0
)
