"""torch.cuda, as far as the lessons go: is there a GPU, and what does its pool say of the bytes?

On a GPU, real or simulated, `memory_allocated` is what the pool has handed out: each storage in
whole steps of 512 bytes. Where there is none, these functions speak of the ledger, byte by byte.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from minigrad import gpu, memory
from minigrad.core.backend import require
from minigrad.core.messages import OutOfMemoryError
from minigrad.gpu.simulated import simulate

__all__ = [
    "OutOfMemoryError", "device_count", "empty_cache", "get_device_name", "get_rng_state",
    "is_available", "is_initialized", "manual_seed", "manual_seed_all", "max_memory_allocated",
    "mem_get_info", "memory_allocated", "memory_reserved", "reset_peak_memory_stats", "seed",
    "seed_all", "set_rng_state", "simulate", "synchronize", "why_not",
]  # fmt: skip


def is_available() -> bool:
    """True if tensors can be put on a GPU, a simulated one too."""
    return gpu.current() is not None


def device_count() -> int:
    """How many GPUs there are to use: one, or none."""
    return int(is_available())


def is_initialized() -> bool:
    """True once a tensor has been put on a GPU that is still there."""
    return gpu.in_use() is not None


def why_not() -> str:
    """One sentence that says why there is no GPU; "" where there is one."""
    return gpu.why_not()


def get_device_name(device=None) -> str:
    """The card's own name; a simulated one says that it is simulated."""
    return require("cuda").name


def synchronize(device=None) -> None:
    """Wait until the GPU has done all it was told to do: before you stop a clock, for example."""
    require("cuda").synchronize()


# -- random numbers --


def manual_seed(seed: int) -> None:
    """Start the GPU's random numbers again, and nobody else's; nothing happens without a GPU."""
    if card := gpu.current():
        card.random = np.random.default_rng(seed)


manual_seed_all = manual_seed


def seed() -> None:
    """Start the GPU's random numbers somewhere."""
    if card := gpu.current():
        card.random = np.random.default_rng()


seed_all = seed


def get_rng_state(device="cuda") -> Mapping:
    """Where the GPU's random numbers stand; PyTorch gives its state as a tensor of bytes."""
    return require("cuda").random.bit_generator.state


def set_rng_state(new_state: Mapping, device="cuda") -> None:
    """Go back to where get_rng_state() was called: the same numbers come again."""
    require("cuda").random.bit_generator.state = new_state


# -- bytes --


def memory_allocated(device=None) -> int:
    """Bytes that the pool has handed out; without a GPU, bytes of all living storages."""
    return card.used() if (card := gpu.in_use()) else memory.memory_allocated()


def max_memory_allocated(device=None) -> int:
    """The most that memory_allocated() has been since reset_peak_memory_stats()."""
    return card.peak() if (card := gpu.in_use()) else memory.max_memory_allocated()


def reset_peak_memory_stats(device=None) -> None:
    """Let max_memory_allocated() start again from what lives now."""
    if card := gpu.in_use():
        card.reset_peak()
    memory.reset_peak_memory_stats()


def memory_reserved(device=None) -> int:
    """Bytes that the pool holds of the GPU, handed out or kept for later; 0 without a GPU."""
    return card.reserved() if (card := gpu.in_use()) else 0


def empty_cache() -> None:
    """Give back to the driver what the pool holds and nobody uses; tensors keep their bytes."""
    if card := gpu.in_use():
        card.free_all()


def mem_get_info(device=None) -> tuple:
    """(free, total) bytes of the GPU as its driver sees them: what the pool keeps is not free."""
    return require("cuda").free_and_total()
