"""A name goes before the bytes that it held, whatever the program and whichever the engine."""

import importlib.util
import random
from collections import Counter

import pytest

import minigrad as mg
import whoholds
from whoholds.names_first import names_first, ordered
from whoholds.state import State
from whoholds.step.instrument import Run, compile_snippet
from whoholds.step.magic import recorder_class, step
from whoholds.views import show

ENGINES = ["minigrad", pytest.param("torch", marks=pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="PyTorch is not installed"))]  # fmt: skip
NAMES = {"bind", "unbind"}
START = """import torch
w = torch.ones(8, requires_grad=True)
def twice(v):
    u = v * 2.0
    return u + v
"""
LINES = (
    "{a} = w + 1.0", "{a} = {b} * {c}", "{a} = {b}.tanh()", "{a} = {a} + 1.0", "{a} = {b}",
    "del {a}", "del {a}, {b}", "{a} = [{b}, {c}]", "{a} = torch.ones(4)", "{a} = {b}.detach()",
    "{a} = twice({b})", "{a} = {b} = w * 2.0", "del {a}; {a} = torch.ones(8)", "{a}.pop()",
    "{a} = {b}.grad_fn", "{a}.sum().backward()", "for _ in range(3):\n    {a} = {a}.exp()",
    "try:\n    del {a}\nexcept NameError:\n    pass",
)  # fmt: skip


def program(seed):
    draw = random.Random(seed)
    names = lambda: {k: draw.choice("pqrst") for k in "abc"}  # noqa: E731
    given = "".join(f"{name} = w * 3.0\n" for name in "pqrst")
    return START + given + "".join(draw.choice(LINES).format(**names()) + "\n" for _ in range(12))


def raw(source, engine):
    """The events as the engine's recorder tells them."""
    snippet = compile_snippet(source, "minigrad" if engine == "minigrad" else None)
    run = Run(lambda frame: recorder_class(engine)(names=snippet.names, frame=frame))
    run.execute(snippet, {"__builtins__": __builtins__})
    return run.recorder.trace(source).events


def check_names_go_first(events):
    state = State()
    for event in events:
        state.apply(event)
        named = {target for targets in state.names.values() for target in targets}
        there = {f"t{n}" for n, t in state.tensors.items() if t["storage"] in state.storages}
        assert named <= there | {f"n{n}" for n in state.nodes}, event
    return state


def same_but_order(before, after):
    """Nothing else is lost, and nothing but names and the tensors they need has another place."""
    told = Counter(str(e) for e in before if e["kind"] not in NAMES | {"tensor"})
    assert told == Counter(str(e) for e in after if e["kind"] not in NAMES | {"tensor"})
    kinds = [e for e in after if e["kind"] not in NAMES | {"tensor"}]
    assert kinds == [e for e in before if e["kind"] not in NAMES | {"tensor"}]


@pytest.mark.parametrize("engine", ENGINES)
def test_in_programs_drawn_at_random_no_name_leads_to_what_is_dead(engine):
    late = 0
    for seed in random.sample(range(10**6), 25):
        source = program(seed)
        events = raw(source, engine)
        found = names_first(events)
        print(f"seed {seed}\n{source}")
        state = check_names_go_first(found)
        same_but_order(events, found)
        last = State()
        for event in events:
            last.apply(event)
        assert {n: t for n, t in state.names.items() if t} == last.names
        late += found != events
        assert names_first(found) == found
    assert late, "the recorder alone tells some names too late"


@pytest.mark.parametrize("engine", ENGINES)
def test_two_names_go_then_their_bytes(engine):
    source = "import torch\nw = torch.ones(4, requires_grad=True)\nh = w + 1\ny = h * 2.0\n"
    events = step(source + "z = y + h\ndel h, y\n", engine).events
    kinds = [(e["kind"], e.get("name")) for e in events if e["line"] == 6]
    freed = [i for i, (kind, _) in enumerate(kinds) if kind == "died"]
    assert len(freed) == 2
    assert kinds.index(("unbind", "h")) < freed[0] and kinds.index(("unbind", "y")) < freed[1]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_name_that_is_used_again_leads_to_the_new_one_first(engine):
    events = step("import torch\nx = torch.ones(4)\nx = x + 1\n", engine).events
    kinds = [event["kind"] for event in events if event["line"] == 3]
    assert kinds == ["line", "born", "tensor", "bind", "forget", "died"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_name_of_a_node_goes_before_the_node(engine):
    source = "import torch\nw = torch.ones(4, requires_grad=True)\nn = (w * 2.0).grad_fn\ndel n\n"
    events = step(source, engine).events
    check_names_go_first(events)
    (node,) = (e["node"] for e in events if e.get("name") == "MulBackward0")
    told = [(e["kind"], e.get("node")) for e in events if e["line"] == 4]
    assert told.index(("unbind", None)) < told.index(("gone", node))


@pytest.mark.parametrize("engine", ENGINES)
def test_where_the_new_one_is_made_after_the_old_one_died_the_name_leads_nowhere_meanwhile(engine):
    source = "import torch\nl = [torch.ones(8)]\nl.pop() is None or l.append(torch.ones(4))\n"
    events = step(source, engine).events
    check_names_go_first(events)
    told = [e["targets"] for e in events if e["kind"] == "bind"]
    assert len(told) == 3 and told[1] == [] and told[2] != told[0]


def test_the_bytes_of_each_moment_stay():
    events = step(START + "p = w * 3.0\ndel p\np = w + 1.0\np = p + 1.0\n").events
    assert all(sum(event["bytes"]) == event["live"] for event in events)
    before = events[0]["live"]  # of other tests: what they left is counted, too
    assert [e["live"] - before for e in events if e["kind"] == "died"] == [32, 64]


def test_a_view_of_a_recording_tells_names_first_too():
    with whoholds.record() as trace:
        x = mg.ones(4)
        x = x + 1
    assert show(trace).trace["traces"][0]["events"] == ordered(trace).events != trace.events
    check_names_go_first(ordered(trace).events)
