"""A class of a thousand fits, and one that was stopped at any moment comes to the same end."""

import fcntl
import gc
import json
import os
import random
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from classroom_made import HALF, SOLVED, hand_in, ids, write_course
from sandbox_rooms import refusal

from course.classroom import (
    books,
    choice,
    exports,
    grade,
    marking,
    misconceptions,
    notebook,
    records,
    report,
)
from course.sandbox import homes
from course.sandbox.room import Room
from course.trying.draw import Draw
from course.trying.judge import Verdict

ONE = ["01"]
DATE = re.compile(r'"date": "[^"]*"')  # of the clock; it decides nothing


# --- what is held --------------------------------------------------------------------------


@pytest.fixture
def written(run, monkeypatch):
    """OUT of a class, its columns and titles."""
    kept = {}
    make = books.book

    def book(found, columns, titles, *more):
        kept.update(columns=columns, titles=titles)
        return make(found, columns, titles, *more)

    monkeypatch.setattr(books, "book", book)
    run()
    return run.out, kept["columns"], kept["titles"]


def test_the_books_of_what_is_held_are_those_of_whole_records(written):
    out, columns, titles = written
    whole = [records.load(file) for file in sorted((out / "records").glob("*.json"))]
    for number, record in enumerate(whole):
        for place, exercise in enumerate(record["exercises"].values()):
            exercise["flags"] += [f"looked at {place}"] * (number % 2)
            exercise["notes"] += ["a note"] * (place % 2)
    short = [records.short(record) for record in whole]
    made = [books.book(found, columns, titles) for found in (whole, short)]
    forms = books.as_csv, books.as_json, report.gradebook, misconceptions.misconceptions
    for form in forms:
        one, other = map(form, made)
        assert one == other and len(one) > 500, form


def test_a_whole_record_is_held_for_nobody_but_whose_page_is_written(run, monkeypatch):
    held = []
    pages = grade.Class._write_books

    def seen(self):
        found = [e for r in self.records.values() for e in r["exercises"].values()]
        held.extend("expected" in case for e in found for case in e["cases"])
        held.extend("code" in e for e in found)
        held.append(bool(self.code))
        pages(self)

    monkeypatch.setattr(grade.Class, "_write_books", seen)
    for _ in "graded", "kept":
        run()
        assert len(held) > 40 and not any(held)
    teachers = (run.out / "records/bob.html").read_text("utf-8")
    assert "expected" in teachers and "return 4 * size" in teachers, "its page has all of it"


def test_a_page_is_written_when_it_changes_and_only_then(run, tmp_path):
    run()
    before = {path: path.stat().st_ino for path in run.out.glob("*/*.html")}
    run()
    assert len(before) == 6 and {path: path.stat().st_ino for path in before} == before
    (run.out / "overrides.csv").write_text("student,exercise,points,comment\nbob,,5,by hand\n")
    run()
    changed = {path.stem for path in before if path.stat().st_ino != before[path]}
    assert changed == {"bob"}


def test_what_is_held_of_a_notebook_is_its_code_and_packed():
    mark = {"minigrad": {"exercise": "f", "role": "answer"}}
    code = {"cell_type": "code", "metadata": mark, "source": "def f(x):\n    return 'é'\n" * 90}
    prose = {"cell_type": "markdown", "metadata": {}, "source": "# what it is about"}
    data = json.dumps({"cells": [prose, code, {**code, "source": ""}, code]}).encode()
    own = notebook.read(data, "a.ipynb")
    file = choice.File("01", "a.ipynb", choice.packed(own), "")
    assert list(file.notebook.cells) == own.code and len(own.code) == 2
    assert len(file.packed) < len(data) / 10
    unread = choice.File("01", "a.ipynb", choice.packed(None), "")
    assert unread.notebook is None and not unread.is_read


FEW, MANY = 6, 18
LEAST = 200_000  # bytes of a made-up record
MOST = 50_000  # bytes that one more learner may cost while the class is graded and written


