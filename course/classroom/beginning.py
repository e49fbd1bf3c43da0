"""Before anybody is graded: where things lie, who else is at work there, which seed is drawn."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from course import copies
from course.classroom import overrides, records
from course.classroom.syllabus import CannotGrade
from course.classroom.terminal import say

FACTS = "grade.json"


def require_places(options: Any) -> None:
    """Refuse what would mix up what comes in and what goes out, or overwrite somebody's files."""
    if not options.submissions.exists():
        raise CannotGrade(f"{options.submissions} is not there: name the folder or zip handed in.")
    came, out = options.submissions.resolve(), options.out.resolve()
    if out == came or came in out.parents:
        raise CannotGrade(f"{out} lies in {came}: choose a place of its own for -o.")
    if out.exists() and not out.is_dir():
        raise CannotGrade(f"{options.out} is a file: name a folder with -o.")
    if out.is_dir() and not (out / FACTS).exists() and not_ours(out):
        raise CannotGrade(f"{options.out} holds other files: name an empty or a new folder.")


def not_ours(out: Path) -> set[Path]:
    """What lies there, but for all that a grader may leave which was killed before its facts."""
    return set(out.iterdir()) - {out / overrides.NAME, *copies.drafts(out)}


@contextmanager
def alone(out: Path) -> Iterator[None]:
    """Two graders never write to the same folder."""
    out.mkdir(parents=True, exist_ok=True)
    lock = os.open(out, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for folder in (out, out / records.RECORDS, out / records.LEARNERS):
            copies.discard_drafts(folder)
        yield
    except BlockingIOError:
        raise CannotGrade(f"Another grader is at work in {out}: wait for it, or stop it.") from None
    finally:
        os.close(lock)


def settled_seed(options: Any) -> str:
    """The seed given, else the one of the run before, else a new one."""
    if options.seed is not None:
        return options.seed
    kept = facts(options.out).get("seed")
    seed = kept if isinstance(kept, str) else secrets.token_hex(8)
    say(f"Seed {seed}, {'as in the run before' if kept else 'drawn'}; kept in {FACTS}.")
    return seed


def facts(out: Path) -> dict:
    try:
        found = json.loads((out / FACTS).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write_facts(out: Path, seed: str, mode: str, course: str) -> None:
    copies.write(out / FACTS, records.dump({"seed": seed, "mode": mode, "course": course}))
