"""What keeps everything is named, however deep, and no window of the last ones beside it."""

import random
import secrets
from collections import deque, namedtuple
from types import SimpleNamespace

import pytest

import minigrad as mg
import whoholds

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

BOTH = pytest.mark.parametrize("engine", [mg, torch], ids=["minigrad", "torch"])
SEEDS = pytest.mark.parametrize(
    "seed", [*range(8), pytest.param(secrets.randbelow(10**6), id="fresh")]
)
Row = namedtuple("Row", "step value")


class Slotted:
    __slots__ = ("inner",)

    def __init__(self, inner):
        self.inner = inner


AROUND = {  # what may stand around something, and the way back in
    "list": lambda inner: [inner],
    "dict": lambda inner: {"k": inner},
    "tuple": lambda inner: (0, inner),
    "row": lambda inner: Row(0, inner),
    "object": lambda inner: SimpleNamespace(inner=inner),
    "class": lambda inner: type("Kept", (), {"inner": inner}),
    "slots": Slotted,
}


def around(rng, inner, most=3):
    for kind in rng.choices([*AROUND], k=rng.randint(0, most)):
        inner = AROUND[kind](inner)
    return inner


def filled(rng, kept, maker):
    """A function that puts a thing into what is kept, in some wrapping that is drawn once."""
    seed = rng.random()
    putting = {list: list.append, deque: deque.append, set: lambda s, one: s.add(Slotted(one))}

    def put(one):
        wrapped = around(random.Random(seed), one, 2)
        if type(kept) is dict:
            kept[len(kept)] = wrapped
        else:
            putting[type(kept)](kept, wrapped)

    return maker(put)


def a_grower(rng):
    """Something that holds a container which is never emptied, and how it is filled."""
    kept = rng.choice([list, dict, deque, set])()
    return around(rng, kept), filled(rng, kept, lambda put: put)


def a_window(rng):
    """The same of one that holds the last ones; and how many these are."""
    size = rng.randint(1, 5)
    if rng.random() < 0.5:
        kept = deque(maxlen=size)
        return around(rng, kept), filled(rng, kept, lambda put: put), size
    names = SimpleNamespace(**dict.fromkeys(map("n{}".format, range(size))))

    def rotate(one):
        for i in reversed(range(1, size)):
            setattr(names, f"n{i}", getattr(names, f"n{i - 1}"))
        names.n0 = one

    return names, rotate, size


@BOTH
@SEEDS
def test_what_keeps_all_is_named_and_no_window_beside_it(engine, seed):
    rng = random.Random(seed)
    keeps, keep = a_grower(rng)
    (a, into_a, one), (zz, into_zz, other) = a_window(rng), a_window(rng)
    n = rng.randint(1, 50)
    graphed, weight = rng.random() < 0.4, engine.ones(n, requires_grad=True)

    def turn():
        x = weight * 2 if graphed else engine.ones(n)
        for put in rng.sample([keep, into_a, into_zz], 3):
            put(x)

    growth = whoholds.grows(turn, 2 * max(one, other) + 3, engine.__name__)
    assert growth.bytes == 4 * n, (seed, str(growth), a, zz)
    assert all(who.startswith("keep") for _, who, _ in growth.rows + growth.nodes), str(growth)


@BOTH
@SEEDS
def test_windows_alone_are_steady(engine, seed):
    rng = random.Random(seed)
    (a, into_a, one), (zz, into_zz, other) = a_window(rng), a_window(rng)
    turns = 4 * max(one, other) + 3

    def turn():
        x = engine.ones(30)
        into_a(x)
        into_zz(x)

    growth = whoholds.grows(turn, turns, engine.__name__)
    assert not growth, (seed, str(growth), a, zz)
