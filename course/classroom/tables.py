"""What a teacher writes, read with care: a mistake in it is one sentence that names the remedy."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any


class BadFile(Exception):
    """A sentence: what in a teacher's file cannot be used, and what can."""


def toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8-sig"))
    except OSError as error:
        raise BadFile(f"{file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise BadFile(f"{file} is not text in UTF-8: save it as UTF-8.") from None
    except ValueError as error:
        raise BadFile(f"{file} is not TOML ({error}): write lines like freed = 2.") from None


def require_known(where: object, name: str, known: Iterable[str]) -> None:
    known = list(known)
    if name in known:
        return
    near = difflib.get_close_matches(name, known, 1)
    meant = f"did you mean {near[0]}?" if near else f"known are {', '.join(sorted(known)[:8])}."
    raise BadFile(f"{where}: there is no {name}; {meant}")


def table(where: object, data: dict, name: str, known: Iterable[str] | None = None) -> dict:
    """The table [name], all rows of which are known; {} where there is none."""
    rows = data.get(name, {})
    if not isinstance(rows, dict):
        raise BadFile(f"{where}: {name} is a table, [{name}] with one line each below it.")
    for row in rows if known is not None else ():
        require_known(where, row, known or ())
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
        raise BadFile(f"{where}: {name} = {value!r}, but {found} is not there.")
    return found
