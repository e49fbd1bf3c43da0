"""finfo and iinfo: the smallest and the largest number of a dtype, and how fine its floats are."""

from __future__ import annotations

import numpy as np

from minigrad.core.dtypes import bool_, dtype, get_default_dtype
from minigrad.core.words import as_dtype, kind_of

DEFAULT = object()


class _Info:
    """Numbers of a dtype under their names; two of one dtype are equal."""

    bits: int
    dtype: str

    def __eq__(self, other):
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self):
        return hash((type(self), self.dtype))

    def __repr__(self):
        shown = {n: f"{v:g}" for n, v in vars(self).items() if n not in ("bits", "dtype")}
        shown["dtype"] = self.dtype
        return f"{type(self).__name__}({', '.join(f'{n}={v}' for n, v in shown.items())})"


class finfo(_Info):
    """Of floats; TypeError for another dtype.

    >>> finfo().max
    3.4028234663852886e+38
    """

    def __init__(self, type=DEFAULT):
        type = get_default_dtype() if type is DEFAULT else _checked("finfo", type)
        if not type.is_floating_point:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle "
                "'torch.finfo'"
            )
        found = np.finfo(type.numpy)
        self.resolution = 10.0**-found.precision
        self.min, self.max, self.eps = float(found.min), float(found.max), float(found.eps)
        self.smallest_normal = self.tiny = float(found.tiny)
        self.bits, self.dtype = found.bits, type.name


class iinfo(_Info):
    """Of whole numbers; TypeError for another dtype."""

    def __init__(self, type):
        type = _checked("iinfo", type)
        if type.is_floating_point:
            raise TypeError(
                "torch.iinfo() requires an integer input type. Use torch.finfo to handle "
                "'torch.iinfo'"
            )
        if type is bool_:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        found = np.iinfo(type.numpy)
        self.min, self.max, self.bits, self.dtype = found.min, found.max, found.bits, type.name


def _checked(name, value) -> dtype:
    """A dtype, or the one that a type of Python's stands for."""
    kind = as_dtype(value)
    if not isinstance(kind, dtype):
        wanted = "argument 'type' (position 1) must be torch.dtype"
        raise TypeError(f"{name}(): {wanted}, not {kind_of(kind)}")
    return kind
