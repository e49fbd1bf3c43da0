"""Losses, each as a function and as a module; cross_entropy stands in classes.py."""

from __future__ import annotations

from minigrad.core.frames import warn
from minigrad.core.tensor import Tensor
from minigrad.nn import checks
from minigrad.nn.module import Module
from minigrad.ops import criteria as ops
from minigrad.ops import messages
from minigrad.ops.arithmetic import only_floats
from minigrad.ops.checks import check_room, together
from minigrad.ops.losses import MseLossBackward0
from minigrad.ops.numbers import a_float

DEPRECATED = "Using a target size ({}) that is different to the input size ({}) is deprecated. "
BATCHMEAN = (
    "reduction: 'mean' divides the total loss by both the batch size and the support size."
    "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
    "'mean' will be changed to behave the same as 'batchmean' in the next major release."
)
SAME_SIZE = "Please ensure they have the same size."

# -- functions --


def matched(x, target) -> tuple:
    """Input and target in one shape: with a warning, since it is rarely meant."""
    if x.shape == target.shape:
        return x, target
    text = messages.MSE_SIZES.format(checks.size(target), checks.size(x))
    warn(text)
    shape = together(x.shape, target.shape)
    return tuple(t if t.shape == shape else t.expand(shape) for t in (x, target))


def broadcast_shapes(one: tuple, other: tuple) -> tuple:
    """torch.broadcast_shapes: the same as `together`, but in other words."""
    common = [1] * (len(other) - len(one)) + [*one]
    for at in range(-1, -1 - len(other), -1):
        if common[at] == 1:
            common[at] = other[at]
        elif other[at] not in (1, common[at]):
            raise RuntimeError(messages.NOT_BROADCAST.format(other[at], at, [*other], common))
    return tuple(common)


def mse_loss(x, target, size_average=None, reduce=None, reduction: str = "mean"):
    """The mean (or "sum", or each, "none") of the squared differences."""
    x, target = matched(x, target)
    return MseLossBackward0.call(x, target, checks.reduction(reduction, size_average, reduce))


def l1_loss(x, target, size_average=None, reduce=None, reduction: str = "mean"):
    """The same of the absolute differences."""
    number, (x, target) = checks.reduction(reduction, size_average, reduce), matched(x, target)
    return _reduced((x - target).abs(), number)


def _reduced(losses, number: int):
    """By the number of a reduction."""
    return losses if number == 0 else losses.mean() if number == 1 else losses.sum()


def smooth_l1_loss(
    x, target, size_average=None, reduce=None, reduction: str = "mean", beta: float = 1.0
):
    """Squared differences below `beta`, absolute ones beyond it."""
    reduction, beta = checks.reduced_by(reduction, size_average, reduce), a_float(beta, "beta", 4)
    if beta == 0:
        return l1_loss(x, target, reduction=reduction)
    (x, target), number = matched(x, target), checks.reduction(reduction)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    return ops.SmoothL1LossBackward0.call(x, target, number, beta)


def huber_loss(x, target, reduction: str = "mean", delta: float = 1.0):
    """Squared differences up to `delta`, beyond it delta times the absolute ones."""
    (x, target), number = matched(x, target), checks.reduction(reduction)
    delta = a_float(delta, "delta", 4)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    return ops.HuberLossBackward0.call(x, target, number, delta)


def kl_div(
    x, target, size_average=None, reduce=None, reduction: str = "mean", log_target: bool = False
):
    """How far the distribution `target` is from the one whose logarithm is `x`."""
    if reduction == "mean" and size_average is reduce is None:
        warn(BATCHMEAN)
    reduction = checks.reduced_by(reduction, size_average, reduce)
    number = 2 if reduction == "batchmean" else checks.reduction(reduction)
    if not (x.dtype.is_floating_point and target.dtype.is_floating_point):
        raise RuntimeError("kl_div: Integral inputs not supported.")
    losses = _log_divergence(x, target) if log_target else _divergence(x, target)
    result = _reduced(losses, number)
    return result / len(x) if reduction == "batchmean" and x.ndim else result


