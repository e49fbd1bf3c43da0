"""The case that asks for pencil and paper: an answer that makes a tensor has run the code."""

import functools

from course.trying.banned import without
from course.trying.cases import BY_HAND, case
from course.trying.measure import measure

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
                measured = (measure(f, *arguments(draw, *kind)) for kind in kinds)
                peaks, numbers = zip(*((one.peak, one.births) for one in measured), strict=True)
            peak, births = max(peaks), max(numbers)
            empty = "" if peak or not births else f", in {births} tensors without an element"
            return f"{peak} bytes of tensors made{empty}"

        return arguments

    return add
