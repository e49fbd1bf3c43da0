"""Programs of any operations that nobody thought of: minigrad says of them what PyTorch says.

300 under a fresh seed, which a failure prints; `python -m tests.twin.any_programs 20000` runs more.
"""

import os

import pytest

import minigrad as mg
from minigrad.ops import elementwise
from tests.twin import any_programs as programs
from tests.twin import differences, known
from tests.twin.any_steps import KINDS, Step
from tests.twin.one_op import Met
from tests.twin.one_op_operands import LAYOUTS

COUNT = int(os.environ.get("MINIGRAD_PROGRAMS", 300))
START = int(os.environ["MINIGRAD_MOVED"]) * 1000


def test_programs_by_chance_say_the_same(torch):
    for seed, steps, found in programs.programs(torch, START, COUNT):
        again = f"python -m tests.twin.any_programs 1 --seed {seed}"
        raise AssertionError(f"{again}\n{programs.explained(steps, found)}")


def test_all_kinds_of_steps_are_drawn(torch):
    met = Met()
    steps = [step for seed in range(START, START + 150) for step in programs.drawn(torch, seed)]
    for step in steps:
        met.note(step)
    words = {step.op for step in steps} | {"op", "write"}
    assert words >= KINDS.keys() and len({op for op, *_ in met.counts}) > 200
    made = {given.layout for step in steps for given in step.operands.values()}
    assert made >= {*LAYOUTS} and any(step.quiet for step in steps)


def test_a_planted_fault_is_found_and_shown_in_short(torch, monkeypatch):
    monkeypatch.setattr(elementwise.ExpBackward0, "backward", lambda node, grad, result: grad * 2)
    steps = [
        Step("leaf", "mg.tensor([0.5, 1.0]).requires_grad_()", {}, "t0"),
        Step(".neg", "t0.neg()", {}, "t1"),
        Step(".exp", "t0.exp()", {}, "t2"),
        Step("backward", "t2.backward(ones(t2))", {}),
    ]
    found = programs.difference(torch, steps, 1)
    assert found and found[1] == "t0: grad"
    assert len(programs.shortest(torch, steps, 1)) == 3


def test_shared_bytes_are_found(torch, monkeypatch):
    steps = [
        Step("leaf", "mg.tensor([0.5, 1.0])", {}, "t0"),
        Step(".clone", "t0.clone()", {}, "t1"),
    ]
    monkeypatch.setattr(mg.Tensor, "clone", lambda t: t.detach())
    assert programs.difference(torch, steps, 1)[1] in ("held", "shared")


# -- what is known --


@pytest.mark.parametrize("row", known.ANY, ids=lambda row: row.lines[-1][0])
def test_a_known_difference_is_still_there(torch, row, monkeypatch):
    steps = [Step(op, line, {}, name) for op, name, line in row.lines]
    assert programs.difference(torch, steps, 1) is None
    monkeypatch.setattr(programs, "any_reason", lambda *found: "")
    assert programs.difference(torch, steps, 1), f"no difference any more: {row.lines[-1]}"


def test_the_page_is_of_all_that_is_known():
    page = differences.FILE.read_text("utf-8")
    assert page == differences.text(), "run `python -m tests.twin.differences`"
    assert len(known.CLASSES) <= 10
    assert known.used() == known.REASONS.keys()
    assert {*known.REASONS.values(), *known.ELSEWHERE} == known.CLASSES.keys()
