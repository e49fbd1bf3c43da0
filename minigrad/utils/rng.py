"""Random numbers come again: for a computation that is run a second time."""

from __future__ import annotations

import contextlib

from minigrad import gpu
from minigrad.ops.generator import get_rng_state, living, set_rng_state


def rng_states() -> tuple:
    """Where the random numbers of each device stand."""
    card = gpu.in_use()
    return get_rng_state(), card and card.random.bit_generator.state


def _set_rng_states(states) -> None:
    set_rng_state(states[0])
    if states[1] is not None and (card := gpu.in_use()):
        card.random.bit_generator.state = states[1]


@contextlib.contextmanager
def standing_still():
    """After it, all generators of one's own stand where they stood before."""
    before = [(one, one.get_state()) for one in living]
    try:
        yield
    finally:
        for one, state in before:
            one.set_state(state)


@contextlib.contextmanager
def random_numbers(again):
    """Inside, the random numbers that followed the states `again`; after it, those due now."""
    now = rng_states()
    if again is not None:
        _set_rng_states(again)
    try:
        yield
    finally:
        if again is not None:
            _set_rng_states(now)
