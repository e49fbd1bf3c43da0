"""Optimizers: they read `.grad` and write into the parameters, outside every graph."""

from __future__ import annotations

import copy
from collections import defaultdict
from typing import Any

import numpy as np

from minigrad.core import observer
from minigrad.core.arrays import blocks
from minigrad.core.modes import enable_grad, no_grad
from minigrad.core.resized import told
from minigrad.core.tensor import Tensor
from minigrad.core.words import USUAL, exact
from minigrad.nn.module import clear_grads
from minigrad.ops.creation import tensor
from minigrad.optim import groups
from minigrad.optim.groups import required  # noqa: F401  (programs import it from here)
from minigrad.optim.hooks import HookedOptimizer, tell_of_steps

OTHER_SIZE = (
    "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
)
LATER = {"maximize": False, "foreach": None, "differentiable": False}
# Written to twice in each step.
TWICE = {"exp_avg_sq", "square_avg", "momentum_buffer", "exp_inf", "acc_delta"}
APART = {"decoupled_weight_decay": False}


class Optimizer(HookedOptimizer):
    """Moves each parameter that has a gradient; what it remembers of one is in `state`."""

    _later: dict = {}  # options that files of older versions lack
    _buffers: tuple = ()
    _least_writes = 1  # beside that of the weight decay

    def __init__(self, params, defaults: dict):
        self.defaults = defaults  # of the options, for groups that do not name them
        self._hear()
        given = groups.given(params)
        self.state: Any = defaultdict(dict)
        self.param_groups: list = []  # options can be changed on the way
        for group in given:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict) -> None:
        """Move these parameters, too, by options of their own."""
        groups.complete(param_group, self.defaults)
        groups.check_apart(param_group, self.param_groups)
        self.param_groups.append(param_group)

    def __getstate__(self) -> dict:
        """What is copied and pickled: not that a scheduler follows it."""
        return {name: getattr(self, name) for name in ("defaults", "state", "param_groups")}

    def __repr__(self):
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            lines = [f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params"]
            text += f"\nParameter Group {i}\n" + "".join(lines)
        return text + ")"

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients, or fill them with zeros."""
        self.defaults.get(
            "foreach"
        )  # whoever forgot super().__init__() is told here, as in PyTorch
        tell_of_steps(type(self))
        clear_grads([p for group in self.param_groups for p in group["params"]], set_to_none)

    def state_dict(self) -> dict:
        """The options, and what is remembered; parameters are numbered. Values share the bytes."""
        self._tell("state_dict_pre")
        number: dict = {}
        packed, start = [], 0
        for group in self.param_groups:
            params = group["params"]
            number |= {id(p): i for i, p in enumerate(params, start) if id(p) not in number}
            options = {name: value for name, value in group.items() if name != "params"}
            packed.append({**options, "params": [number[id(p)] for p in params]})
            start += len(params)
        state = {number.get(id(p), p): memory for p, memory in self.state.items()}
        return self._tell("state_dict_post", {"state": state, "param_groups": packed})

    def load_state_dict(self, state_dict: dict) -> None:
        """Take over options and memory of another optimizer, parameter by parameter."""
        state_dict = self._tell("load_state_dict_pre", state_dict.copy())
        loaded = copy.deepcopy(state_dict["param_groups"])
        if len(loaded) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        named: dict = {}
        for new, old in zip(loaded, self.param_groups, strict=True):
            if len(new["params"]) != len(old["params"]):
                raise ValueError(OTHER_SIZE)
            named.update(zip(new["params"], old["params"], strict=True))
            new["params"] = old["params"]
            if "param_names" in old:
                new.setdefault("param_names", old["param_names"])
        state: Any = defaultdict(dict)
        for number, memory in state_dict["state"].items():
            p = named.get(number)
            state[number if p is None else p] = memory if p is None else _beside(p, memory)
        self.__setstate__({"state": state, "param_groups": loaded})
        self._tell("load_state_dict_post")

    def __setstate__(self, state: dict) -> None:
        """Take over what was unpickled, copied or loaded; a subclass adds what old files lack."""
        vars(self).update(state)
        self._hear()
        self.defaults.setdefault("differentiable", False)
        for group in self.param_groups if self._later else ():
            group |= {name: self._later[name] for name in self._later.keys() - group.keys()}
            for memory in filter(None, map(self.state.get, group["params"])):
                for name in self._start():  # older files have numbers
                    if not isinstance(memory[name], Tensor):
                        memory[name] = tensor(float(memory[name]))

    def step(self, closure=None):
        """Move every parameter that has a gradient; what `closure` computes first is returned."""
        if type(self)._move is Optimizer._move:
            raise NotImplementedError
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        self._step()
        return loss

    @no_grad()
    def _step(self) -> None:
        try:
            self._moves()
        except ValueError as error:  # a parameter that has another shape now
            clash = [told(error)]
            if clash[0] is error:
                raise
            raise clash.pop() from None  # a name for it would hold, by its traceback, the gradients

    def _moves(self) -> None:
        for group in map(_exact, self.param_groups):
            moving = [p for p in map(_moved, group["params"]) if p._grad is not None]
            known = [bool(self.state.get(p)) for p in moving]  # one may be among them twice
            names = self._names(group)  # fetched for all, before one is moved
            kept = [self._memory(p, names) if names else [] for p in moving]
            for p, buffers, again in zip(moving, kept, known, strict=True):
                told = observer.on_moving or observer.on_moved
                written = [p, *(self.state[p][name] for name in names)] if told else ()
                observer.tell_moving(written)
                self._move(p, group, buffers, again)
                observer.tell_moved(written)
                made = not again and names == ["momentum_buffer"]  # of the gradient, by SGD
                self._count_writes(p, group, () if made else names)

    def _memory(self, p, names) -> list:
        """The buffers of `p`, of its shape and dtype: zeros the first time."""
        memory = self.state[p]
        if not memory:
            memory |= self._start()
            memory |= {name: p._new(np.zeros_like(p._array, order="C")) for name in names}
        for tell in observer.on_joined:  # also of what is older: who watches may be new
            for value in memory.values():
                if isinstance(value, Tensor):
                    tell(value, "state", p)
        return [_moved(memory[name])._array for name in names]

    def _start(self) -> dict:
        """What is remembered of a parameter beside its buffers, at first."""
        return {"step": tensor(0.0)}

    def _counted(self, p) -> float:
        """How many steps `p` has made, this one included."""
        self.state[p]["step"] += 1
        return float(self.state[p]["step"])

    def _count_writes(self, p, group, names) -> None:
        """The versions, as often as PyTorch writes to a parameter and to these in a step."""
        decay = group.get("decoupled_weight_decay") and group["weight_decay"]
        p._storage.version += self._least_writes + bool(decay)
        for name in names:
            self.state[p][name]._storage.version += 1 + (name in TWICE)

    def _names(self, group) -> list:
        """The buffers that a step by these options needs; most kinds have some."""
        return [*self._buffers]

    def _move(self, p, group, buffers: list, again: bool) -> None:
        """A step of one parameter; `again` if something was remembered of it before."""
        raise NotImplementedError


def _moved(one):
    """The tensor; of another object with such an attribute an array would be written to."""
    if not issubclass(type(one), Tensor):
        raise TypeError(f"an optimizer moves and remembers Tensors, not {type(one).__name__}")
    return one


def slopes(p, group, buffers):
    """Block by block: a parameter, its gradient with the weight decay in it, its buffers."""
    decay, apart = group["weight_decay"], group.get("decoupled_weight_decay", False)
    for values, slope, *kept in blocks(p._array, p._grad._array, *buffers):
        if group["maximize"]:
            slope = -slope
        if decay and apart:
            values *= 1 - group["lr"] * decay
        elif decay:
            slope = slope + decay * values
        yield values, slope, *kept


def _exact(group) -> dict:
    """The group with plain numbers: whatever stood in the call, or was written there since."""
    betas = group.get("betas", ())
    if isinstance(group.get("lr"), Tensor):
        group = {**group, "lr": groups.plain_rate(group["lr"])}
    if USUAL.issuperset(map(type, (*group.values(), *betas))):
        return group
    options = {name: exact(value) for name, value in group.items()}
    return options | ({"betas": tuple(map(exact, betas))} if betas else {})


def _beside(p, value, name=""):
    """What is remembered of a parameter, of its dtype and on its device."""
    if isinstance(value, Tensor):
        return value if name == "step" else value.to(p)
    if isinstance(value, dict):
        return {key: _beside(p, part, key) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([_beside(p, part) for part in value])
    return value


class SGD(Optimizer):
    """parameter -= lr * (gradient + weight_decay * parameter), with momentum if wanted."""

    _later = LATER | {"nesterov": False, "fused": False}

    def __init__(
        self, params, lr: float = 1e-3, momentum: float = 0, dampening: float = 0,
        weight_decay: float = 0, nesterov: bool = False, *, maximize: bool = False, foreach=None,
        differentiable: bool = False, fused=None,
    ):  # fmt: skip
        options = {"lr": lr, "momentum": momentum, "dampening": dampening}
        options |= {"weight_decay": weight_decay, "nesterov": nesterov, "maximize": maximize}
        groups.check_one(lr)
        for name in ("lr", "momentum", "weight_decay"):
            if options[name] < 0.0:
                raise groups.invalid(name, options[name])
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        ways = {"foreach": foreach, "differentiable": differentiable, "fused": fused}
        super().__init__(params, options | ways)

    def _start(self) -> dict:
        return {}

    def _names(self, group) -> list:
        return ["momentum_buffer"] if group["momentum"] else []

    def _move(self, p, group, buffers, again) -> None:
        momentum, share = group["momentum"], 1 - group["dampening"]
        for values, step, *velocity in slopes(p, group, buffers):
            for v in velocity:
                if again:
                    v *= momentum
                    v += share * step
                else:
                    v[...] = step
                step = step + momentum * v if group["nesterov"] else v
            values -= group["lr"] * step


class Adam(Optimizer):
    """Steps of about lr each: the mean gradient, divided by the root of its mean square."""

    _later = LATER | {"amsgrad": False, "capturable": False, "fused": None} | APART

    def __init__(
        self, params, lr: float = 1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay: float = 0,
        amsgrad: bool = False, *, foreach=None, maximize: bool = False, capturable: bool = False,
        differentiable: bool = False, fused=None, decoupled_weight_decay: bool = False,
    ):  # fmt: skip
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        groups.check_positive(options, "lr", "eps", "betas", "weight_decay")
        if not (isinstance(betas[0], float) and isinstance(betas[1], float)):
            raise ValueError("betas must be either both floats or both Tensors")
        options |= {"betas": tuple(betas), "amsgrad": amsgrad, "maximize": maximize}
        options |= {"foreach": foreach, "capturable": capturable, "differentiable": differentiable}
        apart = {"fused": fused, "decoupled_weight_decay": decoupled_weight_decay}
        super().__init__(params, options | apart)

    def _names(self, group) -> list:
        return ["exp_avg", "exp_avg_sq", *["max_exp_avg_sq"] * group["amsgrad"]]

    def _move(self, p, group, buffers, again) -> None:
        (beta1, beta2), count = group["betas"], self._counted(p)
        fair1, fair2 = 1 - beta1**count, (1 - beta2**count) ** 0.5  # the means began at 0
        for values, slope, mean, square, *most in slopes(p, group, buffers):
            mean -= (1 - beta1) * (mean - slope)
            square *= beta2
            square += (1 - beta2) * slope * slope
            for largest in most:
                largest[...] = square = np.maximum(largest, square)
            values -= (group["lr"] / fair1) * mean / (square**0.5 / fair2 + group["eps"])


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameter itself, and is no part of the gradient."""

    def __init__(
        self, params, lr: float = 1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay: float = 1e-2,
        amsgrad: bool = False, *, maximize: bool = False, foreach=None, capturable: bool = False,
        differentiable: bool = False, fused=None,
    ):  # fmt: skip
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize,
            capturable=capturable, differentiable=differentiable, fused=fused,
            decoupled_weight_decay=True,
        )  # fmt: skip

    def __setstate__(self, state: dict) -> None:
        """As of any optimizer; Adam's state is taken over, too."""
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True
