"""numpy or a GPU: where arrays come from, and the few things the two do differently.

Rules are written with operators, methods and numpy functions that both libraries answer to, so
this is the only file that has to choose.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping

import numpy as np

from minigrad import gpu
from minigrad.core.dtypes import CPU, CUDA, device
from minigrad.core.stand_ins import StandIn, through

NO_GPU = (
    "minigrad finds no usable GPU ({}): use device='cpu', or work inside "
    "minigrad.cuda.simulate(bytes)"
)

BLOCK = {"cpu": 1 << 14, "cuda": 1 << 22}  # elements: no temporary is as big as a large weight


def as_array(value):
    """What a tensor keeps of a result: a 0-d array around a scalar, what a stand-in stands for."""
    if isinstance(value, np.generic):  # numpy's reductions return them
        return np.asarray(value)
    if isinstance(value, StandIn):
        return value.array
    return value if value.__class__ in gpu.kinds else np.asarray(value)


def device_of(array) -> device:
    """Where the bytes of this array live; one object a device, so that `is` compares them."""
    return CUDA if array.__class__ in gpu.kinds else CPU


def on_host(array):
    """The same numbers as a numpy array: a copy if they live on a GPU."""
    return array.get() if array.__class__ in gpu.kinds else array


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


def address(array) -> int:
    """Of the first byte."""
    if array.__class__ in gpu.kinds:
        return array.data.ptr
    return array.__array_interface__["data"][0]


def blocks(*arrays):
    """Matching parts, of at most BLOCK elements, of arrays of one shape: views in any layout."""
    shape, size = arrays[0].shape, arrays[0].size
    most = BLOCK[device_of(arrays[0]).type]
    if size <= most:
        yield arrays
    elif shape[0] == 1:
        yield from blocks(*[a[0] for a in arrays])
    else:
        rows = max(1, most * shape[0] // size)
        for start in range(0, shape[0], rows):
            yield from blocks(*[a[start : start + rows] for a in arrays])


def add_at(array, place, values) -> None:
    """array[place] += values, where one place may be named several times."""
    if array.__class__ in gpu.kinds:
        array.scatter_add(place, values)
    else:
        np.add.at(array, place, values)


def repeat(array, shape):
    """`array` seen under a larger `shape`, without copying: repeated axes have stride 0."""
    if array.__class__ is not np.ndarray:
        return np.broadcast_to(array, shape)  # on a GPU, or a stand-in
    new = len(shape) - array.ndim
    pairs = zip(shape[new:], array.shape, array.strides, strict=True)
    strides = (0,) * new + tuple(step if n == m else 0 for n, m, step in pairs)
    if array.flags.c_contiguous:
        return np.ndarray(shape, array.dtype, array, 0, strides)  # 10 times faster than as_strided
    return strided(array, shape, strides)


def strided(array, shape, strides):
    """`array` seen in other steps, without copying."""
    if array.__class__ is np.ndarray:
        return np.lib.stride_tricks.as_strided(array, shape, strides)
    if isinstance(array, StandIn):
        return array.through(strided, shape, strides)
    return gpu.of(array).strided(array, shape, strides)


def held(tensor):
    """The array of a tensor that nobody else has; its bytes count as long as it is in use."""
    if isinstance(array := tensor._array, StandIn):
        return array
    if tensor.is_cuda:
        return gpu.of(array).held(array, tensor._storage)
    return tensor.detach().numpy()


default = device(os.environ.get("MINIGRAD_DEVICE", "cpu"))


def set_default_device(to) -> None:
    """Where new tensors are made if nobody says where: "cpu", or "cuda"."""
    global default
    require(to)
    default = device(to)


def require(on):
    """The GPU if `on` is one, None for the CPU; an error says in one sentence why there is none."""
    if (default if on is None else device(on)).type == "cpu":
        return None
    if (found := gpu.current()) is None:
        raise RuntimeError(NO_GPU.format(gpu.why_not()))
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


random = np.random.default_rng()  # a plain name: who wants to see what is drawn sets another one


def drawn(name: str, shape, dtype, on=None):
    """Random numbers of the device's own generator, on the device.

    A GPU has a generator on the host, so that each card, and a simulated one, draws the same.
    """
    card = require(on)
    numbers = getattr(random if card is None else card.random, name)(shape, dtype)
    return numbers if card is None else through(card.put, numbers)


def manual_seed(seed: int) -> None:
    """Start the random numbers of rand() and randn() again; the numbers are not PyTorch's."""
    global random
    random = np.random.default_rng(seed)
    if card := gpu.in_use():
        card.random = np.random.default_rng(seed)


def get_rng_state() -> Mapping:
    """Where the random numbers stand; PyTorch gives its state as a tensor of bytes."""
    return random.bit_generator.state


def set_rng_state(new_state: Mapping) -> None:
    """Go back to where get_rng_state() was called: the same numbers come again."""
    random.bit_generator.state = new_state


def rng_states() -> tuple:
    """Where the random numbers of each device stand."""
    card = gpu.in_use()
    return get_rng_state(), card and card.random.bit_generator.state


def _set_rng_states(states) -> None:
    set_rng_state(states[0])
    if states[1] is not None and (card := gpu.in_use()):
        card.random.bit_generator.state = states[1]


@contextlib.contextmanager
def random_numbers(again):
    """Inside, the random numbers that followed the states `again`; after it, those due now."""
    now = rng_states()
    if again is not None:
        _set_rng_states(again)
    try:
        yield
    finally:
        if again is not None:
            _set_rng_states(now)
