"""Adamax and NAdam: Adam by the largest gradient so far, and Adam that looks one step ahead."""

from __future__ import annotations

import numpy as np

from minigrad.ops.creation import tensor
from minigrad.optim import groups
from minigrad.optim.optimizer import APART, LATER, Optimizer, slopes


class Adamax(Optimizer):
    """Steps divided by the largest gradient, which is forgotten by and by."""

    _later, _buffers = LATER | {"capturable": False}, ("exp_avg", "exp_inf")

    def __init__(
        self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, foreach=None, *,
        maximize=False, differentiable=False, capturable=False,
    ):  # fmt: skip
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        groups.check_positive(options, *options)
        options |= {"foreach": foreach, "maximize": maximize}
        options |= {"differentiable": differentiable, "capturable": capturable}
        super().__init__(params, options)

    def _move(self, p, group, buffers, again) -> None:
        (beta1, beta2), count = group["betas"], self._counted(p)
        for values, slope, mean, largest in slopes(p, group, buffers):
            mean -= (1 - beta1) * (mean - slope)
            largest[...] = np.maximum(largest * beta2, abs(slope) + group["eps"])
            values -= group["lr"] / (1 - beta1**count) * mean / largest


class NAdam(Optimizer):
    """Adam with Nesterov's momentum, which grows from step to step."""

    _later = LATER | {"capturable": False} | APART
    _buffers, _least_writes = ("exp_avg", "exp_avg_sq"), 2

    def __init__(
        self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
        decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False,
        differentiable=False,
    ):  # fmt: skip
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        options |= {"momentum_decay": momentum_decay}
        groups.check_positive(options, *options)
        options |= {"decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize}
        options |= {"foreach": foreach, "capturable": capturable, "differentiable": differentiable}
        super().__init__(params, options)

    def _start(self) -> dict:
        return super()._start() | {"mu_product": tensor(1.0)}

    def _move(self, p, group, buffers, again) -> None:
        lr, (beta1, beta2), count = group["lr"], group["betas"], self._counted(p)
        now, then = (
            beta1 * (1 - 0.5 * 0.96 ** (n * group["momentum_decay"])) for n in (count, count + 1)
        )
        product = self.state[p]["mu_product"].mul_(now).item()  # rounded to float32 each time
        own, ahead = lr * (1 - now) / (1 - product), lr * then / (1 - product * then)
        for values, slope, mean, square in slopes(p, group, buffers):
            mean -= (1 - beta1) * (mean - slope)
            square *= beta2
            square += (1 - beta2) * slope * slope
            size = (square / (1 - beta2**count)) ** 0.5 + group["eps"]
            values -= (own * slope + ahead * mean) / size