def synthetic(marker, submission, digest, last, missing):
    """A learner's record with mistakes in all cases, other ones than anybody else's."""
    draw = random.Random(submission.student)

    def said():
        return f"{draw.random()} where {draw.random()} was meant. " * 5

    def exercise(id):
        mistakes = [Verdict(f"case {n}", 0, 1, said(), said(), "", said()) for n in range(99)]
        source = f"def {id}(x):\n    return x\n" + f"# {said()}\n" * 12
        cases = [one.as_dict() for one in mistakes]
        code = [{"name": "cell 1", "source": source}]
        return {"points": 0, "of": 99, "cases": cases, "notes": [], "flags": [], "code": code}

    record = marking.blank(submission, digest, last)
    record["exercises"] = {id: exercise(id) for lesson in marker.lessons for id in lesson.stubs}
    record["history"] = records.history(record, last, "2026-01-01")
    return records.clean(record)


def test_one_more_learner_costs_little_memory(course, monkeypatch, tmp_path):
    """Traced, not timed: of a learner's record little is held, in the end too."""
    monkeypatch.setattr(marking.Marker, "record", synthetic)
    found = {}

    def measured_before(place, name):
        call = getattr(place, name)

        def measured(*given):
            gc.collect()
            found.setdefault(name, []).append(tracemalloc.get_traced_memory()[0])
            return call(*given)

        monkeypatch.setattr(place, name, measured)

    measured_before(grade.Class, "_write_books")  # the rooms are about to end
    measured_before(exports, "write")  # the last of the books
    for count in FEW, FEW, MANY:  # what is made once is made by the first
        place = tmp_path / f"class_{len(found.get('write', ()))}"
        for number in range(count):
            hand_in(place / f"in/learner_{number:02}", {}, ONE)
        options = grade.Options(place / "in", place / "out", "s", isolate=False, lessons=ONE)
        tracemalloc.start()
        assert grade.grade(options, course) == 0
        tracemalloc.stop()
        sizes = [path.stat().st_size for path in options.out.glob("records/*.json")]
        assert len(sizes) == count and min(sizes) > LEAST
    each = {name: (many - few) / (MANY - FEW) for name, (_, few, many) in found.items()}
    assert len(each) == 2 and max(each.values()) < MOST, each


def test_an_array_is_drawn_as_python_draws_it():
    for seed in [secrets.token_hex(4) for _ in range(20)]:
        shape = [random.randint(1, 9) for _ in range(random.randint(0, 3))]
        plain = random.Random(f"{seed}/e/c")
        steps = [plain.choice((-1, 1)) * plain.randint(1, 64) for _ in range(int(np.prod(shape)))]
        wanted = (np.array(steps, np.float32) / 64).reshape(shape)
        draw = Draw(seed, "e", "c")
        found = draw.array(*shape)
        assert np.array_equal(found, wanted) and found.dtype == np.float32, (seed, shape)
        assert draw.int(0, 10**9) == plain.randint(0, 10**9), "what comes after it, too"


# --- folders of rooms ----------------------------------------------------------------------


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    homes.clear_once.cache_clear()
    yield tmp_path
    homes.clear_once.cache_clear()


def test_a_folder_that_nobody_holds_goes_with_all_that_is_in_it(place):
    old = place / f"{homes.PREFIX}old"
    (old / "work/deep").mkdir(parents=True)
    (old / "work/deep/file").write_text("")
    (old / "work").chmod(0)
    folder, lock = homes.make()
    assert [path.name for path in place.iterdir()] == [Path(folder).name]
    homes.remove(folder, lock)
    assert not list(place.iterdir())


def test_a_folder_that_is_held_stays_and_so_does_what_is_none(place):
    folder, lock = homes.make()
    other = place / "elsewhere"
    other.mkdir()
    (other / "kept").write_text("")
    (place / f"{homes.PREFIX}link").symlink_to(other)
    (place / f"{homes.PREFIX}file").write_text("")
    homes.clear()
    assert Path(folder).is_dir() and (other / "kept").exists()
    assert len(list(place.iterdir())) == 4
    os.close(lock)
    homes.clear()
    assert not Path(folder).exists(), "its grader is gone"


