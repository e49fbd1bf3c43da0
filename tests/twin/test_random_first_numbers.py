"""nn.init, apply and checkpoint_sequential by chance do what they do on real PyTorch."""

import os
import random

from course.twin.compare import differences
from tests.twin import registry
from tests.twin.first_numbers import line, program

COUNT = int(os.environ.get("MINIGRAD_FIRST_NUMBERS", 300))
CLOSE = {"float16": (2e-3, 2e-3), "float64": (1e-11, 1e-12)}  # relative, absolute
SEED = int(os.environ.get("MINIGRAD_SEED", random.randrange(10**9)))


def test_what_parameters_begin_with_is_pytorchs(live_torch):
    for seed in range(SEED, SEED + COUNT):
        one = line(seed)
        expected = registry.run_case(program(one), live_torch)
        found = registry.run_case(program(one), registry.engine("minigrad"))
        wrong = differences(expected, found, *CLOSE.get(one.dtype, (2e-6, 1e-6)))
        lines = [f"{label}\n  PyTorch  {a}\n  minigrad {b}" for label, a, b in wrong]
        assert not wrong, f"MINIGRAD_SEED={seed}\n{one}\n" + "\n".join(lines)
