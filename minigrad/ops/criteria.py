"""The losses of regression and of yes or no that are one operation each; mse_loss is in losses.py.

Each saves its input and its target, whichever wants a gradient: the difference is computed again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.core.arrays import cast_repeated, in_order
from minigrad.core.dtypes import BY_NUMPY
from minigrad.core.messages import CAST
from minigrad.core.op import Op
from minigrad.core.promotion import RANK
from minigrad.ops import messages
from minigrad.ops.activations import logistic
from minigrad.ops.arithmetic import AddBackward1, Binary, like
from minigrad.ops.elementwise import NegBackward0
from minigrad.ops.halves import of_kernels, wide
from minigrad.ops.losses import in_floats, left_in_place, reduced


class _Criterion(Op):
    """A loss of an input and a target."""

    inputs: tuple = ("self", "target")
    stretched: tuple = inputs

    def share(node, grad, size):
        """What each element's gradient is multiplied by."""
        reduction = node.arguments[0]
        return grad / size if reduction == 1 else grad

    def weighted(node, grad, weight, x):
        """The same of a loss whose elements have weights."""
        grad = node.share(grad, x.size)
        return grad if weight is None else like(grad * weight, grad)


class _OfDifference(_Criterion):
    """What depends on the difference alone: the target's gradient is the input's, negative."""

    saves = {"self": "self target", "target": "self target"}
    slope: Any  # of (node, input, target)

    def backward(node, grad, x, target):
        for_x, for_target = node.needs_input_grad
        share = node.share(grad, x.size)
        return (
            in_order(share * node.slope(x, target)) if for_x else None,
            in_order(share * node.slope(target, x)) if for_target else None,
        )


class SmoothL1LossBackward0(_OfDifference):
    """smooth_l1_loss: squares below beta, beyond it the distance."""

    argument_names = ("reduction", "beta")

    @staticmethod
    def forward(x, target, reduction, beta):
        x, target = in_floats(x, target, "smooth_l1_cpu")
        far = abs(x - target)
        losses = np.where(far < beta, 0.5 * far * far / beta, far - 0.5 * beta)
        return left_in_place(losses, reduction)

    def slope(node, x, target):
        return np.clip((x - target) / node.arguments[1], -1, 1)


class HuberLossBackward0(_OfDifference):
    """huber_loss: squares below delta, beyond it delta times the distance."""

    argument_names = ("reduction", "delta")

    @staticmethod
    def forward(x, target, reduction, delta):
        dtype = x.dtype
        if RANK[target.dtype.kind] > RANK[dtype.kind]:
            have, want = (BY_NUMPY[a.dtype].scalar_type for a in (target, x))
            raise RuntimeError(CAST.format(have, want))
        x, target = in_floats(x, target, "huber_cpu")
        wider = of_kernels(target.dtype)
        x, target = wide(x), target if target.dtype == wider else cast_repeated(target, wider)
        far = abs(x - target)
        losses = np.where(far <= delta, 0.5 * far * far, delta * (far - 0.5 * delta))
        losses = in_order(losses) if 0 in x.strides else losses
        return reduced(losses.astype(dtype, copy=False), reduction)

    def slope(node, x, target):
        delta = node.arguments[1]
        if target.dtype != x.dtype:
            raise messages.found_dtype(target.dtype, x.dtype)
        return np.clip(x - target, -delta, delta)


LEAST = -100  # of a logarithm: a probability of 0 costs 100, and not infinity
NO_DIVISION = float(np.float32(1e-12))  # what a slope is divided by is no smaller


class BinaryCrossEntropyBackward0(_Criterion):
    """binary_cross_entropy, of probabilities."""

    extras = ("weight",)
    saves = dict.fromkeys(("self", "target", "weight"), "self target")
    argument_names = ("reduction",)

    @staticmethod
    def forward(x, target, weight, reduction):
        yes, no = np.maximum(np.log(x), LEAST), np.maximum(np.log1p(-x), LEAST)
        losses = (target - 1) * no - target * yes
        losses = losses if weight is None else losses * weight
        return left_in_place(like(losses, x), reduction)

    def backward(node, grad, x, target, weight):
        grad = node.weighted(grad, weight, x)
        for_x, for_target = node.needs_input_grad
        return (
            grad * (x - target) / np.maximum((1 - x) * x, NO_DIVISION) if for_x else None,
            -np.log(x / (1 - x)) * grad if for_target else None,
        )


