"""Where random numbers come from: one generator for the CPU, and one for each GPU."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from minigrad import gpu
from minigrad.core.backend import require
from minigrad.core.stand_ins import through

random = np.random.default_rng()  # a plain name: who wants to see what is drawn sets another one


def drawn(name: str, shape, dtype, on=None):
    """Random numbers of the device's own generator, on the device.

    A GPU has a generator on the host, so that each card, and a simulated one, draws the same.
    """
    card = require(on)
    numbers = getattr(random if card is None else card.random, name)(shape, dtype)
    return numbers if card is None else through(card.put, numbers)


def manual_seed(seed: int) -> None:
    """Start the random numbers of rand() and randn() again; the numbers are not PyTorch's."""
    global random
    random = np.random.default_rng(seed)
    if card := gpu.in_use():
        card.random = np.random.default_rng(seed)


def get_rng_state() -> Mapping:
    """Where the random numbers stand; PyTorch gives its state as a tensor of bytes."""
    return random.bit_generator.state


def set_rng_state(new_state: Mapping) -> None:
    """Go back to where get_rng_state() was called: the same numbers come again."""
    random.bit_generator.state = new_state
