"""Which results no order of summation can change, because every sum on the way is a float."""

import numpy as np

FRACTION = (1 << 52) - 1  # the bits of a float64 below its leading one
DIGITS = {2: 11, 4: 24, 8: 53}  # binary digits of a float of so many bytes
PLAIN = 64.0  # functions give multiples of 1/64 where their results are exact: exp(0), tanh(50)


def unit(size: np.ndarray, axis) -> tuple[np.ndarray, np.ndarray]:
    """Of float64 without a sign: the largest power of two of which all along `axis` are multiples.

    Besides, the least of the numbers that are not 0. Both are inf where there are zeros alone.
    """
    digits = size.view(np.int64) & FRACTION
    digits |= FRACTION + 1
    units = size * (digits & -digits)
    units /= digits  # each step is exact
    nothing = size == 0
    if nothing.any():
        units[nothing] = np.inf
        size = np.where(nothing, np.inf, size)
    least = np.minimum.reduce(size, axis, keepdims=True, initial=np.inf)
    return np.minimum.reduce(units, axis, keepdims=True, initial=np.inf), least


class Terms:
    """What is multiplied in left @ right, (..., n, k) and (..., k, m), as it is now."""

    def __init__(self, left: np.ndarray, right: np.ndarray):
        *around, self.rows, length = left.shape
        # Rows, and columns below them: what is asked of both is asked once.
        self.size = np.empty((*around, self.rows + right.shape[-1], length))
        np.abs(left, out=self.size[..., : self.rows, :])
        np.abs(right.swapaxes(-1, -2), out=self.size[..., self.rows :, :])

    def fit(self, itemsize: int) -> np.ndarray:
        """True where no partial sum is rounded, of floats of so many bytes.

        Nothing need be added up where each term alone has too many digits. (A sum without terms is
        0 then, and a move leaves 0 as it is.)
        """
        units, least = unit(self.size, -1)
        (rows, columns), (first, second) = self._split(units), self._split(least)
        if _ratio(first, rows) * _ratio(second, columns) > 2.0 ** DIGITS[itemsize]:
            return np.array(False)
        left, right = self._split(self.size)
        # np.dot takes no loop of ours.
        largest = [np.dot(one, other.T) for one, other in zip(left, right, strict=True)]
        return _fits(np.stack(largest), rows * columns.swapaxes(-1, -2), itemsize)

    def _split(self, array):
        return array[..., : self.rows, :], array[..., self.rows :, :]


def _ratio(sizes, units):
    """How many units the sizes have at least; 1 where there is nothing but zeros."""
    held = units != np.inf
    if not held.all():
        sizes, units = sizes[held], units[held]
    return np.minimum.reduce(sizes / units, axis=None, initial=np.inf) if sizes.size else 1.0


def total(array: np.ndarray, axis, sized, itemsize: int) -> np.ndarray:
    """For the sum over `axis`, kept with length 1: True where no partial sum is rounded."""
    size = np.abs(array, dtype=np.float64)
    return _fits(sized(size, axis), unit(size, axis)[0], itemsize)


def value(results: np.ndarray) -> np.ndarray:
    """For a function of single numbers: True where it can have been exact."""
    scaled = results * results.dtype.type(PLAIN)
    return scaled == np.rint(scaled)


def _fits(largest, units, itemsize):
    with np.errstate(all="ignore"):
        return (largest == 0) | (largest <= units * 2.0 ** DIGITS[itemsize])
