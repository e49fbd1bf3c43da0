"""`run.py truth`: what a PyTorch of another version says otherwise than it is recorded here.

The tests that ask PyTorch compare, and the twin cells of lessons are run as the build runs them:
here they only meet another version, and what they find is listed.
"""

from __future__ import annotations

import asyncio
import inspect
import re
import sys
from collections import Counter
from pathlib import Path

from course import beside
from course.build import make, outputs, twins
from course.build.execute import CellFailed
from course.build.project import REPOSITORY, Project, work_on

WIDTH = 60  # of a value in the table
# What a file says that asks PyTorch: it wants it, or one of its functions takes it as a fixture.
ASKS = re.compile(
    r'importorskip\((engine|"torch")|why_not_live|^def \w+\((.*, )?(live_)?torch\b', re.MULTILINE
)
ALL_ASK = re.compile(r'^(\w+ = )?pytest\.importorskip\("torch"', re.MULTILINE)
GOLDEN = "test_the_recording_is_fresh"
QUIET = ["-p", "no:terminal", "-p", "no:cacheprovider", "-o", "addopts="]
QUIET += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # of its plugins, loaded before it
NOT_HERE = (
    "PyTorch cannot be imported here: name a version, and it gets an environment of its own "
    "(python3 run.py truth --torch {})."
)
NOT_TO_BE_HAD = (
    "{} cannot be had here, {}: put that right or name another version; {} can be deleted."
)


class NoTorch(Exception):
    """The text is one sentence with the remedy."""


class Listing:
    """What was compared, how much of each kind; and a row for each value that differs."""

    def __init__(self):
        self.compared: Counter = Counter()
        self.differ: Counter = Counter()
        self.rows: list = []

    def add(self, kind: str, name: str, differences: list) -> None:
        """One more of a kind was compared; `differences` holds (label, recorded, now)."""
        self.compared[kind] += 1
        self.differ[kind] += bool(differences)
        for label, *both in differences:
            self.rows.append([f"{kind} {name}{label and ': '}{label}", *brief(*map(text, both))])


def tell(version: str | None) -> int:
    """Print the listing for this PyTorch, or for the one that is installed; how many differ."""
    found, listing = torch_of(version), Listing()
    lessons(listing, Project())
    tests(listing, REPOSITORY / "tests", found)
    print("\n".join([*table(listing.rows), *verdict(listing, found)]))
    return sum(listing.differ.values())


def torch_of(version: str | None) -> str:
    """The version of the PyTorch that is asked; it is installed first, if it is not there."""
    from tests.twin import golden, registry

    wanted = f"torch=={version}"
    beside.discard_half()
    said = "" if version is None or beside.whole(wanted) else beside.fetched(wanted)
    if version and not beside.whole(wanted):
        why = beside.reason(said.lower())
        raise NoTorch(NOT_TO_BE_HAD.format(wanted, why, Path(sys.prefix).name))
    found = registry.torch_version()
    if found is None:
        raise NoTorch(NOT_HERE.format(version or golden.VERSION))
    return found


# --- what compares -------------------------------------------------------------------------


def lessons(listing: Listing, project: Project) -> None:
    """Run the twin cells of all lessons."""
    those = [lesson for lesson in make.load(project) if twins.twins(lesson)]
    print("Running the twin cells of the lessons ...", flush=True)
    with work_on(project) as work:
        try:
            fresh = asyncio.run(twins.torch_now(those, work))
            for lesson in those:
                for cell, *both in twins.recorded_and_now(lesson, project, fresh[lesson.name]):
                    differ = [("", *both)] if both[0] != both[1] else []
                    listing.add("cell", f"{lesson.file}:{cell.line}", differ)
        except CellFailed as failed:
            listing.add("cell", "lessons", [("", "runs", str(failed))])


def tests(listing: Listing, folder: Path, version: str) -> None:
    """Run the tests that ask PyTorch, as if this version were the recorded one."""
    import pytest

    from tests.twin import mode

    files = [str(path) for path in sorted(folder.rglob("test_*.py")) if asks(path)]
    mode.compared = version
    options = [*QUIET, "--continue-on-collection-errors", *files]
    code = pytest.main(options, plugins=[Asked(listing)])
    if code == pytest.ExitCode.INTERRUPTED:
        raise KeyboardInterrupt


def asks(path: Path) -> bool:
    """Whether a file of tests asks PyTorch; not those in a browser, nor this one's own."""
    left_out = "browser" in path.parts or path.stem == "test_truth"
    return not left_out and ASKS.search(path.read_text("utf-8")) is not None


class Asked:
    """A plugin of pytest: only what asks PyTorch is run, and how it ended is listed."""

    def __init__(self, listing: Listing):
        self.listing = listing

    def pytest_collection_modifyitems(self, items) -> None:
        items[:] = [item for item in items if about_torch(item)]
        print(f"Running the {len(items):,} tests that ask PyTorch: some minutes ...", flush=True)

    def pytest_collectreport(self, report) -> None:
        if report.failed:
            self.pytest_runtest_logreport(report)

    def pytest_runtest_logreport(self, report) -> None:
        name = report.nodeid.removeprefix("tests/")
        is_golden = GOLDEN in name
        if is_golden:
            name = name.partition("[")[2].removesuffix("]")
        if report.failed or (report.passed and report.when == "call"):
            kind = "golden case" if is_golden else "claim"
            self.listing.add(kind, name, differences(report) if report.failed else [])
            self.show_progress()

    def show_progress(self) -> None:
        if sys.stderr.isatty():
            done = sum(self.listing.compared.values())
            print(f"\r  {done} compared", end="", file=sys.stderr, flush=True)


def about_torch(item) -> bool:
    """Whether a test asks PyTorch: its file does as a whole, or its name or its source says so."""
    if "minigrad" in item.name:
        return False
    said = " ".join([item.name, *item.fixturenames, inspect.getsource(item.function)])
    return "torch" in said.lower() or bool(ALL_ASK.search(item.path.read_text("utf-8")))


def differences(report) -> list:
    """What the test recorded by `record_property(label, (recorded, now))`, else what it says."""
    pairs = [(label, *both) for label, both in getattr(report, "user_properties", [])]
    lines = report.longreprtext.splitlines()
    said = next((line[1:].strip() for line in lines if line.startswith("E ")), lines[-1])
    return [pair for pair in pairs if pair[1] != pair[2]] or [("", "holds", said)]


# --- the table -----------------------------------------------------------------------------


def text(value) -> str:
    return value if isinstance(value, str) else str(value)


def brief(recorded: str, now: str) -> list[str]:
    """Of both the first line that differs, cut to the place where it does."""
    pairs = (recorded, now), (now, recorded)
    return [outputs.parting(*pair, WIDTH // 2)[:WIDTH] for pair in pairs]


def table(rows: list) -> list[str]:
    if not rows:
        return []
    whole = [["what", "recorded", "now"], *rows]
    widths = [max(len(row[column]) for row in whole) for column in range(2)]
    return [f"{a:<{widths[0]}} | {b:<{widths[1]}} | {c}" for a, b, c in whole]


def verdict(listing: Listing, version: str) -> list[str]:
    """The last lines: how many differ of each kind, and of all."""
    compared, differ = sum(listing.compared.values()), sum(listing.differ.values())
    if not differ:
        return [f"PyTorch {version} says all that is recorded: 0 of {compared:,} differ"]
    kinds = [f"{listing.differ[kind]} of {n:,} {kind}s" for kind, n in listing.compared.items()]
    return [f"PyTorch {version}: {', '.join(kinds)}", f"{differ:,} of {compared:,} differ"]
