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
