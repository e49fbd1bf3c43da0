"""The layers that the lessons use."""

from __future__ import annotations

from minigrad.core.modes import state
from minigrad.nn import checks
from minigrad.nn import functional as F
from minigrad.nn.criteria import _WeightedLoss
from minigrad.nn.module import Module, begun, bound_of, placed, uniform, written
from minigrad.ops.creation import ones, tensor, zeros
from minigrad.ops.matmul import linear


class Linear(Module):
    """x @ weight.T + bias; weight is (out_features, in_features)."""

    @placed
    def __init__(self, in_features: int, out_features: int, bias: bool = True):
        self.in_features, self.out_features = in_features, out_features
        bound = bound_of(in_features)
        self.weight = uniform((out_features, in_features), bound)
        self.bias = uniform((out_features,), bound) if bias else None

    def forward(self, x):
        return linear(x, self.weight, self.bias)

    def extra_repr(self):
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class Dropout(Module):
    """In training, zeros at random; after eval(), nothing at all."""

    def __init__(self, p: float = 0.5, inplace: bool = False):
        checks.probability(p)
        self.p, self.inplace = p, inplace

    def forward(self, x):
        return F.dropout(x, self.p, self.training, self.inplace)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


class LayerNorm(Module):
    """Each row (its last axes) with mean 0 and variance 1, times weight plus bias."""

    @placed
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True):
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
        self.normalized_shape, self.eps = tuple(shape), eps
        self.elementwise_affine = elementwise_affine
        self.weight = begun(ones(self.normalized_shape)) if elementwise_affine else None
        has_bias = elementwise_affine and bias
        self.bias = begun(zeros(self.normalized_shape)) if has_bias else None

    def forward(self, x):
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class _BatchNorm(Module):
    """Each channel with the batch's mean 0 and variance 1; after eval(), by running statistics."""

    axes: tuple = ()  # how many its input may have
    _version = 2  # the state of the first had no num_batches_tracked

    @placed
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self.weight = begun(ones(num_features)) if affine else None
        self.bias = begun(zeros(num_features)) if affine else None
        tracked = track_running_stats
        self.register_buffer("running_mean", written(zeros(num_features)) if tracked else None)
        self.register_buffer("running_var", written(ones(num_features)) if tracked else None)
        self.register_buffer("num_batches_tracked", written(tensor(0)) if tracked else None)

    def _before_loading(self, state_dict, prefix, version):
        *_, count = (getattr(self, name) for name in self._buffers)
        if (version or 1) < self._version and count is not None:
            state_dict.setdefault(f"{prefix}num_batches_tracked", count)

    def forward(self, x):
        if x.ndim not in self.axes:
            wanted = " or ".join(f"{n}D" for n in self.axes)
            raise ValueError(f"expected {wanted} input (got {x.ndim}D input)")
        mean, var, count = (getattr(self, name) for name in self._buffers)
        if self.training and count is not None and not state.recomputing:
            count.add_(1)
        average = self.momentum is None and count is not None  # of all batches so far, each alike
        share = 1 / max(count.item(), 1) if average else self.momentum
        own = self.training or mean is None
        return F.batch_norm(x, mean, var, self.weight, self.bias, own, share, self.eps)

    def extra_repr(self):
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    """Of rows, or of sequences."""

    axes = 2, 3


class BatchNorm2d(_BatchNorm):
    """Of images."""

    axes = (4,)


class Flatten(Module):
    """The axes from start_dim to end_dim as one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1):
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, x):
        return x.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class _OfClasses(_WeightedLoss):
    def __init__(
        self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"
    ):
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index


class CrossEntropyLoss(_OfClasses):
    """-log of the probability that the scores give to the right class."""

    def __init__(
        self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
        label_smoothing: float = 0.0,
    ):  # fmt: skip
        super().__init__(weight, size_average, ignore_index, reduce, reduction)
        self.label_smoothing = label_smoothing

    def forward(self, x, target):
        ignored, reduction, share = self.ignore_index, self.reduction, self.label_smoothing
        return F.cross_entropy(
            x, target, self.weight, ignore_index=ignored, reduction=reduction, label_smoothing=share
        )


class NLLLoss(_OfClasses):
    """The same of log-probabilities."""

    def forward(self, x, target):
        ignored, reduction = self.ignore_index, self.reduction
        return F.nll_loss(x, target, self.weight, ignore_index=ignored, reduction=reduction)
