"""What programs set at their beginning, and what changes nothing here: it is remembered."""

from __future__ import annotations

import os

from minigrad.core.words import expected, kind_of

__version__ = "2.13.0+minigrad"  # that of the PyTorch whose twin minigrad is, and who says so
_deterministic = False, False
_threads = int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1)


class version:
    """torch.version: no library of a GPU's is built in."""

    __version__, debug = __version__, False
    cuda = hip = None


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Every algorithm here gives the same numbers each time; it is remembered that one asked."""
    global _deterministic
    if not isinstance(mode, bool):
        raise TypeError(
            "_set_deterministic_algorithms(): argument 'mode' (position 1) must be bool, not "
            f"{kind_of(mode)}"
        )
    _deterministic = mode, mode and expected(warn_only, bool, "warn_only", "bool")


def are_deterministic_algorithms_enabled() -> bool:
    return _deterministic[0]


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    return _deterministic[1]


def get_num_threads() -> int:
    """The number that was set; at first as many as OMP_NUM_THREADS says, or there are cores."""
    return _threads


def set_num_threads(num: int) -> None:
    """NumPy decides by itself how many threads it uses; the number is remembered."""
    global _threads
    if type(num) is not int:
        raise RuntimeError(f"set_num_threads expects an int, but got {kind_of(num)}")
    if num <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")
    _threads = num
