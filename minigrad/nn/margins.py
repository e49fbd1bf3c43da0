"""Losses that PyTorch composes of other operations: margins, and likelihoods of numbers."""

from __future__ import annotations

import math

from minigrad.core.inplace import check_cast
from minigrad.core.modes import no_grad
from minigrad.core.tensor import Tensor
from minigrad.core.words import expected
from minigrad.nn import checks
from minigrad.nn.criteria import _Loss, _reduced
from minigrad.nn.distances import pairwise_distance
from minigrad.ops.arithmetic import AddBackward1, MulBackward1
from minigrad.ops.checks import check_room
from minigrad.ops.creation import ones_like, zeros_like
from minigrad.ops.criteria import SoftMarginLossBackward0, SubBackward1
from minigrad.ops.elementwise import ClampMinBackward0
from minigrad.ops.functions import minimum, where
from minigrad.ops.inplace import write_over
from minigrad.ops.messages import BOOL_NEGATED
from minigrad.ops.numbers import a_float

DIMENSIONS = (
    "The anchor, positive, and negative tensors are expected to have the same number of dimensions,"
    " but got: anchor {}D, positive {}D, and negative {}D inputs"
)
SIZES = "{} target tensor expects {} input tensors, but found inputs with sizes {} and {}."
NOT_ALIKE = (
    "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: {}, "
    "input2: {}, target: {} "
)
LEAST = 1e-12  # what is added to squared lengths


def from_number(number, x):
    """number - x, as PyTorch's own code has it: of a tensor that holds the number."""
    return x.new_full((), number) - x


def not_below_0(x):
    """x where it is no less than 0, else 0: in its own place."""
    return write_over(ClampMinBackward0, x, arguments=(0,))


# -- functions --


def margin_ranking_loss(
    input1, input2, target, margin: float = 0, size_average=None, reduce=None, reduction="mean"
):
    """How far the one that should be larger, by the sign of the target, is short of `margin`."""
    number = checks.reduction(reduction, size_average, reduce)
    if not input1.ndim == input2.ndim == target.ndim:
        raise RuntimeError(NOT_ALIKE.format(*map(checks.size, (input1, input2, target))))
    margin = a_float(margin, "margin", 4)
    apart = input1 - input2
    losses = AddBackward1.call(-target * apart, margin)
    del apart
    return _reduced(not_below_0(losses), number)


def hinge_embedding_loss(
    x, target, margin: float = 1.0, size_average=None, reduce=None, reduction="mean"
):
    """`x` where the target is 1; where it is -1, how far it is short of `margin`."""
    number = checks.reduction(reduction, size_average, reduce)
    margin = a_float(margin, "margin", 3)
    zeros = zeros_like(x)
    short = not_below_0(from_number(margin, x))
    apart, alike = where(target != 1, short, zeros), where(target != -1, x, zeros)
    return _reduced(apart + alike, number)


def cosine_embedding_loss(
    input1, input2, target, margin: float = 0, size_average=None, reduce=None, reduction="mean"
):
    """1 - cosine of the angle where the target is 1; where it is -1, the cosine beyond `margin`."""
    number = checks.reduction(reduction, size_average, reduce)
    margin = a_float(margin, "margin", 4)
    dim = target.ndim
    if dim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if not input1.ndim == input2.ndim == dim + 1:
        sizes = [*input1.shape], [*input2.shape]
        raise RuntimeError(SIZES.format(f"{dim}D", f"{dim + 1}D", *sizes))
    product = (input1 * input2).sum(dim)
    squares = [AddBackward1.call((x * x).sum(dim), LEAST) for x in (input1, input2)]
    cosine = product / (squares[0] * squares[1]).sqrt_()
    zeros = zeros_like(cosine)
    near, far = from_number(1, cosine), not_below_0(SubBackward1.call(cosine, margin))
    alike, apart = where(target == 1, near, zeros), where(target == -1, far, zeros)
    return _reduced(alike + apart, number)


