"""A snippet is stepped line by line, and whatever goes wrong in it is told in words."""

import gc
import sys
import traceback
import types

import pytest

import minigrad
from whoholds.step import StepError, load_ipython_extension, step
from whoholds.step import magic as magic_module
from whoholds.step.instrument import TICK, Run, StepLimit, assigned_first, compile_snippet
from whoholds.step.magic import recorder_class, run, step_cell

# Recorder looks at every object of the process; where torch is loaded, one of its relics warns.

LOOP = """import torch
w = torch.ones(10, requires_grad=True)
for i in range(2):
    y = (w * w).sum()
    y.backward()
"""
TWICE = """import torch
w = torch.ones(10, requires_grad=True)
y = (w * w).sum()
y.backward()
y.backward()
z = 1
"""


class Lines:
    """A stand-in for a recorder: the lines it was told, and what a probe said on each."""

    def __init__(self, probe=lambda frame: None):
        self.lines, self.seen, self.errors, self.probe = [], [], [], probe

    def __call__(self, frame):
        self.frame = frame
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.left = True

    def tick(self, line, frame, begins, calls, again):
        self.lines += [line] * (not again)
        self.seen += [self.probe(frame)] * (not again)

    def back(self, line, calls):
        pass

    def error(self, error):
        self.errors.append(error)


def stepped(source, limit=100, probe=lambda frame: None, namespace=None):
    lines = Lines(probe)
    Run(lines, limit).execute(compile_snippet(source), {} if namespace is None else namespace)
    return lines


# -- where the ticks stand --


@pytest.mark.parametrize(
    "source, lines",
    [
        ("x = 1\n\ny = 2", [1, 3]),
        ("for i in range(2):\n    x = i\nelse:\n    y = 1", [1, 2, 2, 4]),
        ("i = 0\nwhile i < 2:\n    i += 1", [1, 2, 3, 3]),
        ("def f(a):\n    b = a\n    return b\nf(f(1))", [1, 4, 2, 3, 2, 3]),
        ("def f():\n    'Says what.'\n    return 1\nassert f.__doc__\nf()", [1, 4, 5, 3]),
        ("class A:\n    x = 1\n    def f(self):\n        pass\nA().f()", [1, 2, 3, 5, 4]),
        ("if 0:\n    x = 1\nelif 1:\n    x = 2", [1, 3, 4]),
        (
            "try:\n    1 / 0\nexcept ZeroDivisionError:\n    x = 1\nfinally:\n    y = 2",
            [1, 2, 4, 6],
        ),
        ("import io\nwith io.StringIO() as s:\n    s.write('')", [1, 2, 3]),
        ("match 1:\n    case 1:\n        x = 1", [1, 3]),
        ("f = lambda a: (a,\n    a)\nf(1)", [1, 3]),
        ("from __future__ import annotations\nx: undefined = 1", [2]),
        ("", []),
    ],
)
def test_a_tick_before_each_statement(source, lines):
    told = stepped(source)
    assert (told.lines, told.errors) == (lines, [])
    assert told.left


def test_the_recorder_sees_the_frame_of_the_statement():
    source = "x = 1\ndef f(a):\n    return a\nf(7)"
    told = stepped(source, probe=lambda frame: (frame.f_code.co_name, frame.f_locals.get("a")))
    assert told.seen == [("<module>", None)] * 3 + [("f", 7)]
    assert told.frame.f_code.co_name == "<module>"


def test_names_followed_are_those_assigned_or_read():
    names = compile_snippet("import os\na = b + c.d\ndef f(e):\n    g = 1\nfor h in (): pass").names
    assert names == {"a", "b", "c", "e", "g", "h"}


def test_a_traceback_shows_the_line_of_the_snippet():
    namespace = {}
    told = stepped("def f():\n    return (1 /\n            0)\n\nf()", namespace=namespace)
    frames = traceback.extract_tb(told.errors[0].__traceback__)
    assert [(f.lineno, f.line) for f in frames if f.filename.startswith("<step")] == [
        (5, "f()"),
        (2, "return (1 /" if sys.version_info < (3, 13) else frames[-1].line),
    ]


def test_a_function_of_the_snippet_may_be_called_later():
    namespace = {}
    stepped("def f():\n    return 3", namespace=namespace)
    assert namespace["f"]() == 3 and TICK in namespace


# -- an end to everything --


def test_a_loop_without_end_is_ended():
    source = "while True:\n    try:\n        x = 1\n    except Exception:\n        pass"
    told = stepped(source, limit=50)
    assert isinstance(told.errors[0], StepLimit) and len(told.lines) == 50
    assert "stopped after 50 steps, on line 3: a loop does not end" in str(told.errors[0])


def test_the_limit_is_told_in_one_sentence(capsys):
    step_cell("", "while True:\n    pass", {}, display=print)
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith("stopped after 20,000 steps, on line 2: a loop does not end")


def test_an_error_half_way_ends_the_trace():
    trace = step(TWICE)
    assert trace.error.startswith("RuntimeError: Trying to backward through the graph a second")
    assert [e["line"] for e in trace.events if e["kind"] == "line"] == [1, 2, 3, 4, 5]
    assert sum(e["kind"] == "error" for e in trace.events) == 1


