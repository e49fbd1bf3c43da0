"""What a tensor tells: its sizes, its numbers, its text; and its numbers outside of the engine."""

from __future__ import annotations

import numpy as np

from minigrad.core import arrays, observer
from minigrad.core.frames import warn
from minigrad.core.modes import is_grad_enabled
from minigrad.core.storage import exported
from minigrad.core.tensor import Tensor, attach
from minigrad.core.words import expected
from minigrad.ops import messages
from minigrad.ops.formats import contiguous_format, lies_in_order
from minigrad.ops.printing import format_tensor
from minigrad.ops.shapes import axis, steps


def read(tensor):
    """Its array, of which the program takes the numbers; who watches is told."""
    for tell in observer.on_read:
        tell(tensor._array)
    return tensor._array


def seen(answer):
    """An answer, a length, an error that depends on numbers in tensors: the program sees it."""
    for tell in observer.on_read:
        tell(np.asarray(answer))
    return answer


def shown(array):
    """An array that the program goes on seeing, whatever is written there."""
    for tell in observer.on_read:
        tell(np.asarray(array)[..., None][..., :0])  # no byte of it as yet
    return array


@attach
class Reading(Tensor):
    """Methods of Tensor."""

    # -- sizes --

    def dim(self) -> int:
        """The number of axes."""
        return self._array.ndim

    ndim = property(dim)

    def size(self, dim=None):
        """The shape, or its length along `dim`."""
        if dim is None:
            return self.shape
        if not self._array.ndim:
            raise IndexError(messages.NO_DIMENSIONS.format(dim))
        return self.shape[axis(self, dim)]

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

    def stride(self, dim=None):
        """Steps in elements, as PyTorch counts, not in bytes; of all axes, or along `dim`."""
        if dim is not None:
            place = axis(self, dim)
            return self.stride()[place]
        if not self._array.size:
            return steps(self._array.shape)
        return tuple(step // self._array.itemsize for step in self._array.strides)

    def storage_offset(self) -> int:
        first = arrays.address(self._array) - arrays.address(self._storage.array)
        return first // self._array.itemsize

    def data_ptr(self) -> int:
        """The address of the first element; 0 if there is none."""
        return arrays.address(self._array) if self._array.size else 0

    def is_contiguous(self, *, memory_format=contiguous_format) -> bool:
        lies_in_order(memory_format, False)
        return self._array.flags.c_contiguous

    def is_floating_point(self) -> bool:
        return self._array.dtype.kind == "f"

    # -- out of minigrad --

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """A numpy array on the same bytes; while it lives, they count as alive.

        `force`: of a tensor in a graph or on a GPU as well, there of a copy.
        """
        if expected(force, bool, "force", "bool"):
            return self.detach().cpu().numpy()
        if self._requires_grad and is_grad_enabled():
            raise RuntimeError(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() "
                "instead."
            )
        if self.is_cuda:
            raise TypeError(messages.NUMPY_OF_CUDA.format(self.device))
        return exported(self._storage, shown(read(self)))

    def item(self):
        """The one element as a Python number."""
        if self._array.size != 1:
            raise RuntimeError(
                f"a Tensor with {self._array.size} elements cannot be converted to Scalar"
            )
        return read(self).item()

    def tolist(self):
        return read(self).tolist()

    def __bool__(self):
        if self._array.size != 1:
            several = "more than one value" if self._array.size else "no values"
            raise RuntimeError(f"Boolean value of Tensor with {several} is ambiguous")
        return bool(read(self).item())

    def equal(x, y) -> bool:
        """True if both have the same shape and elements."""
        return seen(bool(np.array_equal(x._array, y._array)))

    def __float__(self):
        if self._requires_grad and is_grad_enabled():
            warn(messages.FLOAT_OF_GRAD)
        return float(self._scalar())

    def __int__(self):
        return int(self._scalar())

    def _scalar(self):
        if self._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return read(self).item()

    def __index__(self):
        if self._array.dtype.kind not in "iub" or self._array.size != 1:
            raise TypeError(messages.NO_INDEX)
        return int(read(self).item())

    def __repr__(self):
        read(self)
        return format_tensor(self)

    def __format__(self, spec):
        alone = type(self) is Tensor and not self._array.ndim  # a Parameter is none, as in PyTorch
        return format(self.item(), spec) if alone else object.__format__(self, spec)
