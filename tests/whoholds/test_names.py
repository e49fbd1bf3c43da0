"""A look at the names takes short cuts; none of them changes what is told."""

import gc
import random

import pytest

import minigrad as mg
import whoholds
from whoholds.on_minigrad import names
from whoholds.state import replay

BEGIN = """
a, b = mg.ones(4, requires_grad=True), mg.full((4,), 0.5)
c, d, fn, net, several, table = a * b, b, None, Net(), [], {}
def swap():
    global c, d
    c = None
    c, d = mg.ones(4), [c]
with whoholds.record() as trace:
    pass
"""
STATEMENTS = """
{x} = {y} * {z}|{x} = {y}.tanh()|{x} = {y}|del {x}|{x} = None; {y} = mg.ones(4)|swap()
{x}.sum().backward()|several.append({x})|several.append({x} * 2)|several.pop()|several.clear()
table["{x}"] = {y}|table = dict(k=several, m={x})|{x} = net({y})|net.w = Parameter(mg.ones(4))
net = Net()|{x} = twice({y})|{x} = mg.ones(4, requires_grad=True)|{x}.mul_({y})|fn = {x}.grad_fn
{x} = [{y} * i for i in range(3)]|{x} = ({y}, [{z}])|{x}, {y} = {z}, {x}|{x}.grad = None
{x} = {y}.detach()|{x} = {y}[:2]|{x} = 3.5|{x} = {y}.detach().requires_grad_()|{x} += {y}
"""


class Net(mg.nn.Module):
    def __init__(self):
        self.w, self.below = mg.nn.Parameter(mg.full((4,), 0.5)), mg.nn.Linear(4, 4)

    def forward(self, x):
        return self.below(x * self.w)


def twice(x):
    result = x + x
    x = result * 1
    return x


def program(seed):
    chance, choices = random.Random(seed), STATEMENTS.strip().replace("\n", "|").split("|")
    lines = [BEGIN.rstrip()]
    for _ in range(50):
        statement = chance.choice(choices).format(**{k: chance.choice("abcd") for k in "xyz"})
        lines += ["    try:", f"        {statement}", "    except Exception: pass"]
    return compile("\n".join(lines), f"<program {seed}>", "exec")


def events_of(seed):
    mg.manual_seed(0)
    namespace = {
        "mg": mg,
        "Net": Net,
        "Parameter": mg.nn.Parameter,
        "twice": twice,
        "whoholds": whoholds,
    }
    gc.unfreeze()  # a recording does so too: what waits there must not die within the next one
    gc.collect()
    gc.disable()  # or what it finds would die at another moment of each run
    try:
        exec(program(seed), namespace)
        return namespace["trace"].events
    finally:
        gc.enable()


@pytest.mark.parametrize("seed", range(12))
def test_a_short_look_tells_what_a_close_one_tells(seed, monkeypatch):
    short = events_of(seed)
    changes = names.Scope.changes
    monkeypatch.setattr(names.Scope, "changes", lambda *args: changes(*args[:-1], True))
    assert events_of(seed) == short
    assert sum(e["kind"] == "bind" for e in short) > 4


def test_a_new_tensor_at_an_old_address_is_bound_anew():
    y = mg.ones(4)

    def again():
        nonlocal y
        y = None
        y = mg.ones(4)

    with whoholds.record() as trace:
        for _ in range(5):
            again()
            z = mg.ones(1)
    bound = [e["targets"] for e in trace.events if e["kind"] == "bind" and e["name"] == "y"]
    assert len(bound) == 6 and len({tuple(targets) for targets in bound}) == 6
    (target,) = list(replay(trace.events))[-1].names["y"]
    assert int(target[1:]) in list(replay(trace.events))[-1].tensors and z is not None


@pytest.fixture(autouse=True)
def weight_of_the_module(monkeypatch):
    """A global, for these tests only: a tensor that outlives them would be in others' counts."""
    monkeypatch.setitem(globals(), "weight", mg.ones(4))


def test_followed_is_what_the_code_binds_or_may_see_change():
    net = Net()
    with whoholds.record() as trace:
        net.weight = None  # an attribute is no name
        x = mg.ones(4)
        assert {"net", "trace", "x"} <= {*trace.recorder.followed}
    assert not {"weight", "mg"} & {*trace.recorder.followed}
    assert x is not None


def test_names_bound_by_inner_functions_are_followed():
    x = None

    def put():
        nonlocal x
        x = mg.ones(4)

    def recorded():
        with whoholds.record() as trace:
            put()
            assert x is not None
        return trace

    assert [e["name"] for e in recorded().events if e["kind"] == "bind"] == ["x"]


def test_a_name_of_the_frame_is_not_one_of_the_module():
    def program(weight=None):
        with whoholds.record() as trace:
            del weight
            x = mg.ones(4)
            weight = x
        return trace, weight

    bound = [e["targets"] for e in program()[0].events if e.get("name") == "weight"]
    assert len(bound) == 1
