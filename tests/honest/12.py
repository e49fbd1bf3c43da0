"""Lesson 12: honest answers in further styles."""


# %% answer="steady" style="functools.wraps on the halves' call, a decorator with arguments"
from functools import wraps


def cast(inside, outside):
    def decorate(half):
        @wraps(half.__call__)
        def call(u):
            return half(u.to(inside)).to(outside)

        return call

    return decorate


def steady(x, blocks):
    """The chain of `blocks` on float32 `x`, with a gradient that one may believe."""
    at_the_door = cast(mg.float32, mg.float64)
    wide = [tuple(at_the_door(half) for half in pair) for pair in blocks]
    return reversible(x.to(mg.float64), wide).to(x.dtype)


small = net(2)
print(steady(x, small).dtype)


# %% answer="steady" style="a Protocol and type hints, list of NamedTuples for the blocks"
from typing import NamedTuple, Protocol


class Callable1(Protocol):
    def __call__(self, u: mg.Tensor) -> mg.Tensor: ...


class Pair(NamedTuple):
    f: Callable1
    g: Callable1


def narrow_inside(half: Callable1) -> Callable1:
    return lambda u: half(u.to(mg.float32)).to(mg.float64)


def steady(x: mg.Tensor, blocks: list) -> mg.Tensor:
    """The chain of `blocks` on float32 `x`, with a gradient that one may believe."""
    pairs: list[Pair] = [Pair(narrow_inside(f), narrow_inside(g)) for f, g in blocks]
    wide: mg.Tensor = x.double()
    y: mg.Tensor = reversible(wide, pairs)
    return y.float()


# %% answer="diary" style="a toy BatchNorm class with attributes of the same names"
class ToyNorm:
    def __init__(self, momentum):
        self.momentum = momentum
        self.num_batches_tracked = 0
        self.running_mean = 0.0
        self.training = True

    def train(self, mode=True):
        self.training = mode

    def __call__(self, mean):
        if self.training:
            self.num_batches_tracked += 1
            self.running_mean *= 1 - self.momentum
            self.running_mean += self.momentum * mean


def diary(calls, momentum):
    """[batches counted, running mean] after the calls."""
    norm = ToyNorm(momentum)
    for how, mean in calls:
        norm.train(how != "eval")
        norm(mean)
    return [norm.num_batches_tracked, norm.running_mean]


print(diary([("recorded", 1.0), ("no_grad", 2.0), ("eval", 3.0)], 0.5))


# %% answer="diary" style="itertools.accumulate with initial, deque of length one"
from collections import deque
from itertools import accumulate


def diary(calls, momentum):
    """[batches counted, running mean] after the calls."""
    means = [m for h, m in calls if h in {"recorded", "no_grad"}]
    path = accumulate(means, lambda r, m: (1 - momentum) * r + momentum * m, initial=0.0)
    (running,) = deque(path, maxlen=1)
    return [len(means), running]


# %% answer="diary" style="recursion from the end, match"
def diary(calls, momentum):
    """[batches counted, running mean] after the calls."""
    match list(calls):
        case []:
            return [0, 0.0]
        case [*earlier, ("eval", _)]:
            return diary(earlier, momentum)
        case [*earlier, (_, mean)]:
            n, r = diary(earlier, momentum)
            return [n + 1, r + momentum * (mean - r)]


assert diary([("eval", 5.0)], 0.1) == [0, 0.0]


# %% answer="same_dice" style="a class with __slots__, an Enum for whose turn it is"
from enum import Enum


class Turn(Enum):
    FIRST = 1
    SECOND = 2


class SameDice:
    __slots__ = ("half", "turn", "state")

    def __init__(self, half):
        self.half = half
        self.turn = Turn.FIRST
        self.state = None

    def __call__(self, u):
        if self.turn is Turn.FIRST:
            self.state = mg.get_rng_state()
            self.turn = Turn.SECOND
            return self.half(u)
        here = mg.get_rng_state()
        mg.set_rng_state(self.state)
        result = self.half(u)
        mg.set_rng_state(here)
        self.state, self.turn = None, Turn.FIRST
        return result


def same_dice(half):
    """A function like `half`, whose every second call throws the dice of the call before it."""
    return SameDice(half)


h = same_dice(lambda u: u * mg.rand(3))
assert h(mg.ones(3)).tolist() == h(mg.ones(3)).tolist()


