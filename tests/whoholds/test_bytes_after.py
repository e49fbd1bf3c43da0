"""The bytes after a line are those when it is done: what it calls has returned, the last turn of
its loop is over.

Programs are made by chance. Python's own trace function reads what is allocated at the moment that
each line ends; a view of the stepped program has to say the same.
"""

import inspect
import os
import random
import sys

import pytest

import minigrad as mg
from whoholds.holders import held
from whoholds.state import replay
from whoholds.step import step
from whoholds.step.magic import step_cell
from whoholds.views.holds import called
from whoholds.views.look import row_text
from whoholds.views.text import last_visits

SEED = int(os.environ["MINIGRAD_MOVED"])
PLAIN = "<plain>"
HEAD = '''import torch
class Net(torch.nn.Module):
    """A class of the cell."""
    def __init__(self, n):
        super().__init__()
        self.one = torch.nn.Linear(n, 2)
    def forward(self, x):
        h = self.one(x)
        return h.relu()
class Room:
    size = 3
    kept = torch.ones(size)
    def __init__(self, n):
        self.n = n
    def __enter__(self):
        self.held = torch.ones(self.n)
        return self
    def __exit__(self, *of):
        del self.held
def make(n):
    a = torch.ones(n, requires_grad=True)
    b = a * 2
    return b
def twice(n):
    return make(n) + make(n + 1).sum()
def deep(n):
    if n == 0:
        return torch.ones(3)
    here = torch.ones(n)
    return deep(n - 1) * here.sum()
def some(n):
    for i in range(n):
        one = torch.ones(i + 1)
        got = yield one * 2
        last = one
def fails(n):
    a = torch.ones(n)
    if n > 2:
        raise ValueError(n)
    return a
def tries(n):
    try:
        return fails(n)
    except ValueError:
        kept = torch.ones(1)
        return kept
    finally:
        after = torch.ones(n)
'''
VALUES = [
    "make({n})", "twice({n})", "deep({n})", "tries({n})", "torch.ones({n})", "{v} * 2", "{v} + {v}",
    "make({n}) * make({n})", "Net({n})(torch.ones(2, {n}))", "[make(i + 1) for i in range({n})]",
    "torch.cat([one for one in some({n})])", "sum(t.sum() for t in some({n}))", "list(some({n}))",
    "(lambda k: make(k) + 1)({n})", "{{i: make(i + 1) for i in range({n})}}", "Room({n})",
]  # fmt: skip
TENSORS = [value for value in VALUES if not value.startswith(("[", "(", "{{", "list", "Room"))]
BLOCKS = [
    "for {t} in range({n}):", "for {t} in some({n}):", "for {t} in [make(2), make(3)]:",
    "while counted({f}, {n}, make({n})):", "with Room({n}):", "with torch.no_grad():", "if True:",
    "if make({n}).sum() > 4:", "try:", "def f{f}():",
]  # fmt: skip
COUNTED = """def counted(key, n, x):
    done[key] = done.get(key, 0) + 1
    if done[key] <= n:
        return True
    del done[key]
    return False
done = {}
"""


def statement(draw, inside):
    """One line: a name gets a value, or loses it."""
    value = draw.choice(TENSORS if (bound := draw.random() < 0.6) else VALUES)
    text = value.format(n=draw.randint(1, 4), v="v")
    if bound:
        return f"v = {text}"
    last = "continue" if inside and draw.random() < 0.3 else "w = None"
    return draw.choice([f"w = {text}", text, last, f"if v.sum() > 6: {last}"])