def test_an_error_keeps_no_tensors_alive():
    before = minigrad.memory_allocated()
    step("import torch\ndef f():\n    t = torch.ones(1000)\n    raise ValueError\nf()")
    assert minigrad.memory_allocated() == before


def test_a_syntax_error_runs_nothing(capsys):
    namespace = {}
    with pytest.raises(SyntaxError):
        step("a = 1\nb = = 2", namespace=namespace)
    step_cell("", "a = 1\nb = = 2", namespace)
    assert capsys.readouterr().out == (
        "SyntaxError on line 2: `b = = 2`: invalid syntax; nothing was run\n"
    )
    assert namespace == {}


def test_an_interrupt_passes_with_what_was_recorded():
    with pytest.raises(KeyboardInterrupt) as caught:
        step("import torch\na = torch.ones(10)\nraise KeyboardInterrupt")
    assert [e["name"] for e in caught.value.trace.events if e["kind"] == "bind"] == ["a"]


# -- whose torch it is --


def test_the_snippet_runs_in_the_namespace_given():
    namespace = {"n": 5}
    run("import torch\nx = torch.ones(n)", "minigrad", namespace)
    assert isinstance(namespace["x"], minigrad.Tensor) and namespace["x"].shape == (5,)


@pytest.mark.parametrize("more", ["def f(): return x", "class A: pass", "f = lambda: x"])
def test_a_step_leaves_no_names_and_no_bytes(more):
    namespace, before = {"n": 5}, minigrad.memory_allocated()
    trace = step(f"import torch\nx = torch.ones(n)\n{more}", namespace=namespace)
    assert trace.error == "" and trace.events[-1]["live"] == before + 20
    assert namespace == {"n": 5} and minigrad.memory_allocated() == before


@pytest.mark.parametrize(
    "line, name",
    [
        ("import torch", "torch"),
        ("import torch as th", "th"),
        ("import torch.nn as nn", "nn.functional.relu"),
        ("import torch.nn", "torch.nn.Linear"),
        ("import torch.nn.functional as F, os", "F.relu"),
        ("from torch import nn, ones", "nn.Linear"),
        ("from torch.nn import functional as F", "F.relu"),
    ],
)
def test_imports_of_torch_bring_minigrad(line, name):
    namespace = {}
    assert run(f"{line}\nfound = {name}", "minigrad", namespace).trace.error == ""
    found = getattr(namespace["found"], "__module__", None) or namespace["found"].__name__
    assert found.split(".")[0] == "minigrad"


def test_nobody_elses_torch_is_touched(monkeypatch):
    theirs = types.ModuleType("torch")
    monkeypatch.setitem(sys.modules, "torch", theirs)
    before = dict(sys.modules)
    namespace = {"torch": theirs}
    run("x = torch.ones(3)\nimport torch\ny = x + 1", "minigrad", namespace)
    assert isinstance(namespace["y"], minigrad.Tensor)
    assert namespace["torch"] is theirs and sys.modules["torch"] is theirs
    assert {k for k in before if sys.modules.get(k) is not before[k]} == set()


def test_what_minigrad_lacks_is_an_error_of_the_line(capsys):
    step_cell("", "import torch\ntorch.svd_of_everything()", {}, display=print)
    said = capsys.readouterr().out
    assert "line 2, `torch.svd_of_everything()`: AttributeError" in said
    assert "--engine torch" not in said  # PyTorch lacks it too


@pytest.mark.parametrize(
    "line",
    [
        "torch.combinations(torch.ones(2))",
        "torch.nn.CTCLoss()",
        "torch.ones(2).erf_()",
        "torch.nn.Linear(1, 1).bfloat16()",
        "torch.nn.utils.weight_norm([], 1)",
        "from torch.nn import CTCLoss",
        "from torch.utils.tensorboard import SummaryWriter",
        "import torch.fx",
        "import torch.multiprocessing as mp",
    ],
)
def test_a_name_that_pytorch_has_is_told_with_what_to_do(line, capsys):
    step_cell("--engine minigrad", f"import torch\n{line}", {}, display=lambda view: None)
    where, help_, *remedy = capsys.readouterr().out.splitlines()
    assert remedy == ([] if magic_module.torch_installed() else [magic_module.NO_TORCH])
    assert where.startswith(f"line 2, `{line}`: ")
    assert help_.startswith("minigrad has no `torch.") and "mg." not in help_
    assert help_.endswith("; `%%step --engine torch` runs it on PyTorch.")


# -- engines --


def test_an_engine_that_is_not_there():
    with pytest.raises(StepError, match="there are minigrad and torch"):
        recorder_class("jax")


def test_torch_absent_is_told_in_one_sentence(monkeypatch, capsys):
    monkeypatch.setattr(magic_module, "torch_installed", lambda: False)
    namespace = {}
    step_cell("--engine torch", "x = 1", namespace)
    said = capsys.readouterr().out
    assert said.startswith("--engine torch needs PyTorch") and "pip install torch" in said
    assert said.count("\n") == 1 and namespace == {}


# -- the magic --


