"""Names in a row within a sentence: not too many, none that runs into the next, no two alike."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable

PEOPLE = "; "  # between learners: "Lovelace, Ada" is one
# Letters that no accent makes of a plain one, as they stand in an alphabet of plain ones.
PLAIN = str.maketrans({
    "\u0142": "l", "\u00f8": "o", "\u0111": "d", "\u00f0": "d", "\u00e6": "ae", "\u0153": "oe",
    "\u0131": "i", "\u00fe": "th", "\u0127": "h", "\u0167": "t", "\u014b": "n", "\u0259": "e",
})  # fmt: skip


def row(names: Iterable[str], most: int, between: str = ", ") -> str:
    """The first so many names, and how many more there are."""
    every = list(names)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return between.join(every[:most]) + more


def people(names: Iterable[str], most: int) -> str:
    return row(names, most, PEOPLE)


def in_order(name: str) -> tuple[str, str]:
    """What names are sorted by: without accents and capitals first, \u00c4nne beside Anne."""
    folded = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(c for c in folded if not unicodedata.combining(c)).translate(PLAIN)
    return plain, name.casefold()


def apart(names: dict[str, str]) -> dict[str, str]:
    """{id: name}, with the id behind a name that is there twice, or seems to be."""
    shown = dict(names)
    while True:
        often = Counter(map(seen, shown.values()))
        alike = [id for id in shown if often[seen(shown[id])] > 1 and shown[id] == names[id]]
        if not alike:
            return shown
        shown |= {id: f"{names[id]} ({id})" for id in alike}


def seen(name: str) -> str:
    """The same for names that a reader cannot tell apart at once."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
