"""Python's float, int and bool stand for a dtype wherever PyTorch lets them."""

import re

import pytest

import minigrad
from tests.twin import wrong_kinds
from tests.twin.wrong_calls import CALLS

TYPES = {"mg.float64": "float", "mg.int64": "int", "mg.bool": "bool"}
MORE = (
    "y.to('cpu', mg.int64)", "y.to(mg.bool, copy=True)", "y.mean(dtype=mg.float64)",
    "mg.nn.Linear(2, 2, dtype=mg.float64)(x.double())", "mg.nn.Linear(2, 2).to(mg.int64)",
    "mg.nn.Linear(2, 2).to(dtype=mg.float64)(x.double())", "mg.rand(2, dtype=mg.int64)",
    "mg.full((2,), 1, dtype=mg.bool)", "mg.zeros(2, 3, dtype=mg.int64)",
)  # fmt: skip
WORDS = re.compile("|".join(map(re.escape, TYPES)))
LINES = sorted({line for line in (*CALLS, *MORE) if WORDS.search(line)})


@pytest.mark.parametrize("line", LINES)
def test_a_type_of_pythons_is_a_dtype(live_torch, line):
    line = WORDS.sub(lambda found: TYPES[found[0]], line)
    expected = wrong_kinds.said(live_torch, line)
    assert wrong_kinds.said(minigrad, line) == expected


@pytest.mark.parametrize("line", ["y.type(float)", "mg.tensor(float)"])
def test_where_none_is_asked_for_it_is_none(live_torch, line):
    for mg in live_torch, minigrad:
        assert wrong_kinds.said(mg, line).error
