"""nn.init, apply and checkpoint_sequential by chance do what they do on real PyTorch."""

import os
import random

from tests.twin import registry
from tests.twin.first_numbers import line, program

COUNT = int(os.environ.get("MINIGRAD_FIRST_NUMBERS", 300))
CLOSE = {"float16": (2e-3, 2e-3), "float64": (1e-11, 1e-12)}  # relative, absolute
SEED = int(os.environ.get("MINIGRAD_SEED", random.randrange(10**9)))


def test_what_parameters_begin_with_is_pytorchs(live_torch):
    for seed in range(SEED, SEED + COUNT):
        one = line(seed)
        told = f"MINIGRAD_SEED={seed}\n{one}"
        registry.check_alike(program(one), live_torch, CLOSE.get(one.dtype, (2e-6, 1e-6)), told)
