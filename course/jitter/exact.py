"""Which results no order of summation can change, because every sum on the way is a float."""

import numpy as np

FRACTION = (1 << 52) - 1  # the bits of a float64 below its leading one
DIGITS = {2: 11, 4: 24, 8: 53}  # binary digits of a float of so many bytes
PLAIN = 64.0  # functions give multiples of 1/64 where their results are exact: exp(0), tanh(50)


def unit(array: np.ndarray, axis) -> tuple[np.ndarray, np.ndarray]:
    """The largest power of two of which all numbers along `axis` are multiples; inf for zeros.

    Besides, the least of the numbers that are not 0; it, too, is inf for zeros.
    """
    size = np.abs(array, dtype=np.float64)
    digits = size.view(np.int64) & FRACTION | FRACTION + 1
    units = size * (digits & -digits) / digits  # each step is exact
    nothing = size == 0
    units[nothing] = size[nothing] = np.inf
    return tuple(one.min(axis, keepdims=True, initial=np.inf) for one in (units, size))


def product(left: np.ndarray, right: np.ndarray, itemsize: int, sized) -> np.ndarray:
    """For left @ right, (..., n, k) and (..., k, m): True where no partial sum is rounded.

    Nothing need be added up where each term alone has too many digits. (A sum without terms is 0
    then, and a move leaves 0 as it is.)
    """
    (rows, least_left), (columns, least_right) = unit(left, -1), unit(right, -2)
    if _ratio(least_left, rows) * _ratio(least_right, columns) > 2.0 ** DIGITS[itemsize]:
        return np.array(False)
    largest = sized(np.abs(left.astype(np.float64)), np.abs(right.astype(np.float64)))
    return _fits(largest, rows * columns, itemsize)


def _ratio(sizes, units):
    """How many units the sizes have at least; 1 where there is nothing but zeros."""
    held = units != np.inf
    return (sizes[held] / units[held]).min(initial=np.inf) if held.any() else 1.0


def total(array: np.ndarray, axis, sized, itemsize: int) -> np.ndarray:
    """For the sum over `axis`, kept with length 1: True where no partial sum is rounded."""
    largest = sized(np.abs(array.astype(np.float64)), axis)
    return _fits(largest, unit(array, axis)[0], itemsize)


def value(results: np.ndarray) -> np.ndarray:
    """For a function of single numbers: True where it can have been exact."""
    scaled = results * results.dtype.type(PLAIN)
    return scaled == np.rint(scaled)


def _fits(largest, units, itemsize):
    with np.errstate(all="ignore"):
        return (largest == 0) | (largest <= units * 2.0 ** DIGITS[itemsize])
