"""New leaves: tensor(), zeros(), rand() and their kin. Float data are float32 unless said."""

from __future__ import annotations

import warnings

import numpy as np

from minigrad.core import arrays, backend
from minigrad.core.dtypes import BY_NUMPY, float32
from minigrad.core.promotion import plain
from minigrad.core.tensor import Tensor, wrap
from minigrad.core.words import wrong_kind
from minigrad.ops import generator, messages
from minigrad.ops.layout import outermost_first
from minigrad.ops.numbers import TOO_BIG, fits
from minigrad.ops.reading import shown


def sizes(given: tuple) -> tuple:
    """view(2, 3) and view((2, 3)) mean the same."""
    return tuple(given[0]) if len(given) == 1 and isinstance(given[0], (tuple, list)) else given


def tensor(data, dtype=None, requires_grad=False, device=None):
    """A copy of `data` (numbers, nested lists, an array or a tensor) as a leaf."""
    if isinstance(data, Tensor):
        warnings.warn(messages.COPY_OF_TENSOR, UserWarning, stacklevel=2)
        device, data = device or data.device, arrays.on_host(data._array)
    array = _numbers(data, dtype)
    known = isinstance(data, (np.ndarray, np.generic))
    if dtype is not None:
        array = array.astype(dtype.numpy) if known else _checked(data, array, dtype)
    elif array.dtype.kind == "f" and not known:
        array = array.astype(_dtype_of(data))
    return wrap(backend.placed(array, device), requires_grad)


def _numbers(data, dtype):
    if isinstance(data, (list, tuple)):
        data = [_number(d) if isinstance(d, Tensor) else d for d in data]
    try:
        array = np.array(data)
    except ValueError:
        raise ValueError(_uneven(data)) from None
    large = array.dtype == np.uint64 and not isinstance(data, (np.ndarray, np.generic))
    return _large(array, data, dtype) if large or array.dtype.kind not in "fiub" else array


def _number(x):
    """The number in a tensor that stands in a list."""
    if x._array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return arrays.on_host(x._array).reshape(())


def _large(array, data, dtype):
    """Numbers of more than 64 bits: as floats, if there is one or they are to be some; or bools."""
    kinds, kind = set(map(type, array.ravel().tolist())), dtype.numpy.kind if dtype else "?"
    if kinds <= {float, int, bool} and (float in kinds or kind in "fb"):
        return array.astype(bool if kind == "b" else np.float64)
    raise _not_numbers(data)


def _checked(data, array, dtype):
    """The numbers of a list in this dtype; RuntimeError if it has no room for one of them."""
    for n in data if dtype.numpy.kind in "iu" and isinstance(data, (list, tuple)) else ():
        if isinstance(n, np.floating) and not isinstance(n, float):
            kind = type(n).__name__
            raise TypeError(f"'numpy.{kind}' object cannot be interpreted as an integer")
    mixed = dtype.numpy.kind == "u" and array.dtype.kind == "f"  # whole numbers beside it may wrap
    numbers = map(plain, _leaves(data)) if mixed else _ends(array)
    if dtype.numpy.kind in "iu" and not all(fits(n, dtype.numpy) for n in numbers):
        raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
    between = np.int64 if mixed else float if dtype.is_floating_point else array.dtype
    return array.astype(between).astype(dtype.numpy)


def _ends(array) -> list:
    """The smallest and the largest number, or nan."""
    return [array.min().item(), array.max().item()] if array.size else []


def _dtype_of(data):
    """float32, or more or less if there are scalars of numpy among the floats of a list."""
    floats = [n for n in _leaves(data) if isinstance(n, (float, np.floating))]
    return np.result_type(*[getattr(n, "dtype", np.float32) for n in floats] or [np.float32])


def _leaves(data):
    """The numbers of nested lists."""
    if not isinstance(data, (list, tuple)):
        yield data
    else:
        for row in data:
            yield from _leaves(row)


def _not_numbers(data) -> Exception:
    first = next(_leaves(data))
    if isinstance(first, str) and first is not data:
        return ValueError("too many dimensions 'str'")
    wrong = [n for n in _leaves(data) if not isinstance(n, (int, float, np.generic))]
    if not wrong:
        return ValueError(TOO_BIG)
    kind = type(wrong[0]).__name__
    if kind == "str":
        return TypeError(f"new(): invalid data type '{kind}'")
    return RuntimeError(f"Could not infer dtype of {kind}")


