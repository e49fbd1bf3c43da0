"""New leaves: tensor(), zeros(), rand() and their kin. Float data are float32 unless said."""

from __future__ import annotations

import warnings

import numpy as np

from minigrad.core import arrays, backend
from minigrad.core.dtypes import bool_, float32, int64
from minigrad.core.tensor import Tensor, wrap
from minigrad.ops import generator, messages


def sizes(given: tuple) -> tuple:
    """view(2, 3) and view((2, 3)) mean the same."""
    return tuple(given[0]) if len(given) == 1 and isinstance(given[0], (tuple, list)) else given


def tensor(data, dtype=None, requires_grad=False, device=None):
    """A copy of `data` (numbers, nested lists, an array or a tensor) as a leaf."""
    if isinstance(data, Tensor):
        warnings.warn(messages.COPY_OF_TENSOR, UserWarning, stacklevel=2)
        device, data = device or data.device, arrays.on_host(data._array)
    array = _numbers(data)
    if dtype is not None:
        array = array.astype(dtype.numpy)
    elif array.dtype.kind == "f" and not isinstance(data, (np.ndarray, np.generic)):
        array = array.astype(np.float32)
    return wrap(backend.placed(array, device), requires_grad)


def _numbers(data):
    if isinstance(data, (list, tuple)):
        data = [arrays.on_host(d._array) if isinstance(d, Tensor) else d for d in data]
    try:
        array = np.array(data)
    except ValueError:
        raise ValueError(_uneven(data)) from None
    if array.dtype.kind not in "fiub":
        raise _not_numbers(data)
    return array


def _not_numbers(data) -> Exception:
    kind = type(data).__name__
    if isinstance(data, list):
        return ValueError(f"too many dimensions '{type(data[0]).__name__}'")
    if isinstance(data, str):
        return TypeError(f"new(): invalid data type '{kind}'")
    return RuntimeError(f"Could not infer dtype of {kind}")


def _uneven(rows) -> str:
    lengths = [len(row) for row in rows]
    wrong = next(n for n in lengths if n != lengths[0])
    return f"expected sequence of length {lengths[0]} at dim 1 (got {wrong})"


def from_numpy(array):
    """A tensor on the very bytes of a numpy array."""
    return wrap(array)


def _filled(name, shape, value, dtype, requires_grad, device):
    shape = sizes(shape)
    for n in shape:
        if not hasattr(n, "__index__"):
            raise TypeError(
                f"{name}(): argument 'size' (position 1) must be tuple of ints, "
                f"not {type(n).__name__}"
            )
        if n < 0:
            raise RuntimeError(f"{name}: Dimension size must be non-negative.")
    return wrap(backend.full(shape, value, (dtype or float32).numpy, device), requires_grad)


def zeros(*shape, dtype=None, requires_grad=False, device=None):
    """All elements 0."""
    return _filled("zeros", shape, 0, dtype, requires_grad, device)


def ones(*shape, dtype=None, requires_grad=False, device=None):
    """All elements 1."""
    return _filled("ones", shape, 1, dtype, requires_grad, device)


def empty(*shape, dtype=None, requires_grad=False, device=None):
    """Elements of no particular value."""
    return _filled("empty", shape, 0, dtype, requires_grad, device)


def full(shape, fill_value, dtype=None, requires_grad=False, device=None):
    """All elements `fill_value`."""
    dtype = dtype or {float: float32, bool: bool_}.get(type(fill_value), int64)
    return _filled("full", (shape,), fill_value, dtype, requires_grad, device)


def arange(start, end=None, step=1, dtype=None, requires_grad=False, device=None):
    """start, start + step, ... below end; integers if all three are."""
    start, end = (0, start) if end is None else (start, end)
    whole = all(isinstance(n, int) for n in (start, end, step))
    dtype = dtype or (int64 if whole else float32)
    numbers = np.arange(start, end, step).astype(dtype.numpy)
    return wrap(backend.placed(numbers, device), requires_grad)


def linspace(start, end, steps, dtype=None, requires_grad=False, device=None):
    """`steps` numbers at equal distances from start to end, both included."""
    numbers = np.linspace(start, end, steps, dtype=(dtype or float32).numpy)
    return wrap(backend.placed(numbers, device), requires_grad)


def rand(*shape, dtype=None, requires_grad=False, device=None):
    """Uniform random numbers from 0 up to 1."""
    dtype = dtype or float32
    return wrap(generator.drawn("random", sizes(shape), dtype.numpy, device), requires_grad)


def randn(*shape, dtype=None, requires_grad=False, device=None):
    """Normal random numbers of mean 0 and variance 1."""
    numbers = generator.drawn("standard_normal", sizes(shape), (dtype or float32).numpy, device)
    return wrap(numbers, requires_grad)


def _like(maker):
    def like(x, dtype=None, requires_grad=False, device=None):
        dtype, device = dtype or x.dtype, device or x.device
        return maker(x.shape, dtype=dtype, requires_grad=requires_grad, device=device)

    like.__doc__ = f"{maker.__name__}() with the shape, dtype and device of `x`."
    return like


zeros_like, ones_like, empty_like = _like(zeros), _like(ones), _like(empty)
rand_like, randn_like = _like(rand), _like(randn)


def full_like(x, fill_value, dtype=None, requires_grad=False, device=None):
    """full() with the shape, dtype and device of `x`."""
    return full(x.shape, fill_value, dtype or x.dtype, requires_grad, device or x.device)
