"""Optimizer state and buffers are categories of their own, on both engines.

Models and optimizers are drawn at random; what the optimizer and the modules themselves say they
keep is summed beside what the recording tells.
"""

import random
from importlib import import_module

import pytest

import whoholds
from tests.whoholds.test_paths import BOTH, FRESH
from whoholds.events import CATEGORIES
from whoholds.views.words import sentences


def drawn(draw, lib):
    """A small net, with or without running means, and an optimizer that remembers or not."""
    wide, layers = draw.choice([2, 4, 6]), []
    for _ in range(draw.randrange(1, 4)):
        layers += [lib.nn.Linear(wide, wide), lib.nn.BatchNorm1d(wide), lib.nn.Tanh()][
            : draw.randrange(1, 4)
        ]
    net = lib.nn.Sequential(*layers)
    kind, options = draw.choice(
        [("SGD", {}), ("SGD", {"momentum": 0.9}), ("Adam", {}), ("AdamW", {})]
    )
    return net, getattr(lib.optim, kind)(net.parameters(), lr=0.1, **options), wide


def train(net, optimizer, lib, wide):
    for _ in range(2):
        optimizer.zero_grad()
        net(lib.ones(3, wide)).sum().backward()
        optimizer.step()


def size(tensors):
    return sum(t.numel() * t.element_size() for t in tensors)


def told(trace):
    assert all(sum(e["bytes"]) == e["live"] and min(e["bytes"]) >= 0 for e in trace.events)
    return dict(zip(CATEGORIES, trace.events[-1]["bytes"], strict=True))


def kept(net, optimizer):
    """Bytes of each category, asked of the net and the optimizer."""
    values = [v for state in optimizer.state.values() for v in state.values()]
    parameters = list(net.parameters())
    return dict(
        parameter=size(parameters),
        grad=size(p.grad for p in parameters),
        state=size(v for v in values if hasattr(v, "numel")),
        buffer=size(net.buffers()),
    )


@BOTH
@pytest.mark.parametrize("seed", [*range(6), pytest.param(FRESH, id="fresh")])
@pytest.mark.parametrize("made", ["inside", "before"])
def test_what_optimizer_and_modules_keep_is_told_as_such(engine, seed, made):
    lib, draw = import_module(engine), random.Random(seed)
    if made == "before":
        net, optimizer, wide = drawn(draw, lib)
        train(net, optimizer, lib, wide)
    with whoholds.record(engine=engine) as trace:
        if made == "inside":
            net, optimizer, wide = drawn(draw, lib)
        train(net, optimizer, lib, wide)
    found = told(trace)
    assert {name: found[name] for name in ("parameter", "grad", "state", "buffer")} == kept(
        net, optimizer
    )


@BOTH
def test_what_is_kept_goes_with_its_keeper(engine):
    lib = import_module(engine)
    with whoholds.record(engine=engine) as trace:
        net = lib.nn.Sequential(lib.nn.Linear(4, 4), lib.nn.BatchNorm1d(4))
        optimizer = lib.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
        train(net, optimizer, lib, 4)
        most = size(p.grad for p in net.parameters())
        del optimizer, net
    assert max(e["bytes"][CATEGORIES.index("state")] for e in trace.events) == most > 0
    assert told(trace)["state"] == told(trace)["buffer"] == 0


@BOTH
def test_the_sentence_says_who_keeps_the_bytes(engine):
    lib = import_module(engine)
    with whoholds.record(engine=engine) as trace:
        norm = lib.nn.BatchNorm1d(4)
        optimizer = lib.optim.SGD(norm.parameters(), lr=0.1, momentum=0.9)
        norm(lib.ones(3, 4)).sum().backward()
        optimizer.step()
    said = "\n".join(sentences(trace))
    assert "16 B: an optimizer keeps them from now on" in said
    assert "16 B: a module has them as a buffer from now on" in said
