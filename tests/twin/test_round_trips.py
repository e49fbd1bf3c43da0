"""A copy or a pickle is as in PyTorch: values, layout, bytes, and who shares them."""

import os
import secrets

import pytest

import minigrad
from course.twin.compare import differences, plain
from tests.minigrad.ledger import Ledger, collect
from tests.twin.structures import WAYS, described

EACH = int(os.environ.get("MINIGRAD_ROUND_TRIPS", 12))  # structures for each way to copy


@pytest.mark.parametrize("way", WAYS)
def test_a_random_structure_comes_back_as_in_pytorch(torch, way):
    first = secrets.randbelow(10**9)
    for seed in range(first, first + EACH):
        expected, found = ([["it", plain(described(mg, seed, way))]] for mg in (torch, minigrad))
        assert not differences(expected, found), f"seed {seed}, {way}"


@pytest.mark.parametrize("way", WAYS)
def test_each_byte_of_a_copy_is_counted_once(way):
    first = secrets.randbelow(10**9)
    for seed in range(first, first + EACH):
        ledger = Ledger()
        with ledger.watching():
            kept = described(minigrad, seed, way)
            ledger.check()
        del kept
        collect()
        assert ledger.check() == 0, f"seed {seed}, {way}"
