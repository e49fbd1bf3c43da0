"""Tensors in nests of all that can hold one: `who` and `grows` lead from a name down to them.

A nest is drawn: what holds the tensor, what holds that, and so on, up to a name. An answer that is
an expression is evaluated, and gives the tensor.
"""

import ast
import collections
import contextvars
import functools
import json
import os
import queue
import random
import subprocess
import sys
import threading
import types
import weakref
from dataclasses import dataclass
from pathlib import Path

import pytest

import minigrad as mg
import whoholds

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
BOTH = pytest.mark.parametrize("engine", [mg, torch], ids=["minigrad", "torch"])
FRESH = int(os.environ["MINIGRAD_MOVED"])  # drawn anew in each run, and all of its workers know it
SEEDS = pytest.mark.parametrize("seed", range(FRESH * 100, FRESH * 100 + 5))
VAGUE = "no name leads to", "gc.collect()", "was not found", "does not tell", "still running"


class Box:
    def __init__(self, value):
        self.value = value

    def method(self):
        return self.value


@dataclass(slots=True)
class Slotted:
    value: object


Pair = collections.namedtuple("Pair", "first second")


def as_key(value, engine):
    return {Box(value): 1}


def by_key(value, engine):
    return {"other": 2.0, "h": value}


def in_a_set(value, engine):
    return {Box(value)}


def among_numbers(value, engine):
    return [*range(30_000), value]


def in_a_chain(value, engine):
    head = None
    for one in (value, 1, 2, 3):
        head = [one, head]
    return head


def in_a_closure(value, engine):
    return lambda: value


def as_a_default(value, engine):
    return lambda value=value: value


def of_a_class(value, engine):
    return type("Holder", (), {"value": value, "__module__": __name__})


def as_the_cause(value, engine):
    def fail():
        local = value  # noqa: F841
        raise ValueError

    try:
        fail()
    except ValueError as error:
        first = error
    try:
        raise RuntimeError from first
    except RuntimeError as error:
        return error.with_traceback(None)


def in_a_generator(value, engine):
    def inner():
        local = value
        yield 1
        return local

    def outer():
        yield from inner()

    waits = outer()
    next(waits)
    return waits


def in_a_queue(value, engine):
    made = queue.SimpleQueue()
    made.put(value)
    return made


def on_a_tensor(value, engine):
    made = engine.ones(1)
    made.note = value
    return made


def in_a_hook(value, engine):
    made = engine.ones(1, requires_grad=True)
    made.register_hook(lambda grad, value=value: None)
    return made


