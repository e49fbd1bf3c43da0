"""New tensors after the pattern of another, x.new_zeros(2, 3), and the unit matrix."""

from __future__ import annotations

import numpy as np

from minigrad.core import arrays, backend
from minigrad.core.dtypes import get_default_dtype
from minigrad.core.frames import warn
from minigrad.core.tensor import Tensor, attach, wrap
from minigrad.core.words import expected
from minigrad.ops import messages as words
from minigrad.ops.creation import checked, empty, ones, sizes, tensor, zeros
from minigrad.ops.ranges import full
from minigrad.ops.shapes import whole_like


def _after(maker):
    name = f"new_{maker.__name__}"

    def new(x, *size, dtype=None, requires_grad=False, device=None):
        shape, on = checked(name, sizes(size)), device or x.device
        return maker(shape, dtype=dtype or x.dtype, requires_grad=requires_grad, device=on)

    new.__doc__ = f"{maker.__name__}() of the dtype and on the device of `x`."
    new.__name__ = name
    return new


def new_full(x, size, fill_value, *, dtype=None, requires_grad=False, device=None):
    """full() of the dtype and on the device of `x`."""
    expected(size, (tuple, list), "size", "tuple of ints")
    on = device or x.device
    return full(size, fill_value, dtype=dtype or x.dtype, requires_grad=requires_grad, device=on)


def new_tensor(x, data, *, dtype=None, requires_grad=False, device=None):
    """tensor() of the dtype and on the device of `x`."""
    if isinstance(data, Tensor):
        warn(words.COPY_OF_TENSOR.replace("torch.tensor", "tensor.new_tensor"))
        data = arrays.on_host(data._array)
    on = device or x.device
    return tensor(data, dtype=dtype or x.dtype, requires_grad=requires_grad, device=on)


def eye(n, m=None, *, dtype=None, requires_grad=False, device=None):
    """The unit matrix: ones on the diagonal, else zeros."""
    for name, length in (("n", n), ("m", n if m is None else m)):
        if whole_like(length, name) < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {length}")
    array = np.eye(n, m, dtype=(dtype or get_default_dtype()).numpy)
    return wrap(backend.placed(array, device), requires_grad)


@attach
class Makers(Tensor):
    """Methods of Tensor."""

    new_zeros, new_ones, new_empty = _after(zeros), _after(ones), _after(empty)
    new_full, new_tensor = new_full, new_tensor