def block(draw, deep=0, inside=False):
    """Some statements; loops, `with`, `try` and functions among them."""
    rows = []
    for _ in range(draw.randint(2, 4)):
        if deep == 3 or draw.random() < 0.5:
            rows.append(statement(draw, inside))
            continue
        number = draw.randrange(10**6)
        head = draw.choice(BLOCKS)
        function = head.startswith("def")
        # `continue` in a `with` tells the loop's head before the block is left
        looped = head.startswith(("for", "while")) or inside and head.startswith(("if", "try"))
        body = block(draw, deep + 1, looped)
        rows.append(head.format(t=f"t{deep}", n=draw.randint(1, 3), f=number))
        rows += ["    global v, w, t1, t2, t3"] * function + [f"    {row}" for row in body]
        rows += ["    fails(3)", "except ValueError:", "    v = make(5)"] * head.startswith("try")
        rows += [f"f{number}()"] * function
    return rows


def program(draw):
    # A layer's weights are drawn, and which way the program goes hangs on them.
    start = ["torch.manual_seed(0)", "v = torch.ones(2)", "w = t0 = t1 = t2 = t3 = None"]
    return HEAD + COUNTED + "\n".join([*start, *block(draw), "end = 0"])


def read(source, lib, allocated):
    """Of each line the bytes at the moment that it was last done, by a trace function."""
    names, done, at, before = {"__name__": "__main__"}, {}, {}, 0

    def trace(frame, event, _):
        if frame.f_code.co_filename != PLAIN or frame.f_code.co_name in (
            "<listcomp>", "<dictcomp>", "<genexpr>", "<lambda>"
        ):  # fmt: skip
            return None
        key = id(frame)
        if event in ("line", "return") and key in at:
            done[at[key]] = allocated() - before
        if event == "line":
            at[key] = frame.f_lineno
        elif event == "return" and not frame.f_code.co_flags & inspect.CO_GENERATOR:
            at.pop(key, None)  # a generator goes on
        return trace

    code = compile(source.replace("import torch", "torch"), PLAIN, "exec")
    names["torch"], before = lib, allocated()
    sys.settrace(trace)
    try:
        exec(code, names)
    finally:
        sys.settrace(None)
        names.clear()
    return done


@pytest.mark.parametrize("turn", range(10))
def test_the_bytes_after_a_line_are_those_when_it_is_done(turn, monkeypatch):
    monkeypatch.setattr(held, "SEARCHES", 0)  # who holds what is not asked here
    source = program(random.Random(f"{SEED}/{turn}"))
    trace = step(source)
    assert not trace.error, trace.error + source
    told = {line: visit.after for line, visit in last_visits(trace.events).items() if line}
    wanted = read(source, mg, mg.memory_allocated)
    wrong = {n: (told[n], wanted.get(n)) for n in told if told[n] != wanted.get(n)}
    rows = source.splitlines()
    wrong = {n: w for n, w in wrong.items() if "global " not in rows[n - 1]}  # runs nowhere
    assert not wrong, "\n".join([*(f"{n} {rows[n - 1]}: {w}" for n, w in wrong.items()), source])


def test_parameters_are_called_as_one_types_them():
    trace = step("import torch\nnet = torch.nn.Sequential(torch.nn.Linear(3, 2))\n")
    state = [*replay(trace.events)][-1]
    assert {*called(state).values()} == {"net.0.weight", "net.0.bias"}


def test_of_a_long_name_the_end_is_shown():
    assert row_text("opt.state[...]['exp_avg_sq']", "(3, 3)") == "exp_avg_sq (3, 3)"
    assert row_text("opt.state[...]['exp_avg_sq']", "(300, 3)") == "exp_avg_sq"
    assert row_text("plans[...].optimizer.state", "(3, 3)") == "….optimizer.state"
    assert row_text("net.layer.weight.grad", "(3, 3)") == "…layer.weight.grad"
    assert row_text("w", "(3, 3)") == "w (3, 3)"


def test_who_writes_into_a_leaf_is_told_the_ways_out(capsys):
    source = "import torch\nw = torch.ones(3, requires_grad=True)\nw += 1\n"
    step_cell("", source, {}, display=lambda view: None)
    said = capsys.readouterr().out
    assert "no_grad" in said and "out of place" in said and "RuntimeError" not in said
