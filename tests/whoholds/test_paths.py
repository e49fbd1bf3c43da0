"""In a picture nothing is held by nobody: arrows lead to each storage, or its holder is named.

Programs are drawn at random, and run on minigrad and on real PyTorch; the walk along the arrows in
`tests/whoholds/paths.py` knows nothing of how the recorder finds holders.
"""

import colorsys
import contextvars
import importlib.util
import itertools
import os
import re

import pytest

import minigrad as mg
from tests.whoholds.paths import astray
from tests.whoholds.random_snippets import STATEMENTS, snippet
from whoholds.holders.held import SEARCHES, UNSEEN
from whoholds.state import State
from whoholds.step import magic, step

ENGINES = [
    "minigrad",
    pytest.param(
        "torch",
        marks=pytest.mark.skipif(
            importlib.util.find_spec("torch") is None, reason="PyTorch is not installed"
        ),
    ),
]
BOTH = pytest.mark.parametrize("engine", ENGINES)
FRESH = int(os.environ["MINIGRAD_MOVED"])  # drawn anew in each run, and all of its workers know it
WARNINGS = pytest.mark.filterwarnings("ignore:None of the inputs have requires_grad:UserWarning")
pytestmark = WARNINGS


def run(source, engine):
    """The trace, the names that are left, and a list of another module that held tensors."""
    hidden: list = []
    AROUND.set(hidden)
    names = {"hide": _hide, "__name__": "snippet"}
    return magic.run(source, engine, names).trace, names


AROUND: contextvars.ContextVar = contextvars.ContextVar("hidden")


def _hide(value):
    AROUND.get().append([value])


def at_end(trace):
    state = State()
    for event in trace.events:
        state.apply(event)
    return state


@BOTH
@pytest.mark.parametrize("part", range(4))
def test_each_storage_has_a_path_or_a_holder_with_a_name(engine, part):
    count = 12 if engine == "minigrad" else 5
    for seed in (*range(part * count, (part + 1) * count), FRESH + part):
        source = snippet(seed)
        trace, _ = run(source, engine)
        assert [*astray(trace.events)] == [], f"seed {seed}\n{source}"


TOLD = {  # by which words a statement's holders are known: the generator is worth its time
    "hook": ", a hook, its variable k", "after hook": ", a hook, its variable k",
    "closure": r"name t\d+_f, its variable k", "lambda": r"name t\d+_f, its default k",
    "list": r"name t\d+_l\[1\]\[1\]\[0\]", "long": r"name t\d+_l\[29\]", "set": r"name t\d+_s",
    "box": r"name t\d+_b\.more\[0\]", "generator": r"name t\d+_g, a generator: gen\.inner",
    "iterator": r"name t\d+_i\[\d\]", "attribute": r"\.note", "keep": r"\.more\[0\]",
    "ring": "a ring of references", "beside": "a statement that is still running",
    "loop": "a statement that is still running", "error": r"its traceback: fail\.local",
    "packed": "as a pack hook left it|_raw_saved_", "numpy": "an array on its bytes",
    "hide": "hidden", "hide new": "hidden", "norm": "running_mean", "train": "momentum_buffer",
}  # fmt: skip


@BOTH
@pytest.mark.parametrize("kind", STATEMENTS)
def test_so_it_is_with_each_statement_alone(engine, kind):
    """Together with a view and a `del`, so that names go which something else still needs."""
    told = set()
    for seed in range(1, 4):
        source = snippet(seed, 7, [kind, "del", "view"])
        trace, _ = run(source, engine)
        assert [*astray(trace.events)] == [], source
        told |= {words for event in trace.events for _, words in event.get("by", ())}
    assert any(re.search(TOLD.get(kind, ""), words) for words in told or {""})


@BOTH
@pytest.mark.parametrize("seed", [*range(12), pytest.param(FRESH, id="fresh")])
def test_a_name_leads_to_the_node_that_its_tensor_names(engine, seed):
    """`fn` and `base` of the last state, against what the tensors themselves say."""
    say_as_drawn(snippet(seed), engine, f"seed {seed}")


@BOTH
def test_an_outdated_view_holds_the_node_it_had(engine):
    """It raises an error when asked for it; what the node saves lives on nevertheless."""
    outdated, seeds = 0, itertools.count(FRESH)
    while outdated < 5:
        source = snippet(next(seeds), 8, ["two pieces", "multiply", "piece of"])
        outdated += say_as_drawn(source, engine, source)


def say_as_drawn(source, engine, where) -> int:
    """How many views the program has outdated."""
    outdated = 0
    trace, names = run(source, engine)
    state = at_end(trace)
    for name, targets in state.names.items():
        if re.fullmatch(r"t\d+b?", name) and len(targets) == 1 and targets[0][0] == "t":
            drawn, tensor = state.tensors[int(targets[0][1:])], names[name]
            node = state.nodes[drawn["fn"]]["name"] if drawn["fn"] is not None else "NoneType"
            assert node == node_of(tensor), f"{name}, {where}"
            assert (drawn["base"] is None) == (tensor._base is None), f"{name}, {where}"
            outdated += outdated_node(tensor) is not None
    return outdated


def node_of(tensor) -> str:
    """The class of the node it holds. To ask minigrad's for `grad_fn` may give it another one."""
    if isinstance(tensor, mg.Tensor):
        return type(tensor._node).__name__
    return outdated_node(tensor) or type(tensor.grad_fn).__name__


def outdated_node(tensor) -> str | None:
    """The class of the node that an outdated view holds; the error it raises names it."""
    try:
        tensor.grad_fn  # noqa: B018
    except RuntimeError as error:
        return re.match(r"Output \d of (\w+) is a view", str(error))[1] + "Backward0"
    return None


