"""A learning rate that goes up and down again and again; the momentum the other way."""

from __future__ import annotations

import math
import types
from functools import partial

from minigrad.optim.groups import set_rate
from minigrad.optim.one_cycle import Cycled
from minigrad.optim.scheduling import check_optimizer

MODES = "triangular", "triangular2", "exp_range"


class CyclicLR(Cycled):
    """Between `base_lr` and a height that stays, is halved in each cycle, or falls in each step."""

    def __init__(
        self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode="triangular",
        gamma=1.0, scale_fn=None, scale_mode="cycle", cycle_momentum=True, base_momentum=0.8,
        max_momentum=0.9, last_epoch=-1,
    ):  # fmt: skip
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs, first = self._each("base_lr", base_lr), last_epoch == -1
        for lr, group in zip(base_lrs, optimizer.param_groups, strict=True) if first else ():
            set_rate(group, lr)
        self.max_lrs = self._each("max_lr", max_lr)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in MODES and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma, self._scale_fn_custom = mode, gamma, scale_fn
        self.scale_mode = scale_mode
        self._init_scale_fn()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._bound_momentum(max_momentum, base_momentum, first)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _bound_momentum(self, most, least, first: bool) -> None:
        """Between which values it goes, from its most."""
        self._find_momentum()
        self.base_momentums = self._each("base_momentum", least)
        self.max_momentums = self._each("max_momentum", most)
        if first:
            self._begin_momentum(self.max_momentums, self.base_momentums)

    def _init_scale_fn(self) -> None:
        """What the height is scaled by, if no function is given: of a cycle, or of a step."""
        if self._scale_fn_custom is not None:
            return
        ways: dict = {
            "triangular": (self._triangular_scale_fn, "cycle"),
            "triangular2": (self._triangular2_scale_fn, "cycle"),
            "exp_range": (partial(self._exp_range_scale_fn, self.gamma), "iterations"),
        }
        self._scale_fn_ref, self.scale_mode = ways[self.mode]

    def scale_fn(self, x) -> float:
        """The share of the height in this cycle, or step."""
        return (self._scale_fn_custom or self._scale_fn_ref)(x)

    @staticmethod
    def _triangular_scale_fn(x: float) -> float:
        return 1.0

    @staticmethod
    def _triangular2_scale_fn(x: float) -> float:
        return 1 / 2.0 ** (x - 1)

    @staticmethod
    def _exp_range_scale_fn(gamma: float, x: float) -> float:
        return gamma**x

    def _rates(self):
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        at = 1.0 + self.last_epoch / self.total_size - cycle
        share = at / self.step_ratio if at <= self.step_ratio else (at - 1) / (self.step_ratio - 1)
        place = cycle if self.scale_mode == "cycle" else self.last_epoch
        bounds = zip(self.base_lrs, self.max_lrs, strict=True)
        rates = [low + (high - low) * share * self.scale_fn(place) for low, high in bounds]
        if self.cycle_momentum:
            bounds = zip(self.base_momentums, self.max_momentums, strict=True)
            new = [high - (high - low) * share * self.scale_fn(place) for low, high in bounds]
            for group, momentum in zip(self.optimizer.param_groups, new, strict=True):
                self._set_momentum(group, momentum)
        return rates

    def state_dict(self) -> dict:
        """All but the optimizer and the functions; of another callable what it consists of."""
        state, own = super().state_dict(), self._scale_fn_custom
        state.pop("_scale_fn_ref", None)
        del state["_scale_fn_custom"]  # it shall stand at the end
        plain = own is None or isinstance(own, types.FunctionType)
        return state | {"_scale_fn_custom": None if plain else dict(vars(own))}

    def load_state_dict(self, state: dict) -> None:
        own = state.pop("_scale_fn_custom")
        super().load_state_dict(state)
        if own is not None:
            vars(self._scale_fn_custom).update(own)
        self._init_scale_fn()
