"""How far a result is moved: whole units in the last place, drawn from bytes."""

import zlib

import numpy as np

MOST = 4  # units in the last place, either way
most = [MOST]  # in use
BITS = {2: np.int16, 4: np.int32, 8: np.int64}
UNSIGNED = {2: np.uint16, 4: np.uint32, 8: np.uint64}
SMALLEST = 16  # moves, in units of the smallest number there is: below, a move is no rounding
LARGEST = {2: 0x7C00, 4: 0x7F800000, 8: 0x7FF0 << 48}  # the bits of infinity


def key(*parts: object) -> int:
    """A number for what is common to one call: the seed, its name, shapes, bytes."""
    number = 0
    for part in parts:
        data = part if isinstance(part, bytes) else repr(part).encode()
        number = zlib.crc32(data, number)
    return number


def bits(array: np.ndarray) -> np.ndarray:
    """The bytes of each float as an unsigned number of 32 bits."""
    found = np.ascontiguousarray(array).view(UNSIGNED[array.itemsize])
    if array.itemsize == 8:
        found = found ^ (found >> np.uint64(32))
    return found.astype(np.uint32)


def mixed(values: np.ndarray, start: int) -> np.ndarray:
    """Numbers in which each bit depends on all bits of `values` and `start` (murmur3's ending)."""
    found = np.array(values, np.uint32, ndmin=1)  # a 0-d one would warn when it overflows
    found += np.uint32(start)
    found ^= found >> np.uint32(16)
    found *= np.uint32(0x85EBCA6B)
    found ^= found >> np.uint32(13)
    found *= np.uint32(0xC2B2AE35)
    found ^= found >> np.uint32(16)
    return found.reshape(np.shape(values))


def move(result: np.ndarray, drawn: np.ndarray, exact: np.ndarray) -> None:
    """Move the floats of `result` in place by what was drawn, but for those that are exact."""
    kind, reach = np.dtype(BITS[result.itemsize]), most[0]
    held = result.view(kind)
    size = held & (2 ** (8 * result.itemsize - 1) - 1)
    stays = (size < SMALLEST * reach) | (size >= LARGEST[result.itemsize] - reach)
    if exact.ndim or exact:
        stays |= exact
    steps = (drawn % np.uint32(2 * reach + 1)).astype(kind)
    held += (steps - reach) * ~stays
