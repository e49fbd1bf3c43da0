"""Optimizers: they read `.grad` and write into the parameters, outside every graph."""

from __future__ import annotations

import copy
import warnings
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
NO_ORDER = (
    "optimizer parameters need to be organized in ordered collections, but the ordering of tensors "
    "in sets will change between runs. Please use a list instead."
)
TWICE = (
    "optimizer contains a parameter group with duplicate parameters; in future, this will cause an "
    "error; see github.com/pytorch/pytorch/issues/40967 for more information"
)
OTHER_SIZE = (
    "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
)


class Optimizer:
    """Moves each parameter that has a gradient; what it remembers of one is in `state`."""

    has_stepped = False
    # What PyTorch's takes besides. Two choose between ways to compute the same; `maximize` climbs.
    flags: dict = {"maximize": False, "foreach": None, "differentiable": False}

    def __init__(self, params, defaults: dict):
        if isinstance(params, Tensor):
            raise TypeError(NO_LIST.format(params.dtype.legacy))
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        self._check(defaults)
        self.defaults = defaults
        self.param_groups: list = []  # options can be changed on the way
        self.state: Any = defaultdict(dict)
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict) -> None:
        """Move these parameters, too; an option that the group lacks is the optimizer's."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(NO_ORDER)
        params = param_group["params"] = [params] if isinstance(params, Tensor) else list(params)
        for p in params:
            if not isinstance(p, Tensor):
                raise TypeError(NO_TENSOR + type(p).__name__)
            if not p.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, value in self.defaults.items():
            param_group.setdefault(name, value)
        self._check_apart(params)
        self.param_groups.append(param_group)

    def _check_apart(self, params) -> None:
        if len({*map(id, params)}) != len(params):
            warnings.warn(TWICE, UserWarning, stacklevel=4)
        if {*map(id, params)} & {id(p) for group in self.param_groups for p in group["params"]}:
            raise ValueError("some parameters appear in more than one parameter group")

    def _with_flags(self, given: dict) -> dict:
        """The options that are no numbers, of which some have one value only."""
        for name, value in given.items():
            if name not in self.flags:
                kind = type(self).__name__
                raise TypeError(f"{kind}.__init__() got an unexpected keyword argument '{name}'")
            if value and name not in ("maximize", "foreach", "fused"):
                raise NotImplementedError(f"minigrad's optimizers do not know {name}: leave it out")
        return self.flags | given

    def __repr__(self):
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            lines = [f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params"]
            text += f"\nParameter Group {i}\n" + "".join(lines)
        return text + ")"

    def _check(self, options) -> None:
        for name, said in (("lr", "learning rate"), ("eps", "epsilon value")):
            if options.get(name, 0) < 0:
                raise ValueError(f"Invalid {said}: {options[name]}")
        for name in ("momentum", "weight_decay"):
            if options.get(name, 0) < 0:
                raise ValueError(f"Invalid {name} value: {options[name]}")

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients, or fill them with zeros."""
        clear_grads([p for group in self.param_groups for p in group["params"]], set_to_none)

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
        for group in self.param_groups:
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


def slope(p, group):
    """The gradient, of what shall become smaller."""
    return -p._grad._array if group["maximize"] else p._grad._array


def _beside(p, memory: dict) -> dict:
    """What is remembered of a parameter, of its dtype and on its device."""
    return {
        name: value.to(p) if isinstance(value, Tensor) else value for name, value in memory.items()
    }


def check_betas(betas) -> None:
    for i, beta in enumerate(betas):
        if not 0 <= beta < 1:
            raise ValueError(f"Invalid beta parameter at index {i}: {beta}")


class SGD(Optimizer):
    """parameter -= lr * (gradient + weight_decay * parameter), with momentum if wanted."""

    flags = Optimizer.flags | {"fused": None}

    def __init__(
        self, params, lr: float = 1e-3, momentum: float = 0, dampening: float = 0,
        weight_decay: float = 0, nesterov: bool = False, **flags,
    ):  # fmt: skip
        options = {"momentum": momentum, "dampening": dampening, "weight_decay": weight_decay}
        options |= {"nesterov": nesterov} | self._with_flags(flags)
        super().__init__(params, {"lr": lr, **options})

    def _check(self, options) -> None:
        super()._check(options)
        if options["nesterov"] and (options["momentum"] <= 0 or options["dampening"] != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")

    def _move(self, p, group) -> None:
        lr, momentum, decay = group["lr"], group["momentum"], group["weight_decay"]
        share = 1 - group["dampening"] if "momentum_buffer" in self.state.get(p, ()) else 1
        buffers = self._memory(p, ["momentum_buffer"]) if momentum else []
        for values, step, *velocity in blocks(p._array, slope(p, group), *buffers):
            if decay:
                step = step + decay * values
            for v in velocity:
                v *= momentum
                v += share * step
                step = step + momentum * v if group["nesterov"] else v
            values -= lr * step


class Adam(Optimizer):
    """Steps of about lr each: the mean gradient, divided by the root of its mean square."""

    decoupled = False

    flags = SGD.flags | {"amsgrad": False, "capturable": False}

    def __init__(
        self, params, lr: float = 1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay: float = 0,
        **flags,
    ):  # fmt: skip
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        options |= self._with_flags(flags) | {"decoupled_weight_decay": self.decoupled}
        super().__init__(params, options)

    def _check(self, options) -> None:
        super()._check(options)
        check_betas(options["betas"])

    def _move(self, p, group) -> None:
        (beta1, beta2), decay, lr = group["betas"], group["weight_decay"], group["lr"]
        count = self.state[p]["step"] = self.state[p].get("step", 0) + 1
        means = self._memory(p, ["exp_avg", "exp_avg_sq"])
        fair1, fair2 = 1 - beta1**count, (1 - beta2**count) ** 0.5  # the means began at 0
        for values, step, mean, square in blocks(p._array, slope(p, group), *means):
            if decay and self.decoupled:
                values *= 1 - lr * decay
            elif decay:
                step = step + decay * values
            mean += (1 - beta1) * (step - mean)
            square *= beta2
            square += (1 - beta2) * step * step
            values -= (lr / fair1) * mean / (square**0.5 / fair2 + group["eps"])


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameter itself, and is no part of the gradient."""

    decoupled = True

    def __init__(
        self, params, lr: float = 1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay: float = 1e-2,
        **flags,
    ):  # fmt: skip
        super().__init__(params, lr, betas, eps, weight_decay, **flags)
