"""What an imported module keeps is named, whatever holds it and wherever the function is."""

import importlib
import random
import secrets
import subprocess
import sys

import pytest

import minigrad as mg
import whoholds

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

BOTH = pytest.mark.parametrize("engine", [mg, torch], ids=["minigrad", "torch"])

KINDS = {  # how a thing is kept: the container, and the statement that puts it in
    "list": ("[]", "{kept}.append({it})"),
    "key": ("{}", "{kept}[f'step{len({kept})}'] = {it}"),
    "number": ("{}", "{kept}[len({kept})] = {it}"),
    "tuple": ("[]", "{kept}.append((0, {it}))"),
    "rows": ("{}", "{kept}[f'step{len({kept})}'] = {'x': {it}, 'lr': 1}"),
    "object": ("[]", "{kept}.append(types.SimpleNamespace(x={it}))"),
    "deque": ("collections.deque()", "{kept}.append({it})"),
    "set": ("set()", "{kept}.add(Slot({it}))"),
}
THINGS = {"tensor": "w * 2", "array": "(w * 2).numpy()", "part": "(w * 2).numpy()[1:]"}
PLACES = {  # where it is kept, and the function that fills it
    "global": """
kept = {empty}
def step():
    {put}
""",
    "class": """
class Log:
    seen = {empty}
    def step(self):
        {put}
step = Log().step
""",
    "attribute": """
class Log:
    def __init__(self):
        self.seen = {empty}
    def step(self):
        {put}
log = Log()
def step():
    log.step()
""",
    "closure": """
def make():
    kept = {empty}
    def step():
        {put}
    return step
step = make()
""",
    "default": """
def step(kept={empty}):
    {put}
""",
}
NAMED = {
    "global": "kept",
    "class": "Log.seen|Log'].seen|step.__self__.seen",
    "attribute": "log.seen|log'].seen",
    "closure": "variable k",
    "default": "default kept",
}
HEAD = """import collections, types
import {engine} as engine
w = engine.ones({size})
class Slot:
    def __init__(self, x):
        self.x = x
"""


def program(engine, place, kind, thing, size):
    """The text of a module with a function `step`, and the line on which something is kept."""
    empty, put = KINDS[kind]
    kept = "self.seen" if place in ("class", "attribute") else "kept"
    put = put.replace("{kept}", kept).replace("{it}", THINGS[thing])
    text = HEAD.format(engine=engine.__name__, size=size) + PLACES[place].format(
        empty=empty, put=put
    )
    return text, next(n for n, line in enumerate(text.splitlines(), 1) if line.strip() == put)


def drawn(seed):
    """Size, and a kind and a thing for each of the places."""
    rng = random.Random(seed)
    chosen = [(place, rng.choice([*KINDS]), rng.choice([*THINGS])) for place in PLACES]
    return rng.randint(5, 90), chosen


SEEDS = pytest.mark.parametrize("seed", [0, pytest.param(secrets.randbelow(10**6), id="fresh")])


def check(growth, place, kind, size, made):
    said = str(growth)
    assert [n for n, _, _ in growth.rows] == [4 * size] and said.endswith(made), said
    assert any(name in said for name in NAMED[place].split("|")), said
    assert "step1" not in said and "step2" not in said, said
    assert "[...]['x']" in said or kind != "rows", said


@BOTH
@SEEDS
def test_what_an_imported_module_keeps_is_named(engine, seed, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    size, chosen = drawn(seed)
    for place, kind, thing in chosen:
        name = f"kept_{place}_{seed}_{engine.__name__}"
        text, line = program(engine, place, kind, thing, size)
        (tmp_path / f"{name}.py").write_text(text)
        module = importlib.import_module(name)
        try:
            growth = whoholds.grows(module.step)
        finally:
            del sys.modules[name]
        check(growth, place, kind, size, f"made in {name}.py:{line}")


@BOTH
@SEEDS
def test_what_a_program_without_a_module_keeps_is_named(engine, seed):
    """As one that was run by `exec`: no module has its names."""
    size, chosen = drawn(seed)
    for place, kind, thing in chosen:
        text, line = program(engine, place, kind, thing, size)
        growth = whoholds.grows(step_of(text))
        check(growth, place, kind, size, f"made in run.py:{line}")


def step_of(text):
    """The function, and no name here for the names that it has: who holds them would be told so."""
    names = {"__name__": "run_by_exec"}
    exec(compile(text, "run.py", "exec"), names)
    return names["step"]


@BOTH
def test_the_same_text_as_the_main_program_says_the_same_name(engine, tmp_path):
    size, chosen = drawn(secrets.randbelow(10**6))
    place, kind, thing = random.Random(size).choice(chosen)
    text, line = program(engine, place, kind, thing, size)
    more = "import whoholds\ngrowth = whoholds.grows(step)\nprint(growth)\n"
    (tmp_path / "run.py").write_text(text + more)
    done = subprocess.run(
        [sys.executable, tmp_path / "run.py"], text=True, capture_output=True,
        env={"PYTHONPATH": ":".join(path for path in sys.path if path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"+{4 * size} B a turn, held by "), done.stdout
    assert done.stdout.strip().endswith(f"made in run.py:{line}"), done.stdout
    assert any(name in done.stdout for name in NAMED[place].split("|")), (place, done.stdout)


@BOTH
def test_two_lists_of_one_dict_have_a_row_each_and_new_keys_have_one(engine):
    logs, cache = {"a": [], "b": []}, {}

    def turn():
        for name in logs:
            x = engine.ones(len(name) * 9)
            logs[name].append({"x": x})
        cache[f"step{len(cache)}"] = {"x": engine.ones(50)}

    told = {who: n for n, who, _ in whoholds.grows(turn, 4, engine.__name__).rows}
    assert sorted(told.values()) == [36, 36, 200] and "step" not in str(told), told
    assert all(any(f"logs['{name}']" in who for who in told) for name in logs), told
