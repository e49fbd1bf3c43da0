"""Programs of training by chance do what they do on real PyTorch: numbers, states, bytes, words."""

import os
import random

import pytest

from tests.twin import registry
from tests.twin.optimizers import OWN, program, training

ROUNDS = int(os.environ.get("MINIGRAD_TRAININGS", 20))  # of each kind
CLOSE = {"float32": (1e-4, 2e-6), "float64": (1e-9, 1e-12)}  # relative, absolute
SEED = int(os.environ.get("MINIGRAD_SEED", random.randrange(10**6)))


@pytest.mark.parametrize("kind", range(len(OWN)), ids=list(OWN).__getitem__)
def test_a_training_by_chance_is_pytorchs(kind, live_torch):
    for turn in range(ROUNDS):
        one = training((SEED + turn) * len(OWN) + kind)
        told = f"MINIGRAD_SEED={SEED + turn}\n{one}"
        registry.check_alike(program(one), live_torch, CLOSE[one.dtype], told)
