"""The layers that the lessons use."""

from __future__ import annotations

import numbers
from typing import Any

from minigrad.core.frames import warn
from minigrad.core.modes import state
from minigrad.nn import checks, init
from minigrad.nn import functional as F
from minigrad.nn.criteria import _WeightedLoss
from minigrad.nn.module import Module, Parameter, vacant
from minigrad.ops.creation import ones, tensor, zeros
from minigrad.ops.matmul import linear

NOT_USED = (
    "does not match num_features. You can silence this warning by not passing in num_features, "
    "which is not used because affine=False"
)
OLD_STATISTICS = (
    "Unexpected running stats buffer(s) {names} for {klass} with track_running_stats=False. If "
    "state_dict is a checkpoint saved before 0.4.0, this may be expected because {klass} does not "
    "track running stats by default since 0.4.0. Please remove these keys from state_dict. If the "
    "running stats are actually needed, instead set track_running_stats=True in {klass} to enable "
    "them. See the documentation of {klass} for details."
)


class Linear(Module):
    """x @ weight.T + bias; weight is (out_features, in_features)."""

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device=None, dtype=None
    ):
        self.in_features, self.out_features = in_features, out_features
        shapes = {"weight": (out_features, in_features), "bias": (out_features,) if bias else None}
        vacant(self, shapes, device, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        init.begin_filters(self.weight, self.bias)

    def forward(self, x):
        return linear(x, self.weight, self.bias)

    def extra_repr(self):
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class Dropout(Module):
    """In training, zeros at random; after eval(), nothing at all."""

    _in_repr = "p", "inplace"

    def __init__(self, p: float = 0.5, inplace: bool = False):
        checks.probability(p)
        self.p, self.inplace = p, inplace

    def forward(self, x):
        return F.dropout(x, self.p, self.training, self.inplace)


class Dropout1d(Dropout):
    """The same of whole channels of sequences."""

    def forward(self, x):
        return F.dropout1d(x, self.p, self.training, self.inplace)


class Dropout2d(Dropout):
    """The same of whole channels of images."""

    def forward(self, x):
        return F.dropout2d(x, self.p, self.training, self.inplace)


class LayerNorm(Module):
    """Each row (its last axes) with mean 0 and variance 1, times weight plus bias."""

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None,
        dtype=None,
    ):  # fmt: skip
        one = isinstance(normalized_shape, numbers.Integral)
        shape = (normalized_shape,) if one else normalized_shape
        self.normalized_shape, self.eps = tuple(shape), eps
        self.elementwise_affine = elementwise_affine
        weight = self.normalized_shape if elementwise_affine else None
        vacant(self, {"weight": weight, "bias": weight if bias else None}, device, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        if self.elementwise_affine:
            init.begin_affine(self.weight, self.bias)

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
    weight: Any
    bias: Any
    running_mean: Any  # these and the two above may be None
    running_var: Any
    num_batches_tracked: Any

    def __init__(
        self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True,
        device=None, dtype=None, *, bias=True,
    ):  # fmt: skip
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        size = tuple(num_features) if isinstance(num_features, (tuple, list)) else (num_features,)
        weight = size if affine else None
        vacant(self, {"weight": weight, "bias": weight if bias else None}, device, dtype)
        tracked, how = track_running_stats, {"device": device, "dtype": dtype}
        self.register_buffer("running_mean", zeros(num_features, **how) if tracked else None)
        self.register_buffer("running_var", ones(num_features, **how) if tracked else None)
        count = tensor(0, device=device) if tracked else None
        self.register_buffer("num_batches_tracked", count)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        self.reset_running_stats()
        if self.affine:
            init.begin_affine(self.weight, self.bias)

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *others):
        count = self.num_batches_tracked if self.track_running_stats else None
        if (local_metadata.get("version") or 1) < 2 and count is not None:
            state_dict.setdefault(f"{prefix}num_batches_tracked", count)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *others)

    def _check_input_dim(self, x) -> None:
        if x.ndim not in self.axes:
            wanted = " or ".join(f"{n}D" for n in self.axes)
            raise ValueError(f"expected {wanted} input (got {x.ndim}D input)")

    def forward(self, x):
        self._check_input_dim(x)
        mean, var, count = self.running_mean, self.running_var, self.num_batches_tracked
        share = self.momentum
        if self.training and self.track_running_stats and count is not None:
            if not state.recomputing:
                count.add_(1)
            if share is None:  # the average of all batches so far, each alike
                share = 1 / max(count.item(), 1)
        if self.training and not self.track_running_stats:
            mean = var = None
        own = self.training or (mean is None and var is None)
        return F.batch_norm(x, mean, var, self.weight, self.bias, own, share or 0.0, self.eps)

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


