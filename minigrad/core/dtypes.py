"""The small words of the field: dtype, Size, device. They hold no data."""

from __future__ import annotations

from itertools import starmap
from operator import index

import numpy as np


class Word:
    """Base of what stays as it is made: PyTorch's words cannot be changed either."""

    __slots__ = ()

    def __setattr__(self, name, value=None):
        if hasattr(self, name):
            kind = type(self).__name__
            raise AttributeError(f"attribute {name!r} of 'torch.{kind}' objects is not writable")
        object.__setattr__(self, name, value)

    __delattr__ = __setattr__


class dtype(Word):
    """An element type: its numpy twin, and the names under which PyTorch's messages know it."""

    __module__ = "minigrad"
    __slots__ = "name", "legacy", "c_name", "scalar_type", "numpy", "itemsize", "is_floating_point"

    def __init__(self, name: str, legacy: str, c_name: str):
        self.name, self.legacy, self.c_name = name, legacy, c_name
        self.scalar_type = legacy.removeprefix("torch.").removesuffix("Tensor")
        self.numpy = np.dtype(name)
        self.itemsize = self.numpy.itemsize
        self.is_floating_point = self.numpy.kind == "f"

    def __repr__(self):
        return f"minigrad.{self.name}"

    def __reduce__(self):
        return self.name  # pickled by name: there is one object of each


float16 = dtype("float16", "torch.HalfTensor", "c10::Half")
float32 = dtype("float32", "torch.FloatTensor", "float")
float64 = dtype("float64", "torch.DoubleTensor", "double")
int32 = dtype("int32", "torch.IntTensor", "int")
int64 = dtype("int64", "torch.LongTensor", "long int")
uint8 = dtype("uint8", "torch.ByteTensor", "unsigned char")
bool_ = dtype("bool", "torch.BoolTensor", "bool")

BY_NUMPY = {d.numpy: d for d in (float16, float32, float64, int32, int64, uint8, bool_)}
OF_NUMBER = {bool: bool_.numpy, int: int64.numpy, float: float32.numpy}  # Python's


def get_default_dtype() -> dtype:
    """That of new tensors of floats if nobody says which."""
    return BY_NUMPY[OF_NUMBER[float]]


def set_default_dtype(d: dtype) -> None:
    """Let new tensors of floats have this dtype, and Python's floats count as numbers of it."""
    if not (isinstance(d, dtype) and d.is_floating_point):
        no_dtype = "" if isinstance(d, dtype) else "invalid dtype object: "
        raise TypeError(f"{no_dtype}only floating-point types are supported as the default type")
    OF_NUMBER[float] = d.numpy


def _length(place, number) -> int:
    try:
        return index(number)
    except TypeError:
        kind = type(number).__name__
        raise TypeError(
            f"torch.Size() takes an iterable of 'int' (item {place} is '{kind}')"
        ) from None


class Size(tuple):
    """A shape: a tuple of lengths that prints as PyTorch's does."""

    __slots__ = ()
    __module__ = "minigrad"

    def __new__(cls, lengths=()):
        return tuple.__new__(cls, starmap(_length, enumerate(lengths)))

    def __getitem__(self, place):
        found = tuple.__getitem__(self, place)
        return Size(found) if isinstance(place, slice) else found

    def __add__(self, other):
        return Size(tuple.__add__(self, other))

    def __radd__(self, other):
        return Size(other + tuple(self))

    def __mul__(self, times):
        return Size(tuple.__mul__(self, times))

    __rmul__ = __mul__

    def numel(self) -> int:
        return int(np.prod(self, dtype=np.int64))

    def __repr__(self):
        return f"minigrad.Size({list(self)})"


class device(Word):
    """Where the bytes live: "cpu", or "cuda" on a machine with a usable GPU; its index is 0.

    There is one object of each.
    """

    __module__ = "minigrad"
    __slots__ = ("type", "index")
    type: str
    index: int | None

    def __new__(cls, type: str | device = "cpu", index: int | None = None):
        text = str(type)
        kind, colon, number = text.partition(":")
        if colon and number.isdigit() and index is None:
            index = int(number)
        elif colon:
            raise RuntimeError(f"Invalid device string: {text!r}")
        if kind not in ("cpu", "cuda"):
            raise RuntimeError(_no_device(type, text, kind))
        if index and kind == "cpu":
            raise RuntimeError(f"minigrad uses one device of a kind, number 0, not {text}")
        found = _DEVICES.get((kind, index))  # one that is there is not made again
        return found or _DEVICES.setdefault((kind, index), _device(kind, index))

    def __enter__(self):
        """New tensors are made here, if nobody says where."""
        DEFAULTS.append(self)
        return self

    def __exit__(self, *error):
        DEFAULTS.pop()

    def __reduce__(self):
        return device, (str(self),)

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self):
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type={self.type!r}{index})"


KINDS = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, "
    "mps, meta, hpu, mtia, privateuseone"
)


def _no_device(given, text: str, kind: str) -> str:
    """What is wrong with a device that is none."""
    if isinstance(given, int):
        return "Cannot access accelerator device when none is available."
    if kind in KINDS.split(", "):
        return f"minigrad has the devices cpu and cuda, not {text}"
    wrong = f"Expected one of {KINDS} device type at start of device string: {text}"
    return wrong if text else "Device string must not be empty"


def _device(kind, index):
    made = object.__new__(device)
    made.type, made.index = kind, index
    return made


_DEVICES = {(kind, index): _device(kind, index) for kind in ("cpu", "cuda") for index in (None, 0)}
CPU, CUDA = device("cpu"), device("cuda", 0)
DEFAULTS = [device("cpu")]  # the last one is where new tensors are made
