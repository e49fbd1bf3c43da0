"""`grows(step)`: what a turn leaves, who holds it, and where it was made."""

import contextvars
import random
import re
import secrets
from functools import partial

import pytest

import minigrad as mg
import whoholds

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

BOTH = pytest.mark.parametrize("engine", [mg, torch], ids=["minigrad", "torch"])


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.cache = torch.nn.Linear(4, 4), []

    def forward(self, x):
        h = torch.tanh(self.fc(x))
        self.cache.append(h)
        return h


def pair(engine, *both):
    """A module of two others, which are its attributes."""

    class Pair(engine.nn.Module):
        def __init__(self, a, b):
            super().__init__()
            self.block_7, self.other = a, b

        def forward(self, x):
            return self.other(self.block_7(x))

    return Pair(*both)


def nested(engine, rng):
    """Modules in modules; one of them has a list, `seen`."""
    net, chosen = engine.nn.Linear(4, 4), rng.randrange(4)
    for depth in range(4):
        if depth == chosen:
            net.seen = []
        both = [net, engine.nn.ReLU()]
        rng.shuffle(both)
        net = rng.choice([engine.nn.Sequential, partial(pair, engine)])(*both)
    return net


def test_a_list_of_a_module_is_named_with_the_line_that_fills_it():
    net = Net()

    def turn():
        net(torch.ones(8, 4)).sum().backward()

    growth = whoholds.grows(turn)
    assert growth and growth.bytes == 8 * 4 * 4
    line = Net.forward.__code__.co_firstlineno + 1
    assert str(growth) == f"+128 B a turn, held by net.cache, made in test_growth.py:{line}"
    with pytest.raises(AssertionError, match=r"held by net\.cache"):
        whoholds.assert_steady(turn)


@BOTH
def test_what_some_turns_leave_is_told_with_their_number(engine):
    """As of a retry: its error is kept, with all that the calls had; each keeps the one before."""
    rng = random.Random(secrets.randbelow(10**9))
    turns = rng.randint(5, 9)
    fails = [*rng.sample([True] * 2 + [False] + rng.choices([True, False], k=turns - 5), turns - 2)]
    planned, reader = iter([False, *fails, False, False]), type("Reader", (), {"last": None})()

    def read():
        blob = engine.ones(1000)
        if next(planned):
            raise ValueError(blob.shape)

    def turn():
        try:
            read()
        except ValueError as error:
            error.__cause__, reader.last = reader.last, error

    growth = whoholds.grows(turn, turns, engine.__name__)
    line, count = read.__code__.co_firstlineno + 1, sum(fails)
    last = ", all from the last turns" * all(fails[-count:])
    assert not growth.rows and str(growth) == (
        f"+{4000 * count:,} B in {count} of {turns - 2} turns, held by reader.last, "
        f"its traceback: read.blob{last}, made in test_growth.py:{line}"
    )


@BOTH
def test_what_a_context_variable_keeps_is_held_by_it(engine):
    seen = contextvars.ContextVar("seen", default=())
    growth = whoholds.grows(lambda: seen.set((*seen.get(), engine.ones(20))), 3, engine.__name__)
    assert "+80 B a turn, held by seen.get(), made in" in str(growth)


@BOTH
def test_what_is_kept_once_is_no_growth(engine):
    best, turns = [], iter([0, 0, 1, 0, 0, 0, 0])

    def turn():
        if next(turns):
            best.append(engine.ones(1000))

    assert not whoholds.grows(turn, 6, engine.__name__)


def test_a_ring_that_the_collector_does_not_end_is_not_said_to_end():
    def turn():
        x = torch.ones(1000, requires_grad=True)
        x.register_post_accumulate_grad_hook(lambda p: x.sum())

    line = turn.__code__.co_firstlineno + 1
    assert str(whoholds.grows(turn)) == (
        "+4,000 B a turn, held by a ring of references that gc.collect() does not end, "
        f"made in test_growth.py:{line}"
    )


@BOTH
@pytest.mark.parametrize("seed", [*range(4), pytest.param(secrets.randbelow(10**6), id="fresh")])
def test_the_holder_inside_of_modules_can_be_typed(engine, seed):
    """Whichever way each module is in the one around it, as an item or as an attribute."""
    net = nested(engine, random.Random(seed))

    def seen():
        return next(one.seen for one in net.modules() if hasattr(one, "seen"))

    def turn():
        seen().append(net(engine.ones(2, 4)).sum())

    named = re.findall("held by (.*?)(?:, by its graph|, made)", str(whoholds.grows(turn)))
    assert named and all(eval(one, {"net": net}) is seen() for one in named), (seed, named)


@BOTH
def test_a_running_sum_holds_its_graphs(engine):
    w, total = engine.ones(16, requires_grad=True), [0]

    def turn():
        total[0] = total[0] + (w * w).exp().sum()

    growth = whoholds.grows(turn)
    assert growth.bytes >= 64 and "total" in str(growth)


SAVING = "exp_ tanh_ sigmoid_ relu_ sqrt_".split()  # their results


@BOTH
@pytest.mark.parametrize("seed", [0, 1, pytest.param(secrets.randbelow(10**6), id="fresh")])
def test_what_an_op_in_place_has_saved_is_held_by_its_graph(engine, seed):
    """As the state of a GRU, whose tanh writes over what nobody else needs."""
    rng, cell = random.Random(seed), engine.nn.GRUCell(3, 4)
    chosen, states = rng.sample(SAVING, 3), [engine.ones(2, 4), engine.ones(2, 4)]

    def turn():
        states[0], x = cell(engine.ones(2, 3), states[0]), states[1] * cell.bias_hh[:4].exp()
        for name in chosen:
            x = getattr(x, name)() + 1
        states[1] = x

    growth = whoholds.grows(turn, engine=engine.__name__)
    assert growth and all(who.startswith("states") for _, who, _ in growth.rows), (chosen, growth)