def score_slope(x, target, pos_weight):
    """The slope in the scores."""
    chance = like(logistic(wide(x)), x)
    if pos_weight is None:
        return chance - target
    more = pos_weight * target
    return (more + 1 - target) * chance - more


def target_slope(x, pos_weight):
    """The slope in the target."""
    return -x if pos_weight is None else log_sigmoid(-x) - pos_weight * log_sigmoid(x)


def log_sigmoid(x):
    return np.minimum(x, 0) - np.log1p(np.exp(-abs(x)))


class BinaryCrossEntropyWithLogitsBackward0(_Criterion):
    """binary_cross_entropy_with_logits, of scores: no sigmoid is made, so none can overflow."""

    extras = ("weight", "pos_weight")
    saves = dict.fromkeys(("pos_weight", "self", "target", "weight"), "self target")
    argument_names = ("reduction",)

    @staticmethod
    def forward(x, target, weight, pos_weight, reduction):
        yes = 1 if pos_weight is None else (pos_weight - 1) * target + 1
        losses = (1 - target) * x - yes * log_sigmoid(wide(x))
        losses = losses if weight is None else losses * weight
        return reduced(like(losses, target), reduction)

    def backward(node, grad, pos_weight, x, target, weight):
        grad = node.weighted(
            grad.astype(np.promote_types(grad.dtype, x.dtype), copy=False), weight, x
        )
        for_x, for_target = node.needs_input_grad
        return (
            like(grad * score_slope(x, target, pos_weight), x) if for_x else None,
            like(grad * target_slope(x, pos_weight), target) if for_target else None,
        )

    def peak(node, grad, pos_weight, x, target, weight):
        """As many parts of the slope in the scores, and then of that in the target."""
        for_x, for_target = node.needs_input_grad
        first, then = (1, 2) if pos_weight is None else (3, 4)
        return x.nbytes * max(first * for_x, (for_x + then) * for_target)


class SoftMarginLossBackward0(_Criterion):
    """soft_margin_loss, log(1 + e**-(target * x)): the target, of signs, gets no gradient."""

    inputs = ("self",)
    stretched = ()
    extras = ("target",)
    saves = {"self": "self", "target": "self"}
    argument_names = ("reduction",)

    @staticmethod
    def forward(x, target, reduction):
        losses = np.negative(x, out=np.empty_like(x))
        np.multiply(losses, target, out=losses, casting="unsafe")
        np.log1p(np.exp(losses, out=losses), out=losses)
        return left_in_place(losses, reduction)

    def backward(node, grad, x, target):
        far = np.exp(NegBackward0.forward(target) * x)
        slope = target * far * (-1 / max(x.size, 1) if node.arguments[0] == 1 else -1)
        return like(slope / (far + 1) * grad, x)


def xlogy(x, y):
    """x * log(y), but 0 where x is 0 and y a number."""
    return np.where((x == 0) & (y == y), 0, x * np.log(y))


class XlogyBackward0(Binary):
    """x * log(y), of which kl_div is made, saves both always."""

    floating = True
    saves = {"other": "self other", "self": "self other"}

    forward = staticmethod(xlogy)

    def backward(node, grad, y, x):
        for_x, for_y = node.needs_input_grad
        return (
            np.where((x == 0) & (y <= 0), 0, xlogy(grad, y)) if for_x else None,
            grad * x / y if for_y else None,
        )

    def peak(node, grad, y, x):
        """Of `y` a product and a quotient; then, beside that, of `x` two arrays and three masks."""
        for_x, for_y = node.needs_input_grad
        of_x = for_x * ((2 + for_y) * grad.nbytes + x.size + y.size + grad.size)
        return max(of_x, for_y * 2 * grad.nbytes)


class SubBackward1(Op):
    """x less a number, where it is PyTorch's own code that subtracts."""

    argument_names = ("alpha",)

    @staticmethod
    def forward(x, number):
        return AddBackward1.forward(x, -number)

    def backward(node, grad):
        return grad
