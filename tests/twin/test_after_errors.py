"""What an operation that was refused, and a backward that failed, leave behind, as in PyTorch."""

import os
import random

import pytest

import minigrad

SEED = int(os.environ["MINIGRAD_MOVED"])


class Held:
    """A mark on a node: whether the node lives can be seen by whether this does."""

    alive: set = set()

    def __init__(self, name):
        self.name = name
        Held.alive.add(name)

    def __del__(self):
        Held.alive.discard(self.name)


def marked(mg):
    class Marked(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x, name):
            ctx.held = Held(name)
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad * 2, None

    return Marked.apply


def failing(mg, apply, draw, size):
    """Some chains of marked nodes side by side; a hook on one of them raises."""
    x = mg.ones(3, requires_grad=True)
    ends, names = [], [f"{n}" for n in range(size)]
    for name in names:
        y = x
        for step in range(draw.randint(1, 3)):
            y = apply(y, f"{name}{'abc'[step]}")
        ends.append(y)

    def refuse(grad):
        raise ValueError("no")

    draw.choice(ends).register_hook(refuse)
    draw.shuffle(ends)
    total = sum(y.sum() for y in ends)
    with pytest.raises(ValueError, match="no"):
        total.backward(retain_graph=draw.random() < 0.5)


def left_behind(mg, seed):
    draw, apply, found = random.Random(seed), marked(mg), []
    for _ in range(draw.randint(1, 3)):
        failing(mg, apply, draw, draw.randint(1, 5))
        found.append(sorted(Held.alive))
    way = draw.choice(["backward", "grad", "refused"])
    y = mg.ones(1, requires_grad=True)
    if way == "backward":
        y.register_hook(lambda grad: found.append(sorted(Held.alive)))
        (y * 2).backward()
    elif way == "grad":
        mg.autograd.grad(y * 2, y)
    else:
        with pytest.raises(RuntimeError, match="does not require grad"):
            mg.ones(1).backward()
    found.append(sorted(Held.alive))
    (y * 2).backward()
    return [*found, sorted(Held.alive)]


@pytest.mark.parametrize("nth", range(60))
def test_what_was_ready_when_a_backward_failed_lives_until_the_next(torch, nth):
    seed = f"{SEED} {nth}"
    expected = left_behind(torch, seed)
    assert expected[-1] == []
    assert left_behind(minigrad, seed) == expected, seed
