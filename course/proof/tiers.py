"""Which steps each tier has: the suite, what a CI does besides, and what nobody wants to wait for.

A tier is rows of steps; those of one row run side by side. Nothing is left out of a longer tier.
"""

from __future__ import annotations

import importlib.util
import json
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from . import apart, kernels, places, pythons

ROOT = Path(__file__).resolve().parents[2]
CODE = "minigrad", "whoholds", "course", "for_torch", "benchmarks", "tests", "lessons", "run.py"
BY_FILE = "--dist", "loadfile", "--no-loadscope-reorder"
WITHOUT_NBVAL = "-p", "no:nbval"  # it brings all of Jupyter to each process: two seconds
PARALLEL = "-n", "2", *BY_FILE, *WITHOUT_NBVAL
WAITING = "-n", "3", *BY_FILE, *WITHOUT_NBVAL  # one more than cores: graders often wait
# Each part has processes of its own: a search for who holds something asks all that a process has,
# and a copy of a process copies it; both take many times as long where all tests are loaded.
PARTS = {
    "the engine": ("tests/minigrad", "tests/twin"),
    "whoholds": ("tests/whoholds", "tests/for_torch"),
    "pages in a browser": ("tests/browser", "tests/site"),
}
NBVAL = (
    *("-p", "course.build.sockets", "-p", "course.proof.header"),
    "--nbval-current-env",
    "--nbval-cell-timeout=60",
    "--nbval-sanitize-with=course/build/nbval.cfg",
    *("-n", "2", *BY_FILE),
)
DRAWN = {"MINIGRAD_DRAW": "8"}  # of the tests that take minutes, one in eight
INSTALLS = {"CI": "true"}  # tests that install packages run only where this is set
SIXTH = INSTALLS | {"MINIGRAD_DRAW": "6"}
# What has run and runs once more in another way: of all its files one in two, whatever they take.
AGAIN = {"MINIGRAD_DRAW": "2", "MINIGRAD_DRAW_FROM": "all"}
ONCE = {"CI": ""}  # and once in a tier is enough
LESSONS = "course.build", "check"
COMPUTED = "tests/course/test_exercises.py", "tests/course/test_trying_cases.py"
# What must also be true where PyTorch cannot be had; a CI leaves out what takes longest of it, and
# what is the same there (`apart`).
ALONE = {
    "the engine": ("tests/minigrad", "tests/twin", "tests/test_bench_cases.py"),
    "whoholds": ("tests/whoholds",),
    "the course": ("tests/course",),
}
# The engine has two ways to run an operation: what is generated for each rule, which all else here
# goes, and the general one. Left out: what computes nothing, or knows both ways, or asks PyTorch.
GENERAL = (
    "tests/minigrad",
    "tests/twin",
    *(f"--ignore=tests/minigrad/test_{name}.py" for name in (
        "both_ways missing_names mutations plain size".split())),
    "--ignore=tests/twin/test_tracker.py",
    "--deselect=tests/twin/test_twin.py::test_the_recording_is_fresh",
)  # fmt: skip
# A third or more of what they belong to: only a CI has the time, and once.
CURVES = ("tests/minigrad/test_reversible_bytes.py",)
GRADING = (
    "tests/course/test_exercises.py",
    "tests/course/test_measured_result.py",
    "tests/course/test_points.py",
    "tests/course/test_private.py",
    "tests/course/test_reach.py",
    "tests/course/test_submitted.py",
    *sorted(
        path.relative_to(ROOT).as_posix()
        for package in ("classroom", "sandbox", "trying")
        for path in (ROOT / "tests/course").glob(f"test_{package}_*.py")
    ),
)
# What asks Python itself: its instructions, frames, dicts and classes, which each version lays out
# anew. Torch is not there: its recorded results stand for it.
ASKS_PYTHON = (
    "tests/minigrad",
    "tests/twin",
    "tests/whoholds",
    "tests/course/test_submitted.py",
    "tests/course/test_trying_witness.py",
    *sorted(
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests/course").glob("test_sandbox_*.py")
    ),
)
MANY_DRAWN = "tests/minigrad/test_interrupts.py", "tests/twin/test_round_trips.py"
MANY = {"MINIGRAD_INTERRUPTS": "2000", "MINIGRAD_ROUND_TRIPS": "200"}
OLD_NUMPY = "numpy==2.1.*"
SEEDS = 3


