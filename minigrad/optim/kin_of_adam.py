"""Adamax and NAdam: Adam by the largest gradient so far, and Adam that looks one step ahead."""

from __future__ import annotations

import numpy as np

from minigrad.core.arrays import blocks
from minigrad.optim.optimizer import Optimizer, check_betas, slope


class Adamax(Optimizer):
    """Steps divided by the largest gradient, which is forgotten by and by."""

    flags = Optimizer.flags | {"capturable": False}

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, **flags):
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, options | self._with_flags(flags))

    def _check(self, options) -> None:
        super()._check(options)
        check_betas(options["betas"])

    def _move(self, p, group) -> None:
        (beta1, beta2), decay = group["betas"], group["weight_decay"]
        count = self.state[p]["step"] = self.state[p].get("step", 0) + 1
        means = self._memory(p, ["exp_avg", "exp_inf"])
        for values, grad, mean, largest in blocks(p._array, slope(p, group), *means):
            if decay:
                grad = grad + decay * values
            mean += (1 - beta1) * (grad - mean)
            np.maximum(largest * beta2, abs(grad) + group["eps"], out=largest)
            values -= group["lr"] / (1 - beta1**count) * mean / largest


class NAdam(Optimizer):
    """Adam with Nesterov's momentum, which grows from step to step."""

    flags = Adamax.flags | {"decoupled_weight_decay": False}

    def __init__(
        self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
        **flags,
    ):  # fmt: skip
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        options |= {"momentum_decay": momentum_decay} | self._with_flags(flags)
        super().__init__(params, options)

    def _check(self, options) -> None:
        super()._check(options)
        check_betas(options["betas"])
        if options["momentum_decay"] < 0:
            raise ValueError(f"Invalid momentum_decay value: {options['momentum_decay']}")

    def _move(self, p, group) -> None:
        (beta1, beta2), decay, memory = group["betas"], group["weight_decay"], self.state[p]
        count = memory["step"] = memory.get("step", 0) + 1
        now, then = (
            beta1 * (1 - 0.5 * 0.96 ** (n * group["momentum_decay"])) for n in (count, count + 1)
        )
        product = memory["mu_product"] = memory.get("mu_product", 1.0) * now
        means = self._memory(p, ["exp_avg", "exp_avg_sq"])
        for values, grad, mean, square in blocks(p._array, slope(p, group), *means):
            if decay:
                grad = grad + decay * values
            mean += (1 - beta1) * (grad - mean)
            square *= beta2
            square += (1 - beta2) * grad * grad
            size = (square / (1 - beta2**count)) ** 0.5 + group["eps"]
            step = (1 - now) / (1 - product) * grad + then / (1 - product * then) * mean
            values -= group["lr"] * step / size
