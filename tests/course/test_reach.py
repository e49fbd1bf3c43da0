"""No code of ours is an answer: whatever can be called is tried on each exercise, earning nothing.

`pytest tests/course/test_reach.py --every-answer` tries all of it, which takes half an hour; else
some of it is drawn, and some exercises. `reach.py` tells how.
"""

import importlib
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
import reach
import reach_found
from reach_guard import in_copies
from references import reference

from course.trying import banned, cases
from course.trying.run import run_all

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
ONE_IN, EXERCISES = 30, 6  # of what is found, and how many exercises get these
# Reviewed: the most points that code of ours may earn there, and why that is no answer.
ALLOWED = {
    "memory_golf": (2, "the plain way: no checkpoint; the rest is for its peak"),
    "reversible_golf": (4, "the plain way, or checkpoints; the rest is for its peak"),
    "FlatChain": (4, "the plain chain has the same gradients; the rest is for its bytes"),
    "dies_with": (1, "four answers of yes and no"),
    "slopes": (1, "to call `f` leaves nothing behind"),
    "all_or_nothing": (4, "a backward that changes nothing leaves nothing behind when it fails"),
    "CubeOp": (2, "any operation has a node, which is emptied"),
    "SinCos": (2, "any operation has a node, which is emptied"),
    "ScaleRows": (2, "any operation has a node, which is emptied"),
    "SameDice": (2, "to run without a checkpoint leaves nothing behind"),
    "undo_steps": (1, "the steps forward leave nothing behind either"),
    "leaks": (4, "six answers of yes and no"),
}


@pytest.fixture(scope="module")
def found(request):
    """What earned a point: all there is, or of a draw."""
    seed = os.environ["MINIGRAD_MOVED"]
    asked = {"seed": seed}
    if not request.config.getoption("--every-answer"):
        known = [id for ids in cases.exercises().values() for id in ids]
        chosen = random.Random(seed).sample(known, EXERCISES)
        asked |= {"one_in": ONE_IN, "exercises": chosen}
        print(f"1 in {ONE_IN} on {', '.join(chosen)}, drawn by MINIGRAD_MOVED={seed}")
    return tried(asked)


def tried(asked):
    """[{"exercise", "name", "points", "of"}] of a run of reach.py."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", HERE / "reach.py", json.dumps(asked)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    *lines, last = map(json.loads, done.stdout.splitlines())
    assert last["tried"] > 100
    return lines


def too_much(found):
    return [one for one in found if one["points"] > ALLOWED.get(one["exercise"], (0, ""))[0]]


def test_no_code_of_ours_is_an_answer(found):
    assert too_much(found) == []


# --- the search itself -----------------------------------------------------------------------

BODY = "load, count: [load(i)[0].clone() for i in range(count)]"
KEPT = f"""
def in_a_module(load, count):
    return (lambda {BODY})(load, count)

table = {{"in a table": (lambda {BODY},)}}

class Holder:
    @staticmethod
    def in_a_class(load, count):
        return (lambda {BODY})(load, count)

    def of_an_instance(self, load, count):
        return (lambda {BODY})(load, count)

def default(way=lambda {BODY}):
    pass

def factory(step):
    return lambda load, count: [load(i)[0].clone() for i in range(0, count, step)]

def unmade():
    def inside(load, count):
        return [load(i)[0].clone() for i in range(count)]

def decoy(load, count):
    return [0] * count
"""
PLACES = (
    "in_a_module", "<lambda>, line 5", "Holder.in_a_class", "Holder().of_an_instance",
    "<lambda>, line 15", "factory(1)", "unmade.<locals>.inside, line 22",
)  # fmt: skip


@pytest.fixture
def kept():
    """What is found of a module of ours with an answer in many places, and a trial of it."""
    names = {"__name__": "course.kept"}
    exec(KEPT, names)
    seeds = ["one", "two"]
    known = cases.of("first_rows")
    wanted = {
        seed: {"first_rows": json.loads(json.dumps(run_all(known, names["in_a_module"], seed)))}
        for seed in seeds
    }
    plain = [one for one in reach_found.plain() if one.name.startswith("course.kept.")]
    ones = [*plain, *reach_found.methods(plain), *reach_found.made(plain)]
    return reach.Trial("first_rows", seeds, wanted), ones


def test_an_answer_is_found_wherever_it_is_kept(kept):
    named = {one["name"].removeprefix("course.kept.") for one in reach.reached(*kept)}
    assert set(PLACES) <= named
    assert not {name for name in named if "decoy" in name}


def test_a_function_stands_for_the_class_with_apply_that_an_exercise_asks_for(kept):
    _, ones = kept
    seeds = ["one", "two"]
    trial = reach.Trial("CubeOp", seeds, {seed: {} for seed in seeds})
    [one] = [one for one in ones if one.name.endswith("in_a_module")]
    (_, itself), (name, applied), *_ = trial.of(one)
    assert applied().apply is itself() and name.startswith("apply = ")


@pytest.mark.parametrize(
    "exercise, name, way",
    [
        ("HonestCheckpoint", "minigrad.second.layers.Again", "a class derived from {}"),
        ("topological", "minigrad.memory.saves.nodes", "sorted({})"),
        ("topological", "course.pictures.graph.nodes", "sorted({}) from the node"),
    ],
)
def test_what_a_line_would_fit_to_an_exercise_is_found_where_it_is_not_banned(
    monkeypatch, exercise, name, way
):
    known = cases.of(exercise)
    module, _, last = name.rpartition(".")
    source = getattr(importlib.import_module(module), last)
    lesson = cases.lesson_of(exercise)
    wanted = {
        seed: {exercise: json.loads(json.dumps(run_all(known, reference(lesson, exercise), seed)))}
        for seed in ("one", "two")
    }
    trial = reach.Trial(exercise, ["one", "two"], wanted)
    ones = [reach_found.Found(name, source)]
    assert too_much(reach.reached(trial, ones)) == []
    monkeypatch.setattr(banned, "_bans", {})
    monkeypatch.setattr(banned, "EVERYWHERE", ())
    found = {one["name"].removeprefix("apply = ") for one in too_much(reach.reached(trial, ones))}
    assert way.format(name) in found


@pytest.mark.parametrize(
    "harm",
    [
        lambda file: os.kill(os.getppid(), 0),
        lambda file: file.unlink(),
        lambda file: file.write_text("changed"),
        lambda file: subprocess.run(["true"]),
        lambda file: os.fork(),
        lambda file: time.sleep(60),
        lambda file: os._exit(0),
        lambda file: os.closerange(0, 2000),
    ],
    ids="kill remove write start fork sleep exit close".split(),
)
def test_what_a_try_does_stays_in_its_copy(harm, tmp_path):
    file = tmp_path / "file"
    file.write_text("whole")
    state: list = []

    def work(item):
        state.append(item)
        if item == 1:
            harm(file)
        return len(state)

    assert list(in_copies([0, 1, 2], work, 1)) == [(0, 1), (1, None), (2, 1)]
    assert (file.read_text(), state) == ("whole", [])
