"""Does anybody else hold this gradient? If not, the engine may keep it instead of copying it.

The answer is a reference count, which depends on the Python version and on how many frames the
tensor passed through; so the number that means "alone" is measured when this file is imported,
on the very path that the engine takes.
"""

from __future__ import annotations

import sys

_count = sys.getrefcount


class _Thing:
    """Stands for a tensor and for a Storage in the measurement."""

    _storage: _Thing


def only_mine(tensor) -> bool:
    """True if the caller of the caller holds the one reference to `tensor`.

    Its bytes may be shared: as in PyTorch, `x.view(n).backward(g)` makes `x.grad` a view of `g`.
    """
    return _count(tensor) <= _alone


def alone_in(buffer: list, number: int) -> bool:
    """True if `buffer` holds the one reference to its tensor, and that to its bytes."""
    return _count(buffer[number]) <= _listed and _count(buffer[number]._storage) <= _shared


class _Probe:
    """The path of a gradient: popped by apply(), handed to accumulate(), asked about there."""

    def apply(self, grads):
        grad = grads.pop()
        return self.accumulate(grad)

    def accumulate(self, grad):
        return _measure(grad)


def _measure(tensor):
    return _count(tensor), _count(tensor._storage)


def _calibrate():
    thing = _Thing()
    thing._storage = _Thing()
    grads = [thing]
    del thing
    listed = _count(grads[0])
    return *_Probe().apply(grads), listed


_alone, _shared, _listed = _calibrate()
