"""Which GPU there is: a card through CuPy, one that `cuda.simulate` plays, or none, and why.

Whatever it is, the engine asks it the same few things: `put` and `get` arrays, `full`, `strided`,
and the bytes of its pool. Its arrays answer to operators, methods and numpy's functions.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

NO_CUPY = "CuPy is not installed: pip install -e '.[gpu]' on a machine with an NVIDIA card"
CPU_ONLY = "MINIGRAD_BACKEND=numpy is set: unset it to look for a GPU"
FAILED = "CuPy is installed, but a first matrix product on the GPU failed: {}: {}"
kinds: set = set()  # the classes of arrays on a GPU: no real ones until one is asked for
started: list = []  # the simulated ones that run now; the last one is used
_card: Any = None
_reason = ""


def current() -> Any:
    """The GPU to use, or None; `why_not()` then says why."""
    return started[-1] if started else real()


def in_use() -> Any:
    """The GPU that was found or started, or None: asking looks for none."""
    return started[-1] if started else _card


def real() -> Any:
    """The card that CuPy computes on, or None. Only the first call looks for it."""
    global _card, _reason
    if _card is None and not _reason:
        try:
            _card = _probed()
        except Exception as error:  # whatever a driver, a library or a card has to complain of
            _reason = _explained(error)
    return _card


def why_not() -> str:
    """One sentence that says why there is no GPU; "" if there is one."""
    return "" if current() is not None else _reason


def of(array) -> Any:
    """The GPU that this array lives on."""
    return getattr(array, "gpu", None) or real()


def _probed():
    if os.environ.get("MINIGRAD_BACKEND") == "numpy":
        raise RuntimeError(CPU_ONLY)
    from minigrad.gpu.card import Card

    found = Card()
    ones = found.put(np.ones((8, 8), np.float32))
    if not (found.get(ones @ ones) == 8).all():  # a card without its libraries fails here at last
        raise ArithmeticError("8 x 8 ones times ones is not 8 everywhere")
    kinds.add(found.kind)
    return found


def _explained(error) -> str:
    if isinstance(error, ModuleNotFoundError):
        return NO_CUPY
    if str(error) == CPU_ONLY:
        return CPU_ONLY
    return FAILED.format(type(error).__name__, " ".join(str(error).split()))
