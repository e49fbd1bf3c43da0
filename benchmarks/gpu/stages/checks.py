"""The bodies of the GPU's tests and of the rules' gradients, without pytest."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.gpu.place import Place
from benchmarks.gpu.row import Row, tried
from tests.minigrad import slopes
from tests.minigrad.on_card import CHECKS
from tests.minigrad.rules import RULES

SLOPES = {
    "gradients beside difference quotients": slopes.slope,
    "gradients look like their leaves": slopes.shape_and_dtype,
    "a gradient alone and among all": slopes.alone_and_among_all,
}


def rows(place: Place) -> Iterator[Row]:
    for name, check in CHECKS.items():
        with place.default():
            yield tried("devices, bytes, random numbers", name, check)
    with place.default():
        for group, check in SLOPES.items():
            for name in RULES:
                yield tried(group, name, check, name)
