"""Names in a row within a sentence: not too many, and none that runs into the next."""

from __future__ import annotations

from collections.abc import Iterable

PEOPLE = "; "  # between learners: "Lovelace, Ada" is one


def row(names: Iterable[str], most: int, between: str = ", ") -> str:
    """The first so many names, and how many more there are."""
    every = list(names)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return between.join(every[:most]) + more


def people(names: Iterable[str], most: int) -> str:
    return row(names, most, PEOPLE)
