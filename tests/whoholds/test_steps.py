"""With several optimizers in a loop a turn of it is a turn, for any number of steps."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import whoholds
from whoholds.steps import Steps

ROOT = str(Path(__file__).parents[2])


class Optimizer:
    """Stands for one; only who it is counts."""


def seen(schedule):
    """The turns after each step, and the steps with which those end that are left at the end."""
    steps, made = Steps(), {}
    counted = []
    for name in schedule:
        steps.see(made.setdefault(name, Optimizer()))
        counted.append(steps.turns)
    ends = [
        i for i, one in enumerate(steps.marks) if steps.ender in (None, one) and i >= steps.first
    ]
    assert len(ends) == counted[-1]
    return counted, ends


def a_loop(rng):
    """Which optimizers step in one turn: each of them at least once, one of them just once."""
    names = rng.sample("abcd", rng.randint(1, 4))
    once = rng.choice(names)
    return [name for name in names for _ in range(1 if name == once else rng.randint(1, 5))]


@pytest.mark.parametrize("rare", range(15, 40, 5))
def test_one_that_steps_rarely_ends_no_turn(rare):
    counted, _ = seen(("a" * rare + "b") * 3)
    assert counted[-1] == 3 * rare


@pytest.mark.parametrize("many", range(10, 15))
def test_where_one_is_made_anew_for_each_step_each_is_a_turn(many):
    counted, _ = seen(range(many))
    assert counted[-1] == many


@pytest.mark.parametrize("seed", [*range(200), int(os.environ["MINIGRAD_MOVED"])])
def test_there_is_one_turn_for_each_of_the_loop(seed):
    rng = random.Random(seed)
    turn, many = a_loop(rng), rng.randint(3, 12)
    schedule = turn * many
    _, ends = seen(schedule)
    each = [i // len(turn) for i in ends]
    assert each == list(range(each[0], many)) and each[0] < 2, (turn, ends)
    made = max(schedule.index(name) for name in turn)
    assert ends[0] >= made, "what is made in first steps is made before the first turn is over"
    assert {(i - ends[0]) % len(turn) for i in ends} == {0}


@pytest.mark.parametrize("seed", range(50))
def test_what_is_trained_first_alone_is_no_part_of_the_turns(seed):
    rng = random.Random(seed)
    before, after = rng.randint(1, 12), rng.randint(4, 12)
    counted, ends = seen("a" * before + "b" * after)
    assert ends == list(range(before, before + after)) and counted[-1] == after
    _, ends = seen("a" * before + "ab" * after)
    assert ends == [before + 2 * i + 1 for i in range(after)]


def test_one_that_is_made_anew_in_each_turn_is_the_same():
    steps = Steps()
    for turn in range(9):
        one = Optimizer()
        steps.see(one)
        assert steps.over and steps.turns == turn + 1
        del one


GAN = """import torch
torch.manual_seed(0)
G, D = torch.nn.Linear(8, 4), torch.nn.Linear(4, 1)
og, od = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters())
fakes = []
for i in range({turns}):
    for j in range({critic}):
        fake = G(torch.randn(32, 8))
        loss_d = D(fake.detach()).mean() - D(torch.randn(32, 4)).mean()
        od.zero_grad()
        loss_d.backward()
        od.step()
    fake = G(torch.randn(32, 8))
    loss_g = -D(fake).mean()
    og.zero_grad()
    loss_g.backward()
    og.step()
    {keep}
"""


def first(tmp_path, text, *options):
    """The answer of the report, and the lines that tell of growth."""
    path = tmp_path / "gan.py"
    path.write_text(text)
    env = os.environ | {"PYTHONPATH": ROOT}
    done = subprocess.run([sys.executable, "-m", "whoholds", *options, path], env=env, text=True,
                          capture_output=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [row for row in done.stderr.splitlines() if row.startswith(("grows", "Through", "turn"))]


@pytest.mark.parametrize("critic", [1, 3])
@pytest.mark.parametrize("keep", ["fakes.append(fake.detach())", "pass"])
def test_a_pair_of_networks_grows_by_what_each_turn_keeps_and_nothing_else(tmp_path, critic, keep):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    turns = random.choice(range(5, 10))
    text = GAN.format(turns=turns, critic=critic, keep=keep)
    wanted = ["grows: +512 B a turn, held by fakes, made in gan.py:13"] * (keep != "pass")
    assert first(tmp_path, text) == wanted, turns
    steps = str(random.choice(range(4, turns + 1)))
    if keep == "pass" or critic == 1:
        assert first(tmp_path, text, "--steps", steps) == wanted, (turns, steps)


BY_HAND = """import torch
w = torch.ones({size}, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
kept = []
for _ in range(6):
    loss = (w * w).sum()
    loss.backward()
    kept.append(loss)
    {update}
"""


@pytest.mark.parametrize("detail", ["tensor", "line", "module"])
def test_where_no_optimizer_steps_it_is_said_why_no_turns_are_counted(tmp_path, detail):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    said = []
    for update in "w.data.sub_(w.grad)", "opt.step()":
        path = tmp_path / "hand.py"
        path.write_text(BY_HAND.format(size=random.randint(1, 99), update=update))
        done = subprocess.run(
            [sys.executable, "-m", "whoholds", "--steps", "6", "--detail", detail, path],
            env=os.environ | {"PYTHONPATH": ROOT}, text=True, capture_output=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        said.append("no optimizer has stepped" in done.stderr and "grows(step)" in done.stderr)
    assert said == [True, False]


@pytest.mark.parametrize("detail", ["line", "module"])
def test_a_table_has_a_row_for_each_turn(detail):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    nets = [torch.nn.Linear(3, 1) for _ in range(2)]
    both = [torch.optim.Adam(net.parameters()) for net in nets]
    with whoholds.record(engine="torch", detail=detail) as trace:
        for _ in range(8):
            for net, opt in zip(nets, both, strict=True):
                opt.zero_grad()
                net(torch.ones(2, 3)).sum().backward()
                opt.step()
    assert len(trace.turns) == 8