# %% answer="same_dice" style="itertools.cycle over two functions and a shared dict, wraps"
from functools import wraps
from itertools import cycle


def same_dice(half):
    """A function like `half`, whose every second call throws the dice of the call before it."""
    memory = {}

    def first(u):
        memory["dice"] = mg.get_rng_state()
        return half(u)

    def second(u):
        current = mg.get_rng_state()
        try:
            mg.set_rng_state(memory.pop("dice"))
            return half(u)
        finally:
            mg.set_rng_state(current)

    turns = cycle([first, second])

    @wraps(first)
    def either(u):
        return next(turns)(u)

    return either


# %% answer="is_trustworthy" style="a dataclass Outcome that compares itself, numpy for the numbers"
from dataclasses import dataclass

import numpy as np


@dataclass
class Outcome:
    grads: list
    state: list
    dice: list

    def agrees_with(self, other: "Outcome") -> bool:
        if self.dice != other.dice:
            return False
        for a, b in zip(self.state, other.state):
            if not np.allclose(a, b, rtol=1e-5, atol=1e-6):
                return False
        return bool(wrongness(self.grads, other.grads) < 1e-4)


def outcome_of(way, make, x):
    mg.manual_seed(42)
    blocks = make()
    _, grads = train(way, blocks, x)
    dice = mg.rand(4).tolist()
    state = [
        np.array(value.detach().tolist())
        for pair in blocks
        for half in pair
        for _, value in sorted(half.state_dict().items())
    ]
    return Outcome(grads, state, dice)


def is_trustworthy(way, make, x):
    """True if one step of `way` gives and leaves what one step of `through` does."""
    return outcome_of(way, make, x).agrees_with(outcome_of(through, make, x))


# %% answer="is_trustworthy" style="a generator of complaints, any() decides, printed"
from itertools import chain


def complaints(way, make, x):
    seed = 3
    mg.manual_seed(seed)
    twin = make()
    right = train(through, twin, x)[1]
    twin_dice = mg.randn(5)

    mg.manual_seed(seed)
    other = make()
    got = train(way, other, x)[1]
    other_dice = mg.randn(5)

    if (wrong := wrongness(got, right)) >= 1e-4:
        yield f"gradients: {wrong:.1e}"
    if not mg.allclose(twin_dice, other_dice):
        yield "the next dice"
    for i, (a, b) in enumerate(zip(chain(*twin), chain(*other))):
        theirs = b.state_dict()
        for name, value in a.state_dict().items():
            if not mg.allclose(value.double(), theirs[name].double()):
                yield f"{name} of half {i}"


def is_trustworthy(way, make, x):
    """True if one step of `way` gives and leaves what one step of `through` does."""
    for complaint in complaints(way, make, x):
        print("not trustworthy:", complaint)
        return False
    return True


print(is_trustworthy(through, lambda: net(2), x), is_trustworthy(reversible, lambda: net(2), x))


# %% answer="is_trustworthy" style="asserts in a try, copies with deepcopy before"
# Today: Tampered (0 of 7), since copy.deepcopy of a module notes __slotnames__ in its class.
import copy


def is_trustworthy(way, make, x):
    """True if one step of `way` gives and leaves what one step of `through` does."""
    a = make()
    b = copy.deepcopy(a)
    dice = mg.get_rng_state()
    _, wanted = train(through, a, x)
    end = mg.get_rng_state()
    mg.set_rng_state(dice)
    _, got = train(way, b, x)
    try:
        assert mg.get_rng_state() == end, "dice"
        assert wrongness(got, wanted) < 1e-4, "gradient"
        for one, two in zip(sum(map(list, a), []), sum(map(list, b), [])):
            for p, q in zip(one.state_dict().values(), two.state_dict().values()):
                assert mg.allclose(p, q), "state"
    except AssertionError as e:
        print(e)
        return False
    return True


# %% answer="is_trustworthy" style="asserts in a try, allclose by zip over state dicts"
def is_trustworthy(way, make, x):
    """True if one step of `way` gives and leaves what one step of `through` does."""
    mg.manual_seed(11)
    a, b = make(), make()
    dice = mg.get_rng_state()
    _, wanted = train(through, a, x)
    end = mg.get_rng_state()
    mg.set_rng_state(dice)
    _, got = train(way, b, x)
    try:
        assert mg.get_rng_state() == end, "dice"
        assert wrongness(got, wanted) < 1e-4, "gradient"
        for one, two in zip(sum(map(list, a), []), sum(map(list, b), [])):
            for p, q in zip(one.state_dict().values(), two.state_dict().values()):
                assert mg.allclose(p, q), "state"
    except AssertionError as e:
        print(e)
        return False
    return True


