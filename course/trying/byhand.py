"""The case that asks for pencil and paper: an answer that makes a tensor has run the code.

A view is one, too, and a node of one's own that gives a view of a tensor of the set-up's records a
real graph without a byte. So whatever the engine does counts, and not only what it stores.
"""

import functools

from course.trying.banned import without
from course.trying.cases import BY_HAND, case
from course.trying.measure import measure
from minigrad.core.observer import Observer

CALLS = 4  # an answer that is one of a few shall not be guessed in all of them
HINT = "Your function made tensors: {} instead."


def by_hand(exercise, instead, *bans, of=(), calls=CALLS):
    """Make that case out of a function of `draw` that gives the arguments of one of the calls; it
    is given another one `of` these in each.

    `instead` ends the hint: "Your function made tensors: ... instead." `bans` are (package, what
    the card calls that) of what could run the code without a tensor.
    """

    def add(arguments):
        @case(exercise, BY_HAND, cost=True, hint=HINT.format(instead))
        @functools.wraps(arguments)
        def run(f, draw):
            with without(*bans):
                kinds = [
                    of[number % len(of) : number % len(of) + 1] if of else ()
                    for number in range(calls)
                ]
                found = [_work(f, arguments(draw, *kind)) for kind in kinds]
            peak, *others = map(max, zip(*found, strict=True))
            kinds_of_work = zip(WITHOUT_BYTES, others, strict=True)
            more = (said.format(number) for said, number in kinds_of_work if number)
            return f"{peak} bytes of tensors made{'' if peak else next(more, '')}"

        return arguments

    return add


WITHOUT_BYTES = (
    ", in {} tensors without an element",
    ", and {} that look at the bytes of others",
    ", and {} steps of the engine",
)


def _work(function, arguments):
    """Of a call: bytes at the peak, storages, and what the engine did without any."""
    with Work() as work:
        measured = measure(function, *arguments)
    return measured.peak, measured.births, work.views, work.steps


class Work(Observer):
    """How many tensors were made on bytes of others, and how often the engine ran at all."""

    def __init__(self):
        self.views = self.steps = 0

    def made(self, tensor, owns):
        self.views += not owns

    def written(self, tensor):
        self.steps += 1

    def computed(self, op, gradients=None):
        self.steps += 1

    def recorded(self, node, out, inputs):
        self.steps += 1

    def started(self, roots, keep_graph):
        self.steps += 1

    def replayed(self, replay):
        self.steps += 1
