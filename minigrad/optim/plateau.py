"""A learning rate that falls when a figure, such as the loss, has stopped getting better."""

from __future__ import annotations

from math import inf
from typing import Any

from minigrad.core.frames import warn
from minigrad.optim.groups import set_rate
from minigrad.optim.scheduling import OLD_EPOCH, LRScheduler, check_optimizer

OTHER_GROUPS = (
    "The number of param groups in the `optimizer` ({}) differs from when `ReduceLROnPlateau` was "
    "initialized ({}), usually due to a new param group being added to the optimizer. Please "
    "modify the `min_lrs` field to match the length of the `optimizer` param groups."
)


class ReduceLROnPlateau(LRScheduler):
    """Times `factor` when more than `patience` epochs in a row were no better than the best."""

    def __init__(
        self, optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10,
        threshold: float = 1e-4, threshold_mode: str = "rel", cooldown: int = 0, min_lr: Any = 0,
        eps: float = 1e-8,
    ):  # fmt: skip
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        check_optimizer(optimizer)
        self.factor, self.optimizer = factor, optimizer
        groups, several = len(optimizer.param_groups), isinstance(min_lr, (list, tuple))
        if several and len(min_lr) != groups:
            raise ValueError(f"expected {groups} min_lrs, got {len(min_lr)}")
        self.default_min_lr = None if several else min_lr
        self.min_lrs = list(min_lr) if several else [min_lr] * groups
        self.patience, self.cooldown, self.eps = patience, cooldown, eps
        self.last_epoch, self._last_lr = 0, self._now()
        self._judge_by(mode, threshold, threshold_mode)
        self.best, self.cooldown_counter, self.num_bad_epochs = self.mode_worse, 0, 0

    def _judge_by(self, mode, threshold, threshold_mode) -> None:
        if mode not in {"min", "max"}:
            raise ValueError("mode " + mode + " is unknown!")
        if threshold_mode not in {"rel", "abs"}:
            raise ValueError("threshold mode " + threshold_mode + " is unknown!")
        self.mode_worse = inf if mode == "min" else -inf
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode

    def is_better(self, figure: float) -> bool:
        """By more than the threshold."""
        sign = 1 if self.mode == "max" else -1
        if self.threshold_mode == "rel":
            bound = self.best * (1.0 + sign * self.threshold)
        else:
            bound = self.best + sign * self.threshold
        return figure > bound if self.mode == "max" else figure < bound

    @property
    def in_cooldown(self) -> bool:
        """Epochs right after a fall are not counted."""
        return self.cooldown_counter > 0

    def step(self, metrics, epoch=None) -> None:  # type: ignore[override]
        """One epoch on; this is the figure that it ended with."""
        figure = float(metrics)
        if epoch is not None:
            warn(OLD_EPOCH)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self.is_better(figure):
            self.best, self.num_bad_epochs = figure, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._fall()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = self._now()

    def _fall(self) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(OTHER_GROUPS.format(len(groups), len(self.min_lrs)))
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, least in zip(groups, self.min_lrs, strict=True):
            old = float(group["lr"])
            new = max(old * self.factor, least)
            if old - new > self.eps:
                set_rate(group, new)

    def load_state_dict(self, state: dict) -> None:
        super().load_state_dict(state)
        self._judge_by(self.mode, self.threshold, self.threshold_mode)