@BOTH
@pytest.mark.parametrize("seed", [*range(24), pytest.param(FRESH, id="fresh")])
def test_a_holder_that_is_an_expression_has_the_tensor(engine, seed):
    """`name box.h[0]`: written into the program, it gives a tensor of that shape and that node."""
    trace, names = run(snippet(seed), engine)
    state = at_end(trace)
    for tensor in state.tensors.values():
        for holder, words in tensor.get("held", ()):
            expression = words.removeprefix("name ")
            if holder is None and words != expression and not re.search(r", | of |\[\.\.\.", words):
                if re.match(r"t\d+_[si]|run\.", expression):
                    continue  # a set has no places, of an iterator none is told; a call is over
                found = eval(expression, {AROUND.name: AROUND, **names})  # noqa: S307
                assert list(found.shape) == tensor["shape"], words
                node = state.nodes.get(tensor["fn"], {}).get("name", "NoneType")
                assert node == node_of(found), words


HELD = {
    "a leaf, by its node": ("k = torch.ones(4, requires_grad=True)\ny = k + 1\ndel k", None),
    "an attribute": ("class B: pass\nb = B()\nb.h = torch.ones(4)", "name b.h"),
    "a list in a list": ("l = [[[torch.ones(4)]]]", "name l[0][0][0]"),
    "the last of many": (
        "l = [torch.ones(4) for i in range(24)]\nl.append(torch.ones(8))", "name l[24]"),
    "a closure": (
        "def f(k):\n    return lambda g: g * k\nt = torch.ones(4)\ng = f(t)\ndel t",
        "name g, its variable k"),
    "a default": ("t = torch.ones(4)\ng = lambda x, k=t: x\ndel t", "name g, its default k"),
    "a partial": (
        "import functools\nt = torch.ones(4)\ng = functools.partial(print, [t], k=t)\ndel t",
        "name g.args[0][0]"),
    "a generator": (
        "def f():\n    h = torch.ones(4)\n    yield h\ng = f()\nnext(g)[0]",
        "name g, a generator: f.h"),
    "a kept error": (
        "def f(h):\n    u = h * 2\n    raise ValueError\ntry:\n    f(torch.ones(4))\n"
        "except ValueError as e:\n    kept = e", "name kept, its traceback: f.u"),
    "the error that ended it": (
        "def f(h):\n    u = h * 2\n    raise ValueError\nf(torch.ones(4))",
        "the error, its traceback: f.u"),
    "an array": ("t = torch.ones(4)\na = t.numpy()\ndel t", "name a, an array on its bytes"),
    "a ring": (
        "t = torch.ones(4)\nt.me = t\ndel t",
        "a ring of references, which gc.collect() ends, or nobody does"),
    "a ring of an object": (
        "class B: pass\nb = B()\nb.me, b.h = [b], torch.ones(4)\ndel b",
        "a ring of references, which gc.collect() ends, or nobody does"),
    "another's list": ("t = torch.ones(4)\nhide(t)\ndel t", "name hidden.get()[0][0]"),
}  # fmt: skip


@BOTH
@pytest.mark.parametrize("what", HELD)
def test_who_holds_it_is_told(engine, what):
    source, words = HELD[what]
    trace, _ = run("import torch\n" + source, engine)
    state = at_end(trace)
    things = [*state.tensors.values(), *state.storages.values()]
    told = [words for thing in things for _, words in thing.get("held", ())]
    assert (words is None and not told) or words in told
    assert [*astray(trace.events)] == []


THREAD = """import queue, threading, torch
give, done = queue.Queue(), queue.Queue()
def work():
    kept = [give.get()]
    done.put(1)
    give.get()
threading.Thread(target=work, name="T", daemon=True).start()
give.put(torch.ones(4))
done.get()
here = 1
give.put(None)"""


@BOTH
def test_a_call_of_another_thread_holds(engine):
    trace, _ = run(THREAD, engine)
    told = {tuple(row) for event in trace.events for row in event.get("by", ())}
    assert (None, "name T: work.kept[0]") in told


@BOTH
def test_a_crowd_around_the_program_hides_no_name_of_it(engine):
    """All of what a running call holds is not looked at; what the names lead to comes first."""
    crowd = [[[number]] for number in range(30_000)]
    test_who_holds_it_is_told(engine, "a list in a list")
    assert len(crowd) == 30_000


@BOTH
def test_after_many_searches_the_recording_says_that_it_looks_no_more(engine):
    """To look through all of Python's objects takes time. For the last picture it is done."""
    source = f"import colorsys, torch\nfor i in range({SEARCHES + 3}):\n"
    source += "    colorsys.HIDDEN.append(torch.ones(4))"
    colorsys.HIDDEN = []  # of a library, into which nobody goes down
    try:
        trace = step(source, engine, {"__name__": "snippet"})
    finally:
        del colorsys.HIDDEN
    told = [words for e in trace.events if e["kind"] == "held" for _, words in e["by"]]
    last = [words for t in at_end(trace).tensors.values() for _, words in t["held"]]
    assert UNSEEN in told and UNSEEN not in last
    assert "name HIDDEN[22] of colorsys" in last
    assert [*astray(trace.events)] == []


def test_nothing_is_kept_by_the_search():
    """What a program deletes is gone at once, though somebody has just looked for its holders."""
    source = "import torch\nclass B: pass\nb = B()\nb.h = torch.ones(4)\nx = 1\ndel b.h\nx = 2"
    before = mg.memory_allocated()
    trace = step(source)
    died = [e["line"] for e in trace.events if e["kind"] == "died"]
    assert died == [6] and mg.memory_allocated() == before
