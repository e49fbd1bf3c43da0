"""Several schedules of one optimizer: one after the other, or all at once."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from minigrad.optim.groups import rate, set_rate
from minigrad.optim.plateau import ReduceLROnPlateau
from minigrad.optim.scheduling import LRScheduler

PLATEAU = (
    "{} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be "
    "specified when calling `step`, but got one at index {} in the given schedulers sequence."
)
OTHER_OPTIMIZER = (
    "{} expects all schedulers to belong to the same optimizer, but got scheduler {} at index {} "
    "has {}, which is different from {}."
)
OTHER_COUNT = (
    "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
    "milestone points, but got number of schedulers {} and the number of milestones to be equal to "
    "{}"
)


class _Several(LRScheduler):
    """What those of several schedules have in common: who they are made of, and their state."""

    _schedulers: Any

    def _check(self, optimizer, schedulers) -> None:
        own = type(self).__name__
        for i, one in enumerate(schedulers):
            if not hasattr(one, "optimizer"):
                raise TypeError(f"{own} at index {i} should have `optimizer` as its attribute.")
            if isinstance(one, ReduceLROnPlateau):
                raise ValueError(PLATEAU.format(own, i))
            if optimizer != one.optimizer:
                names = type(one).__name__, i, one.optimizer, type(optimizer).__name__
                raise ValueError(OTHER_OPTIMIZER.format(own, *names))

    def state_dict(self) -> dict:
        """All but the optimizer, with the states of the schedules."""
        state = super().state_dict()
        del state["_schedulers"]  # it shall stand at the end
        return state | {"_schedulers": [one.state_dict() for one in self._schedulers]}

    def load_state_dict(self, state: dict) -> None:
        states = state.pop("_schedulers")
        super().load_state_dict(state)
        state["_schedulers"] = states
        for i, one in enumerate(states):
            self._schedulers[i].load_state_dict(one)


class SequentialLR(_Several):
    """One schedule until the first milestone, then the next, which begins there."""

    def __init__(self, optimizer, schedulers, milestones, last_epoch: int = -1):
        if len(schedulers) < 1:
            name = type(self).__name__
            raise ValueError(f"{name} expects at least one scheduler, but got no scheduler.")
        self._check(optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(OTHER_COUNT.format(len(schedulers), len(milestones)))
        self._schedulers, self._milestones = schedulers, milestones
        self.last_epoch, self.optimizer = last_epoch + 1, optimizer
        for group in optimizer.param_groups:
            set_rate(group, group["initial_lr"])
        self.recursive_undo()
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched=None) -> None:
        """Take back the step that each schedule has made when it was made."""
        given = self if sched is None else sched
        if hasattr(given, "_schedulers"):
            for one in given._schedulers:
                self.recursive_undo(one)
        elif hasattr(given, "last_epoch"):
            given.last_epoch -= 1

    def step(self) -> None:  # type: ignore[override]
        """One epoch on."""
        self.last_epoch += 1
        turn = bisect_right(self._milestones, self.last_epoch)
        one = self._schedulers[turn]
        if turn > 0 and self._milestones[turn - 1] == self.last_epoch:
            one._update_lr(0)
        else:
            one.step()
        self._last_lr = one.get_last_lr()


class ChainedScheduler(_Several):
    """All schedules in each epoch, each on what the one before it has set."""

    def __init__(self, schedulers, optimizer=None):
        if len(schedulers) < 1:
            text = "expects at least one scheduler to be chained, but got no scheduler."
            raise ValueError(f"{type(self).__name__} {text}")
        optimizer = optimizer or schedulers[0].optimizer
        self._check(optimizer, schedulers)
        self._schedulers, self.optimizer = schedulers, optimizer
        self._note()

    def _note(self) -> None:
        groups = self._schedulers[-1].optimizer.param_groups
        self._last_lr = [rate(group) for group in groups]

    def step(self) -> None:  # type: ignore[override]
        """One epoch on."""
        for one in self._schedulers:
            one.step()
        self._note()
