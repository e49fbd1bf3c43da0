"""numpy or a GPU: where new arrays come from."""

from __future__ import annotations

import os

import numpy as np

from minigrad import gpu
from minigrad.core.arrays import device_of
from minigrad.core.dtypes import DEFAULTS, device
from minigrad.core.stand_ins import StandIn, through
from minigrad.core.storage import exported

NO_GPU = (
    "minigrad finds no usable GPU ({}): use device='cpu', or work inside "
    "minigrad.cuda.simulate(bytes)"
)


def moved(array, to: device):
    """The array on that device: itself if it is there, else a copy."""
    if device_of(array).type == to.type:
        return array
    return through(require(to).put, array) if to.type == "cuda" else array.get()


def beside(array, other):
    """`array` on the device of `other`."""
    return moved(array, device_of(other))


def full(shape, value, dtype, on: device | None = None):
    """A new array of equal elements."""
    card = require(on)
    return np.full(shape, value, dtype) if card is None else card.full(shape, value, dtype)


def placed(array, on: device | None):
    """A new numpy array where it is wanted: on the default device if nobody said where."""
    card = require(on)
    return array if card is None else card.put(array)


def held(tensor):
    """The array of a tensor that nobody else has; its bytes count as long as it is in use."""
    if isinstance(array := tensor._array, StandIn):
        return array
    if tensor.is_cuda:
        return gpu.of(array).held(array, tensor._storage)
    return exported(tensor._storage, array)  # the engine reads it, not the program


DEFAULTS[0] = device(os.environ.get("MINIGRAD_DEVICE", "cpu"))
Device = device


def set_default_device(device) -> None:
    """Where new tensors are made if nobody says where: "cpu", or "cuda"."""
    require(device)
    DEFAULTS[-1] = Device(device)


def get_default_device() -> Device:
    """Where new tensors are made if nobody says where."""
    return DEFAULTS[-1]


def require(on):
    """The GPU if `on` is one, None for the CPU; an error says in one sentence why there is none."""
    default = DEFAULTS[-1]
    if (default if on is None else device(on)).type == "cpu":
        return None
    if (found := gpu.current()) is None:
        error = AssertionError("Torch not compiled with CUDA enabled")
        error.add_note(NO_GPU.format(gpu.why_not()))
        raise error
    if device(on or default).index:
        raise RuntimeError(f"minigrad uses one device of a kind, number 0, not {on or default}")
    return found


def keep_heap() -> None:
    """Let the C library keep freed memory, which saves a page fault per 4 KiB of every new array.

    One large block, freed at once, raises glibc's thresholds for giving memory back; elsewhere
    it does nothing. The ledger counts live storages, so it is not affected.
    """
    np.empty(32 * 2**20 - 8192, np.uint8)


def keep_quiet() -> None:
    """Let 1 / 0 be inf without a warning, as PyTorch does, instead of as numpy does."""
    np.seterr(all="ignore")
