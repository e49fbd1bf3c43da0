"""numpy or CuPy: where arrays come from, and why there is no GPU.

Rules are written with operators, methods and numpy functions that both libraries answer to, so
this is the only file that has to choose.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

import numpy as np

NO_GPU = "this version of minigrad computes on the CPU only; leave out .cuda() and device='cuda'"


def as_array(value):
    """A 0-d array around one of the scalars that numpy's reductions return."""
    return np.asarray(value)


def repeat(array, shape):
    """`array` seen under a larger `shape`, without copying: repeated axes have stride 0."""
    if array.__class__ is not np.ndarray:
        return np.broadcast_to(array, shape)  # a stand-in, as replay records with
    new = len(shape) - array.ndim
    pairs = zip(shape[new:], array.shape, array.strides, strict=True)
    strides = (0,) * new + tuple(step if n == m else 0 for n, m, step in pairs)
    if array.flags.c_contiguous:
        return np.ndarray(shape, array.dtype, array, 0, strides)  # 10 times faster than as_strided
    return strided(array, shape, strides)


def strided(array, shape, strides):
    """`array` seen in other steps, without copying."""
    return np.lib.stride_tricks.as_strided(array, shape, strides)


def look(check, *arguments) -> None:
    """Let `check` look at numbers: it may raise, and nothing else may depend on them."""
    check(*arguments)


def held(tensor):
    """The array of a tensor that nobody else has; its bytes count as long as it is in use."""
    return tensor.detach().numpy()


def require(device) -> None:
    """Nothing if `device` can be used, else one sentence that says why not."""
    from minigrad.types import device as device_type

    if device_type(device).type == "cuda":
        raise RuntimeError(NO_GPU)


def keep_heap() -> None:
    """Let the C library keep freed memory, which saves a page fault per 4 KiB of every new array.

    One large block, freed at once, raises glibc's thresholds for giving memory back; elsewhere
    it does nothing. The ledger counts live storages, so it is not affected.
    """
    np.empty(32 * 2**20 - 8192, np.uint8)


def keep_quiet() -> None:
    """Let 1 / 0 be inf without a warning, as PyTorch does, instead of as numpy does."""
    np.seterr(all="ignore")


random = np.random.default_rng()


def manual_seed(seed: int) -> None:
    """Start the random numbers of rand() and randn() again; the numbers are not PyTorch's."""
    global random
    random = np.random.default_rng(seed)


def get_rng_state() -> Mapping:
    """Where the random numbers stand; PyTorch gives its state as a tensor of bytes."""
    return random.bit_generator.state


def set_rng_state(new_state: Mapping) -> None:
    """Go back to where get_rng_state() was called: the same numbers come again."""
    random.bit_generator.state = new_state


@contextlib.contextmanager
def random_numbers(again):
    """Inside, the random numbers that followed the state `again`; after it, those due now."""
    now = get_rng_state()
    if again is not None:
        set_rng_state(again)
    try:
        yield
    finally:
        if again is not None:
            set_rng_state(now)