# %% answer="steady" style="a module for the door, with super().__init__, parameters() shown"
class Wide(mg.nn.Module):
    def __init__(self, half):
        super().__init__()
        self.half = half

    def forward(self, u):
        return self.half(u.to(mg.float32)).to(mg.float64)

    def extra_repr(self):
        return "float64 outside, float32 inside"


def steady(x, blocks):
    """The chain of `blocks` on float32 `x`, with a gradient that one may believe."""
    pairs = [(Wide(f), Wide(g)) for f, g in blocks]
    return reversible(x.to(mg.float64), pairs).to(mg.float32)


print(sum(p.numel() for p in Wide(net(1)[0][0]).parameters()))


# %% answer="same_dice" style="a copy.copy of the half's module kept beside it, for a look"
import copy


def same_dice(half):
    """A function like `half`, whose every second call throws the dice of the call before it."""
    dice = []

    def call(u):
        if not dice:
            dice.append(mg.get_rng_state())
            return half(u)
        now = mg.get_rng_state()
        mg.set_rng_state(dice.pop())
        v = half(u)
        mg.set_rng_state(now)
        return v

    return call


dropout = mg.nn.Dropout(0.5)
twin = copy.copy(dropout)
half = same_dice(twin)
print((half(mg.ones(4)) == half(mg.ones(4))).tolist())


# %% answer="steady" style="a try-out below with eval(), train() and no_grad"
def steady(x, blocks):
    """The chain of `blocks` on float32 `x`, with a gradient that one may believe."""

    def narrow(fn):
        def inner(u):
            v = fn(u.float())
            return v.double()

        return inner

    wide_blocks = []
    for f, g in blocks:
        wide_blocks.append((narrow(f), narrow(g)))
    return reversible(x.double(), wide_blocks).float()


halves_of_one = net(1)[0]
for half in halves_of_one:
    half.eval()
with mg.no_grad():
    print(steady(x, [halves_of_one])[0, :3])
for half in halves_of_one:
    half.train()


# %% answer="steady" style="mg.reversible ready-made, a callable class as the door, double()"
class Door:
    def __init__(self, fn):
        self.fn = fn

    def __call__(self, u):
        return self.fn(u.float()).double()


def steady(x, blocks):
    """The chain of `blocks` on float32 `x`, with a gradient that one may believe."""
    wide = [tuple(map(Door, pair)) for pair in blocks]
    return reversible(x.double(), wide).float()


# %% answer="steady" style="the chain of my own: an autograd Function in float64, halves narrowed"
def steady(x, blocks):
    """The chain of `blocks` on float32 `x`, with a gradient that one may believe."""

    def narrow(half):
        def call(u):
            return half(u.type(mg.float32)).type(mg.float64)
        return call

    pairs = []
    for block in blocks:
        pairs.append(tuple(narrow(half) for half in block))
    y = mg.reversible(x.type(mg.float64), pairs) if callable(mg.reversible) else reversible(x.to(mg.float64), pairs)
    return y.type(mg.float32)


# %% answer="diary" style="while loop with index, numpy float, list by append"
import numpy as np


def diary(calls, momentum):
    """[batches counted, running mean] after the calls."""
    n = np.int64(0)
    mean = np.float64(0.0)
    i = 0
    while i < len(calls):
        how, m = calls[i][0], calls[i][1]
        i = i + 1
        if how == "eval":
            continue
        n += 1
        mean += momentum * (m - mean)
    return n, mean


# %% answer="diary" style="polynomial weights with reversed enumerate, one expression"
def diary(calls, momentum):
    """[batches counted, running mean] after the calls."""
    seen = [m for how, m in calls if how != "eval"]
    return [len(seen), sum(momentum * (1 - momentum) ** k * m for k, m in enumerate(reversed(seen)))]


# %% answer="diary" style="namedtuple"
from collections import namedtuple
D = namedtuple("D", "count mean")
def diary(calls, momentum):
    d = D(0, 0.0)
    for how, m in calls:
        if how != "eval":
            d = D(d.count + 1, (1 - momentum) * d.mean + momentum * m)
    return d


