"""Where things lie, and what a child process sees: paths and environment, nothing else.

Every function of the build takes a Project, so that a test can point it at a temporary folder.
"""

import asyncio
import importlib.util
import os
import re
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from course import jitter

from .source import FILE_NAME, PAGES, number_of

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDERS = ("notebooks", "exercises", "solutions")
NAMES = "|".join(PAGES)
PRODUCT = re.compile(  # ours, never another's
    rf"\d\d(_[a-z0-9_]+\.ipynb|\.json)|({NAMES})\.ipynb|\.(\d\d|{NAMES}).*\.tmp"
)


class UnknownLesson(ValueError):
    """A lesson was asked for that is not there, or is there twice."""


@dataclass(frozen=True)
class Project:
    """A checkout: its root, the engine that `mg` is, and the module that dresses torch as `mg`.

    Or a teacher's own folder, `private`: its sources lie in it, and the course is beside it.
    """

    root: Path = REPOSITORY
    engine: str = "minigrad"
    torch: str = "torch"
    facade: str = "course.twin.tracker"
    cases: str = "course/cases"  # of the exercises; "" where none is graded
    private: bool = False

    @property
    def lessons(self):
        """Where the sources lie."""
        return self.root if self.private else self.root / "lessons"

    @property
    def home(self):
        """Where cells run: of a teacher's own folder a class gets the exercises, no other file."""
        return REPOSITORY if self.private else self.root

    @property
    def expected(self):
        """Where the outcomes of references lie, below the root."""
        return "expected" if self.private else f"{self.cases}/expected"

    @property
    def coverage(self):
        return self.lessons / "coverage.toml"

    def golden(self, lesson):
        """Where the outputs of real PyTorch are recorded for a lesson."""
        return self.lessons / "golden" / f"{lesson.number}.json"

    def sources(self, numbers=()):
        """The source files, all or those with these numbers; a page is asked for by its name."""
        found = sorted(self.lessons.glob("[0-9]*.py" if self.private else "*.py"))
        wanted = [f"{int(number):02d}" if number.isdigit() else number for number in numbers]
        here: dict = {}
        for path in filter(lambda path: FILE_NAME.fullmatch(path.name), found):
            other = here.setdefault(number_of(path), path.name)
            if other != path.name:
                raise UnknownLesson(
                    f"{self.lessons.name}/{path.name}: the number {number_of(path)} is taken by "
                    f"{other}; rename one of them"
                )
        for number in wanted:
            if number not in here:
                known = ", ".join(here) or "none yet"
                raise UnknownLesson(f"there is no lesson '{number}'; the lessons are {known}")
        if not found:
            if not self.private and not self.lessons.is_dir():
                raise UnknownLesson(
                    f"{self.lessons.name}/ is no part of a class's copy: clone the course."
                )
            place = "" if self.private else "lessons/"
            raise UnknownLesson(f"no lesson in {self.lessons}; add {place}NN_topic.py")
        return [path for path in found if not wanted or number_of(path) in wanted]

    def stale(self, kept, built):
        """Generated files that no source stands behind.

        `kept` holds the paths the lessons just built have; `built` their names. Of the other
        lessons only the names are looked at.
        """
        others = {path.stem for path in self.sources()} - set(built)
        others |= {name[:2] for name in others}  # golden files have a number only
        golden = (self.lessons / "golden").relative_to(self.root).as_posix()
        stored = () if self.private else (f"{self.cases}/known",)
        for folder in (*FOLDERS, golden, self.expected, *stored):
            for path in sorted((self.root / folder).glob("*")):
                known = path.stem in others or f"{folder}/{path.name}" in kept
                if PRODUCT.fullmatch(path.name) and not known:
                    yield path

    def has_torch(self):
        """None when twins can run on real PyTorch, else one sentence that says why not."""
        for module in (self.torch, self.facade):
            try:
                if importlib.util.find_spec(module) is None:
                    return f"{module} is not installed"
            except ImportError as error:
                return f"{module} cannot be imported ({error})"
        return None


@dataclass(frozen=True)
class Work:
    """One run of the build: the project, what its processes see, and how many run at once."""

    project: Project
    env: dict
    gate: asyncio.Semaphore
    plain: dict | None = None  # the environment in which nothing is moved, if it is another
    collector: int | None = None  # so many new objects bring Python's collector, if not as always

    @property
    def unmoved(self):
        """The same work, on this processor as it is."""
        return replace(self, env=self.plain or self.env)


@contextmanager
def work_on(project, seed=None, collector=None):
    """The environment of every cell: one thread, fixed hashes, answers shown, no user start-up.

    With a `seed` numpy's inexact results are moved in every process (course.jitter), but not in
    those that are asked for by `unmoved`. With a `collector` Python's comes after so many new
    objects where no kernel runs.
    """
    with TemporaryDirectory(prefix="minigrad-build-") as scratch:
        paths = [str(project.home), str(REPOSITORY), os.environ.get("PYTHONPATH", "")]
        env = os.environ | {
            "IPYTHONDIR": scratch,
            "MINIGRAD_REVEAL": "1",
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": os.pathsep.join(path for path in paths if path),
            "PYTHONWARNINGS": "",
        }
        moved = env if seed is None else jitter.environment(seed, env)
        gate = asyncio.Semaphore(min(4, os.cpu_count() or 2))
        yield Work(project, moved, gate, env, collector)
