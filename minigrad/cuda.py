"""The part of torch.cuda that needs no GPU: is there one, and how many bytes are allocated?"""

from __future__ import annotations

from minigrad.errors import OutOfMemoryError
from minigrad.memory import max_memory_allocated, memory_allocated, reset_peak_memory_stats

__all__ = [
    "OutOfMemoryError",
    "is_available",
    "max_memory_allocated",
    "memory_allocated",
    "reset_peak_memory_stats",
]


def is_available() -> bool:
    """True if tensors can be put on a GPU."""
    return False