def triplet_margin_loss(
    anchor, positive, negative, margin=1.0, p=2.0, eps=1e-6, swap=False, size_average=None,
    reduce=None, reduction="mean",
):  # fmt: skip
    """How far `negative` is short of being further from the anchor than `positive`, by `margin`."""
    number = checks.reduction(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    margin, p, eps = a_float(margin, "margin", 4), a_float(p, "p", 5), a_float(eps, "eps", 6)
    expected(swap, bool, "swap", "bool")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(DIMENSIONS.format(anchor.ndim, positive.ndim, negative.ndim))
    near, far = (pairwise_distance(anchor, other, p, eps) for other in (positive, negative))
    if swap:
        far = minimum(far, pairwise_distance(positive, negative, p, eps))
    return _reduced((AddBackward1.call(near, margin) - far).clamp_min(0), number)


def poisson_nll_loss(
    x, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None,
    reduction="mean",
):  # fmt: skip
    """-log of the chance of counts, by Poisson's distribution of mean exp(x), or x."""
    number = checks.reduction(reduction, size_average, reduce)
    expected(target, Tensor, "target", "Tensor")
    for name, flag in (("log_input", log_input), ("full", full)):
        expected(flag, bool, name, "bool")
    eps = a_float(eps, "eps", 5)
    losses = _of_logarithm(x, target) if log_input else _of_mean(x, target, eps)
    if full:
        losses += _of_counts(target).masked_fill(target <= 1, 0)
    return _reduced(losses, number)


def _of_logarithm(x, target):
    product = target * x  # before the other, as PyTorch's compiler has it; so below
    return x.exp() - product


def _of_mean(x, target, eps: float):
    moved = AddBackward1.call(x, eps)
    logs = moved.log()
    product = target * logs
    return x - product


def _of_counts(target):
    """The logarithm of a count's factorial, nearly. What has a name lives to the end."""
    twice = MulBackward1.call(target, 2 * math.pi)
    logs = twice.log()
    half = MulBackward1.call(logs, 0.5)
    own = target.log()
    product = target * own
    less = product - target
    return less + half


def gaussian_nll_loss(
    x, target, var, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
):
    """-log of the density at the target, by a Gauss distribution of mean `x` and variance `var`."""
    plain = isinstance(var, float)
    if var < 0 if plain else (var < 0).any():
        raise ValueError("var has negative entry/entries")
    var = var * ones_like(x) if plain else var
    if var.shape != x.shape:
        both = zip(x.shape, var.shape, strict=False)
        if x.shape[:-1] == var.shape:
            var = var.unsqueeze(-1)
        elif x.ndim != var.ndim or sum(n for m, n in both if m != n) != 1:
            raise ValueError("var is of incorrect size")
    if reduction not in checks.REDUCTIONS:
        raise ValueError(reduction + " is not valid")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    losses = 0.5 * (var.log() + (x - target) ** 2 / var)
    if full:
        losses += 0.5 * math.log(2 * math.pi)
    return _reduced(losses, checks.REDUCTIONS[reduction])


def soft_margin_loss(x, target, size_average=None, reduce=None, reduction="mean"):
    """log(1 + e**-x) where the target is 1, log(1 + e**x) where it is -1."""
    number = checks.reduction(reduction, size_average, reduce)
    expected(target, Tensor, "target", "Tensor")
    checks.no_gradient("soft_margin_loss", target=target)
    if x._array.dtype == bool:
        raise RuntimeError(BOOL_NEGATED.format("Negation", "on"))
    check_room(x, target)
    check_cast(x, target._array.dtype)
    checks.real(x)
    return SoftMarginLossBackward0.call(x, target, number)


# -- modules --


class MarginRankingLoss(_Loss):
    def __init__(self, margin: float = 0.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1, input2, target):
        return margin_ranking_loss(input1, input2, target, self.margin, reduction=self.reduction)


class HingeEmbeddingLoss(_Loss):
    def __init__(self, margin: float = 1.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, x, target):
        return hinge_embedding_loss(x, target, self.margin, reduction=self.reduction)


class SoftMarginLoss(_Loss):
    def forward(self, x, target):
        return soft_margin_loss(x, target, reduction=self.reduction)


class CosineEmbeddingLoss(_Loss):
    def __init__(self, margin: float = 0.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1, input2, target):
        return cosine_embedding_loss(input1, input2, target, self.margin, reduction=self.reduction)


class TripletMarginLoss(_Loss):
    def __init__(
        self, margin=1.0, p=2.0, eps=1e-6, swap=False, size_average=None, reduce=None,
        reduction="mean",
    ):  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            wanted = "expected margin to be greater than 0"
            raise ValueError(f"TripletMarginLoss: {wanted}, got {margin} instead")
        self.margin, self.p, self.eps, self.swap = margin, p, eps, swap

    def forward(self, anchor, positive, negative):
        how = self.margin, self.p, self.eps, self.swap
        return triplet_margin_loss(anchor, positive, negative, *how, reduction=self.reduction)


class PoissonNLLLoss(_Loss):
    def __init__(
        self, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"
    ):
        super().__init__(size_average, reduce, reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def forward(self, log_input, target):
        how = {"eps": self.eps, "reduction": self.reduction}
        return poisson_nll_loss(log_input, target, self.log_input, self.full, **how)


class GaussianNLLLoss(_Loss):
    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean"):
        super().__init__(reduction=reduction)
        self.full, self.eps = full, eps

    def forward(self, x, target, var):
        return gaussian_nll_loss(x, target, var, self.full, self.eps, self.reduction)
