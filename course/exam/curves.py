"""Eight curves, each the bytes of a program that really ran, and the program each belongs to.

An answer is found, not typed: all programs run, also those that are only wrong options, and exactly
one gives the curve that is shown. Refuses to know what a right answer would look like.
"""

import gc
from functools import cache

import minigrad

from . import loops, nets
from .gallery import Gallery
from .snippets import collecting_later

NET, TWIN, LOOP = "Residual net: ", "Reversible net: ", "Loop: "
PROGRAMS = {
    NET + "everything stored": nets.stored,
    NET + "a checkpoint every 2 blocks": nets.every_two,
    NET + "a checkpoint every 3 blocks": nets.every_three,
    NET + "one checkpoint around all 6 blocks": nets.all_at_once,
    TWIN + "one Function for the chain, which saves its output": nets.reversible,
    TWIN + "the chain as a Function, and a list of each block's pair": nets.with_a_list,
    TWIN + "the chain, rebuilt without `detach`, with `retain_graph=True`": nets.undetached,
    TWIN + "blocks simply called, no Function": nets.without_function,
    LOOP + "`loss.backward()`": loops.turns,
    LOOP + "`loss.backward(retain_graph=True)`": loops.retained,
    LOOP + "`loss.backward()`, then `losses.append(loss)`": loops.losses_walked,
    LOOP + "no backward, `losses.append(loss)`": loops.losses_unwalked,
    LOOP + "`h.sum().backward()`, then `outs.append(h.detach())`": loops.outputs_detached,
    LOOP + "`h = f(h)`, `h.sum().backward(retain_graph=True)`": loops.carried_on,
    LOOP + "`h = f(h)`, `h.sum().backward()`, `h = h.detach()`": loops.carried_cut,
}
SHOWN = (
    loops.losses_unwalked,
    nets.every_two,
    loops.retained,
    nets.with_a_list,
    nets.stored,
    nets.reversible,
    nets.undetached,
    loops.carried_on,
)


class Notes(list):
    """The bytes alive at each call, counted from `start`."""

    def __init__(self, engine):
        super().__init__()
        self.engine, self.base = engine, 0

    def start(self):
        self.base = self.engine.memory_allocated()

    def __call__(self):
        self.append(self.engine.memory_allocated() - self.base)


def measure(program, engine=minigrad):
    """The bytes that `program` notes."""
    notes = Notes(engine)
    with collecting_later():
        program(engine, notes)
    return list(notes)


@cache
def all_measured():
    """{program: the bytes it notes}; what the programs left in rings is cleared away."""
    found = {program: measure(program) for program in PROGRAMS.values()}
    gc.collect()
    return found


def curve(number):
    """Curve `number` of the exam: (label, bytes) at each moment; the labels say nothing."""
    return [
        (str(moment), alive) for moment, alive in enumerate(all_measured()[SHOWN[number - 1]], 1)
    ]


def gallery():
    """All curves of the exam, side by side."""
    return Gallery({str(n): curve(n) for n in range(1, len(SHOWN) + 1)})


def whose(number):
    """The title of the one program whose bytes are curve `number`."""
    wanted = [alive for _, alive in curve(number)]
    (title,) = [title for title, one in PROGRAMS.items() if all_measured()[one] == wanted]
    return title
