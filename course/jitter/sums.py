"""Sums, and what is made of them (mean, var): their results are moved once, when they are whole.

numpy's methods come to one Python function, and `np.sum(x)` to another; both are in numpy's own
modules, and are put back by `stop`.
"""

from importlib import import_module
from typing import Any

import numpy as np

from . import exact, known, moves

_methods: Any = import_module("numpy._core._methods")
_named: Any = import_module("numpy._core.fromnumeric")
_own_sum, _own_wrap = np.add.reduce, _named._wrapreduction


def start(seed: str) -> None:
    def total(array, axis=None, dtype=None, out=None, *more, **named):
        given = np.asanyarray(array)
        before = given.copy() if out is not None and np.shares_memory(given, out) else given
        result = _own_sum(array, axis, dtype, out, *more, **named)
        return _moved(result, before, axis, named.get("where", more[2:3] or True), seed)

    def wrap(obj, ufunc, method, axis, dtype, out, **named):
        if ufunc is not np.add or type(obj) is not np.ndarray:
            return _own_wrap(obj, ufunc, method, axis, dtype, out, **named)
        given = {k: v for k, v in named.items() if v is not np._NoValue}
        return total(obj, axis, dtype, out, **given)

    _methods.umr_sum, _named._wrapreduction = total, wrap


def stop() -> None:
    _methods.umr_sum, _named._wrapreduction = _own_sum, _own_wrap


def _moved(result, array, axis, where, seed):
    """The result with a move that depends on all bytes of `array`; a float scalar is a new one."""
    if getattr(result, "dtype", None) is None or result.dtype.kind != "f":
        return result
    if where is not True and where != (True,):
        return result  # a sum of chosen elements: only the masked functions of numpy ask for it
    itemsize = result.dtype.itemsize
    if array.dtype.kind != "f" or array.ndim == 0 or itemsize not in moves.BITS:
        return result
    held = np.asarray(result)
    if isinstance(result, np.generic):
        held = held.copy()
    called = known.name(f"sum {axis}", array, held)
    if not known.give(called, held):
        fits = exact.total(array, axis, _plainly, itemsize).reshape(held.shape)
        start = moves.key(seed, "sum", axis, array.shape, np.ascontiguousarray(array).tobytes())
        places = np.arange(fits.size, dtype=np.uint32).reshape(held.shape)
        moves.move(held, moves.mixed(places, start), fits)
        known.keep(called, held)
    return held[()] if isinstance(result, np.generic) else result


def _plainly(array, axis):
    """The sum without a move, its axes kept with length 1."""
    return np.asarray(_own_sum(array, axis, keepdims=True))
