"""A CSV as a spreadsheet or a learning platform writes it: byte order mark, semicolons and all.

Which of comma, semicolon and tab stands between the cells is the one that makes its headings.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from course.classroom.tables import BadFile

BETWEEN = (",", ";", "\t")


@dataclass(frozen=True)
class Sheet:
    """The headings as they stand there, and (line of the file, cells) of each line below."""

    heads: list[str]
    lines: list[tuple[int, list[str]]]
    between: str


def read(file: Path, is_head: Callable[[list[str]], bool]) -> Sheet | None:
    """The sheet whose first line `is_head` likes; None where it likes none."""
    text = _text(file)
    for between in BETWEEN:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=between)
        try:
            heads = [head.strip() for head in next(reader, [])]
            if is_head(heads):
                return Sheet(heads, list(_lines(reader)), between)
        except csv.Error as error:
            raise BadFile(f"{file} line {reader.line_num} is not CSV ({error}).") from None
    return None


def _lines(reader) -> Iterator[tuple[int, list[str]]]:
    """The lines that are not blank, each with the number at which it begins."""
    begins = reader.line_num + 1
    for cells in reader:
        if any(map(str.strip, cells)):
            yield begins, cells
        begins = reader.line_num + 1


def _text(file: Path) -> str:
    try:
        data = file.read_bytes()
    except OSError as error:
        why = f"{file} cannot be read ({error.strerror})"
        raise BadFile(f"{why}: see to it that it is there and you may read it.") from None
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        raise BadFile(f"{file} is not text in UTF-8: save it as CSV UTF-8.") from None