def on_a_ctx(value, engine):
    class Keeps(engine.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.kept = value
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad

    return Keeps.apply(engine.ones(1, requires_grad=True))


def by_a_pack_hook(value, engine):
    with engine.autograd.graph.saved_tensors_hooks(lambda t: (t, value), lambda p: p[0]):
        return engine.ones(1, requires_grad=True).exp()


ALL = [
    as_key, by_key, in_a_set, among_numbers, in_a_chain, in_a_closure, as_a_default, of_a_class,
    as_the_cause, in_a_generator, in_a_queue, on_a_tensor, in_a_hook, on_a_ctx, by_a_pack_hook,
    lambda value, _: [value], lambda value, _: (0, value), lambda value, _: Box(value),
    lambda value, _: Slotted(value), lambda value, _: Pair(value, None),
    lambda value, _: collections.deque([1, value]), lambda value, _: Box(value).method,
    lambda value, _: functools.partial(print, value), lambda value, _: iter([value, 2]),
    lambda value, _: ValueError(value), lambda value, _: types.SimpleNamespace(h=value),
]  # fmt: skip


tops: list = []


@pytest.fixture
def cleared():
    yield
    tops.clear()


def nest(draw, value, engine, most=4):
    """Something that holds `value`, at the end of so many steps, and what they were."""
    ways = draw.choices(ALL, k=draw.randint(1, most))
    for way in ways:
        value = way(value, engine)
    return value, [way.__name__ for way in ways]


def asked(ref):
    """What `who` says, asked from a function that has no other name for it."""
    return list(whoholds.who(ref()))


def typed(row) -> bool:
    """Whether it is an expression."""
    try:
        ast.parse(row, mode="eval")
    except SyntaxError:
        return False
    return ", " not in row and "[...]" not in row


@BOTH
@SEEDS
@pytest.mark.usefixtures("cleared")
def test_who_leads_from_a_name_down_to_the_tensor(engine, seed):
    for number in range(4):
        h = engine.ones(7)
        ref = weakref.ref(h)
        tops.append(nest(random.Random(seed + number / 4), h, engine))
        del h
        found = asked(ref)
        assert found and all(row.startswith(f"tops[{number}]") for row in found), (found, tops[-1])
        assert all(eval(row) is ref() for row in found if typed(row)), (found, tops[-1])


@BOTH
@SEEDS
def test_who_finds_what_a_library_holds(engine, seed, monkeypatch):
    draw = random.Random(seed)
    h = engine.ones(7)
    ref = weakref.ref(h)
    monkeypatch.setattr(json, "seen", [nest(draw, h, engine, 1)[0]], raising=False)
    del h
    found = asked(ref)
    assert found and not any(word in row for row in found for word in VAGUE[1:]), found


@BOTH
def test_who_finds_what_a_context_and_a_thread_hold(engine):
    current, started, end = contextvars.ContextVar("current"), threading.Event(), threading.Event()
    refs = []

    def work():
        batch = engine.ones(9)
        refs.append(weakref.ref(batch))
        started.set()
        end.wait()

    thread = threading.Thread(target=work, name="loader")
    thread.start()
    started.wait()
    current.set([engine.ones(8)])
    try:
        assert asked(lambda: current.get()[0]) == ["current.get()[0]"]
        assert asked(refs[0]) == ["loader: work.batch"]
    finally:
        end.set()
        thread.join()


@BOTH
def test_what_a_node_alone_knows_has_no_name(engine):
    """Its hooks: the function is told."""
    h = engine.ones(7)
    made = (engine.ones(1, requires_grad=True) * 2).sum()
    made.grad_fn.register_hook(lambda *grads, kept=h: None)
    ref = weakref.ref(h)
    del h
    told = {torch: "a lambda, its default kept", mg: "made.grad_fn, a hook, default 'kept'"}
    assert [found.endswith(told[engine]) for found in asked(ref)] == [True]


@BOTH
@SEEDS
@pytest.mark.usefixtures("cleared")
def test_grows_leads_from_a_name_down_to_the_tensor(engine, seed):
    draw = random.Random(seed)
    ways = draw.choices(ALL, k=draw.randint(1, 3))

    def step():
        value = engine.ones(1000)
        for way in ways:
            value = way(value, engine)
        tops.append(value)

    said = str(whoholds.grows(step))
    rows = [row for row in said.splitlines() if row.startswith("+4,000 B")]
    assert rows and all("held by tops" in row for row in rows), (said, ways)
    assert not any(word in said for word in VAGUE), said


RINGS = """
import gc, sys
import torch, whoholds

class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.y = x.exp()
        return ctx.y
    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.y

a = torch.ones(1000, requires_grad=True)
for objects in map(int, sys.argv[1:]):
    gc.set_threshold(objects, 1, 1)
    with whoholds.record() as trace:
        for _ in range(4): Exp.apply(a).sum().backward()
    for event in trace.events:
        for _, words in event.get("by", ()):
            if event["target"][0] != "n" and "does not tell" in words:
                print(objects, event)
"""


def test_what_ends_while_it_is_looked_for_is_not_told_of(tmp_path):
    """Each turn leaves a ring; what the looks make wakes the collector, so often."""
    (tmp_path / "rings.py").write_text(RINGS)
    often = random.Random(FRESH).sample(range(50, 1500), 20)
    found = subprocess.run(
        [sys.executable, "rings.py", *map(str, often)], capture_output=True, text=True,
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert (found.stdout, found.returncode) == ("", 0), found.stderr
