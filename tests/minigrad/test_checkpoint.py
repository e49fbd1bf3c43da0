"""checkpoint: bytes to the closed form, recordings of a walk inside a walk, and bad input."""

import threading

import pytest

import minigrad as mg
import whoholds
from minigrad.core import storage
from minigrad.utils.checkpoint import CheckpointError, checkpoint
from whoholds.events import CATEGORIES
from whoholds.state import replay

ON_GPU = True  # too: see conftest.py

WIDTH, BATCH = 8, 64
U = BATCH * WIDTH * 4
pytestmark = pytest.mark.usefixtures("no_collector")


def blocks(number, hidden=WIDTH):
    """The parameters of residual blocks x + F(x); their .grad is there, so that it is no news."""
    made = []
    for _ in range(number):
        shapes = ((WIDTH, hidden), (hidden,), (hidden, WIDTH), (WIDTH,))
        made.append([mg.full(shape, 0.125, requires_grad=True) for shape in shapes])
        for parameter in made[-1]:
            parameter.grad = mg.zeros_like(parameter)
    return made


def block(parameters, x):
    w1, b1, w2, b2 = parameters
    return x + ((x @ w1 + b1).relu() @ w2 + b2)


class Marks:
    """Live bytes in U, noted by name at the marks of 2.3."""

    def __init__(self):
        self.start, self.rows = mg.memory_allocated(), []

    def __call__(self, name):
        self.rows.append((name, (mg.memory_allocated() - self.start) / U))

    def after(self, tensor, name):
        """Note when the gradient has reached this tensor."""
        tensor.register_hook(lambda grad: self(name))


def segment(layers, first, marks):
    """Some blocks as one function; each notes when it ran, and when its gradient is there."""

    def run(x):
        for i, parameters in enumerate(layers, first):
            x = block(parameters, x)
            if mg.is_grad_enabled():
                marks(f"r{i}")
                marks.after(x, f"b{i}")
        return x

    return run


def curve(every, way, number=6, hidden=WIDTH):
    """The marks of one training step of the reference net, and its peak in U."""
    layers = blocks(number, hidden)
    marks = Marks()
    mg.reset_peak_memory_stats()
    x = mg.full((BATCH, WIDTH), 0.5, requires_grad=True)
    x.register_hook(lambda grad: marks("b0"))
    marks("x")
    y = x
    for i in range(0, number, every):
        y = checkpoint(segment(layers[i : i + every], i + 1, marks), y, use_reentrant=way)
        marks(f"f{i + every}")
    seed = mg.ones(BATCH, WIDTH)
    marks("seed")
    y.backward(seed)
    del seed
    marks("end")
    return marks.rows, (mg.max_memory_allocated() - marks.start) / U


def said(text):
    return [(name, float(value)) for name, value in zip(*[iter(text.split())] * 2, strict=True)]


def test_the_sawtooth_is_the_one_on_paper():
    rows, peak = curve(2, True)
    assert rows == said(
        "x 1 f2 2 f4 3 f6 4 seed 5 "
        "r5 7 r6 9 b6 9 b5 8 r3 7 r4 9 b4 9 b3 8 r1 6 r2 8 b2 8 b1 7 b0 4 end 3"
    )
    assert peak == 11


def test_the_sawtooth_with_a_wider_hidden_layer():
    rows, _ = curve(2, True, hidden=2 * WIDTH)
    found = dict(rows)
    assert [found[f"r{i}"] for i in (5, 6, 3, 4, 1, 2)] == [8, 11, 8, 11, 7, 10]


@pytest.mark.parametrize("number", [6, 16])
@pytest.mark.parametrize("v", [1, 2])
def test_the_peak_is_the_closed_form(number, v):
    for every in [k for k in range(1, number + 1) if number % k == 0]:
        formula = number / every + 2 + every * (1 + v) + max(2 * v, 1)
        assert curve(every, True, number, v * WIDTH)[1] == formula
        assert curve(every, False, number, v * WIDTH)[1] == formula - 1


