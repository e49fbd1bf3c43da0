"""A recording tells every byte's story, and changes none of it."""

import gc
import types

import numpy as np
import pytest

import minigrad as mg
import whoholds
from minigrad.core import modes, observer, storage
from minigrad.core.node import Node
from minigrad.core.storage import Storage
from minigrad.core.tensor import Tensor
from minigrad.memory.saves import tensors_in
from minigrad.nn.module import Module
from minigrad.optim import Optimizer
from whoholds.events import CATEGORIES
from whoholds.on_minigrad.recorder import Recorder
from whoholds.state import State, replay


def chain():
    x = mg.arange(64.0).view(8, 8) / 64
    w = mg.full((8, 8), 0.1, requires_grad=True)
    h = x @ w
    y = h.tanh() * h
    y.sum().backward()
    return w


def retained():
    w = mg.full((8,), 0.5, requires_grad=True)
    y = (w * w).exp()
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    w.grad = None
    return w


def in_place():
    w = mg.full((8,), 0.5, requires_grad=True)
    y = w * 2
    y.mul_(w)
    y[0] = 3.0
    y.sum().backward()
    return w


def views_and_pieces():
    w = mg.arange(8.0).view(2, 4).requires_grad_()
    a, b = (w * w).split(1)
    (a.view(4) * b.detach().view(4)).sum().backward()
    return w


