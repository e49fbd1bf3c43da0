"""torch.random: where random numbers stand, and a way to leave them there."""

from __future__ import annotations

import contextlib

from minigrad.ops.generator import (  # noqa: F401
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from minigrad.utils.rng import random_numbers, rng_states


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True):
    """After it, the random numbers are those that were due before it."""
    with random_numbers(rng_states() if enabled else None):
        yield
