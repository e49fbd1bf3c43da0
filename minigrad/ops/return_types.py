"""What max(dim), sort() and their kin give: values and indices, by place and by name."""

from __future__ import annotations

from collections import namedtuple


class _Printed:
    """Prints as PyTorch's do, each of the two under its name on a line of its own."""

    __slots__ = ()
    _fields: tuple

    def __repr__(self):
        fields = ",\n".join(f"{name}={getattr(self, name)!r}" for name in self._fields)
        return f"minigrad.return_types.{type(self).__name__}(\n{fields})"


def _named(name: str):
    pair = namedtuple("pair", "values indices")
    return type(name, (_Printed, pair), {"__slots__": (), "__module__": __name__})


max, median, min, sort, topk = map(_named, ("max", "median", "min", "sort", "topk"))
