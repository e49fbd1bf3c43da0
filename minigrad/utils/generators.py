"""A generator of random numbers of one's own, for a data set's order."""

from __future__ import annotations

import secrets

import numpy as np


class Generator:
    """Numbers that no other draw moves on; `numbers` is NumPy's generator."""

    def __init__(self, device="cpu"):
        if str(device) != "cpu":
            raise NotImplementedError("minigrad's Generator draws on the CPU alone")
        self.device = device
        self.seed()

    def manual_seed(self, seed: int) -> Generator:
        """Begin with the numbers of this seed."""
        self._seed, self.numbers = seed, np.random.default_rng(seed)
        return self

    def initial_seed(self) -> int:
        """The seed that the numbers began with."""
        return self._seed

    def seed(self) -> int:
        """Begin with a seed drawn by chance, and return it."""
        return self.manual_seed(secrets.randbits(53)).initial_seed()