# %% answer="same_dice" style="a generator with send-like next, try and finally"
def same_dice(half):
    """A function like `half`, whose every second call throws the dice of the call before it."""
    kept = []

    def rolled(u):
        if not kept:
            kept.append(mg.get_rng_state())
            return half(u)
        here = mg.get_rng_state()
        try:
            mg.set_rng_state(kept.pop())
            return half(u)
        finally:
            mg.set_rng_state(here)

    return rolled


# %% answer="same_dice" style="function attributes, a global counter of calls for curiosity"
CALLS = 0


def same_dice(half):
    """A function like `half`, whose every second call throws the dice of the call before it."""

    def wrapper(*args, **kwargs):
        global CALLS
        CALLS += 1
        if wrapper.first:
            wrapper.first, wrapper.state = False, mg.get_rng_state()
            return half(*args, **kwargs)
        after = mg.get_rng_state()
        mg.set_rng_state(wrapper.state)
        result = half(*args, **kwargs)
        mg.set_rng_state(after)
        wrapper.first, wrapper.state = True, None
        return result

    wrapper.first, wrapper.state = True, None
    return wrapper


# %% answer="same_dice" style="mg.Generator-free: fork of the state by a context manager"
from contextlib import contextmanager


@contextmanager
def dice_from(state):
    before = mg.get_rng_state()
    mg.set_rng_state(state)
    try:
        yield
    finally:
        mg.set_rng_state(before)


def same_dice(half):
    """A function like `half`, whose every second call throws the dice of the call before it."""
    memory = {"state": None}

    def call(u):
        state, memory["state"] = memory["state"], None
        if state is None:
            memory["state"] = mg.get_rng_state()
            return half(u)
        with dice_from(state):
            return half(u)

    return call


# %% answer="is_trustworthy" style="flatten all to one list of floats, math.isclose, dict of results"
import math


def snapshot(run, make, x):
    mg.manual_seed(1234)
    blocks = make()
    _, grads = train(run, blocks, x)[:2]
    dice = mg.rand(4).tolist()
    numbers = []
    for pair in blocks:
        for half in pair:
            for key, value in sorted(half.state_dict().items()):
                numbers.extend(value.flatten().tolist())
    return dict(grads=[g.clone() for g in grads], dice=dice, numbers=numbers)


def is_trustworthy(way, make, x):
    """True if one step of `way` gives and leaves what one step of `through` does."""
    good, other = snapshot(through, make, x), snapshot(way, make, x)
    checks = {
        "dice": good["dice"] == other["dice"],
        "state": len(good["numbers"]) == len(other["numbers"])
        and all(math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-6) for a, b in zip(good["numbers"], other["numbers"])),
        "grads": wrongness(other["grads"], good["grads"]) < 1e-4,
    }
    print({k: v for k, v in checks.items() if not v} or "fine")
    return all(checks.values())


# %% answer="is_trustworthy" style="numpy bool"
import numpy as np
def is_trustworthy(way, make, x):
    def run(w):
        mg.manual_seed(3)
        b = make()
        g = train(w, b, x)[1]
        s = [v.numpy().astype(float).ravel() for p in b for h in p for v in h.state_dict().values()]
        return g, np.concatenate([*s, mg.rand(8).numpy()])
    (g1, s1), (g2, s2) = run(through), run(way)
    return np.allclose(s1, s2, rtol=1e-4, atol=1e-6) & (wrongness(g2, g1) < 1e-4)


# %% answer="steady" style="two doors as small functions, comment, prints dtypes once"
import functools


@functools.cache
def say(*what):
    print(*what)       # once


def steady(x, blocks):
    """The chain of `blocks` on float32 `x`, with a gradient that one may believe."""

    def door(half):
        def narrow_in_wide_out(u):
            v = half(u.to(mg.float32))
            say("F and G see", u.dtype, "and give", v.dtype)
            return v.to(mg.float64)

        return narrow_in_wide_out

    pairs = [(door(f), door(g)) for f, g in blocks]
    return reversible(x.to(mg.float64), pairs).to(mg.float32)


# %% answer="steady" style="a callable class Door with __slots__, map, comparison with the stored twin at the bottom"
class Door:
    """float64 outside, float32 inside"""

    __slots__ = ("half",)

    def __init__(self, half):
        self.half = half

    def __call__(self, u: "mg.Tensor") -> "mg.Tensor":
        return self.half(u.to(mg.float32)).to(mg.float64)


