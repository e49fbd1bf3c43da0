"""Traces for the tests of the views, written by hand; and that each keeps the events' promises."""

import functools

import pytest

import minigrad as mg
import whoholds
from whoholds.events import CATEGORIES, FIELDS, Trace, shown
from whoholds.state import State


class Teller:
    """Writes events down and lets State count the bytes."""

    def __init__(self):
        self.state, self.events, self.at = State(), [], 0

    def __call__(self, kind, **fields):
        if kind == "tensor":  # the node event that follows tells whose it is
            fields |= {name: fields.get(name) for name in ("fn", "base")}
        assert tuple(fields) == FIELDS[kind]
        self.at = fields.pop("on", self.at)
        event = dict(kind=kind, line=self.at, **fields)
        self.state.apply(event)
        event |= dict(live=sum(self.state.totals), bytes=list(self.state.totals))
        self.events.append(event)

    def line(self, number):
        self.at = number
        self("line")

    def fresh(self, storage, tensor, shape, leaf=False, wants=True, size=None):
        count = 1
        for n in shape:
            count *= n
        self("born", storage=storage, size=size or 4 * count)
        self("tensor", tensor=tensor, storage=storage, shape=list(shape), leaf=leaf, wants=wants)

    def node(self, number, name, edges, tensor):
        self("node", node=number, name=name, edges=edges, tensor=tensor)

    def save(self, node, slot, storage, tensor, shared=False):
        size = self.state.storages[storage]["size"]
        self("save", node=node, slot=slot, storage=storage, tensor=tensor, size=size, shared=shared)

    def bind(self, name, *targets):
        self("bind", name=name, targets=list(targets))

    def trace(self, source="", **more):
        return Trace(self.events, source, **more)


SECOND = """x = mg.ones(16, 64, requires_grad=True)
w = mg.ones(64, 32, requires_grad=True)
h = x @ w
y = h.tanh()
loss = y.sum()
loss.backward()
loss.backward()"""


def forward(tell):
    tell.line(1)
    tell.fresh(1, 1, (16, 64), leaf=True)
    tell.bind("x", "t1")
    tell.line(2)
    tell.fresh(2, 2, (64, 32), leaf=True)
    tell.bind("w", "t2")
    tell.line(3)
    tell.fresh(3, 3, (16, 32))
    tell.node(1, "AccumulateGrad", [], 2)
    tell.node(5, "AccumulateGrad", [], 1)
    tell.node(2, "MmBackward0", [[5, 0], [1, 0]], 3)
    tell.save(2, "self", 1, 1, shared=True)
    tell.save(2, "mat2", 2, 2, shared=True)
    tell.bind("h", "t3")
    tell.line(4)
    tell.fresh(4, 4, (16, 32))
    tell.node(3, "TanhBackward0", [[2, 0]], 4)
    tell.save(3, "result", 4, 4)
    tell.bind("y", "t4")
    tell.line(5)
    tell.fresh(5, 5, ())
    tell.node(4, "SumBackward0", [[3, 0]], 5)
    tell.bind("loss", "t5")


def walk(tell):
    tell.line(6)
    tell("backward", nodes=[4], keep=False)
    tell("born", storage=6, size=4)
    tell("visit", node=4)
    tell("born", storage=7, size=2048)
    tell("free", node=4)
    tell("died", storage=6)
    tell("visit", node=3)
    tell("born", storage=8, size=2048)
    tell("free", node=3)
    tell("died", storage=7)
    tell("visit", node=2)
    tell("born", storage=9, size=8192)
    tell("free", node=2)
    tell("died", storage=8)
    tell("born", storage=10, size=4096)
    tell("visit", node=5)
    tell("grad", tensor=1, storage=10)
    tell("visit", node=1)
    tell("tensor", tensor=6, storage=9, shape=[64, 32], leaf=True, wants=False)
    tell("grad", tensor=2, storage=9)
    tell("end")


def second_backward():
    """Thread 003: a second backward through a freed graph."""
    tell = Teller()
    tell("elsewhere", size=512)
    forward(tell)
    walk(tell)
    tell.line(7)
    tell("backward", nodes=[4], keep=False)
    tell("visit", node=4)
    tell("visit", node=3)
    notes = ["what TanhBackward0 saved was freed by line 6"]
    tell("error", text="Trying to backward through the graph a second time", notes=notes, node=3)
    return tell.trace(SECOND, title="a second backward")


def no_backward():
    tell = Teller()
    forward(tell)
    tell.line(6)
    tell("unbind", name="h")
    tell("forget", tensor=3)
    tell("died", storage=3)
    return tell.trace(SECOND)


