"""Whole numbers at the ends of what a dtype has: an error that depends on them is told."""

import itertools

import pytest

import minigrad as mg
from minigrad.core.observer import Observer

DTYPES = {mg.int64: 63, mg.int32: 31, mg.uint8: 8}
# bincount makes as many places as the largest number says, which may be all there is of memory.
UNARY = [name for name in dir(mg.Tensor) if not name.startswith("_") and name != "bincount"]
BINARY = """
__add__ __sub__ __mul__ __truediv__ __floordiv__ __mod__ __pow__ __and__ __or__ __xor__ __lshift__
__rshift__ __matmul__ __eq__ __lt__ __ge__ add_ sub_ mul_ pow_ pow remainder floor_divide fmod
maximum minimum dot outer equal
""".split()


class Told(Observer):
    """Whether somebody was told that a program sees a value."""

    told = False

    def read(self, array):
        self.told = True


def numbers_of(dtype):
    bits, whole = DTYPES[dtype], [0, 1, 2, 3]
    if dtype is mg.uint8:
        return [*whole, 2**bits - 1]
    return [*whole, -1, -2, 2**bits - 1, -(2**bits)]


def outcome(name, given):
    """(the error's class and text or None, whether it was told)."""
    with Told() as watching:
        try:
            getattr(given[0], name)(*given[1:])
        except Exception as error:
            return f"{type(error).__name__}: {error}", watching.told
    return None, watching.told


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("names, count", [(UNARY, 1), (BINARY, 2)])
def test_an_error_at_the_ends_of_a_dtype_is_told(names, count, dtype):
    untold = []
    for name in names:
        if not callable(getattr(mg.Tensor, name, None)):
            continue
        found = {}
        for many in itertools.product(numbers_of(dtype), repeat=count):
            given = [mg.tensor([number, 1], dtype=dtype) for number in many]
            found[many] = outcome(name, given)
        if len({error for error, _ in found.values()}) > 1:
            untold += [
                (name, many, error) for many, (error, told) in found.items() if error and not told
            ]
    assert not untold, untold[:20]


@pytest.mark.parametrize("base", [1, -1, 2, 0])
@pytest.mark.parametrize("exponent", [-(2**63), -(2**63) + 1, -1, 0, 3])
def test_a_whole_power_is_the_one_of_whole_numbers(base, exponent):
    odd = exponent & 1  # of 1 and -1 no more counts
    right = base**odd if base in (1, -1) else base**exponent if exponent >= 0 else 0
    one = mg.tensor([base]) ** mg.tensor([exponent])
    assert one.tolist() == [right]
    assert (base ** mg.tensor([exponent])).tolist() == [right]
