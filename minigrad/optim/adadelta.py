"""Adadelta: a step is as large as the steps before it, beside gradients as large as those before.

So it has the unit of the parameter, and the learning rate is a share of it, by default the whole.
"""

from __future__ import annotations

from minigrad.optim import groups
from minigrad.optim.optimizer import LATER, Optimizer, slopes


class Adadelta(Optimizer):
    """Gradients, times the root of the mean square of the steps, by that of the gradients."""

    _later, _buffers = LATER | {"capturable": False}, ("square_avg", "acc_delta")

    def __init__(
        self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *,
        capturable=False, maximize=False, differentiable=False,
    ):  # fmt: skip
        options = {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay}
        groups.check_positive(options, "lr", "rho", "eps", "weight_decay")
        options |= {"maximize": maximize, "capturable": capturable, "foreach": foreach}
        super().__init__(params, options | {"differentiable": differentiable})

    def _move(self, p, group, buffers, again) -> None:
        rho, eps = group["rho"], group["eps"]
        self._counted(p)
        for values, slope, square, steps in slopes(p, group, buffers):
            square *= rho
            square += (1 - rho) * slope * slope
            step = (steps + eps) ** 0.5 / (square + eps) ** 0.5 * slope
            steps *= rho
            steps += (1 - rho) * step * step
            values -= group["lr"] * step
