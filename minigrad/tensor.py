"""Tensor: what autograd knows of it (`Variable`) and what one can compute with it (`Operators`)."""

from __future__ import annotations

import warnings

import numpy as np
from numpy import ndarray

from minigrad.core import backend, messages
from minigrad.core.backward import backward
from minigrad.core.dtypes import bool_, device, float32, float64, int32, int64
from minigrad.core.modes import is_grad_enabled
from minigrad.core.node import NOWHERE
from minigrad.core.printing import format_tensor
from minigrad.core.storage import Exported, book
from minigrad.ops.operators import Operators, convert, move

_blank = object.__new__


class Tensor(Operators):
    """An n-dimensional array of one dtype that can remember how it was computed."""

    __module__ = "minigrad"

    def __init__(self, *args, **kwargs):
        raise TypeError("make tensors with minigrad.tensor(data), zeros(), rand() and their kin")

    def _new(self, array):
        if array.__class__ is not ndarray:
            array = backend.as_array(array)  # numpy hands out scalars where PyTorch has 0-d
        owned = book(array)  # first: if the bytes are refused, there is no half-made tensor
        out = _blank(Tensor)
        out._array = array
        out._storage = owned
        out._edge = NOWHERE
        return out

    def _share(self, array):
        out = _blank(Tensor)
        out._array = array
        out._storage = self._storage
        out._edge = NOWHERE
        return out

    # -- autograd --

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None) -> None:
        """Add d(self)/d(leaf) to every leaf's `.grad`, and free what the nodes saved on the way."""
        backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    # -- sizes --

    def dim(self) -> int:
        """The number of axes."""
        return self._array.ndim

    ndim = property(dim)

    def size(self, dim=None):
        """The shape, or its length along `dim`."""
        return self.shape if dim is None else self.shape[dim]

    def numel(self) -> int:
        """The number of elements."""
        return self._array.size

    def __len__(self):
        if not self._array.ndim:
            raise TypeError("len() of a 0-d tensor")
        return len(self._array)

    def element_size(self) -> int:
        """Bytes per element."""
        return self._array.itemsize

    itemsize = property(element_size)

    @property
    def nbytes(self) -> int:
        """numel() * itemsize, also for a view that owns no byte of its own."""
        return self._array.nbytes

    def stride(self) -> tuple:
        """Steps in elements, as PyTorch counts, not in bytes."""
        return tuple(step // self._array.itemsize for step in self._array.strides)

    def storage_offset(self) -> int:
        return (self.data_ptr() - self._storage.data_ptr()) // self._array.itemsize

    def data_ptr(self) -> int:
        """The address of the first element."""
        return backend.address(self._array)

    def is_contiguous(self) -> bool:
        return self._array.flags.c_contiguous

    def is_floating_point(self) -> bool:
        return self._array.dtype.kind == "f"

    # -- out of minigrad --

    def numpy(self) -> np.ndarray:
        """A numpy array on the same bytes; while it lives, they count as alive."""
        if self._requires_grad and is_grad_enabled():
            raise RuntimeError(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() "
                "instead."
            )
        if self.is_cuda:
            raise TypeError(messages.NUMPY_OF_CUDA.format(self.device))
        return np.asarray(Exported(self._storage, self._array))

    def __array__(self, dtype=None, copy=None):
        array = self.numpy()
        return array.astype(dtype) if dtype is not None or copy else array

    def item(self):
        """The one element as a Python number."""
        if self._array.size != 1:
            raise RuntimeError(
                f"a Tensor with {self._array.size} elements cannot be converted to Scalar"
            )
        return self._array.item()

    def tolist(self):
        return self._array.tolist()

    def __bool__(self):
        if self._array.size != 1:
            several = "more than one value" if self._array.size else "no values"
            raise RuntimeError(f"Boolean value of Tensor with {several} is ambiguous")
        return bool(self._array.item())

    def __float__(self):
        if self._requires_grad:
            warnings.warn(messages.FLOAT_OF_GRAD, UserWarning, stacklevel=2)
        return float(self._scalar())

    def __int__(self):
        return int(self._scalar())

    def _scalar(self):
        if self._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return self._array.item()

    def __index__(self):
        if self._array.dtype.kind not in "iub" or self._array.size != 1:
            raise TypeError(messages.NO_INDEX)
        return int(self._array.item())

    def __repr__(self):
        return format_tensor(self)

    def __format__(self, spec):
        return format(self.item(), spec) if not self._array.ndim else object.__format__(self, spec)

    def __deepcopy__(self, memo):
        if not self.is_leaf:
            raise RuntimeError(messages.DEEPCOPY)
        copy = self._new(self._array.copy())
        copy.__class__ = type(self)
        copy._edge = self._edge
        if self._grad is not None:
            copy._grad = self._grad.__deepcopy__(memo)
        memo[id(self)] = copy
        return copy

    def __reduce_ex__(self, protocol):
        array = np.array(backend.on_host(self._array))
        return _rebuilt, (array, self._requires_grad, self.device.type)

    # -- dtype and device --

    def to(self, target=None, dtype=None, device=None):
        """Another dtype or device; this very tensor if nothing changes."""
        if isinstance(target, Tensor):
            device, dtype = target.device, target.dtype
        elif isinstance(target, (str, globals()["device"])):
            device = target
        elif target is not None:
            dtype = target
        there = self if device is None else move(self, globals()["device"](device))
        return there if dtype is None else convert(there, dtype)

    def cuda(self, device=None):
        """A copy on the GPU; this very tensor if it is there."""
        return self.to(device=device or "cuda")

    def cpu(self):
        """A copy in the memory of the host; this very tensor if it is there."""
        return self.to(device="cpu")

    # fmt: off
    def float(self):  return self.to(float32)
    def double(self): return self.to(float64)
    def long(self):   return self.to(int64)
    def int(self):    return self.to(int32)
    def bool(self):   return self.to(bool_)
    def type_as(self, other): return self.to(other)
    # fmt: on
    def type(self):
        """The old name of dtype and device together: torch.FloatTensor, torch.cuda.FloatTensor."""
        return self.dtype.legacy.replace("torch.", "torch.cuda." if self.is_cuda else "torch.")


_maker = _blank(Tensor)  # an empty tensor, to call _new on


def wrap(array, requires_grad: bool = False) -> Tensor:
    """A tensor around `array`, which must belong to nobody else."""
    out = _maker._new(array)
    if requires_grad:
        if not out.dtype.is_floating_point:
            raise RuntimeError(
                "Only Tensors of floating point and complex dtype can require gradients"
            )
        out._edge = None
    return out


def _rebuilt(array, requires_grad, where="cpu"):
    return wrap(backend.placed(array, device(where)), requires_grad)