def _uneven(rows) -> str:
    lengths = [len(row) for row in rows]
    wrong = next(n for n in lengths if n != lengths[0])
    return f"expected sequence of length {lengths[0]} at dim 1 (got {wrong})"


def from_numpy(array):
    """A tensor on the very bytes of a numpy array, by which the program goes on seeing them."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    if array.dtype not in BY_NUMPY:
        raise NotImplementedError(
            f"minigrad has no tensors of numpy's {array.dtype}: use array.astype()"
        )
    if min(array.strides, default=0) < 0:
        raise ValueError(messages.NEGATIVE_STRIDE)
    return wrap(shown(array))


def as_tensor(data, *, dtype=None, device=None):
    """A tensor itself, or one on the bytes of an array; what is neither is copied by tensor()."""
    if isinstance(data, np.ndarray):
        data, device = from_numpy(data), device or backend.default
    if not isinstance(data, Tensor):
        return tensor(data, dtype=dtype, device=device)
    return data.to(dtype=dtype, device=device)


def filled(name, shape, value, dtype, requires_grad, device):
    """All elements `value`; `name` is the function's, for an error."""
    shape = checked(name, sizes(shape))
    return wrap(backend.full(shape, value, (dtype or float32).numpy, device), requires_grad)


def drawn(name, how, shape, dtype, requires_grad, device):
    """Random numbers of this kind; `name` is the function's."""
    shape = checked(name, sizes(shape))
    dtype = dtype or float32
    if not dtype.is_floating_point:
        if name == "randn" and 0 in shape:  # which needs no kernel
            return zeros(*shape, dtype=dtype, device=device)
        kernel = "check_uniform_bounds" if name == "rand" else "normal_kernel_cpu"
        raise messages.not_implemented(kernel, dtype)
    return wrap(generator.drawn(how, shape, dtype.numpy, device), requires_grad)


def checked(name, shape):
    """The lengths of the axes, if they are whole numbers of which none is negative."""
    for n in shape:
        if not hasattr(n, "__index__"):
            raise wrong_kind("size", "tuple of ints", n)
        if n < 0 and name == "zeros":
            raise RuntimeError("zeros: Dimension size must be non-negative.")
        if n < 0:
            raise RuntimeError(messages.NEGATIVE_LENGTH.format(n, [*shape]))
    return shape


def zeros(*shape, dtype=None, requires_grad=False, device=None):
    """All elements 0."""
    return filled("zeros", shape, 0, dtype, requires_grad, device)


def ones(*shape, dtype=None, requires_grad=False, device=None):
    """All elements 1."""
    return filled("ones", shape, 1, dtype, requires_grad, device)


def empty(*shape, dtype=None, requires_grad=False, device=None):
    """Elements of no particular value."""
    return filled("empty", shape, 0, dtype, requires_grad, device)


def rand(*shape, dtype=None, requires_grad=False, device=None):
    """Uniform random numbers from 0 up to 1."""
    return drawn("rand", "random", shape, dtype, requires_grad, device)


def randn(*shape, dtype=None, requires_grad=False, device=None):
    """Normal random numbers of mean 0 and variance 1."""
    return drawn("randn", "standard_normal", shape, dtype, requires_grad, device)


def as_laid_out(x, maker, **how):
    """maker(shape) in the shape of `x`, its axes in the order in which those of `x` lie."""
    array = x._array
    order = outermost_first(array.shape, (array.strides,))
    new = maker(tuple(array.shape[i] for i in order), **how)
    new._array = new._array.transpose(np.argsort(order).tolist())
    return new


def _like(maker):
    def like(x, dtype=None, requires_grad=False, device=None):
        dtype, device = dtype or x.dtype, device or x.device
        return as_laid_out(x, maker, dtype=dtype, requires_grad=requires_grad, device=device)

    like.__doc__ = f"{maker.__name__}() with the shape, dtype and device of `x`."
    return like


zeros_like, ones_like, empty_like = _like(zeros), _like(ones), _like(empty)
rand_like, randn_like = _like(rand), _like(randn)
