"""What learning rates that change have in common: who steps, who is told, what is stored."""

from __future__ import annotations

import functools
import weakref

from minigrad.core.frames import warn
from minigrad.optim.optimizer import Optimizer

TOO_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, "
    "you should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  "
    "Failure to do this will result in PyTorch skipping the first value of the learning rate "
    "schedule. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)
NO_FIRST = (
    "param 'initial_lr' is not specified in param_groups[{}] when resuming scheduler with "
    "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from a "
    "checkpoint but haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 "
    "for a fresh training run (not recommended)"
)


def _follow(optimizer) -> None:
    """Let the optimizer note that it steps, be it by a step() of its own class."""
    if "has_stepped" in vars(optimizer):
        return
    own, step = weakref.ref(optimizer), optimizer.step.__func__  # weak: no ring keeps it alive

    @functools.wraps(step)
    def noted(*args, **kwargs):
        it = own()
        vars(it)["has_stepped"] = True
        return step(it, *args, **kwargs)

    vars(optimizer).update(has_stepped=False, step=noted)


def check_optimizer(optimizer) -> None:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


class LRScheduler:
    """Derive from this: get_lr() says from last_epoch and the optimizer's groups what comes."""

    def __init__(self, optimizer, last_epoch: int = -1):
        check_optimizer(optimizer)
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(NO_FIRST.format(i))
        _follow(optimizer)
        self.optimizer, self.last_epoch = optimizer, last_epoch
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self._step_count = 0
        self._advance()

    def step(self) -> None:
        """One epoch on."""
        if self._step_count == 1 and not vars(self.optimizer).get("has_stepped"):
            warn(TOO_EARLY)
        self._advance()

    def _advance(self) -> None:
        self._step_count += 1
        self.last_epoch += 1
        rates = self.get_lr()
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = lr
        self._last_lr = rates

    def get_lr(self) -> list:
        raise NotImplementedError

    def get_last_lr(self) -> list:
        """What the last step() has set."""
        return self._last_lr

    def _now(self, factor: float = 1) -> list:
        """The rates as they are, times a factor."""
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def state_dict(self) -> dict:
        """All but the optimizer."""
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state: dict) -> None:
        vars(self).update(state)