class Double(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 + x * 0


def own_function():
    w = mg.full((8,), 0.5, requires_grad=True)
    Double.apply(w).sum().backward()
    return w


def a_step():
    net = mg.nn.Linear(4, 2)
    optimizer = mg.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    for _ in range(2):
        optimizer.zero_grad()
        net(mg.ones(3, 4)).tanh().sum().backward()
        optimizer.step()
    return net.weight


def hooked():
    w = mg.full((8,), 0.5, requires_grad=True)
    y = w.exp()
    y.retain_grad()
    y.register_hook(lambda grad: grad * 2)
    (g,) = mg.autograd.grad(y.sum(), [w], retain_graph=True)
    y.sum().backward()
    return w


def powers():
    """Backward holds more for a moment than what comes of it."""
    w = mg.full((8,), 0.5, requires_grad=True)
    ((w**2).sin() / w.cos()).sum().backward()
    return w


PROGRAMS = [powers, chain, retained, in_place, views_and_pieces, own_function, a_step, hooked]


def measured(program):
    """Gradient, live bytes while the result lives, and peak above the start."""
    mg.manual_seed(0)
    gc.collect()
    start = storage.live
    storage.reset_peak()
    result = program()
    return (
        result.grad is not None and result.grad.tolist(),
        storage.live - start,
        storage.peak - start,
    )


@pytest.mark.parametrize("program", PROGRAMS)
def test_recording_changes_nothing(program):
    alone = measured(program)
    with whoholds.record():
        watched = measured(program)
    assert watched == alone
    assert measured(program) == alone  # and leaves nothing behind


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_event_adds_up_to_the_ledger(program):
    with whoholds.record() as trace:
        start = storage.live
        storage.reset_peak()
        kept = program()
    assert all(sum(e["bytes"]) == e["live"] for e in trace.events)
    assert trace.events[-1]["live"] == storage.live
    assert max(e["live"] for e in trace.events) == max(storage.peak, start)
    assert kept is not None


def recount():
    """Bytes by category, from the heap alone."""
    gc.collect()
    gc.unfreeze()  # what is out of the collector's sight counts too
    things = gc.get_objects()
    tensors = [t for t in things if issubclass(type(t), Tensor) and hasattr(t, "_storage")]
    held = {name: set() for name in CATEGORIES}

    def own(t):
        return getattr(t._storage, "owner", t._storage)

    for node in [n for n in things if issubclass(type(n), Node)]:
        for entry in node._saved if isinstance(node._saved, list) else ():
            held["saved"].update(own(t) for t in tensors_in(entry))
    for t in tensors:
        if t._grad is not None:
            held["grad"].add(own(t._grad))
        if not t.is_leaf:
            held["named"].add(own(t))
        else:
            held["parameter" if t._requires_grad else "input"].add(own(t))
    for thing in things:
        if issubclass(type(thing), Optimizer):
            kept = [t for state in thing.state.values() for t in state.values()]
            held["state"].update(own(t) for t in kept if isinstance(t, Tensor))
        elif issubclass(type(thing), Module):
            held["buffer"].update(own(t) for t in thing.buffers())
    totals = dict.fromkeys(CATEGORIES, 0)
    for s in [s for s in things if type(s) is Storage]:
        totals[next((c for c in CATEGORIES if s in held[c]), "scratch")] += s.bytes
    return totals


@pytest.mark.parametrize("program", PROGRAMS)
def test_categories_agree_with_a_recount(program):
    before = recount()
    with whoholds.record() as trace:
        kept = program()
        node = kept._accumulator()  # a graph that still lives would count
    after = recount()
    told = dict(zip(CATEGORIES, trace.events[-1]["bytes"], strict=True))
    told["elsewhere"] = 0
    grown = {c: after[c] - before[c] for c in CATEGORIES}
    assert told == grown
    assert node is None or kept is not None


def test_categories_agree_while_a_graph_is_alive():
    before = recount()
    with whoholds.record() as trace:
        x = mg.ones(8, 8)
        w = mg.full((8, 8), 0.1, requires_grad=True)
        h = x @ w
        y = h.tanh()
        z = y.detach()
    after = recount()
    told = dict(zip(CATEGORIES, trace.events[-1]["bytes"], strict=True))
    told["elsewhere"] = 0
    assert told == {c: after[c] - before[c] for c in CATEGORIES}
    assert told["named"] == 256 and told["saved"] == 512 and z is not None


def kinds(trace, *wanted):
    return [e for e in trace.events if e["kind"] in wanted]


def test_nodes_are_saved_visited_and_freed_in_order():
    with whoholds.record() as trace:
        w = mg.full((4,), 0.5, requires_grad=True)
        y = w.exp()
        y = y * y
        y.sum().backward()
    names = {e["node"]: e["name"] for e in kinds(trace, "node")}
    saves = [(names[e["node"]], e["slot"], e["shared"]) for e in kinds(trace, "save")]
    assert saves == [
        ("ExpBackward0", "result", False),
        ("MulBackward0", "other", True),
        ("MulBackward0", "self", True),
    ] or saves == [
        ("ExpBackward0", "result", False),
        ("MulBackward0", "self", True),
        ("MulBackward0", "other", True),
    ]
    steps = [(e["kind"], names[e["node"]]) for e in kinds(trace, "visit", "free")]
    assert steps == [
        ("visit", "SumBackward0"),
        ("visit", "MulBackward0"),
        ("free", "MulBackward0"),
        ("visit", "ExpBackward0"),
        ("free", "ExpBackward0"),
        ("visit", "AccumulateGrad"),
    ]


def test_events_know_their_line():
    with whoholds.record() as trace:
        w = mg.full((4,), 0.5, requires_grad=True)
        y = w.exp()
        y.sum().backward()
    first = next(e["line"] for e in trace.events if e["kind"] == "born")
    lines = {e["name"]: e["line"] - first for e in kinds(trace, "node")}
    assert lines == {"AccumulateGrad": 1, "ExpBackward0": 1, "SumBackward0": 2}
    assert {e["line"] - first for e in kinds(trace, "backward", "visit", "end")} == {2}


def test_names_are_bound_and_unbound():
    with whoholds.record() as trace:
        t = mg.ones(4)
        several = [t]
        _ = mg.ones(1)
        del t
        u = mg.ones(2)
    told = [(e["kind"], e["name"]) for e in kinds(trace, "bind", "unbind")]
    assert ("bind", "several") in told and ("unbind", "t") in told and ("bind", "u") in told
    last = list(replay(trace.events))[-1]
    assert set(last.names) == {"several", "u", "_"}
    assert several and u is not None


def test_a_stepper_says_the_lines():
    recorder = Recorder(names={"a", "b"})
    with recorder:
        recorder.tick(1)
        a = mg.ones(4)
        recorder.tick(2)
        b = a
        recorder.tick(3)
        del a
    told = [(e["kind"], e["line"], e.get("name")) for e in recorder.trace().events]
    told = [row for row in told if row[0] in ("line", "bind", "unbind")]
    assert told == [
        ("line", 1, None),
        ("bind", 1, "a"),
        ("line", 2, None),
        ("bind", 2, "b"),
        ("line", 3, None),
        ("unbind", 3, "a"),
    ]
    assert b is not None


def test_an_error_is_told_once_with_its_node():
    def program():
        w = mg.full((4,), 0.5, requires_grad=True)
        y = w.exp().sum()
        y.backward()
        y.backward()

    recorder = Recorder()
    with pytest.raises(RuntimeError, match="second time"), recorder:
        program()
    trace = recorder.trace()
    (error,) = kinds(trace, "error")
    names = {e["node"]: e["name"] for e in kinds(trace, "node")}
    assert names[error["node"]] == "ExpBackward0"
    assert "second time" in trace.error and error["notes"]


def test_what_lived_before_joins_when_it_is_used():
    w = mg.full((8,), 0.5, requires_grad=True)
    unrelated = types.SimpleNamespace(tensor=mg.ones(100))
    graph = (w * w).exp()
    with whoholds.record() as trace:
        graph.sum().backward()
    assert trace.events[-1]["bytes"][CATEGORIES.index("elsewhere")] >= unrelated.tensor.nbytes
    freed = [e["node"] for e in kinds(trace, "free")]
    names = {e["node"]: e["name"] for e in kinds(trace, "node")}
    assert [names[n] for n in freed] == ["ExpBackward0", "MulBackward0"]


def test_an_empty_recording_and_a_recording_of_nothing_but_names():
    with whoholds.record(engine="minigrad") as trace:
        pass
    assert trace.error == "" and kinds(trace, "node", "backward") == []
    assert isinstance(next(iter(replay(trace.events)), State()), State)


def test_nobody_watches_when_it_is_over():
    before = observer.watching, modes.packing
    with pytest.raises(ZeroDivisionError), whoholds.record(engine="minigrad"):
        assert len(observer.watching) == len(before[0]) + 1
        1 / 0  # noqa: B018
    assert (observer.watching, modes.packing) == before


def test_bytes_of_a_numpy_array_are_known():
    with whoholds.record() as trace:
        array = mg.ones(4).numpy()
    assert trace.events[-1]["bytes"][CATEGORIES.index("scratch")] == 16
    assert isinstance(array, np.ndarray)


def test_no_byte_loses_its_purpose_for_a_blink():
    """What a dying node had saved is still saved until it is gone, however long the cascade."""
    x, w = mg.ones(16, 8), mg.full((8, 8), 0.1, requires_grad=True)
    with whoholds.record() as trace:
        h = x
        for _ in range(3):
            h = (h @ w).tanh()
        p = h.sum()
        p.backward()
        h = h.detach()
        del p
    scratch = CATEGORIES.index("scratch")
    assert {e["bytes"][scratch] for e in trace.events} == {0}
    assert all(sum(e["bytes"]) == e["live"] and min(e["bytes"]) >= 0 for e in trace.events)


def test_what_stays_without_a_tensor_is_scratch_from_the_next_line_on():
    with whoholds.record() as trace:
        x = mg.ones(64)
        storage_alone = x.untyped_storage()
        del x
        storage_alone = storage_alone.nbytes()
    scratch = CATEGORIES.index("scratch")
    assert max(e["bytes"][scratch] for e in trace.events) == 256 and storage_alone == 256


def test_what_the_collector_is_told_to_overlook_is_counted_all_the_same():
    older, parameter = mg.ones(5), mg.ones(7, requires_grad=True)
    gc.freeze()
    with whoholds.record() as trace:
        new = mg.ones(3)
    assert all(sum(e["bytes"]) == e["live"] for e in trace.events)
    gc.freeze()
    with mg.memory.budget(10**6) as gpu:
        assert storage.live - gpu.used >= parameter.nbytes
    assert older is not None and new is not None


def test_an_alias_that_dies_tells_nothing():
    x = mg.ones(3, requires_grad=True)
    alias = x.data  # it lived before, and owns no byte
    with whoholds.record() as trace:
        del alias
    assert all(e["size"] for e in trace.events if e["kind"] == "elsewhere")
    assert x is not None
