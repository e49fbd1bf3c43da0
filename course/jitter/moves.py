"""How far a result is moved: whole units in the last place, drawn from bytes."""

import zlib

import numpy as np

MOST = 4  # units in the last place, either way
most = [MOST]  # in use
BITS = {2: np.int16, 4: np.int32, 8: np.int64}
UNSIGNED = {2: np.uint16, 4: np.uint32, 8: np.uint64}
SMALLEST = 16  # moves, in units of the smallest number there is: below, a move is no rounding


def key(*parts: object) -> int:
    """A number for what is common to one call: the seed, its name, shapes, bytes."""
    number = 0
    for part in parts:
        data = part if isinstance(part, bytes) else repr(part).encode()
        number = zlib.crc32(data, number)
    return number


def bits(array: np.ndarray) -> np.ndarray:
    """The bytes of each float as an unsigned number, in 64 bits."""
    return np.ascontiguousarray(array).view(UNSIGNED[array.itemsize]).astype(np.uint64)


def mixed(values: np.ndarray, start: int) -> np.ndarray:
    """Numbers in which each bit depends on all bits of `values` and `start` (splitmix64)."""
    found = np.array(values, np.uint64, ndmin=1)  # a 0-d one would warn when it overflows
    found += np.uint64((start * 0x9E3779B97F4A7C15 + 0x632BE59BD9B4E019) % 2**64)
    found ^= found >> np.uint64(30)
    found *= np.uint64(0xBF58476D1CE4E5B9)
    found ^= found >> np.uint64(27)
    found *= np.uint64(0x94D049BB133111EB)
    return (found ^ (found >> np.uint64(31))).reshape(np.shape(values))


def move(result: np.ndarray, drawn: np.ndarray, exact: np.ndarray) -> None:
    """Move the floats of `result` in place by what was drawn, but for those that are exact."""
    steps = (drawn % np.uint64(2 * most[0] + 1)).astype(np.int64) - most[0]
    units = np.empty(result.shape, result.dtype)
    units[...] = result
    held = units.view(BITS[result.itemsize])
    tiny = np.abs(held.astype(np.float64)) < SMALLEST * most[0]
    with np.errstate(all="ignore"):
        stays = exact | tiny | (held << 1 == 0) | ~np.isfinite(units)
    held += np.where(stays, 0, steps).astype(held.dtype)
    result[...] = np.where(np.isfinite(units), units, result)
