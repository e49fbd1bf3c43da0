"""Lesson 08: a test for leaks that a learner writes, tried on loops that leak or do not."""

from collections import deque

import minigrad as mg
from course.trying import any_form, case, measure

from .lesson_08 import weight

# --- leaks


def layer(draw, ready=False):
    """A net; `ready` if its gradient is there before the first call."""
    x, w = mg.tensor(draw.array(draw.int(5, 30), 4)), weight(draw, 4, 4)
    w.grad = mg.zeros(4, 4) if ready else None
    return lambda h=x: (h @ w).tanh()


def collects(keep, backward, most=None, ready=False):
    """(draw) -> a loop that keeps keep(out, loss) of each iteration, or of the last `most`."""

    def make(draw):
        net = layer(draw, ready)

        def loop(n):
            kept: deque = deque(maxlen=most)
            for _ in range(n):
                out = net()
                loss = out.sum()
                if backward:
                    loss.backward()
                kept.append(keep(out, loss))
            return kept

        return loop

    return make


def hidden_list(draw):
    net = layer(draw)
    log: list = []

    def loop(n):
        log.extend(net().detach() for _ in range(n))

    return loop


def carried(draw, cut=False):
    net = layer(draw)

    def loop(n):
        h = net()
        for _ in range(n):
            h = net(h)
            h.sum().backward(retain_graph=True)
            h = h.detach() if cut else h
        return h

    return loop


def keeps_last(draw):
    net, kept = layer(draw), {}

    def loop(n):
        for _ in range(n):
            kept["last"] = net()

    return loop


def many_at_once(draw):
    net = layer(draw)

    def loop(n):
        graphs = [net() for _ in range(n)]
        graphs.clear()

    return loop


GROWING = {
    "appends each loss of a validation": collects(lambda out, loss: loss, backward=False),
    "keeps its outputs, detached": collects(lambda out, loss: out.detach(), backward=True),
    "hides a list that it does not return": hidden_list,
    "carries a retained state": carried,
}
FIRST = "appends each loss after backward, and makes a `.grad` in its first call"
FOUR_BYTES = {
    "appends each loss after backward": collects(lambda out, loss: loss, True, ready=True),
    FIRST: collects(lambda out, loss: loss, backward=True),
}
FLAT = {
    "logs numbers": collects(lambda out, loss: loss.item(), backward=True),
    "keeps its last five outputs": collects(lambda out, loss: out, backward=True, most=5),
    "keeps the last graph": keeps_last,
    "carries a state, and cuts it": lambda draw: carried(draw, cut=True),
    "makes many graphs, and lets them go": many_at_once,
}


def verdicts(f, draw, makers):
    return {name: f(make(draw)) for name, make in makers.items()}


ONCE = "Something is made only once, at the first call: warm up first."
INSTEAD = {
    FIRST: ONCE,
    "makes many graphs, and lets them go": "It cried wolf: count what is alive afterwards, not "
    "the peak.",
}


def judged(sentence):
    @any_form
    def hint(got, want):
        if isinstance(got, dict) and not all(isinstance(v, bool) for v in got.values()):
            return "Return True or False."
        if not isinstance(got, dict):
            return None
        name = next(name for name in {**FOUR_BYTES, **want} if got.get(name) != want.get(name))
        return f"{INSTEAD.get(name, sentence)} Look at the loop that {name}."

    return hint


@case(
    "leaks",
    "loops whose memory grows",
    points=2,
    hint=judged(
        "A leak was missed. Hold what the loop returns, and count what is alive, not the peak."
    ),
)
def leaks_growing(f, draw):
    return verdicts(f, draw, GROWING)


@case(
    "leaks",
    "a leak of 4 bytes",
    hint=judged("A small leak was missed: compare two runs exactly, without a tolerance."),
)
def leaks_small(f, draw):
    return verdicts(f, draw, FOUR_BYTES)


@case(
    "leaks",
    "loops that keep much, and no more with each iteration",
    points=2,
    hint=judged(
        "It cried wolf: what is made in the first call, or kept in a bounded number, is no leak. "
        "Warm up, then compare two runs."
    ),
)
def leaks_flat(f, draw):
    return verdicts(f, draw, FLAT)


@case(
    "leaks",
    "bytes that the test itself leaves behind",
    at_most="0",
    needs=("loops whose memory grows",),
    hint="Bytes are left after your test: does it still hold what a loop returned?",
)
def leaks_left(f, draw):
    loop = GROWING["keeps its outputs, detached"](draw)
    loop(1)
    found = measure(f, loop)
    return found.at_end(found.left())
