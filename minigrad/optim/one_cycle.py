"""A learning rate that goes up once and down again, batch by batch; the momentum the other way."""

from __future__ import annotations

import math

from minigrad.optim.scheduling import Schedule, check_optimizer

SIZES = (
    "{0} must have the same length as optimizer.param_groups. "
    "{0} has {1} values, param_groups has {2}."
)
NO_STEPS = "You must define either total_steps OR (epochs AND steps_per_epoch)"
NO_MOMENTUM = "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
TOO_FAR = "Tried to step {} times. The specified number of total steps is {}"
UP = "initial_lr", "max_lr", "max_momentum", "base_momentum"
BACK = "max_lr", "initial_lr", "base_momentum", "max_momentum"
DOWN = "max_lr", "min_lr", "base_momentum", "max_momentum"
OUT = "initial_lr", "min_lr", "max_momentum", "max_momentum"


def cosine(start, end, share):
    return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)


def straight(start, end, share):
    return (end - start) * share + start


WAYS = {"cos": cosine, "linear": straight}


def check_way(name: str) -> None:
    if name not in WAYS:
        wanted = "anneal_strategy must be one of 'cos' or 'linear', instead got "
        raise ValueError(f"{wanted}{name}")


def for_each(groups, name: str, values) -> list:
    """One value for each group."""
    if not isinstance(values, (list, tuple)):
        return [values] * len(groups)
    if len(values) != len(groups):
        raise ValueError(SIZES.format(name, len(values), len(groups)))
    return list(values)


class Cycled(Schedule):
    """What goes up and down, with the momentum the other way: each group has its own bounds."""

    use_beta1: bool

    def _each(self, name: str, values) -> list:
        return for_each(self.optimizer.param_groups, name, values)

    def _find_momentum(self) -> None:
        """By which of its options the optimizer has one."""
        defaults = self.optimizer.defaults
        if "momentum" not in defaults and "betas" not in defaults:
            raise ValueError(NO_MOMENTUM)
        self.use_beta1 = "betas" in defaults

    def _begin_momentum(self, most: list, least: list) -> None:
        """The most of it, and in each group a note of both bounds."""
        for group, high, low in zip(self.optimizer.param_groups, most, least, strict=True):
            self._set_momentum(group, high)
            group["max_momentum"], group["base_momentum"] = high, low

    def _set_momentum(self, group, value) -> None:
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value


class OneCycleLR(Cycled):
    """Up to `max_lr` in a share of the steps, and down far below where it began in the others."""

    def __init__(
        self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None,
        pct_start: float = 0.3, anneal_strategy: str = "cos", cycle_momentum: bool = True,
        base_momentum=0.85, max_momentum=0.95, div_factor: float = 25.0,
        final_div_factor: float = 1e4, three_phase: bool = False, last_epoch: int = -1,
    ):  # fmt: skip
        check_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = counted(total_steps, epochs, steps_per_epoch)
        self._schedule_phases = phases(pct_start, self.total_steps, three_phase)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        check_way(anneal_strategy)
        self._anneal_func_type, first = anneal_strategy, last_epoch == -1
        self._bound_rates(self._each("max_lr", max_lr), div_factor, final_div_factor, first)
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._bound_momentum(max_momentum, base_momentum, first)
        super().__init__(optimizer, last_epoch)

    def _bound_rates(self, most, div_factor, final_div_factor, first: bool) -> None:
        """Note in each group between which rates it goes."""
        for group, lr in zip(self.optimizer.param_groups, most, strict=True) if first else ():
            group["initial_lr"] = lr / div_factor
            group["max_lr"] = lr
            group["min_lr"] = group["initial_lr"] / final_div_factor

    def _bound_momentum(self, most, least, first: bool) -> None:
        """The same of the momentum, which begins at its most."""
        self._find_momentum()
        bounds = self._each("max_momentum", most), self._each("base_momentum", least)
        if first:
            self._begin_momentum(*bounds)

    def _rates(self):
        step, start = self.last_epoch, 0.0
        if step > self.total_steps:
            raise ValueError(TOO_FAR.format(step, self.total_steps))
        for phase in self._schedule_phases:
            end = phase["end_step"]
            if step <= end or phase is self._schedule_phases[-1]:
                break
            start = end
        share = (step - start) / (end - start)
        return [self._in_phase(group, phase, share) for group in self.optimizer.param_groups]

    def _in_phase(self, group, phase, share):
        """The group's rate after this share of the phase; its momentum is set on the way."""
        way = WAYS[self._anneal_func_type]
        lr = way(group[phase["start_lr"]], group[phase["end_lr"]], share)
        if self.cycle_momentum:
            ends = group[phase["start_momentum"]], group[phase["end_momentum"]]
            self._set_momentum(group, way(*ends, share))
        return lr


def counted(total_steps, epochs, steps_per_epoch) -> int:
    """How many steps there will be."""
    if total_steps is not None:
        given = {"total_steps": total_steps}
    elif epochs is not None and steps_per_epoch is not None:
        given = {"epochs": epochs, "steps_per_epoch": steps_per_epoch}
    else:
        raise ValueError(NO_STEPS)
    for name, value in given.items():
        if value <= 0 or not isinstance(value, int):
            raise ValueError(f"Expected positive integer {name}, but got {value}")
    return math.prod(given.values())


def phases(share: float, steps: int, three: bool) -> list:
    """What goes from where to where, and until which step; named as PyTorch's state names it."""
    names = "end_step", "start_lr", "end_lr", "start_momentum", "end_momentum"
    up = (float(share * steps) - 1, *UP)
    rest = (
        [(float(2 * share * steps) - 2, *BACK), (steps - 1, *OUT)]
        if three
        else [(steps - 1, *DOWN)]
    )
    return [dict(zip(names, row, strict=True)) for row in [up, *rest]]
