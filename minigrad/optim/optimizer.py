"""Optimizers: they read `.grad` and write into the parameters, outside every graph."""

from __future__ import annotations

import copy
from collections import defaultdict
from typing import Any

import numpy as np

from minigrad.core import observer
from minigrad.core.arrays import blocks
from minigrad.core.modes import enable_grad, no_grad
from minigrad.core.tensor import Tensor
from minigrad.nn.module import clear_grads

NO_LIST = (
    "params argument given to the optimizer should be an iterable of Tensors or dicts, but got {}"
)
NO_TENSOR = "optimizer can only optimize Tensors, but one of the params is "
NO_GROUPS = "minigrad's optimizer has one group of parameters: pass a list of Tensors"
OTHER_SIZE = (
    "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
)


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
        self.state: Any = defaultdict(dict)

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

    def state_dict(self) -> dict:
        """The options, and what is remembered; parameters are numbered. Values share the bytes."""
        number: dict = {}
        groups = []
        for group in self.param_groups:
            own = [number.setdefault(id(p), len(number)) for p in group["params"]]
            options = {name: value for name, value in group.items() if name != "params"}
            groups.append({**options, "params": own})
        state = {number.get(id(p), p): memory for p, memory in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict) -> None:
        """Take over options and memory of another optimizer, parameter by parameter."""
        groups = copy.deepcopy(state_dict["param_groups"])
        if len(groups) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        named: dict = {}
        for new, old in zip(groups, self.param_groups, strict=True):
            if len(new["params"]) != len(old["params"]):
                raise ValueError(OTHER_SIZE)
            named.update(zip(new["params"], old["params"], strict=True))
            new["params"] = old["params"]
        self.state = defaultdict(dict)
        for number, memory in state_dict["state"].items():
            p = named.get(number)
            self.state[number if p is None else p] = memory if p is None else _beside(p, memory)
        self.param_groups = groups

    def step(self, closure=None):
        """Move every parameter that has a gradient; what `closure` computes first is returned."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        self._step()
        return loss

    @no_grad()
    def _step(self) -> None:
        self.has_stepped = True
        (group,) = self.param_groups
        for p in group["params"]:
            if p._grad is not None:
                self._move(p, group)
                p._storage.version += 1

    def _memory(self, p, names) -> list:
        """The buffers of `p`, of its shape and dtype: zeros the first time."""
        memory = self.state[p]
        if names[0] not in memory:
            memory |= {name: p._new(np.zeros_like(p._array, order="C")) for name in names}
        for tell in observer.on_joined:  # also of what is older: who watches may be new
            for name in names:
                tell(memory[name], "state", p)
        return [memory[name]._array for name in names]

    def _move(self, p, group) -> None:
        raise NotImplementedError


def _beside(p, memory: dict) -> dict:
    """What is remembered of a parameter, of its dtype and on its device."""
    return {
        name: value.to(p) if isinstance(value, Tensor) else value for name, value in memory.items()
    }


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
        count = self.state[p]["step"] = self.state[p].get("step", 0) + 1
        means = self._memory(p, ["exp_avg", "exp_avg_sq"])
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
