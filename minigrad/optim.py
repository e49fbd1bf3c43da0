"""Optimizers: they read `.grad` and write into the parameters, outside every graph."""

from __future__ import annotations

from minigrad.autograd.modes import no_grad
from minigrad.nn.module import clear_grads

BLOCK = 16384  # elements: a step in blocks makes no temporary as big as a weight


class SGD:
    """parameter -= lr * (gradient + weight_decay * parameter), with momentum if wanted."""

    def __init__(self, params, lr: float = 1e-3, momentum: float = 0, weight_decay: float = 0):
        self.params = list(params)
        if not self.params:
            raise ValueError("optimizer got an empty parameter list")
        if lr < 0:
            raise ValueError(f"Invalid learning rate: {lr}")
        self.lr, self.momentum, self.weight_decay = lr, momentum, weight_decay
        self.velocities: dict = {}  # one buffer of a parameter's bytes each, if there is momentum

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients, or fill them with zeros."""
        clear_grads(self.params, set_to_none)

    @no_grad()
    def step(self) -> None:
        """Move every parameter that has a gradient."""
        for p in self.params:
            if p._grad is not None:
                self._move(p, self._velocity(p))
                p._storage.version += 1

    def _velocity(self, p):
        if not self.momentum:
            return None
        return self.velocities.setdefault(p, p._new(p._array * 0))._array.reshape(-1)

    def _move(self, p, velocity) -> None:
        values, slopes = p._array.reshape(-1), p._grad._array.reshape(-1)
        for start in range(0, values.size, BLOCK):
            block = slice(start, start + BLOCK)
            step = slopes[block]
            if self.weight_decay:
                step = step + self.weight_decay * values[block]
            if velocity is not None:
                velocity[block] *= self.momentum
                velocity[block] += step
                step = velocity[block]
            values[block] -= self.lr * step