@BOTH
def test_what_a_hook_makes_is_made_in_its_line(engine):
    weight, kept = engine.ones(5, requires_grad=True), []

    def keep(grad):
        kept.append(grad * 2)

    weight.register_hook(keep)
    weight.register_hook(
        lambda grad: kept.append(grad * 3)  # a line of its own
    )  # fmt: skip
    growth = whoholds.grows(lambda: (weight * 2).sum().backward(), engine=engine.__name__)
    line = keep.__code__.co_firstlineno + 1
    assert {at for _, _, at in growth.rows} == {f"test_growth.py:{n}" for n in (line, line + 4)}
    assert growth.bytes == 40 and not growth.nodes


def test_what_a_turn_records_is_told_before_the_turn_is_over():
    net, errors = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh()), []

    def forward(x):
        h = net(x)
        return h - torch.ones(3)

    def turn():
        try:
            forward(torch.ones(8, 4))
        except RuntimeError as error:
            errors.append(error)

    growth = whoholds.grows(turn)
    kinds = [event["kind"] for event in growth.trace.events]
    assert "node" in kinds and "node" not in kinds[::-1][: kinds[::-1].index("turn")]
    assert all("AccumulateGrad" not in who for _, who, _ in growth.rows)
    assert not growth.nodes, "the bytes say it"


@BOTH
@pytest.mark.parametrize("seed", [0, 1, pytest.param(secrets.randbelow(10**6), id="fresh")])
def test_what_is_made_anew_and_larger_in_each_turn_has_grown(engine, seed):
    """As a cache of keys: nothing of it lives for two turns."""
    rng = random.Random(seed)
    rows, width, empty = rng.randint(1, 40), rng.randint(1, 40), rng.random() < 0.5
    net = engine.nn.Linear(1, 1)
    net.keys = None if empty else engine.zeros(0, width)

    def turn():
        new = engine.ones(rows, width)
        net.keys = new if net.keys is None else engine.cat([net.keys, new])

    growth = whoholds.grows(turn, rng.randint(3, 6))
    line = turn.__code__.co_firstlineno + 2
    more = f"+{4 * rows * width:,} B a turn"
    assert str(growth) == f"{more}, held by net.keys, made in test_growth.py:{line}"


@BOTH
@pytest.mark.parametrize("seed", [0, 1, pytest.param(secrets.randbelow(10**6), id="fresh")])
def test_what_is_larger_is_told_beside_what_its_line_leaves(engine, seed):
    """A cache that keeps the graph of what it is made of, and a log on the same line."""
    rng = random.Random(seed)
    rows, width, logged = rng.randint(1, 40), rng.randint(2, 40), rng.randint(0, 3)
    net, log = engine.nn.Linear(3, width), []
    net.keys = engine.zeros(0, width)

    def turn():
        net.keys = engine.cat([net.keys, net(engine.ones(rows, 3))]); log.extend(engine.ones(logged))  # fmt: skip  # noqa: E501, E702

    growth = whoholds.grows(turn, rng.randint(3, 6))
    told = {who: n for n, who, _ in growth.rows}
    assert told.pop("net.keys") == 4 * rows * width
    assert sum(told.values()) == 4 * rows * 3 + 4 * logged, str(growth)


@BOTH
@pytest.mark.parametrize("seed", [0, 1, pytest.param(secrets.randbelow(10**6), id="fresh")])
def test_each_of_those_that_one_line_makes_larger_has_its_own_row(engine, seed):
    """As meters of one class, each with all that it was ever given; another one stays as it is."""
    rng = random.Random(seed)

    class Meter:
        def __init__(self, width):
            self.seen, self.width = engine.zeros(0, width), width

        def update(self, more):
            self.seen = engine.cat([self.seen[-100 * more :], engine.ones(more, self.width)])

    meters = {name: Meter(rng.randint(1, 9)) for name in "abc"}
    last, given = Meter(3), dict.fromkeys(meters, rng.randint(1, 5))

    def turn():
        for name, more in given.items():
            meters[name].update(more)
        last.seen = last.seen[:0]
        last.update(1)

    growth = whoholds.grows(turn, rng.randint(3, 7), engine.__name__)
    told = {who: n for n, who, _ in growth.rows}
    assert told == {
        f"meters['{name}'].seen": 4 * meters[name].width * given[name] for name in meters
    }


@BOTH
def test_batches_of_any_size_are_steady(engine):
    rng, last = random.Random(secrets.randbits(32)), {}

    def turn():
        x = engine.ones(rng.randint(1, 10**6))
        last.update(x=x, y=x * 2)

    growth = [whoholds.grows(turn) for _ in range(5)]
    assert not any(growth), [*map(str, growth)]


@BOTH
def test_a_training_step_is_steady(engine):
    w = engine.ones(16, requires_grad=True)
    opt = engine.optim.SGD([w], lr=0.1, momentum=0.9)
    kept = {}

    def turn():
        opt.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        opt.step()
        kept["last"] = loss.detach()

    assert not whoholds.grows(turn)
    whoholds.assert_steady(turn)
    assert str(whoholds.grows(turn)).startswith("steady")


def test_too_few_turns_are_refused():
    with pytest.raises(ValueError, match="growth needs 3 turns or more, but got 2"):
        whoholds.grows(lambda: None, turns=2)
