"""Any one op, on any tensors: minigrad gives what PyTorch gives, or refuses what PyTorch refuses.

A few hundred programs by chance under a fresh seed, which a failure prints; MINIGRAD_LINES=20000
draws more of them, and `python -m tests.twin.one_op 20000` says more about each.
"""

import itertools
import os
import random

import numpy as np
import pytest

import minigrad as mg
from minigrad.ops import arithmetic, elementwise, numbers, reduce, shapes, views
from tests.twin import one_op
from tests.twin import one_op_judge as judge
from tests.twin import one_op_lines as lines
from tests.twin.known import ONE_OP
from tests.twin.one_op_operands import DTYPES, LAYOUTS

COUNT = int(os.environ.get("MINIGRAD_LINES", 300))
SEED = int(os.environ["MINIGRAD_MOVED"])


def found(torch, seed, count, only=""):
    """The programs that differ as nobody knows of."""
    programs = itertools.islice(one_op.drawn(torch, seed, only), count)
    return [program for program in programs if one_op.surprising(torch, program)]


def test_lines_by_chance_say_the_same(torch):
    wrong = found(torch, SEED, COUNT)
    shown = "\n".join(one_op.explained(torch, program) for program in wrong[:3])
    again = f"python -m tests.twin.one_op {COUNT} --seed {SEED}"
    assert not wrong, f"{len(wrong)} of {COUNT} lines differ: {again}\n{shown}"


def test_every_operation_is_drawn_on_every_dtype_and_layout(torch):
    met = one_op.Met()
    for program in itertools.islice(one_op.drawn(torch, SEED), 5000):
        met.note(program)
    assert {op for op, *_ in met.counts} == set(lines.operations(mg, torch))
    kinds = {key[1:] for key in met.counts if key[1] != "-"}
    assert {dtype for dtype, _ in kinds} == {*DTYPES}
    assert {layout for _, layout in kinds} == {*LAYOUTS, "inference"}


REFUSED = {".__array_wrap__", ".__rmatmul__"}  # numpy's to call, and of a number: always refused


def test_no_operation_is_drawn_only_so_that_pytorch_refuses_it(torch):
    """Or a wrong result of minigrad's would never be seen. (The first that it takes is enough.)"""
    never = []
    for name, parameters in lines.operations(mg, torch).items():
        draw = random.Random(f"{SEED} {name}")
        programs = (lines.program(draw, name, parameters) for _ in range(2000))
        if name not in REFUSED and all("error" in judge.run(torch, one) for one in programs):
            never.append(name)
    assert not never


def test_what_is_not_tried_is_there():
    """A name that is gone leaves LEFT_OUT."""
    for name in lines.NOT_TRIED:
        assert any(hasattr(place, name) for place in (mg, mg.Tensor, mg.nn.functional)), name


@pytest.mark.parametrize("row", ONE_OP, ids=lambda row: row.line)
def test_a_known_difference_is_still_there(torch, row):
    program = lines.Program(row.op, row.line, row.operands)
    differ = one_op.compared(torch, program)
    assert differ, f"no difference any more in `{row.line}`: take it out of known.py"
    assert not one_op.surprising(torch, program)


def masked(node, grad, result):
    return grad * (result > 0)


def from_the_end(x, dim, start, length):
    return views.cut(x, dim, slice(start, start + length))


def to_both(node, grad, ties, *losses):
    return tuple([grad * ~lost for lost in losses])


PLANTED = {  # (op, where, name, what is wrong there): a fault of each class that this must find
    "a mask multiplied": ("relu", elementwise.ReluBackward0, "backward", masked),
    "few digits": ("sigmoid", elementwise, "wide", lambda x: x.astype(np.float16)),
    "a dtype": ("sum", reduce, "summed", lambda x: x.dtype),
    "a shape": ("narrow", mg.Tensor, "narrow", from_the_end),
    "what is refused": ("clamp", elementwise, "converted", lambda number, dtype: number),
    "a tie": ("maximum", arithmetic.MaximumBackward0, "shared", to_both),
    "what a node shows": ("softmax", shapes, "unsigned", lambda value: value),
    "a number's kind": ("fill_", numbers, "fits", lambda number, dtype: True),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found(torch, monkeypatch, name):
    op, where, what, wrong = PLANTED[name]
    monkeypatch.setattr(where, what, wrong)
    programs = itertools.islice(one_op.drawn(torch, SEED, op), 4000)
    seen = any(one_op.surprising(torch, program) for program in programs)
    assert seen, f"4,000 lines of {op} under seed {SEED} show nothing"


def test_a_failure_is_shown_in_short(torch, monkeypatch):
    monkeypatch.setattr(elementwise.ReluBackward0, "backward", masked)
    (program, *_) = found(torch, SEED, 400, "relu")
    short = one_op.shortened(torch, program)
    assert len(str(short)) <= len(str(program)) and one_op.surprising(torch, short)
    assert judge.kind(*one_op.surprising(torch, short)[0]) == "silent"
