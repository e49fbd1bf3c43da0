"""Optimizers: they read `.grad` and write into the parameters, outside every graph."""

from __future__ import annotations

import numpy as np

from minigrad.core import observer
from minigrad.core.arrays import blocks
from minigrad.core.modes import no_grad
from minigrad.core.tensor import Tensor
from minigrad.nn.module import clear_grads

NO_LIST = (
    "params argument given to the optimizer should be an iterable of Tensors or dicts, but got {}"
)
NO_TENSOR = "optimizer can only optimize Tensors, but one of the params is "
NO_GROUPS = "minigrad's optimizer has one group of parameters: pass a list of Tensors"


class Optimizer:
    """Moves each parameter that has a gradient; what it remembers of one is in `state`."""

    has_stepped = False

    def __init__(self, params, **options):
        if isinstance(params, Tensor):
            raise TypeError(NO_LIST.format(params.dtype.legacy))
        params = list(params)
        for p in params:
            if not isinstance(p, Tensor):
                raise TypeError(NO_GROUPS if isinstance(p, dict) else NO_TENSOR + type(p).__name__)
            if not p.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
        if not params:
            raise ValueError("optimizer got an empty parameter list")
        self._check(options)
        self.param_groups = [{"params": params, **options}]  # options can be changed on the way
        self.state: dict = {}

    def _check(self, options) -> None:
        for name, said in (("lr", "learning rate"), ("eps", "epsilon value")):
            if options.get(name, 0) < 0:
                raise ValueError(f"Invalid {said}: {options[name]}")
        for name in ("momentum", "weight_decay"):
            if options.get(name, 0) < 0:
                raise ValueError(f"Invalid {name} value: {options[name]}")

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients, or fill them with zeros."""
        clear_grads(self.param_groups[0]["params"], set_to_none)

    @no_grad()
    def step(self) -> None:
        """Move every parameter that has a gradient."""
        self.has_stepped = True
        (group,) = self.param_groups
        for p in group["params"]:
            if p._grad is not None:
                self._move(p, group)
                p._storage.version += 1

    def _memory(self, p, names) -> list:
        """The buffers of `p`, of its shape and dtype: zeros the first time."""
        if p not in self.state:
            self.state[p] = {name: p._new(np.zeros_like(p._array, order="C")) for name in names}
        for tell in observer.on_joined:  # also of what is older: who watches may be new
            for name in names:
                tell(self.state[p][name], "state", p)
        return [self.state[p][name]._array for name in names]

    def _move(self, p, group) -> None:
        raise NotImplementedError


class SGD(Optimizer):
    """parameter -= lr * (gradient + weight_decay * parameter), with momentum if wanted."""

    def __init__(self, params, lr: float = 1e-3, momentum: float = 0, weight_decay: float = 0):
        super().__init__(params, lr=lr, momentum=momentum, weight_decay=weight_decay)

    def _move(self, p, group) -> None:
        lr, momentum, decay = group["lr"], group["momentum"], group["weight_decay"]
        buffers = self._memory(p, ["momentum_buffer"]) if momentum else []
        for values, step, *velocity in blocks(p._array, p._grad._array, *buffers):
            if decay:
                step = step + decay * values
            for v in velocity:
                v *= momentum
                v += step
                step = v
            values -= lr * step


class Adam(Optimizer):
    """Steps of about lr each: the mean gradient, divided by the root of its mean square."""

    decoupled = False

    def __init__(
        self, params, lr: float = 1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay: float = 0
    ):
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)

    def _check(self, options) -> None:
        super()._check(options)
        for i, beta in enumerate(options["betas"]):
            if not 0 <= beta < 1:
                raise ValueError(f"Invalid beta parameter at index {i}: {beta}")

    def _move(self, p, group) -> None:
        (beta1, beta2), decay, lr = group["betas"], group["weight_decay"], group["lr"]
        means = self._memory(p, ["exp_avg", "exp_avg_sq"])
        count = self.state[p]["step"] = self.state[p].get("step", 0) + 1
        fair1, fair2 = 1 - beta1**count, (1 - beta2**count) ** 0.5  # the means began at 0
        for values, slope, mean, square in blocks(p._array, p._grad._array, *means):
            if decay and self.decoupled:
                values *= 1 - lr * decay
            elif decay:
                slope = slope + decay * values
            mean += (1 - beta1) * (slope - mean)
            square *= beta2
            square += (1 - beta2) * slope * slope
            values -= (lr / fair1) * mean / (square**0.5 / fair2 + group["eps"])


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameter itself, and is no part of the gradient."""

    decoupled = True

    def __init__(
        self, params, lr: float = 1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay: float = 1e-2
    ):
        super().__init__(params, lr, betas, eps, weight_decay)
