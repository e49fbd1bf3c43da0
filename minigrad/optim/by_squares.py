"""RMSprop and Adagrad: each number's step is divided by the root of its squared gradients."""

from __future__ import annotations

from minigrad.core.arrays import blocks
from minigrad.optim.optimizer import Optimizer


class RMSprop(Optimizer):
    """Steps divided by the root of the running mean square; centered: of the running variance."""

    def __init__(
        self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False
    ):
        more = {"alpha": alpha, "eps": eps, "weight_decay": weight_decay, "centered": centered}
        super().__init__(params, lr=lr, momentum=momentum, **more)

    def _check(self, options) -> None:
        super()._check(options)
        if options["alpha"] < 0:
            raise ValueError(f"Invalid alpha value: {options['alpha']}")

    def _move(self, p, group) -> None:
        lr, alpha, momentum, centered = (group[n] for n in ("lr", "alpha", "momentum", "centered"))
        names = ["square_avg", *["momentum_buffer"] * (momentum > 0), *["grad_avg"] * centered]
        buffers = self._memory(p, names)
        self.state[p]["step"] = self.state[p].get("step", 0) + 1
        for values, slope, square, *more in blocks(p._array, p._grad._array, *buffers):
            if group["weight_decay"]:
                slope = slope + group["weight_decay"] * values
            square *= alpha
            square += (1 - alpha) * slope * slope
            step = slope / (
                root(square, more[-1:] if centered else [], slope, alpha) + group["eps"]
            )
            if momentum > 0:
                more[0] *= momentum
                more[0] += step
                step = more[0]
            values -= lr * step


def root(square, mean, slope, alpha):
    """The root of the mean square, less the square of the running mean if that is kept."""
    for m in mean:
        m += (1 - alpha) * (slope - m)
        square = square - m * m
    return square**0.5


class Adagrad(Optimizer):
    """Steps divided by the root of the sum of all squares so far: they only become smaller."""

    def __init__(
        self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10
    ):
        first = initial_accumulator_value
        more = {"weight_decay": weight_decay, "initial_accumulator_value": first, "eps": eps}
        super().__init__(params, lr=lr, lr_decay=lr_decay, **more)
        for p in self.param_groups[0]["params"]:
            self._memory(p, ["sum"])[0][...] = first
            self.state[p]["step"] = 0

    def _check(self, options) -> None:
        super()._check(options)
        for name in ("lr_decay", "initial_accumulator_value"):
            if options[name] < 0:
                raise ValueError(f"Invalid {name} value: {options[name]}")

    def _move(self, p, group) -> None:
        (total,) = self._memory(p, ["sum"])
        lr = group["lr"] / (1 + self.state[p]["step"] * group["lr_decay"])
        self.state[p]["step"] += 1
        for values, slope, square in blocks(p._array, p._grad._array, total):
            if group["weight_decay"]:
                slope = slope + group["weight_decay"] * values
            square += slope * slope
            values -= lr * slope / (square**0.5 + group["eps"])