def test_a_view_can_begin_at_its_end():
    shown = []
    for line in ("", "--end"):
        step_cell(line, TWICE, {}, display=shown.append)
    events = shown[0].trace["traces"][0]["events"]
    error = [event["kind"] for event in events].index("error") + 1
    assert [view.step for view in shown] == [error, len(events)]


def test_the_cell_shows_the_view_which_has_the_error_then_the_prices(capsys):
    shown = []
    step_cell("--title Twice", TWICE, {}, display=shown.append)
    said = capsys.readouterr().out
    assert len(shown) == 1
    assert shown[0].trace["traces"][0]["events"][-1]["line"] == 5 and "RuntimeError" in repr(
        shown[0]
    )
    assert said.startswith("MulBackward0, made by line 3") and "RuntimeError" not in said
    assert said.count("Traceback") == 0


def test_raise_raises_after_the_view():
    shown = []
    with pytest.raises(RuntimeError, match="a second time") as caught:
        step_cell("--raise", TWICE, {}, display=shown.append)
    assert len(shown) == 1
    frames = traceback.extract_tb(caught.value.__traceback__)
    inside = [f for f in frames if f.name not in ("step_cell", "report")][1:]
    assert inside[0].line == "y.backward()"
    assert not [f for f in inside if "/trace/" in f.filename or "/step/" in f.filename]


def test_without_views_a_sentence_is_shown(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "whoholds.views.widget", None)
    step_cell("", LOOP, {}, display=print)
    said = capsys.readouterr().out
    assert said.endswith("events up to line 5; at most 168 bytes lived at once\n"), said


def test_export_writes_a_page(tmp_path, capsys):
    page = tmp_path / "answer.html"
    step_cell(f"--export {page}", LOOP, {}, display=lambda view: None)
    assert "requires_grad=True" in page.read_text(encoding="utf-8")
    assert capsys.readouterr().out == f"written: {page}\n"


def test_fresh_neither_sees_nor_leaves_names():
    """So a cell that is run again begins from nothing, as it did the first time."""
    traces, names = [], {"x": "mine"}
    source = "import torch\nclass C:\n    def f(self): pass\n"
    source += "if __name__ == '__main__':\n    x = torch.ones(4)"
    gc.collect()  # what other tests left in circles dies now, not within the first run
    for _ in range(2):
        step_cell("--fresh", source, names, display=lambda view: traces.append(view._traces))
    first, second = [trace.events for (trace,) in map(dict.values, traces)]
    assert [e["kind"] for e in first] == [e["kind"] for e in second]
    assert names == {"x": "mine"} and "born" in {e["kind"] for e in first}


@pytest.mark.parametrize("line", ["--engine jax", "--what", "--title 'open"])
def test_options_that_do_not_exist_run_nothing(line, capsys):
    namespace = {}
    step_cell(line, "x = 1", namespace)
    told = capsys.readouterr()
    assert namespace == {} and "%%step" in told.out + told.err


@pytest.mark.parametrize(
    "source, names",
    [
        ("a = 1\nb, c = a, 2", {"a", "b", "c"}),
        ("a = a + 1\nb = a", {"b"}),
        ("print(a)\na = 1", set()),
        ("f = lambda: a\na = 1", {"f"}),
        ("for i in range(2):\n    h = i\nh = 1", set()),
        ("a += 1\nb.grad = 0\nc[0] = 1\ndel d", set()),
    ],
)
def test_names_that_a_snippet_gives_a_value_first(source, names):
    assert assigned_first(source) == names


def test_a_cell_run_again_begins_as_it_did_and_reads_what_it_did_not_make():
    source, namespace, views = "y = w * 2.0", {"w": minigrad.ones(3)}, []
    step_cell("", source, namespace, display=views.append)
    step_cell("", source, namespace, display=views.append)
    assert repr(views[0]) == repr(views[1]) and "24" in repr(views[0])
    assert namespace["y"].tolist() == [2.0, 2.0, 2.0]


def test_load_ext_gives_a_real_shell_the_magic():
    shells = pytest.importorskip("IPython.core.interactiveshell")
    from traitlets.config import Config

    shell = shells.InteractiveShell(config=Config(HistoryManager={"enabled": False}))
    load_ipython_extension(shell)
    shell.run_cell("n = 4")
    result = shell.run_cell("%%step\nimport torch\nx = torch.ones(n)")
    assert result.error_before_exec is None and result.error_in_exec is None
    assert shell.user_ns["x"].shape == (4,)
    shell.reset()  # it outlives its test, with all that it was given


# -- bytes --


def test_each_events_bytes_are_the_ledgers():
    zero = minigrad.memory_allocated()
    source = compile_snippet(LOOP, "minigrad")
    told = Lines(lambda frame: minigrad.memory_allocated() - zero)
    Run(told).execute(source, {})
    trace = run(LOOP, "minigrad", {}).trace
    lines = [e for e in trace.events if e["kind"] == "line"]
    first = lines[0]["live"]
    assert [e["live"] - first for e in lines] == told.seen
    assert max(told.seen) > 0 and all(sum(e["bytes"]) == e["live"] for e in trace.events)