def deletion():
    """Every end of a graph: forget, died, gone; a write; a name that leads to a node."""
    tell = Teller()
    forward(tell)
    tell.bind("fn", "n3")
    tell("write", storage=3, version=1)
    tell("unbind", name="fn")
    for number, name in (5, "loss"), (4, "y"), (3, "h"):
        tell("unbind", name=name)
        tell("forget", tensor=number)
        if number != 4:
            tell("died", storage=number)
        tell("gone", node=number - 1)
        if number == 3:
            tell("gone", node=5)
            tell("gone", node=1)
        if number == 4:
            tell("died", storage=4)
    tell("grad", tensor=2, storage=None)
    return tell.trace(SECOND.replace("loss.backward()", "del loss, y, h"))


def cleared():
    """A backward, and then the freed graph goes."""
    tell = Teller()
    forward(tell)
    walk(tell)
    tell("unbind", name="loss")
    tell("forget", tensor=5)
    tell("died", storage=5)
    for name, tensor, node in ("y", 4, 3), ("h", 3, 2):
        tell("unbind", name=name)
        tell("forget", tensor=tensor)
        tell("died", storage=tensor)
        tell("gone", node=node)
    return tell.trace(SECOND)


def kept():
    """A module has a buffer, and an optimizer remembers something of a weight."""
    tell = Teller()
    tell.fresh(1, 1, (8,), leaf=True, wants=False)
    tell("role", storage=1, role="buffer", tensor=None)
    forward(tell)
    walk(tell)
    tell("born", storage=11, size=8192)
    tell("role", storage=11, role="state", tensor=1)
    tell("role", storage=2, role="state", tensor=None)
    tell("unbind", name="x")
    tell("died", storage=11)
    return tell.trace(SECOND)


def long_words():
    tell = Teller()
    tell.fresh(1, 1, (1024, 1024, 1024, 2), size=123_456_789)
    tell.bind("a_name_that_nobody_can_read_in_one_go", "t1")
    tell.node(1, "NativeLayerNormWithALongNameBackward0", [], 1)
    tell.save(1, "a_slot_with_a_long_name", 1, 1, shared=True)
    return tell.trace()


def chain(length, retain=False):
    """A long chain of tanh, then its backward."""
    tell = Teller()
    tell.line(1)
    tell.fresh(1, 1, (32, 32), leaf=True)
    tell.bind("x", "t1")
    tell.node(1, "AccumulateGrad", [], 1)
    for i in range(2, length + 1):
        tell.line(2)
        tell.line(3)
        tell.fresh(i, i, (32, 32))
        tell.node(i, "TanhBackward0" if i % 3 else "MulBackward0", [[i - 1, 0]], i)
        tell.save(i, "result", i, i)
        if i % 3 == 0:
            tell.save(i, "other", i - 1, i - 1, shared=True)
        if i > 2:
            tell("forget", tensor=i - 1)
        tell.bind("h", f"t{i}")
    tell.line(4)
    chain_back(tell, length, retain)
    source = f"x = mg.ones(32, 32, requires_grad=True)\nfor i in range({length - 1}):\n"
    return tell.trace(source + "    h = h.tanh()\nh.backward(g)")


def chain_back(tell, length, retain):
    tell("backward", nodes=[length], keep=retain)
    tell("born", storage=length + 1, size=4096)
    for i in range(length, 1, -1):
        tell("visit", node=i)
        tell("born", storage=2 * length + 2 - i, size=4096)
        if not retain:
            tell("free", node=i)
            if i < length:
                tell("died", storage=i)
        tell("died", storage=2 * length + 1 - i)
    tell("visit", node=1)
    tell("grad", tensor=1, storage=2 * length)
    tell("end")


def empty():
    return Trace([])


@functools.cache
def nested():
    """Recorded: a backward inside a backward, as a checkpoint runs one."""
    with whoholds.record() as trace:
        w = mg.full((8, 8), 0.1, requires_grad=True)
        h = mg.ones(4, 8, requires_grad=True)
        for _ in range(2):
            run = lambda h, w=w: ((h @ w).tanh() @ w).tanh()  # noqa: E731
            h = mg.utils.checkpoint.checkpoint(run, h, use_reentrant=True)
        h.sum().backward()
    return Trace(list(trace.events), trace.source)


ALL = dict(
    second=second_backward, forward=no_backward, deletion=deletion, cleared=cleared,
    kept=kept, long=long_words, chain=lambda: chain(80),
    retained=lambda: chain(12, retain=True), empty=empty, nested=nested,
)  # fmt: skip


@pytest.mark.parametrize("name", ALL)
def test_every_event_adds_up(name):
    for event in ALL[name]().events:
        assert sum(event["bytes"]) == event["live"] >= shown(event) >= 0
        assert len(event["bytes"]) == len(CATEGORIES)
        assert set(event) == {"kind", "line", "live", "bytes", *FIELDS[event["kind"]]}
