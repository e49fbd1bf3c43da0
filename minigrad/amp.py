"""torch.amp without autocast: the loss is scaled up, and the gradients are scaled down again."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from minigrad.core.dtypes import float32
from minigrad.core.modes import no_grad
from minigrad.ops.ranges import full

NOT_BEGUN = (
    "Attempted {} but _scale is None.  This may indicate your script did not use "
    "scaler.scale(loss or outputs) earlier in the iteration."
)
READY, UNSCALED, STEPPED = "ready", "unscaled", "stepped"


class GradScaler:
    """Scales a loss up; a step whose gradients are not finite is left out, and the scale sinks."""

    def __init__(
        self, device="cuda", init_scale=2.0**16, growth_factor=2.0, backoff_factor=0.5,
        growth_interval=2000, enabled=True,
    ):  # fmt: skip
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._enabled, self._first = enabled, init_scale
        self._scale: Any = None
        self._growth, self._backoff, self._interval = growth_factor, backoff_factor, growth_interval
        self._good, self._stages, self._finite = 0, defaultdict(lambda: READY), {}

    def is_enabled(self) -> bool:
        return self._enabled

    def get_scale(self) -> float:
        """1.0 if it is not enabled."""
        if not self._enabled:
            return 1.0
        return self._first if self._scale is None else self._scale.item()

    def scale(self, outputs):
        """The outputs, or several in a list or a tuple, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, (list, tuple)):
            return type(outputs)(map(self.scale, outputs))
        if self._scale is None:
            self._scale = full((), self._first, dtype=float32)
        return outputs * self._scale

    def _check(self, what) -> None:
        if self._scale is None:
            raise AssertionError(NOT_BEGUN.format(what))

    @no_grad()
    def unscale_(self, optimizer) -> None:
        """Divide the gradients by the scale, and see whether they are finite."""
        if not self._enabled:
            return
        self._check("unscale_")
        if self._stages[id(optimizer)] is UNSCALED:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        if self._stages[id(optimizer)] is STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        grads = [p.grad for group in optimizer.param_groups for p in group["params"]]
        grads = [grad for grad in grads if grad is not None]
        for grad in grads:
            grad.mul_(self._scale.reciprocal())
        self._finite[id(optimizer)] = all(bool(grad.isfinite().all()) for grad in grads)
        self._stages[id(optimizer)] = UNSCALED

    def step(self, optimizer, *args, **kwargs):
        """The optimizer's step, unless a gradient is not finite."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        self._check("step")
        if self._stages[id(optimizer)] is STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if self._stages[id(optimizer)] is READY:
            self.unscale_(optimizer)
        self._stages[id(optimizer)] = STEPPED
        return optimizer.step(*args, **kwargs) if self._finite[id(optimizer)] else None

    def update(self, new_scale=None) -> None:
        """The scale of the next turn: less after a gradient that was not finite."""
        if not self._enabled:
            return
        self._check("update")
        if new_scale is not None:
            self._scale.fill_(new_scale)
        elif not self._finite:
            raise AssertionError("No inf checks were recorded prior to update.")
        elif all(self._finite.values()):
            self._good += 1
            if self._good == self._interval:
                self._scale.mul_(self._growth)
                self._good = 0
        else:
            self._scale.mul_(self._backoff)
            self._good = 0
        self._stages.clear()
        self._finite.clear()
