"""How many bytes live, how many have lived at once, and what a graph has saved of them.

Every number is the sum over the Storages that exist: exact, in bytes, always on.
"""

from __future__ import annotations

from minigrad.core import storage
from minigrad.core.messages import OutOfMemoryError
from minigrad.memory.budgets import budget
from minigrad.memory.counts import count_ops
from minigrad.memory.saves import saved
from minigrad.memory.scopes import scope
from minigrad.memory.workspace import workspace

__all__ = [
    "OutOfMemoryError", "budget", "count_ops", "max_memory_allocated", "memory_allocated",
    "reset_peak_memory_stats", "saved", "scope", "workspace",
]  # fmt: skip


def memory_allocated(device=None) -> int:
    """Bytes of all living storages."""
    return storage.live


def max_memory_allocated(device=None) -> int:
    """The most bytes that have lived at once since reset_peak_memory_stats().

    What PyTorch's formula of a backward holds for a moment counts (`Op.peak`). What numpy takes
    besides, inside of one call or for a layout of its own, does not: `workspace` tells of it.
    """
    return storage.peak


def reset_peak_memory_stats(device=None) -> None:
    """Let max_memory_allocated() start again from what lives now."""
    storage.reset_peak()