@dataclass(frozen=True)
class Step:
    """One runner: what Python is given behind `-m`, in which environment, with which settings."""

    name: str
    call: tuple[str, ...]
    settings: dict[str, str] = field(default_factory=dict)
    place: Callable[[Path], Path] | None = None  # makes an environment in a folder; its Python


Row = list[Step]


def suite(settings: dict[str, str] = DRAWN) -> Iterator[Row]:
    """`run.py test`; with the installs, the first part of `--ci`."""
    yield [
        Step("lint", ("ruff", "check", *CODE)),
        Step("format", ("ruff", "format", "--check", *CODE)),
        Step("types", ("mypy", "minigrad", "whoholds", "course", "for_torch")),
        jittered("lessons are current"),
    ]
    yield from tests("", "--durations=15", settings=settings)
    general = GENERAL if "CI" in settings else (*GENERAL, *ignored(CURVES))
    plain = ONCE | {"MINIGRAD_PLAIN": "1"} | again(settings)
    yield [Step("the general way", ("pytest", *general, *PARALLEL), plain)]
    yield stored_outputs()


def again(settings: dict[str, str]) -> dict[str, str]:
    """The settings of what runs another way, in a tier with these; the longest runs all of it."""
    return AGAIN if "MINIGRAD_DRAW" in settings else {}


def ci(settings: dict[str, str] = SIXTH) -> Iterator[Row]:
    """`run.py test --ci`: the suite with its installs, the oldest kernels, no PyTorch."""
    yield from suite(settings)
    drawn = again(settings)
    for name, older in list(kernels.others().items())[:1]:
        yield [cases(name, older | drawn)]
    if not kernels.others():
        print("This processor's numpy has one kind of kernels: no older one can be tried.")
    yield from lessons_elsewhere(drawn)
    yield from without_pytorch(drawn)
    yield from with_other_pythons(drawn)


def long() -> Iterator[Row]:
    """`run.py test --long`: the rest, and the tests once more in another order."""
    yield from ci(INSTALLS)
    for number, (name, settings) in enumerate(kernels.others().items()):
        if number or has_pytorch():
            yield [lessons(f"with {name} kernels", settings)]
        if number:
            yield [cases(name, settings)]
    yield from more_without_pytorch()
    for turn in range(2, SEEDS + 1):
        yield [jittered(f"lessons are current, seed {turn} of {SEEDS}")]
    collector = 150 + secrets.randbelow(2850)
    yield [checked("lessons, the collector at other moments", collector=collector)]
    yield from with_old_numpy()
    yield [Step("many interrupts and copies", ("pytest", *MANY_DRAWN, *PARALLEL), MANY | ONCE)]
    again = INSTALLS | {"PYTHONHASHSEED": str(secrets.randbelow(2**32))}
    yield from tests(" again, backwards", "--backwards", settings=again)
    yield stored_outputs(" again")


def tests(more: str, *options: str, settings: dict[str, str], place=None) -> Iterator[Row]:
    """All tests, part by part; the course has what no other part has."""
    for name, folders in PARTS.items():
        call = ("pytest", *folders, *options, *PARALLEL)
        yield [Step(f"tests of {name}{more}", call, settings, place)]
    others = ignored(folder for folders in PARTS.values() for folder in folders)
    call = ("pytest", "tests", *others, *options, *WAITING)
    yield [Step(f"tests of the course{more}", call, settings, place)]


def ignored(files: Iterable[str]) -> list[str]:
    return [f"--ignore={file}" for file in files]


def jittered(name: str) -> Step:
    """The check of all lessons with numpy's inexact results moved, by a seed drawn anew."""
    return checked(name, jitter=str(secrets.randbelow(10**6)))


def checked(name: str, **options) -> Step:
    return Step(name, (*LESSONS, json.dumps(options)))


def stored_outputs(more: str = "", place=None) -> Row:
    """nbval over every notebook that is there."""
    stored = nbval(f"stored outputs{more}", "--nbval", ("notebooks", "solutions"), place)
    return [*stored, *exercises_run(more, place)]


def exercises_run(more: str = "", place=None) -> Row:
    """The notebooks that are stored without outputs, and that no check of a lesson runs."""
    return nbval(f"exercises run{more}", "--nbval-lax", ("exercises",), place)


