"""Learning rates that change from epoch to epoch: call step() after the optimizer's own."""

from __future__ import annotations

import math
import types
from bisect import bisect_right
from collections import Counter

from minigrad.optim.cycles import CyclicLR
from minigrad.optim.in_turn import ChainedScheduler, SequentialLR
from minigrad.optim.one_cycle import OneCycleLR
from minigrad.optim.plateau import ReduceLROnPlateau
from minigrad.optim.restarts import CosineAnnealingWarmRestarts, PolynomialLR
from minigrad.optim.scheduling import LRScheduler, Schedule

__all__ = [
    "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts",
    "CyclicLR", "ExponentialLR", "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR",
    "MultiplicativeLR", "OneCycleLR", "PolynomialLR", "ReduceLROnPlateau", "SequentialLR", "StepLR",
]  # fmt: skip


class _LRScheduler(LRScheduler):
    """The name that older programs derive their own from."""


class StepLR(Schedule):
    """Times `gamma` every `step_size` epochs."""

    def __init__(self, optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def _rates(self):
        turn = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return self._now(self.gamma if turn else 1)

    def _get_closed_form_lr(self):
        return self._from_first(self.gamma ** (self.last_epoch // self.step_size))


class MultiStepLR(Schedule):
    """Times `gamma` at each of the milestones."""

    def __init__(self, optimizer, milestones, gamma: float = 0.1, last_epoch: int = -1):
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def _rates(self):
        turns = self.milestones[self.last_epoch]
        return self._now(self.gamma**turns if turns else 1)

    def _get_closed_form_lr(self):
        turns = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return self._from_first(self.gamma**turns)


class ExponentialLR(Schedule):
    """Times `gamma` in each epoch."""

    def __init__(self, optimizer, gamma: float, last_epoch: int = -1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _rates(self):
        return self._now(1 if self._is_initial else self.gamma)

    def _get_closed_form_lr(self):
        return self._from_first(self.gamma**self.last_epoch)


class _ByFunction(Schedule):
    """By a function of the epoch, or one for each group."""

    def __init__(self, optimizer, lr_lambda, last_epoch: int = -1):
        self.optimizer, groups = optimizer, len(optimizer.param_groups)
        several = isinstance(lr_lambda, (list, tuple))
        self.lr_lambdas = list(lr_lambda) if several else [lr_lambda] * groups
        if len(self.lr_lambdas) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer, last_epoch)

    def times(self, rates) -> list:
        pairs = zip(self.lr_lambdas, rates, strict=True)
        return [lr * factor(self.last_epoch) for factor, lr in pairs]

    def state_dict(self) -> dict:
        """All but the optimizer and the functions; of other callables what they consist of."""
        plain = types.FunctionType
        kept = [None if isinstance(f, plain) else dict(vars(f)) for f in self.lr_lambdas]
        state = super().state_dict()
        del state["lr_lambdas"]  # it shall stand at the end
        return state | {"lr_lambdas": kept}

    def load_state_dict(self, state: dict) -> None:
        kept = state["lr_lambdas"]
        super().load_state_dict({name: one for name, one in state.items() if name != "lr_lambdas"})
        for factor, attributes in zip(self.lr_lambdas, kept, strict=True):
            if attributes is not None:
                vars(factor).update(attributes)


class LambdaLR(_ByFunction):
    """The first rate times lr_lambda(epoch)."""

    def _rates(self):
        return self.times(self.base_lrs)


class MultiplicativeLR(_ByFunction):
    """Each epoch the rate that stands there times lr_lambda(epoch)."""

    def __init__(self, optimizer, lr_lambda, last_epoch: int = -1):
        several = isinstance(lr_lambda, (list, tuple))
        for factor in lr_lambda if several else [lr_lambda]:
            if not callable(factor):
                kind = type(factor).__name__
                raise TypeError(f"lr_lambda should be a function, but got {kind}")
        super().__init__(optimizer, lr_lambda, last_epoch)

    def _rates(self):
        return self._now() if self._is_initial else self.times(self._now())


class CosineAnnealingLR(Schedule):
    """Down to `eta_min` in `T_max` epochs, along a cosine, and up again."""

    def __init__(self, optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def _rates(self):
        epoch, most, least = self.last_epoch, self.T_max, self.eta_min
        if self._is_initial:
            return self._now()
        if self._step_count == 1 and epoch > 0:
            return self._get_closed_form_lr()
        if (epoch - 1 - most) % (2 * most) == 0:
            rise = (1 - math.cos(math.pi / most)) / 2
            first = zip(self.base_lrs, self._now(), strict=True)
            return [lr + (base - least) * rise for base, lr in first]
        heights = [1 + math.cos(math.pi * n / most) for n in (epoch, epoch - 1)]
        return [heights[0] / heights[1] * (lr - least) + least for lr in self._now()]

    def _get_closed_form_lr(self):
        height, least = 1 + math.cos(math.pi * self.last_epoch / self.T_max), self.eta_min
        return [least + (lr - least) * height / 2 for lr in self.base_lrs]


class ConstantLR(Schedule):
    """Times `factor` until epoch `total_iters`, and then as it was."""

    def __init__(
        self, optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ):
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def _rates(self):
        if self.last_epoch == 0:
            return self._now(self.factor)
        return self._now(1.0 / self.factor if self.last_epoch == self.total_iters else 1)

    def _get_closed_form_lr(self):
        over = self.last_epoch >= self.total_iters
        return self._from_first(self.factor + over * (1 - self.factor))


class LinearLR(Schedule):
    """Times a factor that goes from `start_factor` to `end_factor` in `total_iters` epochs."""

    def __init__(
        self, optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0,
        total_iters: int = 5, last_epoch: int = -1,
    ):  # fmt: skip
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal to "
                "1."
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor = start_factor, end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _rates(self):
        epoch, rise = self.last_epoch, self.end_factor - self.start_factor
        if epoch == 0:
            return self._now(self.start_factor)
        if self._is_initial or epoch > self.total_iters:
            return self._now()
        return self._now(1.0 + rise / (self.total_iters * self.start_factor + (epoch - 1) * rise))

    def _get_closed_form_lr(self):
        rise = (self.end_factor - self.start_factor) * min(self.total_iters, self.last_epoch)
        return self._from_first(self.start_factor + rise / self.total_iters)