def test_a_folder_that_another_grader_takes_at_its_birth_is_made_anew(place, monkeypatch):
    made, make = [], tempfile.mkdtemp

    def taken(prefix):
        made.append(make(prefix=prefix))
        if len(made) == 1:
            shutil.rmtree(made[0])
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", taken)
    folder, lock = homes.make()
    assert folder == made[1] and Path(folder).is_dir()
    with pytest.raises(BlockingIOError):
        again = os.open(folder, os.O_RDONLY)
        fcntl.flock(again, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(again)
    homes.remove(folder, lock)


# --- rooms -----------------------------------------------------------------------------------


LOOK = "import sys, os\ntotal = lambda numbers: [sys.dont_write_bytecode, *os.environ]\n"


@pytest.mark.parametrize("forbidden", ["", "1"])
def test_what_a_room_compiles_is_there_for_the_next_one(tmp_path, monkeypatch, forbidden):
    """To compile it all for each learner takes a second; a learner's code writes none of it."""
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", forbidden)
    cell = {"name": "cell 1", "source": LOOK}
    job = {"lesson": "99", "exercise": "total", "cells": [cell], "seed": "s"}
    with Room(load=[Path(__file__).with_name("sandbox_cases_99.py")]) as room:
        written, *variables = room.run(job)["outcomes"]["no numbers"]["value"]
    assert written is True and "PYTHONPYCACHEPREFIX" not in variables
    assert bool(list(tmp_path.rglob("*.pyc"))) is not bool(forbidden)


# --- stopped at any moment -------------------------------------------------------------------


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A course of one lesson and a class of six."""
    folder = tmp_path_factory.mktemp("small")
    write_course(folder / "course", ONE)
    full = dict.fromkeys(ids("01"), SOLVED)
    for number in range(6):
        hand_in(folder / f"in/learner_{number}", full | {ids("01")[number % 3]: HALF}, ONE)
    return folder


def started(small, out):
    options = {"submissions": str(small / "in"), "out": str(out), "seed": "s"}
    options["isolate"] = not refusal()
    (small / "tmp").mkdir(exist_ok=True)
    environment = {"PYTHONPATH": str(small / "course"), "TMPDIR": str(small / "tmp")}
    with (small / "said").open("w") as told:
        return subprocess.Popen(
            [sys.executable, "-m", "course.cli", "grade", json.dumps(options)],
            cwd=small,
            env={**os.environ, **environment},
            stdout=told,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def whole(out):
    """{name: bytes} of all that a run has written, but for dates."""
    files = sorted(path for path in out.rglob("*") if path.is_file())
    return {
        path.relative_to(out).as_posix(): DATE.sub("", path.read_bytes().decode("latin-1"))
        for path in files
    }


def test_a_class_stopped_at_any_moment_comes_to_the_same_books(small, tmp_path):
    began = time.monotonic()
    assert started(small, tmp_path / "straight").wait() == 0
    needed, wanted = time.monotonic() - began, whole(tmp_path / "straight")
    assert len(wanted) > 3 * 6
    seed = secrets.token_hex(4)
    draw, out, said = random.Random(seed), tmp_path / "stopped", []
    for _ in range(4):
        process, stop = started(small, out), draw.choice([signal.SIGINT, signal.SIGKILL])
        said.append((stop.name, round(draw.uniform(0, needed), 2)))
        try:
            process.wait(said[-1][1])
        except subprocess.TimeoutExpired:
            os.kill(process.pid, stop)
            process.wait()
    assert started(small, out).wait() == 0, (seed, said, (small / "said").read_text())
    found = whole(out)
    assert sorted(found) == sorted(wanted), (seed, said)
    assert [name for name in wanted if found[name] != wanted[name]] == [], (seed, said)
    assert not list((small / "tmp").iterdir()), (seed, said)


def test_half_a_file_of_a_killed_grader_is_removed(run):
    for folder in "", "records", "learners":
        (run.out / folder).mkdir(parents=True, exist_ok=True)
        (run.out / folder / ".grade.json.4711.tmp").write_text("{")
    (run.out / "grade.json").write_text("{}")
    run()
    assert not list(run.out.rglob("*.tmp"))
