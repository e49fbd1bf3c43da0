"""Modules by chance do what they do on real PyTorch: values, bytes, graphs, gradients."""

import os
import random

import pytest

from tests.twin import registry
from tests.twin.modules import KINDS, program, use

ROUNDS = 6  # of each kind
CLOSE = {"float32": (2e-5, 2e-6), "float64": (1e-11, 1e-12)}  # relative, absolute
SEED = int(os.environ.get("MINIGRAD_SEED", random.randrange(10**6)))


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=lambda i: f"{i}-{KINDS[i].__name__}")
def test_a_module_by_chance_is_pytorchs(kind, live_torch):
    for turn in range(ROUNDS):
        one = use((SEED + turn) * len(KINDS) + kind)
        told = f"MINIGRAD_SEED={SEED}\n{one}"
        registry.check_alike(program(one), live_torch, CLOSE[one.dtype], told)
