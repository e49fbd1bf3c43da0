"""A replay gives on the card what the function itself gives there, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.gpu.place import Place
from benchmarks.gpu.row import Row, tried
from tests.minigrad.replayed import SHAPE_OF_DATA, random_program, rule
from tests.minigrad.rules import RULES
from tests.twin.programs import drawn

PROGRAMS, FEW = 60, 15  # on the card, on the stand-in


def rows(place: Place) -> Iterator[Row]:
    with place.default():
        for name in RULES:
            if name not in SHAPE_OF_DATA:
                yield tried("each rule, replayed", name, rule, name)
        for seed in range(FEW if place.simulated else PROGRAMS):
            if not place.has_time():
                return
            _, steps = drawn(seed, most=30)
            yield tried("random programs, replayed", f"seed {seed}", random_program, steps)
