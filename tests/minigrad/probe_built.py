"""Probes of what is built on the engine: a replay, and a reversible chain."""

import weakref

from probing import equal, leaf, live, mg, refuses  # fmt: skip

Block, Chain = mg.reversible.ReversibleBlock, mg.reversible.ReversibleSequential


def step_of(w):
    def step(x):
        loss = (x * w * w).sum()
        loss.backward()
        return loss

    return step


def slope(w, x):
    """What a replay must give as the gradient of w."""
    return (2 * w.detach() * x).tolist()


def check_a_replay_gives_the_gradient_of_new_data():
    w, x = leaf(), mg.ones(100)
    w.grad = mg.ones(100)
    step = mg.replay.record(step_of(w))
    step(x)
    equal(w.grad.tolist(), [3.0] * 100)
    w.grad = None
    step(x * 3)
    equal(w.grad.tolist(), slope(w, x * 3))


def check_a_second_replay_adds_and_counts_a_version():
    w, x = leaf(), mg.ones(100)
    step = mg.replay.record(step_of(w))
    step(x)
    step(x)
    before, grad = w.grad._version, w.grad
    step(x)
    equal((grad.tolist(), grad._version > before), ([6.0] * 100, True))


def check_a_replay_that_is_compared_leaves_an_older_gradient_out():
    w, x = leaf(), mg.ones(100)
    step = mg.replay.record(step_of(w), check=1)
    for n in (1, 2, 3):
        step(x)
        equal(w.grad.tolist(), [2.0 * n] * 100)


def check_what_a_recording_writes_outside_counts_a_version():
    total, x = mg.zeros(100), mg.ones(100)

    def add(x):
        total.add_(x)
        return x * 2

    step = mg.replay.record(add)
    step(x)
    before = total._version
    step(x)
    equal((total.tolist(), total._version > before), ([2.0] * 100, True))


def check_a_result_that_nobody_holds_takes_no_bytes_along():
    step, x = mg.replay.record(lambda x: x * 2 + 1), mg.ones(100)
    gone = weakref.ref(step(x))
    assert gone() is None
    before = live()
    for _ in range(3):
        step(x)
    equal(live(), before)
    kept = step(x)
    equal((step(x * 2).tolist(), kept.tolist()), ([5.0] * 100, [3.0] * 100))


def check_a_recording_that_failed_is_no_recording():
    def positive(x):
        if x.shape[0] == 2:
            raise ValueError("two")
        return x * 2

    step = mg.replay.record(positive, on_change="record")
    step(mg.ones(3))
    for _ in range(2):
        refuses("two", lambda: step(mg.ones(2)), ValueError)
    equal(mg.ones(2).tolist(), [1.0, 1.0])


def halves(depth, function):
    linear = [(mg.nn.Linear(4, 4), mg.nn.Linear(4, 4)) for _ in range(depth)]
    return Chain(*[Block(function(f), function(g)) for f, g in linear])


class Writes(mg.nn.Module):
    def __init__(self, inner):
        self.inner = inner

    def forward(self, u):
        return self.inner(u.mul_(2))


def check_a_chain_keeps_its_input_output_and_nothing_else():
    chain, x = halves(3, lambda f: f), mg.rand(5, 8)
    before = live()
    y = chain(x)
    equal(live() - before, y.nbytes)
    y.sum().backward()
    assert all(p.grad is not None for p in chain.parameters())


def check_a_function_that_writes_into_its_stream_is_refused():
    refuses("changed its input in place", lambda: halves(1, Writes)(mg.rand(5, 8)))
