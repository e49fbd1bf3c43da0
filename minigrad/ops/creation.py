"""New leaves: tensor(), zeros(), rand() and their kin. Floats get the default dtype."""

from __future__ import annotations

import numpy as np

from minigrad.core import arrays, backend
from minigrad.core.dtypes import get_default_dtype
from minigrad.core.frames import warn
from minigrad.core.storage import exported, owner
from minigrad.core.tensor import Tensor, wrap
from minigrad.core.words import kind_of, wrong_kind
from minigrad.ops import generator as source
from minigrad.ops import messages, nested
from minigrad.ops.formats import lies_in_order
from minigrad.ops.layout import outermost_first
from minigrad.ops.reading import shown
from minigrad.ops.shapes import is_whole, lengths, parsed

NOT_WRITABLE = (
    "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. "
    "This means writing to this tensor will result in undefined behavior. You may want to copy "
    "the array to protect its data or make it writable before converting it to a tensor. This "
    "type of warning will be suppressed for the rest of this program."
)


def sizes(given: tuple, name="size", call="") -> tuple:
    """view(2, 3) and view((2, 3)) mean the same; of view() the parameter of that name is missing.

    `call` is "view() " for those methods of which `words` does not tell the name.
    """
    if not given:
        raise TypeError(f'{call}missing 1 required positional arguments: "{name}"')
    several = len(given) == 1 and isinstance(given[0], (tuple, list))
    read = parsed if name == "dims" else lengths
    return read(tuple(given[0]) if several else given)


def tensor(data, *, dtype=None, requires_grad=False, device=None):
    """A copy of `data` (numbers, nested lists, an array or a tensor) as a leaf."""
    if isinstance(data, Tensor):
        warn(messages.COPY_OF_TENSOR)
        device, data = device or data.device, arrays.on_host(data._array)
    wanted = None if dtype is None else dtype.numpy
    if isinstance(data, np.ndarray):
        _check_strides(data)
        array = np.array(data, wanted or nested.known(data.dtype))
    else:
        array = nested.array_of(data, wanted)
    return wrap(backend.placed(array, device), requires_grad)


def from_numpy(array):
    """A tensor on the very bytes of a numpy array, by which the program goes on seeing them."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {kind_of(array)})")
    nested.known(array.dtype)
    _check_strides(array)
    if not array.flags.writeable:
        warn(NOT_WRITABLE)
    return wrap(shown(_apart(array)))


def _apart(array):
    """The array, on a storage that reaches from its first element to its last, and no farther."""
    steps = zip(array.shape, array.strides, strict=True)
    length = 1 + sum((n - 1) * step for n, step in steps) // array.itemsize if array.size else 0
    if length * array.itemsize == owner(array).nbytes:
        return array
    stretch = arrays.strided(array, (length,), (array.itemsize,))
    alone = exported(array, stretch)  # its own base: it holds `array`, unseen
    return arrays.strided(alone, array.shape, array.strides)


def _check_strides(array) -> None:
    if min(array.strides, default=0) < 0:
        raise ValueError(messages.NEGATIVE_STRIDE)


def as_tensor(data, *, dtype=None, device=None):
    """A tensor itself, or one on the bytes of an array; what is neither is copied by tensor()."""
    if isinstance(data, np.ndarray):
        data, device = from_numpy(data), device or backend.get_default_device()
    if not isinstance(data, Tensor):
        return tensor(data, dtype=dtype, device=device)
    return data.to(dtype=dtype, device=device)


def filled(name, shape, value, dtype, requires_grad, device):
    """All elements `value`; `name` is the function's, for an error."""
    shape = checked(name, sizes(shape))
    dtype = dtype or get_default_dtype()
    return wrap(backend.full(shape, value, dtype.numpy, device), requires_grad)