def test_one_segment_for_the_whole_net_is_worse_than_none():
    layers = blocks(16)
    start = mg.memory_allocated()
    mg.reset_peak_memory_stats()
    x = mg.full((BATCH, WIDTH), 0.5, requires_grad=True)
    y = x
    for parameters in layers:
        y = block(parameters, y)
    y.backward(mg.ones(BATCH, WIDTH))
    assert (mg.max_memory_allocated() - start) / U == 36
    del x, y
    assert curve(16, True, 16)[1] == 37


# -- a walk inside a walk, recorded --


def leaf():
    return mg.full((4, 8), 0.25, requires_grad=True), mg.full((8, 8), 0.125, requires_grad=True)


def in_segments(way, nested=False):
    def program():
        x, w = leaf()

        def run(x):
            return (x @ w).tanh()

        def twice(x):
            return checkpoint(run, checkpoint(run, x, use_reentrant=way), use_reentrant=way)

        y = checkpoint(twice if nested else run, x, use_reentrant=way)
        (checkpoint(run, y, use_reentrant=way) * y).sum().backward()
        return w

    return program


PROGRAMS = {
    f"{'reentrant' if way else 'hooks'}{', nested' if nested else ''}": in_segments(way, nested)
    for way in (True, False)
    for nested in (False, True)
}


def measured(program):
    start = storage.live
    storage.reset_peak()
    result = program()
    return result.grad.tolist(), storage.live - start, storage.peak - start


@pytest.mark.filterwarnings("ignore:None of the inputs")  # in the first run there is no graph
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_recording_changes_nothing_and_adds_up(name):
    alone = measured(PROGRAMS[name])
    with whoholds.record() as trace:
        start = storage.live
        watched = measured(PROGRAMS[name])
        peak = storage.peak
    assert watched == alone == measured(PROGRAMS[name])
    assert all(sum(e["bytes"]) == e["live"] for e in trace.events)
    assert max(e["live"] for e in trace.events) == max(peak, start)
    assert trace.events[-1]["bytes"][CATEGORIES.index("flight")] == 0


def test_the_story_of_a_walk_inside_a_walk():
    with whoholds.record() as trace:
        PROGRAMS["reentrant"]()
    depth, told, names = 0, [], {}
    for event in trace.events:
        names |= {event["node"]: event["name"]} if event["kind"] == "node" else {}
        depth += {"backward": 1, "end": -1}.get(event["kind"], 0)
        if event["kind"] in ("backward", "end", "visit", "free"):
            told.append((depth, event["kind"], names.get(event.get("node"), "")))
    segment = "CheckpointFunctionBackward"
    inner = [
        (2, "backward", ""),
        *[(2, kind, f"{op}Backward0") for op in ("Tanh", "Mm") for kind in ("visit", "free")],
        *[(2, "visit", "AccumulateGrad")] * 2,
        (1, "end", ""),
    ]
    assert [row for row in told if row[0] == 2 or row[1] == "end"] == [*inner * 2, (0, "end", "")]
    outer = [row for row in told if row[0] == 1 and row[2] == segment]
    assert outer == [(1, kind, segment) for kind in ("visit", "free")] * 2
    last = list(replay(trace.events))[-1]
    assert last.walking == 0 and not any(s["flight"] for s in last.storages.values())


def test_a_result_that_is_computed_again_is_no_gradient_in_flight():
    with whoholds.record() as trace:
        PROGRAMS["reentrant"]()
    ends = [e["bytes"] for e in trace.events if e["kind"] == "end"]
    flight, named = CATEGORIES.index("flight"), CATEGORIES.index("named")
    assert ends[0][flight] == 128 + 128 + 4  # what both factors of `*` wait for, and the seed
    assert ends[0][named] >= 128  # its result, which the checkpoint still holds


