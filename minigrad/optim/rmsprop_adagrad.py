"""RMSprop and Adagrad: each number's step is divided by the root of its squared gradients."""

from __future__ import annotations

from minigrad.optim import groups
from minigrad.optim.optimizer import LATER, Optimizer, slopes


class RMSprop(Optimizer):
    """Steps divided by the root of the running mean square; centered: of the running variance."""

    _later = LATER | {"momentum": 0, "centered": False, "capturable": False}

    def __init__(
        self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False,
        capturable=False, foreach=None, maximize=False, differentiable=False,
    ):  # fmt: skip
        options = {"lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps}
        options |= {"centered": centered, "weight_decay": weight_decay, "capturable": capturable}
        groups.check_positive(options, "lr", "eps", "momentum", "weight_decay", "alpha")
        ways = {"foreach": foreach, "maximize": maximize, "differentiable": differentiable}
        super().__init__(params, options | ways)

    def _names(self, group) -> list:
        more = {"momentum_buffer": group["momentum"] > 0, "grad_avg": group["centered"]}
        return ["square_avg", *(name for name, needed in more.items() if needed)]

    def _move(self, p, group, buffers, again) -> None:
        alpha, momentum, centered = group["alpha"], group["momentum"], group["centered"]
        self._counted(p)
        for values, slope, square, *more in slopes(p, group, buffers):
            square *= alpha
            square += (1 - alpha) * slope * slope
            if centered:
                mean = more.pop()
                mean -= (1 - alpha) * (mean - slope)
                square = square - mean * mean
            step = slope / (square**0.5 + group["eps"])
            for velocity in more:
                velocity *= momentum
                velocity += step
                step = velocity
            values -= group["lr"] * step


class Adagrad(Optimizer):
    """Steps divided by the root of the sum of all squares so far: they only become smaller."""

    _later, _buffers = LATER | {"fused": None}, ("sum",)

    def __init__(
        self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10,
        foreach=None, *, maximize=False, differentiable=False, fused=None,
    ):  # fmt: skip
        first = "initial_accumulator_value"
        options = {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay}
        options |= {first: initial_accumulator_value, "foreach": foreach, "maximize": maximize}
        groups.check_positive(options, "lr", "lr_decay", "weight_decay", first, "eps")
        super().__init__(params, options | {"differentiable": differentiable, "fused": fused})
        for group in self.param_groups:
            for p in group["params"]:
                self._memory(p, self._names(group))

    def _memory(self, p, names) -> list:
        """The sum of the squares, which began with the optimizer's value, not with a group's."""
        fresh = not self.state[p]
        (total,) = super()._memory(p, names)
        if fresh:
            total[...] = self.defaults["initial_accumulator_value"]
        return [total]

    def _move(self, p, group, buffers, again) -> None:
        lr = group["lr"] / (1 + (self._counted(p) - 1) * group["lr_decay"])
        for values, slope, square in slopes(p, group, buffers):
            square += slope * slope
            values -= lr * slope / (square**0.5 + group["eps"])
