"""What an answer used as scratch, by whatever way it was written; and what the engine has done."""

import random

import numpy as np
import pytest

import minigrad as mg
from course.trying import lines, measure
from course.trying.byhand import Work
from course.trying.witness import Witness

# Of x and its `.grad`, which the case has made: how many of the two were put back as they were,
# and how many gradients have changed more than once.
LENT = {
    "a .grad as scratch": ("x.grad.copy_(x); y = x.grad + 1; x.grad.zero_()", 1, 1),
    "its data": ("x.grad.data.add_(1); x.grad.data.sub_(1)", 1, 1),
    "an argument": ("old = x.clone(); x.zero_(); x.copy_(old)", 1, 0),
    "both": ("old = x.clone(); x.zero_(); x.copy_(old); x.grad.add_(1); x.grad.zero_()", 2, 1),
    "zeros of another sign": ("x.grad.copy_(x); x.grad.fill_(-0.0)", 1, 1),
    "zeros, and then the gradient": ("x.grad.copy_(x); x.grad.zero_(); x.grad.add_(1)", 1, 1),
    "nearly the same numbers": ("old = x.clone(); x.zero_(); x.copy_(old * 1.00001)", 1, 0),
    "a nan on the way": ("old = x.clone(); x.copy_(x * float('nan')); x.copy_(old)", 1, 0),
    "by backward": (
        "x.requires_grad_(); x.backward(x.detach().clone()); x.backward(-x.detach())", 1, 1,
    ),
    "what is too small for the sum": (
        "x.grad.copy_(x * 2.0**-60); y = x.grad * 2.0**60; x.grad.add_(x)", 0, 1,
    ),
    "what is written over by the gradient": ("x.grad.copy_(x); x.grad.copy_(x * x + 1)", 0, 1),
    "by an optimizer": (
        "q = mg.nn.Parameter(x.grad); q.grad = x.clone(); s = mg.optim.SGD([q], 1.0); s.step();"
        "q.grad = -q.grad; s.step()", 1, 1,
    ),
    "by running statistics": (
        "mg.nn.functional.batch_norm(x.view(1, -1).expand(2, -1), x.grad.view(-1),"
        "mg.zeros(x.numel()), training=True, momentum=1.0); x.grad.zero_()", 1, 1,
    ),
    "a gradient that is added": ("x.grad += x", 0, 0),
    "a gradient that comes": ("x.requires_grad_(); (x * x).sum().backward()", 0, 0),
    "a step that begins anew": ("x.grad.fill_(0); x.grad.add_(x)", 0, 0),
    "an update": ("x.mul_(2); x.add_(1)", 0, 0),
    "many small updates": ("for _ in range(9): x.sub_(x * 0.01)", 0, 0),
    "zeros that are zeroed": ("x.grad.zero_(); x.grad.zero_()", 0, 0),
    "its own tensor": ("y = x.clone(); y.zero_(); y.copy_(x)", 0, 0),
}  # fmt: skip


@pytest.mark.parametrize("way", LENT)
def test_what_is_written_and_put_back_was_scratch(way):
    line, back, often = LENT[way]
    names = {"mg": mg}
    exec(compile(f"def f(x):\n    {line}", "cell 1", "exec"), names)
    with lines.own(["cell 1"]), Witness() as witness:
        x = mg.rand(random.randrange(5, 30), random.randrange(5, 30))
        x.grad = mg.zeros(*x.shape)
        measure(names["f"], x)
    assert witness.told()["lent"] == [[back * x.nbytes, often * x.nbytes]]


def test_each_call_begins_with_what_the_case_has_left():
    """It may have cleared what the call before was right to leave."""
    with Witness() as witness:
        x = mg.rand(20)
        x.grad = mg.zeros(20)
        for _ in range(3):
            measure(lambda: x.grad.add_(x))
            x.grad.zero_()
    assert witness.told()["lent"] == [[0, 0]]


def replayed(x):
    step = mg.replay.record(lambda: x.add_(1))
    step()
    return step


def test_a_replay_is_told_with_all_that_it_writes():
    with Witness() as witness:
        x = mg.rand(20)
        step = replayed(x)
        measure(lambda: (step(), x.sub_(1)))
    told = witness.told()
    assert told["lent"] == [[x.nbytes, 0]] and witness.uncounted == 1


def test_no_tensor_of_no_use_is_a_cover_where_products_count():
    def covered():
        held = mg.zeros(100), np.ones(500, "f4")
        _ = [mg.zeros(1) for _ in range(5)]
        del held
        mg.zeros(5000)

    for counts in (False, True):
        with Witness() as witness:
            found = measure(covered)
            assert not counts or found.matmuls == 0
        ((peak, end, beside, _),) = witness.told()["outside"]
        assert max(peak, end) < 96 and 2000 * counts <= beside < 2000 * counts + 96


class Same(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        return gradient


STEPS = {
    "a view": lambda x, loss, step: x[0],
    "a node of one's own": lambda x, loss, step: Same.apply(x),
    "a write": lambda x, loss, step: x.grad.zero_(),
    "a walk": lambda x, loss, step: loss.backward(),
    "a replay": lambda x, loss, step: step(),
}


@pytest.mark.parametrize("way", STEPS)
def test_the_engine_has_run_though_no_byte_is_new(way):
    x = mg.rand(3, requires_grad=True)
    x.grad = mg.zeros(3)
    loss, step = x.sum(), replayed(mg.zeros(3))
    with Work() as work:
        pass
    assert not work.views and not work.steps
    with work:
        STEPS[way](x, loss, step)
    assert work.views or work.steps
