"""Programs that write to views, which nobody thought of: minigrad does what PyTorch does."""

import os

import pytest

from tests.twin import registry
from tests.twin.view_programs import difference, drawn, entries, shortest

PROGRAMS = 100


@pytest.fixture(scope="module")
def engines(live_torch):
    return live_torch, registry.engine("minigrad")


def test_random_programs_write_to_views_alike(engines):
    start = int(os.environ["MINIGRAD_MOVED"]) * 1000
    for seed in range(start, start + PROGRAMS):
        program = drawn(seed)
        if difference(*engines, *program):
            program = shortest(*engines, *program)
            wrong = difference(*engines, *program)
            raise AssertionError(f"seed {seed}: {program}\n" + "\n".join(map(str, wrong)))


def test_they_meet_what_they_are_about():
    """Of a hundred programs: writes through views that are part of a graph, by several rules."""
    start = int(os.environ["MINIGRAD_MOVED"]) * 1000
    found = [
        line
        for seed in range(start, start + PROGRAMS)
        for label, value in entries(registry.engine("minigrad"), *drawn(seed))
        if label.endswith("graph") and isinstance(value[0], list)
        for line in value[0]
    ]
    assert sum("CopySlices" in line for line in found) > 100
    assert sum("AsStrided" in line for line in found) > 30