def steady(x, blocks):
    """The chain of `blocks` on float32 `x`, with a gradient that one may believe."""
    wide = reversible(x.to(mg.float64), [tuple(map(Door, pair)) for pair in blocks])
    return wide.to(x.dtype)


for depth in (4, 16):
    right = train(through, net(depth))[1]
    print(depth, *(f"{wrongness(train(way, net(depth))[1], right):.1e}" for way in (reversible, steady)))
del right


# %% answer="diary" style="itertools.accumulate over means, plain arithmetic, try with mg.nn.BatchNorm1d at the bottom"
from itertools import accumulate


def diary(calls, momentum):
    """[batches counted, running mean] after the calls."""
    means = [mean for how, mean in calls if how != "eval"]
    *_, running = accumulate(means, lambda r, m: (1 - momentum) * r + momentum * m, initial=0.0)
    return [len(means), running]


calls = [("recorded", 1.0), ("eval", 9.0), ("no_grad", 2.5)]
norm = mg.nn.BatchNorm1d(1, momentum=0.1)
for how, mean in calls:
    norm.train(how != "eval")
    with mg.set_grad_enabled(how == "recorded"):
        norm(mg.tensor([[mean - 1.0], [mean + 1.0]]))
print(norm.num_batches_tracked.item(), norm.running_mean.item(), diary(calls, 0.1))


# %% answer="same_dice" style="closure with nonlocal, try/finally"
def same_dice(half):
    """A function like `half`, whose every second call throws the dice of the call before it."""
    state = None

    def call(u):
        nonlocal state
        if state is None:
            state = mg.get_rng_state()
            return half(u)
        now = mg.get_rng_state()
        mg.set_rng_state(state)
        state = None
        try:
            return half(u)
        finally:
            mg.set_rng_state(now)

    return call


h = same_dice(lambda u: u * mg.rand(3))
a, noise, b, c = h(mg.ones(3)), mg.rand(2), h(mg.ones(3)), h(mg.ones(3))
assert mg.equal(a, b) and not mg.equal(b, c)


# %% answer="same_dice" style="a generator with send inside, functools.wraps"
import functools


def same_dice(half):
    """A function like `half`, whose every second call throws the dice of the call before it."""

    def twice():
        v = None
        while True:
            u = yield v
            v = None
            first = mg.get_rng_state()
            u = yield half(u)
            now = mg.get_rng_state()
            mg.set_rng_state(first)
            v = half(u)
            mg.set_rng_state(now)
            del u, first, now

    machine = twice()
    next(machine)

    @functools.wraps(half, updated=())
    def call(u):
        return machine.send(u)

    return call


# %% answer="is_trustworthy" style="dataclass of what a step leaves, logging of what differs"
import logging
from dataclasses import dataclass
from typing import Any

log = logging.getLogger("trust")


@dataclass
class Step:
    grads: list
    states: list[Any]
    dice: Any

    @classmethod
    def of(cls, way, make, x):
        mg.manual_seed(0)
        blocks = make()
        _, grads = train(way, blocks, x)
        states = [
            value.clone()
            for pair in blocks
            for half in pair
            for _, value in sorted(half.state_dict().items())
        ]
        return cls(grads, states, mg.rand(9))


def is_trustworthy(way, make, x):
    """True if one step of `way` gives and leaves what one step of `through` does."""
    got, right = Step.of(way, make, x), Step.of(through, make, x)
    wrong = wrongness(got.grads, right.grads)
    log.warning("wrongness %.1e", wrong)
    if not wrong < 1e-4:
        return False
    if len(got.states) != len(right.states):
        return False
    return all(map(mg.allclose, [*got.states, got.dice], [*right.states, right.dice]))


# %% answer="is_trustworthy" style="numpy comparison, zip strict, dict of failures, copy.deepcopy of the batch"
import copy

import numpy as np


def leftovers(way, make, x):
    mg.manual_seed(1234)
    blocks = make()
    grads = train(way, blocks, x)[1]
    found = {"dice": mg.rand(16).numpy()}
    for i, pair in enumerate(blocks):
        for name, half in zip("fg", pair, strict=True):
            for key, value in half.state_dict().items():
                found[f"{i}.{name}.{key}"] = np.array(value.detach().numpy())
    return grads, found