def drawn(name, how, shape, own, dtype, requires_grad, device):
    """Random numbers of this kind, of one's `own` generator; `name` is the function's."""
    shape = checked(name, sizes(shape))
    dtype = dtype or get_default_dtype()
    if not dtype.is_floating_point:
        if name == "randn" and 0 in shape:  # which needs no kernel
            return zeros(shape, dtype=dtype, device=device)
        kernel = "check_uniform_bounds" if name == "rand" else "normal_kernel_cpu"
        raise messages.not_implemented(kernel, dtype)
    return wrap(source.drawn(how, shape, dtype.numpy, device, own), requires_grad)


def checked(name, shape):
    """The lengths of the axes, if they are whole numbers of which none is negative."""
    shape = lengths(shape)
    for place, n in enumerate(shape):
        if not is_whole(n):
            raise _no_length(name, shape, place)
        if n < 0 and name == "zeros":
            raise RuntimeError("zeros: Dimension size must be non-negative.")
        if n < 0:
            raise RuntimeError(messages.NEGATIVE_LENGTH.format(n, [*shape]))
    return shape


def _no_length(name, shape, place) -> TypeError:
    """The error of what is no length: the first, or a list beside others, or another one."""
    wrong = shape[place]
    if place:
        text = f"failed to unpack the object at pos {place + 1} with error"
        text += f' "type must be tuple of ints,but got {kind_of(wrong)}"'
        return TypeError(f"{name}(): argument 'size' {text}")
    if shape[1:] and isinstance(wrong, (tuple, list)):
        return TypeError(f"{name}() takes 1 positional argument but {len(shape)} were given")
    return wrong_kind("size", "tuple of ints", wrong)


def zeros(*shape, dtype=None, requires_grad=False, device=None):
    """All elements 0."""
    return filled("zeros", shape, 0, dtype, requires_grad, device)


def ones(*shape, dtype=None, requires_grad=False, device=None):
    """All elements 1."""
    return filled("ones", shape, 1, dtype, requires_grad, device)


def empty(*shape, dtype=None, requires_grad=False, device=None, memory_format=None):
    """Elements of no particular value."""
    if memory_format is not None and not lies_in_order(memory_format):
        raise RuntimeError("unsupported memory format Preserve")
    return filled("empty", shape, 0, dtype, requires_grad, device)


def rand(*shape, generator=None, dtype=None, requires_grad=False, device=None):
    """Uniform random numbers from 0 up to 1."""
    return drawn("rand", "random", shape, generator, dtype, requires_grad, device)


def randn(*shape, generator=None, dtype=None, requires_grad=False, device=None):
    """Normal random numbers of mean 0 and variance 1."""
    return drawn("randn", "standard_normal", shape, generator, dtype, requires_grad, device)


def as_laid_out(x, maker, memory_format=None, **how):
    """maker(shape) in the shape of `x`, its axes in the order in which those of `x` lie."""
    array = x._array
    if lies_in_order(memory_format):
        return maker(array.shape, **how)
    order = outermost_first(array.shape, (array.strides,))
    new = maker(tuple(array.shape[i] for i in order), **how)
    new._array = new._array.transpose(np.argsort(order).tolist())
    return new


def _like(maker):
    def like(x, *, dtype=None, requires_grad=False, device=None, memory_format=None):
        how = {"requires_grad": requires_grad, "device": device or x.device}
        return as_laid_out(x, maker, memory_format, dtype=dtype or x.dtype, **how)

    like.__doc__ = f"{maker.__name__}() with the shape, dtype and device of `x`."
    return like


def _drawn_like(maker):
    def like(
        x, *, generator=None, dtype=None, requires_grad=False, device=None, memory_format=None
    ):
        how = {"requires_grad": requires_grad, "device": device or x.device}
        how |= {"generator": generator, "dtype": dtype or x.dtype}
        return as_laid_out(x, maker, memory_format, **how)

    like.__doc__ = f"{maker.__name__}() with the shape, dtype and device of `x`."
    return like


zeros_like, ones_like, empty_like = _like(zeros), _like(ones), _like(empty)
rand_like, randn_like = _drawn_like(rand), _drawn_like(randn)
