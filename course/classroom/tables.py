"""What a teacher writes, read with care: a mistake in it is one sentence that names the remedy."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from course.classroom.naming import row

LINE = "a line is `name = value`, with quotes around a text"


class BadFile(Exception):
    """A sentence: what in a teacher's file cannot be used, and what can."""


def toml(file: Path, remedy: str = "name another") -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8-sig"))
    except OSError as error:
        raise BadFile(f"{file} cannot be read ({error.strerror}): {remedy}.") from None
    except UnicodeDecodeError:
        raise BadFile(f"{file} is not text in UTF-8: save it as UTF-8.") from None
    except ValueError as error:
        raise BadFile(f"{file} is not TOML ({error}): {LINE}.") from None


def require_known(where: object, name: str, known: Iterable[str]) -> None:
    known = list(known)
    if name in known:
        return
    near = difflib.get_close_matches(name, known, 1)
    meant = f"did you mean {near[0]}?" if near else f"known are {row(sorted(known), 8)}."
    raise BadFile(f"{where}: there is no {name}; {meant}")


def require_place(file: object, table: str, row: str, places: Mapping[str, Iterable[str]]) -> None:
    """Refuse a row that this table does not know; `places` has the rows of each table, "" the top.

    What another table knows is told where it belongs.
    """
    known = list(places[table])
    if row in known:
        return
    where = f"{file}: [{table}]" if table else str(file)
    elsewhere = {name: other for other, names in places.items() for name in names}
    near = difflib.get_close_matches(row, known, 1)
    meant = difflib.get_close_matches(row, elsewhere, 1)
    if row in elsewhere or (meant and not near):
        name = row if row in elsewhere else meant[0]
        other = elsewhere[name]
        place = f"below [{other}]" if other else "above all lines in brackets"
        raise BadFile(f"{where}: there is no {row} here; write {name} {place}.")
    require_known(where, row, known)


def table(where: object, data: dict, name: str) -> dict:
    """The table [name]; {} where there is none."""
    rows = data.get(name, {})
    if not isinstance(rows, dict):
        raise BadFile(f"{where}: {name} is a table, [{name}] with one line each below it.")
    return rows


def number(where: object, name: str, value: object, what: str, most: float, least=0) -> float:
    """The value of the row `name`, a number from `least` to `most`."""
    fine = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not fine or not least <= value <= most:  # type: ignore[operator]
        bounds = f"from {least} to {most:g}"
        raise BadFile(f"{where}: {name} = {value!r}, but {what} is a number {bounds}.")
    return value  # type: ignore[return-value]


def whole(where: object, name: str, value: object, what: str, most: int) -> int:
    """The same without a fraction."""
    if not isinstance(value, int):
        raise BadFile(f"{where}: {name} = {value!r}, but {what} is a whole number from 0.")
    return int(number(where, name, value, what, most))


def place(where: object, file: Path, name: str, value: object) -> Path:
    """A path that is meant from the folder of `file`."""
    if not isinstance(value, str) or not value:
        raise BadFile(f'{where}: {name} = {value!r}, but it is a path, such as {name} = "x".')
    found = file.resolve().parent / value
    if not found.exists():
        raise BadFile(
            f"{where}: {name} = {value!r}, but {found} is not there: a path is meant from the "
            f"folder of {file.name}."
        )
    return found
