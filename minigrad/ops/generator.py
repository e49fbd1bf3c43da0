"""Where random numbers come from: one generator for the CPU, one for each GPU, and one's own."""

from __future__ import annotations

import secrets
import weakref
from collections.abc import Mapping

import numpy as np

from minigrad import gpu
from minigrad.core.backend import require
from minigrad.core.dtypes import device as Device
from minigrad.core.stand_ins import through
from minigrad.core.words import expected, kind_of

DRAWN = np.dtype(np.float32), np.dtype(np.float64)  # by NumPy; others are made of the first
UNSEEDED = 67280421310721  # what a new generator begins with, as PyTorch's


def fresh() -> int:
    """A seed by chance."""
    return secrets.randbits(53)


class Generator:
    """Where random numbers come from; `random` is NumPy's generator of them.

    randn(3, generator=Generator().manual_seed(0))  # the same three each time

    A copy goes on by itself from where this one stands.
    """

    __slots__ = ("device", "random", "_seed", "__weakref__")
    random: np.random.Generator

    def __init__(self, device="cpu"):
        self.device = Device(device or "cpu")
        if self.device.type != "cpu":
            raise NotImplementedError("minigrad's Generator draws on the CPU alone")
        self.manual_seed(UNSEEDED)
        living.add(self)

    def __reduce__(self):
        return restored, (self._seed, self.get_state())

    def __copy__(self):
        return restored(self._seed, self.get_state())

    def manual_seed(self, seed: int) -> Generator:
        """Begin with the numbers of this seed; they are not PyTorch's."""
        if type(seed) is not int:
            raise RuntimeError(f"manual_seed expected a long, but got {kind_of(seed)}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._seed = seed % 2**64
        self.random = np.random.default_rng(self._seed)
        return self

    def initial_seed(self) -> int:
        """The seed that the numbers began with."""
        return self._seed

    def seed(self) -> int:
        """Begin with a seed drawn by chance, and return it."""
        return self.manual_seed(fresh()).initial_seed()

    def get_state(self) -> Mapping:
        """Where the numbers stand; PyTorch gives its state as a tensor of bytes."""
        return self.random.bit_generator.state

    def set_state(self, new_state: Mapping) -> Generator:
        """Go back to where get_state() was called: the same numbers come again."""
        self.random.bit_generator.state = new_state
        return self


def restored(seed: int, state: Mapping) -> Generator:
    """A generator that began with this seed and stands there."""
    return Generator().manual_seed(seed).set_state(state)


living: weakref.WeakSet[Generator] = weakref.WeakSet()  # who wants to see what any of them draws
default_generator = Generator()
default_generator.seed()


def check_generator(own) -> None:
    expected(own, Generator | None, "generator", "Generator")


def drawn(name: str, shape, dtype, on=None, own: Generator | None = None):
    """Random numbers of the device's generator, or of one's own, on the device.

    A GPU has a generator on the host, so that each card, and a simulated one, draws the same.
    """
    check_generator(own)
    card = require(on)
    if card is not None and own is not None:
        raise RuntimeError("Expected a 'cuda' device type for generator but found 'cpu'")
    home = own or card or default_generator
    draw = getattr(home.random, name)
    numbers = draw(shape, dtype) if dtype in DRAWN else _narrow(name, draw(shape, DRAWN[0]), dtype)
    return numbers if card is None else through(card.put, numbers)


def _narrow(name, numbers, dtype):
    """Numbers in a dtype that NumPy does not draw: of half floats none is rounded up to 1."""
    if name == "random":
        numbers = np.floor(numbers * 2048) / 2048
    return numbers.astype(dtype)


def manual_seed(seed: int) -> Generator:
    """Start the random numbers of rand() and randn() again; the numbers are not PyTorch's."""
    default_generator.manual_seed(int(seed))
    if card := gpu.in_use():
        card.random = np.random.default_rng(initial_seed())
    return default_generator


def initial_seed() -> int:
    """The seed that the random numbers began with."""
    return default_generator.initial_seed()


def seed() -> int:
    """Begin with a seed drawn by chance, and return it."""
    return manual_seed(fresh()).initial_seed()


def get_rng_state() -> Mapping:
    """Where the random numbers stand; PyTorch gives its state as a tensor of bytes."""
    return default_generator.get_state()


def set_rng_state(new_state: Mapping) -> None:
    """Go back to where get_rng_state() was called: the same numbers come again."""
    default_generator.set_state(new_state)