class _InstanceNorm(_BatchNorm):
    """Each channel of each element with mean 0 and variance 1."""

    def __init__(
        self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False,
        device=None, dtype=None, *, bias=True,
    ):  # fmt: skip
        how = device, dtype
        super().__init__(num_features, eps, momentum, affine, track_running_stats, *how, bias=bias)

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *others):
        if local_metadata.get("version") is None and not self.track_running_stats:
            found = [n for n in ("running_mean", "running_var") if prefix + n in state_dict]
            if found:
                quoted, kind = " and ".join(f'"{prefix}{n}"' for n in found), type(self).__name__
                for name in found:
                    del state_dict[prefix + name]
                others[-1].append(OLD_STATISTICS.format(names=quoted, klass=kind))
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *others)

    def forward(self, x):
        self._check_input_dim(x)
        alone = x.ndim == self.axes[0]
        place = 0 if alone else 1
        if x.shape[place] != self.num_features:
            text = f"input's size at dim={place} "
            if self.affine:
                wanted = f"to match num_features ({self.num_features}), but got: {x.shape[place]}."
                raise ValueError(f"expected {text}{wanted}")
            warn(text + NOT_USED)
        x = x.unsqueeze(0) if alone else x
        own = self.training or not self.track_running_stats
        given = self.running_mean, self.running_var, self.weight, self.bias
        out = F.instance_norm(x, *given, own, self.momentum or 0.0, self.eps)
        return out.squeeze(0) if alone else out


class InstanceNorm1d(_InstanceNorm):
    """Of sequences, or of one."""

    axes = 2, 3


class InstanceNorm2d(_InstanceNorm):
    """Of images, or of one."""

    axes = 3, 4


class InstanceNorm3d(_InstanceNorm):
    """Of volumes, or of one."""

    axes = 4, 5


class GroupNorm(Module):
    """Each group of channels of each element with mean 0 and variance 1, times weight plus bias."""

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self, num_groups, num_channels, eps=1e-5, affine=True, device=None, dtype=None, *, bias=True
    ):
        if num_channels % num_groups:
            text = f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})"
            raise ValueError(text)
        self.num_groups, self.num_channels = num_groups, num_channels
        self.eps, self.affine = eps, affine
        weight = (num_channels,) if affine else None
        vacant(self, {"weight": weight, "bias": weight if bias else None}, device, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        if self.affine:
            init.begin_affine(self.weight, self.bias)

    def forward(self, x):
        return F.group_norm(x, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class Flatten(Module):
    """The axes from start_dim to end_dim as one."""

    _in_repr = "start_dim", "end_dim"

    def __init__(self, start_dim: int = 1, end_dim: int = -1):
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, x):
        return x.flatten(self.start_dim, self.end_dim)


class Unflatten(Module):
    """An axis as several."""

    _in_repr = "dim", "unflattened_size"

    def __init__(self, dim: int, unflattened_size):
        if not isinstance(unflattened_size, (tuple, list)):
            kind = type(unflattened_size).__name__
            raise TypeError(f"unflattened_size must be a tuple of ints, but found type {kind}")
        for i, n in enumerate(unflattened_size):
            if not isinstance(n, int):
                found = f"found element of type {type(n).__name__} at pos {i}"
                raise TypeError(f"unflattened_size must be tuple of ints, but {found}")
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, x):
        return x.unflatten(self.dim, self.unflattened_size)


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
