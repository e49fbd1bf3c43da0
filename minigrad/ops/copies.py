"""Copies: of the same kind, of another dtype, on another device; and .data, which is no copy."""

from __future__ import annotations

from minigrad.core import backend, observer
from minigrad.core import dtypes as kinds
from minigrad.core.op import Op
from minigrad.core.resized import note_shape
from minigrad.core.tensor import Tensor, attach
from minigrad.core.words import expected, kind_of
from minigrad.ops import messages
from minigrad.ops.formats import check_contiguous, contiguous_format, lies_in_order
from minigrad.ops.layout import copied
from minigrad.ops.versions import seen_apart


class CloneBackward0(Op):
    """A copy saves nothing: the gradient passes through."""

    argument_names = ("",)  # "K" keeps the layout, "C" lays the elements out in order

    @staticmethod
    def forward(x, order):
        return x.copy("C") if order == "C" else copied(x, x.dtype)

    def backward(node, grad):
        return grad


class ToCopyBackward0(Op):
    """A copy of another dtype or on another device; the gradient travels back the same way."""

    stretched = ("self",)
    argument_names = ("", "", "", "")  # dtype; device, and the input's; "C" lays it out in order

    @staticmethod
    def forward(x, dtype, to=None, here=None, order="K"):
        if to is not None:
            return backend.moved(x, to)
        return x.astype(dtype, order) if order == "C" else copied(x, dtype)

    def backward(node, grad):
        here = node.arguments[2]
        return grad if here is None else backend.moved(grad, here)  # `meta` restores the dtype


def convert(x, dtype, order="K"):
    """`x` in another dtype; integers have no gradient."""
    if dtype.numpy == x._array.dtype:
        return x
    given = x if dtype.is_floating_point else x.detach()
    return ToCopyBackward0.call(given, dtype.numpy, None, None, order)


def move(x, to):
    """`x` on another device; the gradient comes back the same way."""
    here = x.device
    return x if here.type == to.type else ToCopyBackward0.call(x, x._array.dtype, to, here, "K")


def changed(x, device, dtype, order="K"):
    """x on this device and in this dtype; x itself where neither is another one."""
    there = x if device is None else move(x, kinds.device(device))
    return there if dtype is None else convert(there, dtype, order)


def asks_for_copy(copy=False, non_blocking=False, memory_format=None) -> tuple:
    """What `to` is told by name; a copy always waits, whatever is said of blocking."""
    for name, value in {"copy": copy, "non_blocking": non_blocking}.items():
        expected(value, bool, name, "bool")
    return copy, order_of(memory_format)


def order_of(memory_format) -> str:
    return "C" if lies_in_order(memory_format) else "K"


def to_dtype(dtype):
    """The method that converts to it."""

    def method(x, *, memory_format=None):
        return convert(x, dtype, order_of(memory_format))

    return method


def again(x, order):
    """A copy of the same dtype on the same device."""
    return ToCopyBackward0.call(x, x._array.dtype, None, None, order)


def of_name(name):
    """The dtype that an old name stands for, as torch.FloatTensor."""
    for dtype in kinds.BY_NUMPY.values():
        if dtype.legacy == name.replace(".cuda.", "."):
            return dtype
    if name.startswith("torch.") and name.endswith("Tensor"):
        raise NotImplementedError(f"minigrad has no {name[6:]}: use one of its own dtypes")
    raise ValueError(f"invalid type: '{name}'")


def of_old(kind):
    """The dtype that is meant by an old name, or by its constructor."""
    if isinstance(kind, str):
        return of_name(kind)
    if not isinstance(kind, type):
        raise TypeError("dtype must be a type, str, or dtype object")
    if not isinstance(found := getattr(kind, "dtype", None), kinds.dtype):
        name = f"{kind.__module__}.{kind.__name__}".removeprefix("builtins.")
        raise ValueError(f"invalid type: '{name}'")
    return found


@attach
class Copies(Tensor):
    """Methods of Tensor."""

    def clone(x, *, memory_format=None):
        """The same numbers in bytes of their own."""
        return CloneBackward0.call(x, order_of(memory_format))

    def contiguous(x, *, memory_format=contiguous_format):
        """`x` itself if its elements lie in order, else a copy."""
        if memory_format is not contiguous_format:
            check_contiguous(x, memory_format)
        return x if x._array.flags.c_contiguous else CloneBackward0.call(x, "C")

    def to(self, target=None, dtype=None, device=None, **how):
        """Another dtype or device; this very tensor if nothing changes, unless copy=True."""
        copy, order = asks_for_copy(**how) if how else (False, "K")
        if isinstance(target, Tensor):
            device, dtype = target.device, target.dtype
        elif isinstance(target, (str, kinds.device)):
            device = target
        elif target is not None:
            if dtype is not None:
                raise TypeError("to() received an invalid combination of arguments: two dtypes")
            dtype = target
        there = changed(self, device, dtype, order)
        return again(self, order) if copy and there is self else there

    def cuda(self, device=None, non_blocking=False, *, memory_format=None):
        """A copy on the GPU; this very tensor if it is there."""
        return changed(self, device or "cuda", None, order_of(memory_format))

    def cpu(self, *, memory_format=None):
        """A copy in the memory of the host; this very tensor if it is there."""
        return changed(self, "cpu", None, order_of(memory_format))

    float, double, half = map(to_dtype, (kinds.float32, kinds.float64, kinds.float16))
    long, int, bool = map(to_dtype, (kinds.int64, kinds.int32, kinds.bool_))

    def type_as(self, other):
        """The same in the dtype, and on the device, of another tensor."""
        return self.to(expected(other, Tensor, "other", "Tensor"))

    def type(self, dtype=None, *, memory_format=None):
        """The old name of dtype and device together, torch.FloatTensor; or the tensor in another.

        That one is given as a dtype, as such a name, or as the constructor of that name.
        """
        if dtype is None:
            return self.dtype.legacy.replace("torch.", "torch.cuda." if self.is_cuda else "torch.")
        if isinstance(dtype, kinds.dtype):
            return convert(self, dtype, order_of(memory_format))
        there = "cuda" if ".cuda." in str(dtype) else "cpu"
        return changed(self, there, of_old(dtype), order_of(memory_format))

    # -- .data: the same bytes behind autograd's back --

    @property
    def data(self):
        twin = self._share(self._array)
        twin._storage = seen_apart(self._storage)
        return twin

    @data.setter
    def data(self, new):
        if not isinstance(new, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {kind_of(new)}")
        if self._requires_grad and not new.dtype.is_floating_point:
            raise RuntimeError(messages.NO_FLOATS)
        note_shape(self, new._array.shape)
        self._array = new._array
        self._storage = seen_apart(new._storage, self._storage)
        for tell in observer.on_changed:
            tell()

    @data.deleter
    def data(self):
        raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")