def test_what_a_walk_has_visited_stays_visited_in_the_walk_around_it():
    with whoholds.record() as trace:
        PROGRAMS["reentrant"]()
    inner = [i for i, e in enumerate(trace.events) if e["kind"] == "end"][0]
    for i, state in enumerate(replay(trace.events)):
        if i == inner:
            visited = {node["name"] for node in state.nodes.values() if node["visited"]}
    assert {"SumBackward0", "MulBackward0", "CheckpointFunctionBackward"} <= visited


def test_counts_include_what_is_computed_again():
    x, w = leaf()
    for way, matmuls in ((True, 4), (False, 3)):  # with hooks, the last product is not repeated
        with mg.memory.count_ops() as n:
            checkpoint(lambda x: x.exp() @ w, x, use_reentrant=way).sum().backward()
        assert n.matmuls == matmuls


def test_a_budget_holds_in_the_second_run_too():
    x, w = leaf()
    run = lambda x: ((x @ w).tanh() @ w).tanh()  # noqa: E731
    y = checkpoint(run, x, use_reentrant=True)
    loss = y.sum()
    before = mg.memory_allocated()
    with mg.memory.budget(1 << 40) as counted:
        used = counted.used  # other tests' leaves live on, and do not count
    with mg.memory.budget(used + 128):  # the second run wants four times as much
        with pytest.raises(mg.cuda.OutOfMemoryError):
            loss.backward()
    assert mg.is_grad_enabled() and mg.memory_allocated() == before
    with mg.memory.budget(0), pytest.raises(mg.cuda.OutOfMemoryError):
        checkpoint(run, x, use_reentrant=False)
    assert mg.is_grad_enabled() and mg.memory_allocated() == before


# -- bad input, and what it leaves behind --


@pytest.mark.parametrize("way", [True, False])
def test_a_failed_second_run_leaves_the_random_numbers_and_the_modes_alone(way):
    x, w = leaf()
    calls = []

    def run(x):
        calls.append(mg.rand(1).item())
        if len(calls) == 2:
            raise ZeroDivisionError
        return (x @ w).tanh()

    mg.manual_seed(0)
    loss = checkpoint(run, x, use_reentrant=way).sum()
    mg.rand(5)  # the second run must not disturb those to come
    due = mg.get_rng_state()
    with pytest.raises(ZeroDivisionError):
        loss.backward()
    assert calls[0] == calls[1] and mg.get_rng_state() == due
    assert mg.is_grad_enabled() and (x * x).grad_fn._saved_self is x


def test_another_number_of_tensors_is_said_with_both_numbers():
    x, _ = leaf()
    calls = []

    def run(x):
        calls.append(1)
        return x.exp().exp() if len(calls) == 1 else x.exp()

    loss = checkpoint(run, x, use_reentrant=False).sum()
    words = "saved during forward: 2\nNumber of tensors saved during recomputation: 1"
    with pytest.raises(CheckpointError, match=words):
        loss.backward()
    assert x.grad is None


def test_segments_are_dropped_with_their_graph():
    for way in (True, False):
        x, w = leaf()
        before = mg.memory_allocated()
        y = checkpoint(lambda x, w=w: (x @ w).tanh(), x, use_reentrant=way)
        y.sum().backward(retain_graph=True)
        x.grad = w.grad = None
        del y
        assert mg.memory_allocated() == before


def test_each_thread_knows_its_own_walk():
    x, w = leaf()
    losses = [
        checkpoint(lambda x: (x @ w).tanh(), x.exp(), use_reentrant=way).sum()
        for way in (True, False) * 4
    ]
    threads = [threading.Thread(target=loss.backward) for loss in losses]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found, x.grad = x.grad.tolist(), None
    for _ in losses:
        (x.exp() @ w).tanh().sum().backward()
    assert mg.allclose(x.grad, mg.tensor(found))
