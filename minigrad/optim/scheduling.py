"""What learning rates that change have in common: who steps, who is told, what is stored."""

from __future__ import annotations

from collections.abc import Callable

from minigrad.core.frames import warn
from minigrad.optim.groups import rate, set_rate
from minigrad.optim.hooks import follow
from minigrad.optim.optimizer import Optimizer

OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler "
    "initialization. Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`. "
    "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)
TOO_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, "
    "you should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  "
    "Failure to do this will result in PyTorch skipping the first value of the learning rate "
    "schedule. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)
OLD_EPOCH = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where "
    "possible. Please use `scheduler.step()` to step the scheduler. During the deprecation, if "
    "epoch is different from None, the closed form is used instead of the new chainable form, "
    "where available. Please open an issue if you are unable to replicate your use case: "
    "https://github.com/pytorch/pytorch/issues/new/choose."
)
OUTSIDE = "To get the last learning rate computed by the scheduler, please use `get_last_lr()`."
NO_FIRST = (
    "param 'initial_lr' is not specified in param_groups[{}] when resuming scheduler with "
    "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from a "
    "checkpoint but haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 "
    "for a fresh training run (not recommended)"
)


def check_optimizer(optimizer) -> None:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


class LRScheduler:
    """Derive from this: get_lr() says from last_epoch and the optimizer's groups what comes."""

    def __init__(self, optimizer, last_epoch: int = -1):
        check_optimizer(optimizer)
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", rate(group))
            elif "initial_lr" not in group:
                raise KeyError(NO_FIRST.format(i))
        follow(optimizer)
        self.optimizer = optimizer
        self.base_lrs = [rate(group, "initial_lr") for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._initial_step()

    def _initial_step(self) -> None:
        """Set the rates to begin with."""
        self._step_count, self._is_initial = 0, True
        self.step()
        self._is_initial = False

    def step(self, epoch: int | None = None) -> None:
        """One epoch on; older programs say which one it is."""
        if self._step_count == 1 and not hasattr(self.optimizer.step, "followed"):
            warn(OVERRIDDEN)
        elif self._step_count == 1 and not hasattr(self.optimizer, "has_stepped"):
            warn(TOO_EARLY)
        self._step_count += 1
        if epoch is not None:
            warn(OLD_EPOCH)
        self._update_lr(epoch)

    def _update_lr(self, epoch=None) -> None:
        self._set(lambda: self._at(epoch))

    def _set(self, rates) -> None:
        """Let the groups have what rates() gives, which may ask get_lr(): a step is being made."""
        self._get_lr_called_within_step = True
        try:
            new = rates()
        finally:
            self._get_lr_called_within_step = False
        for group, lr in zip(self.optimizer.param_groups, new, strict=True):
            set_rate(group, lr)
        self._last_lr = [rate(group) for group in self.optimizer.param_groups]

    def _at(self, epoch) -> list:
        """The rates of the next epoch; of one that is told, by a formula of it alone if there is
        one."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        closed = None if epoch is None else getattr(self, "_get_closed_form_lr", None)
        return (closed or self.get_lr)()

    def get_lr(self) -> list:
        raise NotImplementedError

    def get_last_lr(self) -> list:
        """What the last step() has set."""
        return self._last_lr

    def _from_first(self, factor: float) -> list:
        """The rates that there were at first, times a factor."""
        return [lr * factor for lr in self.base_lrs]

    def _now(self, factor: float = 1) -> list:
        """The rates as they are, times a factor."""
        return [rate(group) * factor for group in self.optimizer.param_groups]

    def state_dict(self) -> dict:
        """All but the optimizer."""
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state: dict) -> None:
        vars(self).update(state)


class Schedule(LRScheduler):
    """What the kinds of lr_scheduler.py derive from: `_rates()` says what get_lr() gives."""

    _rates: Callable

    def get_lr(self) -> list:
        """The rates of this epoch; it counts on being called by step()."""
        if not self._get_lr_called_within_step:
            warn(OUTSIDE)
        return self._rates()
