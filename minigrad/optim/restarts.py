"""Rates that fall by a power of what is left, or along a cosine that begins again and again."""

from __future__ import annotations

import math

from minigrad.optim.scheduling import Schedule


class PolynomialLR(Schedule):
    """Down to 0 in `total_iters` epochs, as a power of the part that is left."""

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def _rates(self):
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._now()
        left = [1.0 - epoch / self.total_iters for epoch in (self.last_epoch, self.last_epoch - 1)]
        return self._now((left[0] / left[1]) ** self.power)

    def _get_closed_form_lr(self):
        past = min(self.total_iters, self.last_epoch) / self.total_iters
        return self._from_first((1.0 - past) ** self.power)


class CosineAnnealingWarmRestarts(Schedule):
    """Down to `eta_min` along a cosine in T_0 epochs, then anew, `T_mult` times as slowly."""

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1):
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            kind = type(eta_min)
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {kind}")
        self.T_0, self.T_i, self.T_mult, self.eta_min = T_0, T_0, T_mult, eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def _rates(self):
        height, least = 1 + math.cos(math.pi * self.T_cur / self.T_i), self.eta_min
        return [least + (lr - least) * height / 2 for lr in self.base_lrs]

    def step(self, epoch=None) -> None:
        """One epoch on, or to one that is told, which may be a part of one."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur, self.T_i = self.T_cur % self.T_i, self.T_i * self.T_mult
        else:
            self._go_to(epoch)
        self.last_epoch = math.floor(epoch)
        self._set(self.get_lr)

    def _go_to(self, epoch) -> None:
        """Where in which cosine this epoch is."""
        if epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**n