def _divergence(x, target):
    product = target * x  # before the other factor, as PyTorch's compiler has it; so below
    return ops.XlogyBackward0.call(target, target) - product


def _log_divergence(x, target):
    apart = target - x
    return target.exp() * apart


def binary_cross_entropy(
    x, target, weight=None, size_average=None, reduce=None, reduction: str = "mean"
):
    """-log of the probability that `x`, the probability of a yes, gives to the target."""
    number = checks.reduction(reduction, size_average, reduce)
    if x.shape != target.shape:
        raise ValueError(DEPRECATED.format(checks.size(target), checks.size(x)) + SAME_SIZE)
    if weight is not None:
        shape = broadcast_shapes(target.shape, weight.shape)
        checks.no_gradient("binary_cross_entropy", weight=weight)
        weight = weight.expand(shape)
    checks.probabilities(x, target)
    if weight is not None and weight.shape != x.shape:
        raise RuntimeError(messages.NO_ROOM.format([*x.shape], [*weight.shape]))
    return ops.BinaryCrossEntropyBackward0.call(x, target, weight, number)


def binary_cross_entropy_with_logits(
    x, target, weight=None, size_average=None, reduce=None, reduction: str = "mean",
    pos_weight=None,
):  # fmt: skip
    """binary_cross_entropy of sigmoid(x), for any score `x`."""
    number = checks.reduction(reduction, size_average, reduce)
    if target.shape != x.shape:
        raise ValueError(
            f"Target size ({checks.size(target)}) must be the same as input size ({checks.size(x)})"
        )
    function = "binary_cross_entropy_with_logits"
    checks.no_gradient(function, weight=weight, pos_weight=pos_weight)
    only_floats(x._array, "log_sigmoid_cpu")
    if pos_weight is not None:
        together(pos_weight._array.shape, target._array.shape)  # which are multiplied first
        check_room(x, pos_weight)
    checks.writable(x, target)
    if weight is not None:
        check_room(x, weight)
    rule = ops.BinaryCrossEntropyWithLogitsBackward0
    return rule.call(x, target, weight, pos_weight, number)


# -- modules --


class _Loss(Module):
    def __init__(self, size_average=None, reduce=None, reduction: str = "mean"):
        self.reduction = checks.reduced_by(reduction, size_average, reduce)


class MSELoss(_Loss):
    def forward(self, x, target):
        return mse_loss(x, target, reduction=self.reduction)


class L1Loss(_Loss):
    def forward(self, x, target):
        return l1_loss(x, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    def __init__(self, size_average=None, reduce=None, reduction="mean", beta: float = 1.0):
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, x, target):
        return smooth_l1_loss(x, target, reduction=self.reduction, beta=self.beta)


class KLDivLoss(_Loss):
    def __init__(self, size_average=None, reduce=None, reduction="mean", log_target=False):
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, x, target):
        return kl_div(x, target, reduction=self.reduction, log_target=self.log_target)


class HuberLoss(_Loss):
    def __init__(self, reduction: str = "mean", delta: float = 1.0):
        if not isinstance(delta, (float, int)):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, x, target):
        return huber_loss(x, target, self.reduction, self.delta)


class _WeightedLoss(_Loss):
    """Its weight is a buffer: state that is saved and moved, and not trained."""

    weight: Tensor | None

    def __init__(self, weight=None, size_average=None, reduce=None, reduction: str = "mean"):
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class BCELoss(_WeightedLoss):
    def forward(self, x, target):
        return binary_cross_entropy(x, target, self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_WeightedLoss):
    pos_weight: Tensor | None

    def __init__(
        self, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None
    ):
        super().__init__(weight, size_average, reduce, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, x, target):
        return binary_cross_entropy_with_logits(
            x, target, self.weight, reduction=self.reduction, pos_weight=self.pos_weight
        )
