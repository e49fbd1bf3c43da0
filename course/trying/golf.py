"""Memory golf: each way to do the same training step is a point, bytes at the peak over products.

`play` puts the learner's among the points of ways that are known, if its gradients are right, and
beside its earlier tries. The build has measured the known ones: their code is not here, for it
would be an answer (`course/build/golf.py`).
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten

import numpy as np

import minigrad as mg
from course.pictures.style import INK, LINES, quiet, titled
from course.predict import record
from course.trying.cases import Case
from course.trying.measure import measure
from course.trying.run import run_case
from whoholds.figure import Picture

HEADS = "", "peak", "products"
WRONG = "This try does not count: its gradient of {} is not that of the plain way."
SPOILED = "This try does not count: it wrote into {}, which is the caller's."
NO_TENSOR = "This try does not count: it returned {}, and the gradients are not there."
FAILED = "This try does not count: it ended in {}."
BEATEN = "Your last try: '{}' needs no more of either, and less of one."
SAME = "Your last try costs exactly what '{}' costs."
BEYOND = "Your last try: none of the known ways is as good in both."
LOST = "The map of {} is missing: `python3 run.py build {}` makes it, or clone the course again."
LONGEST = 160  # characters of an error
FOLDER = Path(__file__).resolve().parents[1] / "cases" / "known"
_holes: dict[str, "Hole"] = {}
_session: dict[str, list] = {}  # tries of a notebook that keeps no record


@dataclass(frozen=True)
class Hole:
    """One course to play: ways to do a step, all called as the exercise's function is.

    make: () -> (arguments of a way, {name: leaf} whose gradients must be right).
    plain: the way whose gradients are the right ones. A way returns what backward is then called
    on; or None, where it has called it by itself.
    unit: the bytes of one U.
    """

    exercise: str
    title: str
    lesson: str
    make: Callable[[], tuple]
    plain: Callable
    unit: int = 1

    def known(self):
        """{name: (products, bytes at the peak)} of the known ways, the plain one first."""
        text = (FOLDER / f"{self.lesson}.json").read_text("utf-8")
        return {name: tuple(point) for name, point in json.loads(text)[self.exercise].items()}


def hole(exercise, title, lesson, make, plain, unit=1):
    """Let `check` of this exercise also show the map."""
    _holes[exercise] = Hole(exercise, title, lesson, make, plain, unit)
    return _holes[exercise]


def of(exercise):
    """Its Hole, or None where it is no golf exercise."""
    return _holes.get(exercise)


def play(function):
    """The map with this try on it, or a sentence; None for a stub and for no golf exercise."""
    course = of(getattr(function, "__name__", ""))
    if course is None:
        return None
    try:
        known = course.known()
    except (OSError, ValueError, KeyError):
        return LOST.format(course.exercise, course.lesson)
    case = Case(course.exercise, "golf", lambda f, draw: stroke(course, f))
    outcome = run_case(case, function, "golf")
    if outcome.get("missing"):
        return None
    note = _refused(outcome)
    if not note:
        note = _noted(course.exercise, outcome["value"][:2])
    return Map(course, known, _tries(course.exercise), note)


def stroke(course, way):
    """What one training step done so costs: [products, bytes, why it does not count or ""]."""
    gave: list = []
    points, got, spoiled = _stroke(course, _tensor_of(way, gave))
    _, right, _ = _stroke(course, course.plain)
    wrong = [name for name in right if not _near(got[name], right[name])]
    if wrong and gave[0] != "a tensor":
        return [*points, NO_TENSOR.format(gave[0])]
    if wrong:
        return [*points, WRONG.format(wrong[0])]
    return [*points, SPOILED.format(spoiled) if spoiled else ""]


def _stroke(course, way):
    """(products, bytes at the peak), {name: gradient}, and what of the caller's was written into.

    The last is the name of a tensor, or "".
    """
    arguments, leaves = course.make()
    for leaf in leaves.values():
        leaf.grad = mg.zeros(leaf.shape)
    held = {name: (leaf, leaf.detach().numpy().copy()) for name, leaf in leaves.items()}

    def step():
        y = way(*arguments)
        if y is not None:
            seed = mg.ones(y.shape)
            held["the output"] = y, y.detach().numpy().copy()
            held["the seed"] = seed, seed.numpy().copy()
            y.backward(seed)

    cost = measure(step)
    spoiled = [name for name, (t, old) in held.items() if not _as(t, old)]
    found = {name: t.grad.numpy().copy() for name, t in leaves.items()}
    return (cost.matmuls, cost.peak), found, spoiled[0] if spoiled else ""


def _as(tensor, array):
    return np.array_equal(tensor.detach().numpy(), array)


def _near(got, right):
    """The same but for rounding, of which the largest element tells the size."""
    return np.allclose(got, right, rtol=1e-3, atol=1e-3 * np.abs(right).max(initial=0))


def _tensor_of(function, gave):
    """The way itself, or None in place of what is no tensor; `gave` gets the kind in words."""

    def way(*arguments):
        y = function(*arguments)
        kind = type(y).__name__
        gave.append(
            "a tensor" if isinstance(y, mg.Tensor) else "None" if y is None else f"a {kind}"
        )
        return y if isinstance(y, mg.Tensor) else None

    return way


def _refused(outcome):
    if "value" in outcome:
        return outcome["value"][2]
    error = outcome.get("error", f"nothing within {outcome.get('slow')} s")
    whole = f"{error}: {outcome['text']}" if outcome.get("text") else error
    return FAILED.format(shorten(whole, LONGEST, placeholder=" ..."))


def _noted(exercise, points):
    tries = _session.setdefault(exercise, [])
    tries[:] = [*(one for one in tries if one != points), points]
    return record.record_stroke(exercise, points)


def _tries(exercise):
    """Earlier tries and the last one, each once."""
    found = record.strokes(exercise)
    return found + [one for one in _session.get(exercise, []) if one not in found]


class Map(Picture):
    """What `play` returns: the known ways and the tries, as a scatter and as a table."""

    size = (8, 4.2)

    def __init__(self, course, known, tries, note=""):
        self.title, self.unit, self.ways = course.title, course.unit, known
        self.tries = [tuple(one) for one in tries]
        self.note = note or self._verdict()

    def _verdict(self):
        if not self.tries:
            return ""
        for name, way in self.ways.items():
            if all(a <= b for a, b in zip(way, self.tries[-1], strict=True)):
                return (SAME if way == self.tries[-1] else BEATEN).format(name)
        return BEYOND

    def rows(self):
        """(name, peak, products) of every point."""
        points = self.ways | {f"your try {i}": one for i, one in enumerate(self.tries, 1)}
        return [
            (name, self._size(size), str(products)) for name, (products, size) in points.items()
        ]

    def _size(self, size):
        return f"{size / self.unit:.4g} U" if self.unit > 1 else f"{size} B"

    def __repr__(self):
        rows = [HEADS, *self.rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [f"{a:{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}" for a, b, c in rows]
        return "\n".join([self.title, *lines, *filter(None, [self.note])])

    def draw(self, figure):
        axes = figure.subplots()
        axes.set_yscale("log", base=2)
        for name, point in self.ways.items():
            self._point(axes, point, INK, "o", 6)
            self._name(axes, point, name, INK, (8, 3), "left")
        for i, point in enumerate(self.tries, 1):
            self._point(axes, point, LINES[0][0], "s", 9 if i == len(self.tries) else 6)
            self._name(axes, point, str(i), LINES[0][0], (-8, -10), "right")
        self._label(axes)

    def _point(self, axes, point, colour, mark, size):
        axes.plot(point[0], point[1] / self.unit, mark, color=colour, markersize=size)

    def _name(self, axes, point, name, colour, away, side):
        place = point[0], point[1] / self.unit
        axes.annotate(name, place, away, textcoords="offset points", color=colour, ha=side)

    def _label(self, axes):
        title = "\n".join(filter(None, [f"{self.title} (yours: squares)", self.note]))
        titled(axes, title, wrap=True)
        axes.set_xlabel("products of matrices")
        axes.set_ylabel(
            f"peak, in U of {self.unit} bytes" if self.unit > 1 else "bytes at the peak"
        )
        axes.yaxis.set_major_formatter(lambda n, _: f"{n:g}")
        axes.margins(x=0.14, y=0.12)
        quiet(axes, grid="both")
