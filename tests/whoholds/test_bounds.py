"""What holds a number of things at most is no growth when it is full, and is said until then."""

import functools
import os
import random
import secrets
import subprocess
import sys
from collections import deque
from pathlib import Path
from types import SimpleNamespace

import pytest

import minigrad as mg
import whoholds

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

BOTH = pytest.mark.parametrize("engine", [mg, torch], ids=["minigrad", "torch"])


def a_deque(engine, most, width):
    window = deque(maxlen=most)
    return lambda: window.append({"x": engine.ones(width)}), "window[...]['x']"


def of_an_object(engine, most, width):
    memory = SimpleNamespace(rows=deque(maxlen=most))
    weight = engine.ones(width, requires_grad=True)
    return lambda: memory.rows.append((0, (weight * 2).exp())), "memory.rows"


def a_cache(engine, most, width):
    count = [0]

    @functools.lru_cache(maxsize=most)
    def embed(key):
        return engine.ones(width) * key

    def turn():
        count[0] += 1
        embed(count[0])

    return turn, "embed"


MADE = [a_deque, of_an_object, a_cache]
EACH = pytest.mark.parametrize("make", MADE, ids=[make.__name__ for make in MADE])


@BOTH
@EACH
def test_what_is_full_soon_is_steady_by_default(engine, make):
    most = secrets.choice(range(2, 9))
    turn, _ = make(engine, most, 30)
    growth = whoholds.grows(turn, engine=engine.__name__)
    assert not growth, (most, str(growth))


@BOTH
@EACH
def test_what_is_not_full_says_how_much_it_holds_and_which_turns_tell_more(engine, make):
    most = secrets.choice(range(20, 2000))
    turn, named = make(engine, most, 30)
    growth = whoholds.grows(turn, engine=engine.__name__)
    row, *_, hint = str(growth).splitlines()
    assert growth and named.partition("[")[0] in row, row
    assert f", which holds at most {most:,}, made in" in row, row
    assert hint.endswith(
        f"is not full yet: whoholds.grows(step, turns={most + 1}) tells what grows when it is"
    )


@BOTH
@EACH
def test_the_turns_that_are_said_tell_that_it_is_steady(engine, make):
    most = secrets.choice(range(14, 20))
    turn, _ = make(engine, most, 30)
    growth = whoholds.grows(turn, most + 1, engine.__name__)
    assert not growth, (most, str(growth))


@BOTH
def test_a_list_that_a_full_one_holds_grows(engine):
    window = deque([[], []], maxlen=2)
    growth = whoholds.grows(lambda: window[1].append(engine.ones(30)), 9, engine.__name__)
    assert growth.bytes == 120 and "held by window" in str(growth)


@BOTH
def test_a_list_beside_it_is_told_alone(engine):
    rng = random.Random(secrets.randbelow(10**6))
    window, log, most = deque(maxlen=rng.randint(3, 8)), [], rng.randint(1, 40)

    def turn():
        for keep in rng.sample([window.append, log.append], 2):
            keep(engine.ones(most))

    growth = whoholds.grows(turn, engine=engine.__name__)
    assert [row[:2] for row in growth.rows] == [(4 * most, "log")], str(growth)


PROGRAM = """import collections
import torch
net = torch.nn.Linear(8, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
memory = {empty}
for _ in range(12):
    loss = net(torch.ones(4, 8)).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    memory.append(loss.detach())
"""


@pytest.mark.parametrize(
    "empty, said",
    [
        ("[]", "held by memory, made in train.py:7"),
        ("collections.deque(maxlen=5)", None),
        ("collections.deque(maxlen=50)", "held by memory, which holds at most 50, made in"),
    ],
)
def test_a_program_says_it_too(tmp_path, empty, said):
    path = tmp_path / "train.py"
    path.write_text(PROGRAM.format(empty=empty))
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, "-m", "whoholds", path], env=env, text=True,
                          capture_output=True)  # fmt: skip
    assert done.returncode == 0
    assert said in done.stderr if said else "grows" not in done.stderr
