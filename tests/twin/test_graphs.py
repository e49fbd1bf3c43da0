"""Programs about the graph that nobody thought of: minigrad and PyTorch draw the same graphs."""

import itertools
import os

import pytest

from course.twin.compare import alike
from tests.twin import registry
from tests.twin.graph_programs import (
    difference,
    drawn,
    entries,
    excused,
    shortest,
)
from tests.twin.known import LEFT_OUT
from tests.twin.mode import why_not_live

PROGRAMS = 100


@pytest.fixture(scope="module")
def engines():
    """(torch, minigrad); bytes are not compared here, so torch runs without a ledger."""
    reason = why_not_live()
    if reason:
        pytest.skip(reason)
    torch = registry.engine("torch")
    torch.remove()
    return torch, registry.engine("minigrad")


def test_random_programs_draw_the_same_graphs(engines):
    start = int(os.environ["MINIGRAD_MOVED"]) * 1000
    for seed in range(start, start + PROGRAMS):
        shapes, steps = drawn(seed)
        if difference(*engines, shapes, steps):
            steps = shortest(*engines, shapes, steps)
            wrong = difference(*engines, shapes, steps)
            raise AssertionError(f"seed {seed}: {shapes} {steps}\n" + "\n".join(map(str, wrong)))


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_is_left_out_still_differs(name, engines):
    _, reason, shapes, steps = LEFT_OUT[name]
    pairs = itertools.zip_longest(*(entries(engine, shapes, steps) for engine in engines))
    wrong = [(a, b) for a, b in pairs if not (a and b and alike(a, b))]
    assert wrong, f"no difference any more: take {name} out of known.py ({reason})"
    assert excused(*wrong[0]) == name, wrong[0]
