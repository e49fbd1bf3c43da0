"""A call with tensors of other shapes and dtypes ends as in PyTorch: a result, or its error.

3,000 lines by the seed of this run; `python -m tests.twin.wrong_tensors 40000` tries more.
"""

import os
import random

import pytest

import minigrad as mg
from minigrad.ops import checks
from tests.twin import wrong_tensors as wrong

SEED = int(os.environ["MINIGRAD_MOVED"])


def test_other_tensors_end_alike(torch):
    found = wrong.surprising(torch, wrong.lines(random.Random(SEED), 3000))
    assert not found, f"{len(found)} of 3000 lines, seed {SEED}:\n{found[:5]}"


@pytest.mark.parametrize("pattern, how, why", wrong.KNOWN)
def test_a_known_difference_is_still_there(torch, pattern, how, why, monkeypatch):
    monkeypatch.setattr(wrong, "KNOWN", [])
    calls = [call for call in wrong.CALLS if wrong.re.search(pattern, call)]
    draw = random.Random(SEED)
    found = [wrong.drawn(draw, call) for _ in range(60) for call in calls if wrong.tensors(call)]
    assert any(one[1] == how for one in wrong.surprising(torch, found)), why


def test_a_check_in_another_order_is_found(torch, monkeypatch):
    """Of two tensors that do not fit the second is named."""

    def linear(x, weight, bias=None):
        checks.check_room(mg.ones(2, 3), weight)
        return mg.ones(2, 3)

    monkeypatch.setattr(mg.nn.functional, "linear", linear)
    assert wrong.surprising(torch, wrong.lines(random.Random(SEED), 40, "F.linear"))
