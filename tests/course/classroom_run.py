"""A class that is graded in this process: a stand-in for a room, a small course, three learners."""

import csv
import io

import pytest
from classroom_made import HALF, SOLVED, STUB, hand_in, ids, write_notebooks

from course.classroom import grade, marking, reference
from course.trying import cases
from course.trying import run as trying

LESSONS = ["01", "04"]
FULL = {id: SOLVED for lesson in LESSONS for id in ids(lesson)}
FIRST = ids("01")[0]


class Room:
    """Runs a job here and now; what a test wants to happen on the way, `before` does."""

    jobs: list = []  # of learners
    draws: list = []  # the seeds that solutions ran with
    before = staticmethod(lambda job: None)
    worked = staticmethod(lambda: 0.0)

    def __init__(self, isolate=False, hide=(), load=()):
        self.isolate, self.hide = isolate, hide

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def run(self, job):
        self.kinds = getattr(self, "kinds", set()) | {"solutions" in job}
        assert len(self.kinds) == 1, "solutions ran where learners' code runs"
        if "solutions" in job:
            self.draws.append(job["seed"])
            outcomes = {
                part["exercise"]: self.tried(part, job["seed"]) for part in job["solutions"]
            }
            return {"outcomes": outcomes}
        self.jobs.append(job)
        self.own = [*getattr(self, "own", ()), job]
        self.before(job)
        outcomes = self.tried(job, job["seed"])
        return {"outcomes": outcomes, "notes": [], "flags": [], "made": False, "output": ""}

    def tried(self, part, seed):
        names = {"__name__": "__main__"}
        for cell in part["cells"]:
            exec(compile(cell["source"], f"<{cell['name']}>", "exec"), names)
        function = names[part["exercise"]]
        known = cases.of(part["exercise"])
        return {case.name: trying.run_case(case, function, seed) for case in known}


@pytest.fixture
def course(tmp_path, monkeypatch):
    """Two lessons with three exercises of four points each."""
    monkeypatch.setattr(cases, "_cases", {})
    monkeypatch.setattr(cases, "_lessons", {})
    monkeypatch.setattr(cases, "_import_all", lambda: None)
    for lesson in LESSONS:
        for id in ids(lesson):
            add_cases(id, lesson)
    monkeypatch.setattr(reference, "Room", Room)
    monkeypatch.setattr(marking, "Room", Room)
    monkeypatch.setattr(Room, "jobs", [])
    monkeypatch.setattr(Room, "draws", [])
    write_notebooks(tmp_path / "course", LESSONS)
    return tmp_path / "course"


def add_cases(id, lesson):
    def one(f, draw):
        return f(1, draw.int(2, 9_999))

    def several(f, draw):
        return f(draw.int(2, 9), draw.int(2, 9_999))

    one.__module__ = several.__module__ = f"course.cases.lesson_{lesson}"
    cases.case(id, "one layer", hint="A tanh keeps its own result.")(one)
    cases.case(id, "several layers", points=3, hint="Each tanh keeps its own.")(several)


@pytest.fixture
def handed(tmp_path):
    """Three learners: all right, right for one layer, and one whose first answer is a stub."""
    folder = tmp_path / "handed in"
    hand_in(folder / "ada", FULL, LESSONS)
    hand_in(folder / "bob", dict.fromkeys(FULL, HALF), LESSONS)
    hand_in(folder / "cleo", FULL | {FIRST: STUB}, LESSONS)
    return folder


@pytest.fixture
def run(course, handed, tmp_path, capsys):
    """Grade the class; the exit code, and the rows of grades.csv by student."""

    def run(seed="s", **more):
        options = grade.Options(handed, tmp_path / "out", seed, jobs=1, **more)
        code = grade.grade(options, course)
        run.said = capsys.readouterr()
        return code, table(tmp_path / "out")

    run.out = tmp_path / "out"
    return run


def table(out):
    text = (out / "grades.csv").read_text("utf-8-sig")
    return {row["student"]: row for row in csv.DictReader(io.StringIO(text))}


def points(rows):
    return {student: float(row["points"]) for student, row in rows.items()}
