"""A way out: what to change, in words, and the text of the program that has it changed."""

from __future__ import annotations

from typing import NamedTuple


class Way(NamedTuple):
    """`source` is "" where the change cannot be made in the program's text.

    Of the ways with the same `place` one is enough; `words` is what is told.
    """

    words: str
    source: str
    place: str = ""


def named(lines) -> str:
    """`line 3`, `lines 3 and 5`, `lines 3, 5 and 6`"""
    *most, last = map(str, lines)
    return f"lines {', '.join(most)} and {last}" if most else f"line {last}"
