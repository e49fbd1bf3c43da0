"""Averages of a model's weights on the way, and the learning rate that goes with them."""

from __future__ import annotations

import math
from copy import deepcopy
from itertools import chain
from typing import Any

from minigrad.core.dtypes import int64
from minigrad.core.modes import no_grad
from minigrad.nn.layers import _BatchNorm
from minigrad.nn.module import Module
from minigrad.ops.creation import tensor
from minigrad.optim.one_cycle import check_way, for_each
from minigrad.optim.scheduling import Schedule

NO_SHARE = "Invalid decay value {} provided. Please provide a value in [0,1] range."


def get_swa_avg_fn():
    """The mean of all so far, from that of those before."""

    @no_grad()
    def swa_update(averaged_param, current_param, num_averaged):
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_ema_avg_fn(decay=0.999):
    """`decay` of the average, and of the newest what is left."""
    _check_share(decay)

    @no_grad()
    def ema_update(ema_param, current_param, num_averaged):
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_multi_avg_fn():
    """The mean of all so far, of several parameters."""

    @no_grad()
    def swa_update(averaged_param_list, current_param_list, num_averaged):
        for old, new in zip(averaged_param_list, current_param_list, strict=True):
            if old.is_floating_point():
                old.lerp_(new, float(1 / (num_averaged + 1)))
            else:
                old.copy_(old + (new - old) / (num_averaged + 1))

    return swa_update


def get_ema_multi_avg_fn(decay=0.999):
    """`decay` of the average, and of the newest what is left, of several parameters."""
    _check_share(decay)

    @no_grad()
    def ema_update(ema_param_list, current_param_list, _):
        for old, new in zip(ema_param_list, current_param_list, strict=True):
            if old.is_floating_point():
                old.lerp_(new, 1 - decay)
            else:
                old.copy_(old * decay + new * (1 - decay))

    return ema_update


def _check_share(decay) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(NO_SHARE.format(decay))


class AveragedModel(Module):
    """A copy of a model, with the average of its parameters at each update_parameters()."""

    module: Any
    n_averaged: Any

    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=int64, device=device))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)

    def update_parameters(self, model) -> None:
        """Take in the parameters as they are now; the first time they are copied."""
        own, other = self._averaged(self.module), self._averaged(model)
        pairs = [(a.detach(), b.detach().to(a.device)) for a, b in zip(own, other, strict=False)]
        if self.n_averaged == 0:
            for old, new in pairs:
                old.copy_(new)
        else:
            self._take_in(pairs)
        if not self.use_buffers:
            for a, b in zip(self.module.buffers(), model.buffers(), strict=True):
                a.detach().copy_(b.detach().to(a.device))
        self.n_averaged += 1

    def _averaged(self, model):
        """What is averaged of a model."""
        return chain(model.parameters(), model.buffers() if self.use_buffers else ())

    def _take_in(self, pairs) -> None:
        if self.multi_avg_fn is None:
            average = self.avg_fn or get_swa_avg_fn()
            for old, new in pairs:
                old.copy_(average(old, new, self.n_averaged.to(old.device)))
            return
        groups: dict = {}
        for old, new in pairs:
            groups.setdefault((old.device, old.dtype), []).append((old, new))
        for (device, _), group in groups.items():
            self.multi_avg_fn(*map(list, zip(*group, strict=True)), self.n_averaged.to(device))


@no_grad()
def update_bn(loader, model, device=None) -> None:
    """Let the BatchNorm layers count anew what goes through them: the data of a loader."""
    layers = {one: one.momentum for one in model.modules() if isinstance(one, _BatchNorm)}
    if not layers:
        return
    training = model.training
    model.train()
    for layer in layers:
        layer.reset_running_stats()
        layer.momentum = None
    for x in loader:
        x = x[0] if isinstance(x, (list, tuple)) else x
        model(x if device is None else x.to(device))
    for layer, momentum in layers.items():
        layer.momentum = momentum
    model.train(training)


HEIGHTS = {"cos": lambda t: (1 - math.cos(math.pi * t)) / 2, "linear": lambda t: t}


class SWALR(Schedule):
    """To `swa_lr` in `anneal_epochs`, along a cosine or a line; there it stays."""

    def __init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1):
        groups = optimizer.param_groups
        for group, rate in zip(groups, for_each(groups, "swa_lr", swa_lr), strict=True):
            group["swa_lr"] = rate
        check_way(anneal_strategy)
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            text = f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}"
            raise ValueError(text)
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _share(self, step) -> float:
        """How far the way is done."""
        return HEIGHTS[self._anneal_strategy](max(0, min(1, step / max(1, self.anneal_epochs))))

    def _rates(self):
        step = self._step_count - 1
        step = step if self.anneal_epochs else max(1, step)
        before, now, rates = self._share(step - 1), self._share(step), []
        for group, lr in zip(self.optimizer.param_groups, self._now(), strict=True):
            end = group["swa_lr"]
            first = end if before == 1 else (lr - before * end) / (1 - before)
            rates.append(end * now + first * (1 - now))
        return rates
