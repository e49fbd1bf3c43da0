"""memory_format=: whether a new tensor lies as the old one does, or in order."""

from __future__ import annotations

from minigrad.core.dtypes import Word
from minigrad.core.words import expected, kind_of

NO_FORMAT = "contiguous(): argument 'memory_format' must be torch.memory_format, not {}"


class memory_format(Word):
    """How the elements of a new tensor shall lie; there is one object of each kind."""

    __module__ = "minigrad"
    __slots__ = ("name",)

    def __init__(self, name: str):
        self.name = name

    def __repr__(self):
        return f"minigrad.{self.name}"

    def __reduce__(self):
        return self.name


preserve_format, contiguous_format, channels_last = map(
    memory_format, ("preserve_format", "contiguous_format", "channels_last")
)


def lies_in_order(wanted, may_be_none=True) -> bool:
    """Whether elements are to lie in order, and not as those of the tensor before."""
    if wanted is None and may_be_none:
        return False
    expected(wanted, memory_format, "memory_format", "torch.memory_format")
    if wanted is channels_last:
        raise NotImplementedError(
            "minigrad lays the elements of a new tensor out as they were, or in the order of its "
            "axes, and knows no channels_last: leave memory_format out"
        )
    return wanted is contiguous_format


def check_contiguous(x, wanted) -> None:
    """Refuse what contiguous() cannot do."""
    if not isinstance(wanted, memory_format):
        raise TypeError(NO_FORMAT.format(kind_of(wanted)))
    if not lies_in_order(wanted) and not x._array.flags.c_contiguous:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
