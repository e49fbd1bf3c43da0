"""Lists and dicts of parameters by chance do what they do on real PyTorch."""

import os
import random

from course.twin.compare import differences
from tests.twin import registry
from tests.twin.parameter_programs import lines, program

ROUNDS = int(os.environ.get("MINIGRAD_PARAMETERS", 60))
SEED = int(os.environ.get("MINIGRAD_SEED", random.randrange(10**6)))


def test_parameters_by_chance_are_pytorchs(live_torch):
    for seed in range(SEED, SEED + ROUNDS):
        expected = registry.run_case(program(seed), live_torch)
        found = registry.run_case(program(seed), registry.engine("minigrad"))
        wrong = differences(expected, found, 1e-6, 1e-6)
        said = [f"{label}\n  PyTorch  {a}\n  minigrad {b}" for label, a, b in wrong[:3]]
        assert not wrong, "\n".join([f"MINIGRAD_SEED={seed}", *lines(seed), *said])
