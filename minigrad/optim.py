"""Optimizers: they read `.grad` and write into the parameters, outside every graph."""

from __future__ import annotations

from minigrad.autograd.modes import no_grad
from minigrad.nn.module import clear_grads

BLOCK = 16384  # elements: a step in blocks makes no temporary as big as a weight


class SGD:
    """parameter -= lr * gradient."""

    def __init__(self, params, lr: float = 1e-3):
        self.params = list(params)
        if not self.params:
            raise ValueError("optimizer got an empty parameter list")
        self.lr = lr

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients, or fill them with zeros."""
        clear_grads(self.params, set_to_none)

    @no_grad()
    def step(self) -> None:
        """Move every parameter that has a gradient."""
        for p in self.params:
            if p._grad is not None:
                self._move(p)

    def _move(self, p) -> None:
        values, slopes = p._array.reshape(-1), p._grad._array.reshape(-1)
        for start in range(0, values.size, BLOCK):
            block = slice(start, start + BLOCK)
            values[block] -= self.lr * slopes[block]
        p._storage.version += 1
