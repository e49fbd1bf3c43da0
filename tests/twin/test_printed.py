"""What tensors print, whole, in containers and by a format, on numbers by chance."""

import operator
import os
import random

import pytest

import minigrad
from course.twin.compare import same_names

pytestmark = pytest.mark.filterwarnings("ignore")  # of a number read where a gradient is wanted
SEED = int(os.environ["MINIGRAD_MOVED"])
SHAPES = (
    (), (), (), (1,), (3,), (7,), (25,), (2, 3), (1, 1), (3, 1), (0,), (0, 3), (2, 2, 2),
    (1, 2, 3, 2), (12, 12), (1001,), (40, 30), (2, 600), (2, 2, 300),
)  # fmt: skip
DTYPES = "float32 float32 float64 float16 int64 int32 uint8 bool".split()
KINDS = "plain leaf result turned sliced parameter".split()
OPTIONS = {
    "precision": [0, 1, 2, 3, 6, 8], "threshold": [0, 2, 10, 100, 2000, float("inf")],
    "edgeitems": [0, 1, 2, 5], "linewidth": [20, 40, 120, 200], "sci_mode": [True, False],
    "profile": ["default", "short", "full"],
}  # fmt: skip
FORMATS = ["", ".2f", ".4", "8.3f", "e", "d", "g", "10", "<12", ",", "%"]


def draw(seed) -> tuple:
    """(the numbers, shape, dtype, kind of tensor, format, options of printing)."""
    r = random.Random(seed)
    shape, dtype = r.choice(SHAPES), r.choice(DTYPES)
    one = r.choice([mixed, lambda r: r.uniform(0, 1), lambda r: float(r.randint(-50, 99999))])
    size = minigrad.Size(shape).numel()
    floats = dtype.startswith("float")
    numbers = [one(r) if floats else r.randint(0, 200) for _ in range(size)]
    names = r.sample(sorted(OPTIONS), r.choice([0, 0, 1, 1, 2, 3]))
    options = {name: r.choice(OPTIONS[name]) for name in names}
    return numbers, shape, dtype, r.choice(KINDS), r.choice(FORMATS), options


def mixed(r) -> float:
    """A number of any size, nan and inf among them."""
    power = r.randint(-12, 12)
    return r.choice([
        float(r.randint(-4, 4)), r.uniform(-1, 1), r.uniform(-1, 1) * 10**power,
        r.uniform(-1000, 1000), round(r.uniform(-10, 10), 2),
        r.choice([float("nan"), float("inf"), -float("inf"), 0.0, -0.0]),
    ])  # fmt: skip


def made(m, numbers, shape, dtype, kind):
    """The tensor, of an engine's."""
    x = m.tensor(numbers, dtype=getattr(m, dtype)).reshape(shape)
    if kind == "turned" and len(shape) > 1:
        return x.transpose(0, 1)
    if kind == "sliced" and shape:
        return x[::2]
    if dtype.startswith("float") and kind in ("leaf", "result", "parameter"):
        x = m.nn.Parameter(x) if kind == "parameter" else x.requires_grad_()
        return x * 1 if kind == "result" else x
    return x


def told(m, seed) -> list:
    """Its text in each way, or the error."""
    *what, spec, options = draw(seed)
    x = made(m, *what)
    m.set_printoptions(**options)
    ways = repr, str, lambda x: f"{x}", lambda x: f"{[x]} {(x, 1)}", lambda x: format(x, spec)
    ways = *ways, lambda x: operator.mod("%.3f", x), lambda x: round(x.item(), 2)
    try:
        return [text(way, x) for way in ways]
    finally:
        m.set_printoptions(profile="default")


def text(way, x) -> str:
    try:
        return same_names(str(way(x)))
    except Exception as error:
        return f"{type(error).__name__}: {error}" if way is format else type(error).__name__


def test_tensors_print_what_pytorchs_print(live_torch):
    for seed in range(SEED, SEED + 600):
        assert told(minigrad, seed) == told(live_torch, seed), f"seed {seed}: {draw(seed)[1:]}"


def test_a_planted_fault_is_found(live_torch, monkeypatch):
    """A Parameter of one number is formatted as a number."""
    monkeypatch.setattr(minigrad.Tensor, "__format__", lambda x, spec: format(x.item(), spec))
    seeds = range(SEED, SEED + 1000)
    assert any(told(minigrad, seed) != told(live_torch, seed) for seed in seeds)
