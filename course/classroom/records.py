"""A record is all that is known of one learner's grade: plain JSON, one file, written at once.

It holds what was expected, so it lies apart from the pages that a learner gets. Knows nothing of
how it came about; a record of other work, course or seed is not taken for ours.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from course import copies
from course.classroom.packed import Packed

Record = dict[str, Any]
RECORDS, LEARNERS = "records", "learners"  # for the teacher alone, and to be given back
MARKED = re.compile(r"-[0-9a-f]{8}$")  # how the names end that are made below


def stem(student: str) -> str:
    """A file name for any student id: readable, and never the name of another's file."""
    safe = re.sub(r"[^A-Za-z0-9._@-]+", "_", student).strip("._-")[:80]
    if safe and safe == student and not MARKED.search(safe):
        return safe
    mark = hashlib.sha256(student.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{safe or 'learner'}-{mark}"


def path(out: Path, student: str, ending: str = "json") -> Path:
    return out / RECORDS / f"{stem(student)}.{ending}"


def page(out: Path, student: str) -> Path:
    """Of the page that the learner gets."""
    return out / LEARNERS / f"{stem(student)}.html"


def round_of(work: str, last: Record | None) -> int:
    """The number of a learner's round: work that has changed since the last one begins another."""
    if last is None:
        return 1
    before = last.get("round", 1)
    return before if last.get("work") == work else before + 1


def history(record: Record, last: Record | None, date: str) -> list[dict[str, Any]]:
    """The learner's rounds so far, this one last; the same work again is the same round.

    The date says when a round was graded first, and decides nothing.
    """
    before = list((last or {}).get("history", []))
    same = bool(before) and before[-1]["work"] == record["work"]
    if same:
        date = before.pop()["date"]
    points, of = (sum(e[key] for e in record["exercises"].values()) for key in ("points", "of"))
    now = {"round": record["round"], "date": date, "points": points, "of": of}
    return [*before, now | {"work": record["work"]}]


def save(out: Path, record: Record) -> None:
    copies.write(path(out, record["student"]), dump(record))


IN_BOOKS = "case", "points", "of", "hint", "got", "missing", "waits"  # what the books ask of a case


def short(record: Record) -> Record:
    """The record as the books need it: a class of a thousand is held at once, its pages are not.

    No code, and of a case that was right only its name and points; all of it packed.
    """
    exercises = {
        id: {key: value for key, value in exercise.items() if key != "code"}
        | {"cases": [_short_case(case) for case in exercise["cases"]]}
        for id, exercise in record["exercises"].items()
    }
    return record | {"exercises": Packed(exercises)}


def _short_case(case: Record) -> Record:
    if case["points"] >= case["of"]:
        named = {key: case[key] for key in ("case", "points", "of")}
        return named | {"hint": "", "got": ""}
    return {key: case[key] for key in IN_BOOKS if key in case}


def kept(out: Path, student: str, digest: str) -> Record | None:
    """The learner's record if it is of exactly this work, course, seed and mode."""
    record = last(out, student)
    return record if record and record["digest"] == digest else None


def last(out: Path, student: str) -> Record | None:
    """The learner's record of whatever work, seed and mode was graded last."""
    record = load(path(out, student))
    return record if record and record["student"] == student else None


def load(file: Path) -> Record | None:
    """The record, or None for a file that is none: a half record is graded again."""
    try:
        record = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return record if is_record(record) else None


def is_record(value: object) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("student"), str)
        and isinstance(value.get("digest"), str)
        and isinstance(value.get("exercises"), dict)
    )


def dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def digest(*parts: str | bytes) -> str:
    """One name for all parts in this order; where a part ends is part of the name."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        total.update(b"%d:" % len(data) + data)
    return total.hexdigest()


def clean(value: Any) -> Any:
    """The same without halves of characters, which no file can hold (zip names have them)."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {clean(key): clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [clean(item) for item in value]
    return value
