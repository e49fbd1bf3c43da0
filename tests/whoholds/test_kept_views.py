"""What a view keeps is held by whoever has the view; so is what a ctx or a gradient keeps."""

import functools
import sys
import types
import warnings
from collections import deque, namedtuple
from random import Random
from secrets import randbelow, randbits

import pytest

import whoholds

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

Row = namedtuple("Row", "state score")
VIEWS = {
    "view": lambda x: x.view(-1), "flatten": lambda x: x.flatten(), "[0]": lambda x: x[0],
    "reshape": lambda x: x.reshape(-1, 1), "squeeze": lambda x: x[:1].squeeze(0),
    "t": lambda x: x.t().mT, "chunk": lambda x: x.chunk(2)[1], "expand": lambda x: x[None],
    "twice": lambda x: x.view(-1)[2:].view(-1, 1), "no view": lambda x: x,
}  # fmt: skip


class Agent:
    def __init__(self):
        self.memory, self.log, self.by_name, self.ring = [], {"a": [{}]}, {}, deque(maxlen=900)
        self.net = torch.nn.Linear(2, 2)
        self.net.seen = []


@functools.cache
def remembered(number, make):
    return make()


other = types.ModuleType("a_module_of_the_program")
other.kept = []


def keepers(agent, number):
    """{what `grows` says first: how it is kept}"""
    return {
        "agent.memory": lambda x: agent.memory.append(x),
        "agent.net.seen": lambda x: agent.net.seen.append(x),
        "agent.ring": lambda x: agent.ring.append(Row(x, 1.0)),
        "agent.log['a']": lambda x: agent.log["a"].append(x),
        "agent.log['a'][...]['x']": lambda x: agent.log["a"].append({"x": x}),
        "agent.by_name": lambda x: agent.by_name.update({next(number): x}),
        "remembered": lambda x: remembered(next(number), lambda: x),
        "kept of a_module_of_the_program": lambda x: other.kept.append(x),
    }


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("wants", [False, True])
def test_the_holder_of_a_kept_view_is_named(view, wants, monkeypatch):
    monkeypatch.setitem(sys.modules, other.__name__, other)
    agent, seed = Agent(), randbits(32)
    print("seed", seed)
    rng = Random(seed)
    number = iter(range(randbelow(10**6), 10**7))
    w = torch.ones(4, 6, requires_grad=wants)
    for holder, keep in rng.sample([*keepers(agent, number).items()], 2):
        growth = whoholds.grows(lambda keep=keep: keep(VIEWS[view](w * 2)), engine="torch")
        assert growth.bytes >= 96 and growth.rows, holder
        assert all(who.startswith(holder) for _, who, _ in growth.rows), (holder, str(growth))


def test_a_recording_names_it_too():
    memory = deque()
    with whoholds.record(engine="torch") as trace:
        for _ in range(3):
            memory.append(torch.ones(40).view(4, 10))
    assert "without a name" not in str(trace) and "held by memory[" in str(trace)


# -- a gradient that has a graph --


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("named", ["x", "net"])
def test_what_a_gradient_holds_by_its_graph_is_named(named):
    x, net = torch.ones(5, requires_grad=True), torch.nn.Linear(3, 2)

    def turn():
        y = x if named == "x" else net(torch.ones(7, 3))
        y.pow(3).sum().backward(create_graph=True)

    told = str(whoholds.grows(turn, engine="torch"))
    holder = {"x": "x.grad", "net": ".grad of net"}[named]
    assert told.startswith("+"), told
    assert all(f"held by {holder}, by its graph (" in row for row in told.splitlines()), told
    x.grad = None
    net.zero_grad()


def test_a_parameter_and_its_gradient_are_a_cycle():
    def turn():
        fresh = torch.nn.Parameter(torch.ones(50))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            (fresh**3).sum().backward(create_graph=True)

    told = str(whoholds.grows(turn, engine="torch"))
    assert told.count("held by a ring of references that gc.collect() does not end") == len(
        told.splitlines()
    ), told


# -- a ctx --


class Scale(torch.autograd.Function):
    seen: list = []

    @staticmethod
    def forward(ctx, x):
        ctx.big = x * 2
        Scale.seen.append(ctx)
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return grad


def test_an_attribute_of_a_kept_ctx_is_named():
    x = torch.randn(100, requires_grad=True)
    told = str(whoholds.grows(lambda: Scale.apply(x).sum().backward(), engine="torch"))
    line = Scale.forward.__code__.co_firstlineno + 2
    assert told == f"+400 B a turn, held by Scale.seen[...].big, made in test_kept_views.py:{line}"
    Scale.seen.clear()