def nbval(name: str, mode: str, folders: tuple[str, ...], place=None) -> Row:
    filled = [folder for folder in folders if any((ROOT / folder).glob("*.ipynb"))]
    for folder in folders:
        if folder not in filled:
            print(f"{name}: {folder}/ holds no notebook, left out.")
    return [Step(name, ("pytest", mode, *NBVAL, *filled), place=place)] if filled else []


def cases(name: str, settings: dict[str, str]) -> Step:
    """The cases on every planted answer, on another processor's arithmetic."""
    return Step(f"cases with {name} kernels", ("pytest", *COMPUTED, *PARALLEL), settings | ONCE)


def lessons(how: str, settings: dict[str, str] | None = None, place=None, some=()) -> Step:
    """Their check runs what is stored with outputs, and compares it; of all, or of `some`."""
    options = (json.dumps({"lessons": some}),) * bool(some)
    return Step(f"lessons {how}", (*LESSONS, *options), settings or {}, place)


def some_lessons() -> list[str]:
    """The numbers of a half of them, drawn anew."""
    numbers = sorted(path.stem.partition("_")[0] for path in (ROOT / "lessons").glob("*.py"))
    return numbers[secrets.randbelow(2) :: 2]


def lessons_elsewhere(drawn: dict[str, str]) -> Iterator[Row]:
    """The lessons on the oldest kernels and without PyTorch at once, as far as both can be had; a
    half of them where a tier draws.

    PyTorch computes with kernels of its own, whatever numpy's are: it would add nothing to them.
    """
    older, settings = next(iter(kernels.others().items()), ("", {}))
    place = no_pytorch() if has_pytorch() else None
    ways = [f"with {older} kernels"] * bool(older) + ["without PyTorch"] * bool(place)
    if ways:
        yield [lessons(", ".join(ways), settings, place, some_lessons() if drawn else ())]


def without_pytorch(drawn: dict[str, str]) -> Iterator[Row]:
    """What may go another way there."""
    if not has_pytorch():
        print("PyTorch is not installed: all of this proof is one without it.")
        return
    place = no_pytorch()
    later = ignored((*GRADING, *CURVES, *apart.from_pytorch("tests/minigrad")))
    for name, folders in ALONE.items():
        call = ("pytest", *folders, *later, *PARALLEL)
        yield [Step(f"tests of {name} without PyTorch", call, ONCE | drawn, place)]
    yield exercises_run(" without PyTorch", place)


def more_without_pytorch() -> Iterator[Row]:
    """The grading, which takes longest, what knows nothing of PyTorch, and nbval's comparison."""
    if has_pytorch():
        place = no_pytorch()
        if kernels.others():
            yield [lessons("without PyTorch", place=place)]
        engine, folders = apart.from_pytorch("tests/minigrad"), ("notebooks", "solutions")
        engine += CURVES
        yield [Step("grading without PyTorch", ("pytest", *GRADING, *PARALLEL), ONCE, place)]
        yield [Step("the engine without PyTorch", ("pytest", *engine, *PARALLEL), ONCE, place)]
        yield nbval("stored outputs without PyTorch", "--nbval", folders, place)


def has_pytorch() -> bool:
    return importlib.util.find_spec("torch") is not None


def no_pytorch() -> Callable[[Path], Path]:
    return partial(places.without, ["torch"])


def with_other_pythons(drawn: dict[str, str]) -> Iterator[Row]:
    """What asks Python itself under each other one; a tier that draws takes one of these."""
    found = list(pythons.others().items())
    if not found:
        print("No other Python is installed here: what asks Python itself is tried on this one.")
    if drawn and found:
        found, drawn = [secrets.choice(found)], drawn | {"MINIGRAD_DRAW": "8"}
    for name, program in found:
        place = partial(places.with_python, program)
        yield [Step(f"on Python {name}", ("pytest", *ASKS_PYTHON, *PARALLEL), ONCE | drawn, place)]
        if not drawn:
            yield [lessons(f"on Python {name}", place=place)]


def with_old_numpy() -> Iterator[Row]:
    """The oldest numpy that pyproject.toml allows; the lock's is everywhere else."""
    place = partial(places.with_another, OLD_NUMPY)
    yield [lessons("with numpy 2.1", place=place)]
    yield from tests(" with numpy 2.1", settings=ONCE, place=place)
    yield stored_outputs(" with numpy 2.1", place)
