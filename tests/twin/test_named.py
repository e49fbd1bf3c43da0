"""The operations that programs name: random calls of each do on minigrad what they do on torch."""

import os
import random

from course.twin.compare import differences
from tests.twin import named, registry

CALLS = int(os.environ.get("MINIGRAD_NAMED", 300))


def wrong(seed, torch):
    code, made = named.call(seed)
    run = named.told(code, made)
    expected = registry.run_case(run, torch)
    return code, made, differences(expected, registry.run_case(run, registry.engine("minigrad")))


def test_random_calls_of_what_programs_name(live_torch):
    first = random.SystemRandom().randrange(10**9)
    for seed in range(first, first + CALLS):
        code, made, found = wrong(seed, live_torch)
        text = "\n".join([f"seed {seed}: {code}", *map(str, made.items()), *map(str, found)])
        assert not found, text