# ==== next cell
def is_trustworthy(way, make, x):
    """True if one step of `way` gives and leaves what one step of `through` does."""
    mine = copy.deepcopy(x)
    grads, found = leftovers(way, make, x)
    wanted_grads, wanted = leftovers(through, make, mine)
    failures = {
        key: (found.get(key), value)
        for key, value in wanted.items()
        if key not in found or not np.allclose(found[key], value, rtol=1e-4, atol=1e-5)
    }
    if failures:
        print("differs:", *sorted(failures))
    return not failures and bool(wrongness(grads, wanted_grads) < 1e-4)


print(is_trustworthy(reversible, lambda: net(2), x))


# %% answer="steady" style="functools.wraps decorator for the dtype doors, star unpacking, display at the bottom"
import functools

from IPython.display import display


def computes_in(inner, outer):
    def decorate(half):
        def wide(u):
            return half(u.to(inner)).to(outer)

        return wide

    return decorate


def steady(x, blocks):
    """The chain of `blocks` on float32 `x`, with a gradient that one may believe."""
    door = computes_in(mg.float32, mg.float64)
    return reversible(x.double(), [(door(f), door(g)) for f, g in blocks]).float()


display(steady(x, net(2)).shape)


# %% answer="diary" style="class FakeNorm with the two numbers, global counter, for with continue"
CALLS = 0


class FakeNorm:
    def __init__(self, momentum):
        self.momentum, self.num_batches_tracked, self.running_mean = momentum, 0, 0.0

    def __call__(self, mean):
        global CALLS
        CALLS += 1
        self.num_batches_tracked += 1
        self.running_mean += self.momentum * (mean - self.running_mean)


def diary(calls, momentum):
    """[batches counted, running mean] after the calls."""
    norm = FakeNorm(momentum)
    for how, mean in calls:
        if how == "eval":
            continue
        norm(mean)
    return [norm.num_batches_tracked, norm.running_mean]


# %% answer="same_dice" style="class with __call__ and itertools.cycle over two methods"
from itertools import cycle


class SameDiceTwice:
    def __init__(self, half):
        self.half = half
        self.turn = cycle([self.first, self.second])
        self.state = None

    def first(self, u):
        self.state = mg.get_rng_state()
        return self.half(u)

    def second(self, u):
        now, state, self.state = mg.get_rng_state(), self.state, None
        mg.set_rng_state(state)
        try:
            return self.half(u)
        finally:
            mg.set_rng_state(now)

    def __call__(self, u):
        return next(self.turn)(u)


def same_dice(half):
    """A function like `half`, whose every second call throws the dice of the call before it."""
    return SameDiceTwice(half)


# %% answer="is_trustworthy" style="short, as the hint, try/except so that an error is False, prints with rich f-strings"
def after_a_step(way, make, x):
    mg.manual_seed(0)
    blocks = make()
    grads = train(way, blocks, x)[1]
    dice = mg.rand(9)
    halves = [half for pair in blocks for half in pair]
    return grads, [v for half in halves for v in half.state_dict().values()] + [dice]


def is_trustworthy(way, make, x):
    """True if one step of `way` gives and leaves what one step of `through` does."""
    right, wanted = after_a_step(through, make, x)
    try:
        got, left = after_a_step(way, make, x)
    except Exception as error:
        print(f"{error!r}")
        return False
    error = wrongness(got, right)
    print(f"{error = :.2e}")
    same = all(mg.allclose(a, b) for a, b in zip(left, wanted, strict=True))
    return error < 1e-4 and same


# %% answer="steady" style="a wrapper module class Narrow with forward, nested function, type hints"
class Narrow(mg.nn.Module):
    def __init__(self, half):
        super().__init__()
        self.half = half

    def forward(self, wide):
        return self.half(wide.float()).double()


def steady(x, blocks):
    """The chain of `blocks` on float32 `x`."""
    pairs = [(Narrow(f), Narrow(g)) for f, g in blocks]
    return reversible(x.double(), pairs).float()


# %% answer="same_dice" style="a generator that is sent to, closure over next"
def same_dice(half):
    """A function like `half`, whose every second call throws the dice of the call before it."""

    def turns():
        u = yield
        while True:
            state = mg.get_rng_state()
            u = yield half(u)
            now = mg.get_rng_state()
            mg.set_rng_state(state)
            out = half(u)
            mg.set_rng_state(now)
            del u, state, now
            u = yield out
            del out

    turn = turns()
    next(turn)
    return turn.send
