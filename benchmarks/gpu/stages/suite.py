"""The tests that pytest runs with `device` as the real card; `checks` has those that need none."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from benchmarks.gpu.place import Place
from benchmarks.gpu.row import FAILED, LEFT_OUT, PASSED, Row, left_out, short

ROOT = Path(__file__).resolve().parents[3]
GROUP = "tests of the engine, by pytest"
MARK = "ON_GPU = True"
DONE = "the_slope_of", "shape_and_dtype", "asked_for_alone", "on_a_gpu", "every_rule_is_replayed"
WHICH = " and not ".join(["real", *DONE])
NO_PYTEST = "pytest is not installed here: `checks` and `replays` ran what needs none"
STAND_IN = "not on a simulated card: `python3 run.py test` runs them on it"


def rows(place: Place) -> Iterator[Row]:
    if place.simulated:
        yield left_out(GROUP, STAND_IN)
    elif importlib.util.find_spec("pytest") is None:
        yield left_out(GROUP, NO_PYTEST)
    else:
        paths, without = files()
        yield from without
        yield from ran(paths, WHICH)


def files() -> tuple[list[Path], list[Row]]:
    """The files that run on a GPU whole, and a row for each that cannot be imported here."""
    marked = [p for p in sorted((ROOT / "tests/minigrad").glob("test_*.py")) if MARK in text(p)]
    if importlib.util.find_spec("hypothesis"):
        return marked, []
    needing = [path for path in marked if "from hypothesis" in text(path)]
    why = "{} needs hypothesis, which is not installed here"
    return [p for p in marked if p not in needing], [
        left_out(GROUP, why.format(path.name)) for path in needing
    ]


def text(path: Path) -> str:
    return path.read_text("utf-8")


def ran(paths: list[Path], which: str) -> Iterator[Row]:
    """A row for each test that `-k which` finds in the files."""
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "found.xml"
        call = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", which]
        done = subprocess.run(
            [*call, f"--junitxml={found}", *map(str, paths)],
            cwd=ROOT, capture_output=True, text=True, encoding="utf-8", errors="replace",
        )  # fmt: skip
        if done.returncode not in (0, 1):  # 0: all passed, 1: some failed
            last = (done.stdout + done.stderr).strip().splitlines()[-1:]
            yield Row(GROUP, "pytest", FAILED, short(f"exit code {done.returncode}: {last}"))
            return
        for case in ElementTree.parse(found).iter("testcase"):
            yield row(case)


def row(case) -> Row:
    name = f"{case.get('classname')}.{case.get('name')}"
    for kind, outcome in {"failure": FAILED, "error": FAILED, "skipped": LEFT_OUT}.items():
        if (told := case.find(kind)) is not None:
            return Row(GROUP, name, outcome, short(told.get("message") or kind))
    return Row(GROUP, name, PASSED)
