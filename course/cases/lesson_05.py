"""Lesson 05: what a second backward needs, and what keeping a graph costs."""

import minigrad as mg
from course.trying import Raised, by_hand, case, measure
from course.trying.behind import is_leafs
from minigrad.core.observer import Observer

from .several import about_wrong_question, by_question

PASSING = "y + 5", "5 - y", "-y", "y.clone()"
SAVING = "y * 5", "y * y", "y.exp()", "y.tanh()"


# --- where_it_stops


def told(f, programs):
    return by_question(f, programs, lambda number, *_: f"program {number} of those tried")


def stop_hint(program, said, right):
    if right is None:
        return "does any old node miss something, and does any call come after that?"
    if said is None:
        return "some step of `before` saved something, and a call has freed it."
    if not isinstance(said, list) or len(said) != 2:
        return "return None, or two numbers: (iteration, place in `before`)."
    if said[0] != right[0]:
        return "which call is the first to free, and which is the next one?"
    return "backward starts at the newest node. Which saver of `before` does it meet first?"


stopping = about_wrong_question(stop_hint)


def mixed(draw, *steps):
    return draw.some(steps, len(steps))


@case("where_it_stops", "one step that saves", draws=5, hint=stopping)
def stops_once(f, draw):
    harmless = [draw.choice(PASSING) for _ in range(3)]
    before = mixed(draw, "y * 5", draw.choice(PASSING), draw.choice(PASSING))
    programs = [
        (one, [draw.choice(PASSING + SAVING)], [False] * draw.int(2, 3))
        for one in (harmless, before)
    ]
    return told(f, programs)


@case("where_it_stops", "several that save", draws=6, hint=stopping)
def stops_first(f, draw):
    programs = []
    for last in ([True], draw.some([False, True], 2)):
        before = mixed(draw, *[draw.choice(SAVING) for _ in "ab"], draw.choice(PASSING))
        programs.append((before, [draw.choice(SAVING)], [False, *last]))
    return told(f, programs)


@case("where_it_stops", "calls that retain", points=2, draws=5, hint=stopping)
def stops_late(f, draw):
    programs = []
    for last in ([False, True], [False]):
        before = mixed(draw, *draw.some(SAVING + PASSING, 2), draw.choice(SAVING))
        programs.append((before, [draw.choice(SAVING)], [True] * draw.int(1, 2) + last))
    before = mixed(draw, "y * 5", draw.choice(PASSING), draw.choice(PASSING))
    programs.append((before, [draw.choice(PASSING)], [True] * draw.int(0, 2) + [False, True]))
    return told(f, draw.some(programs, 3))


@by_hand("where_it_stops", "read the lists")
def stops_by_hand(draw):
    before = [draw.choice(SAVING + PASSING) for _ in range(6)]
    return before, [draw.choice(SAVING)], draw.some([True, False, True, False], 4)


# --- FourLoops


def layer(draw, rows=3):
    w = mg.tensor(draw.array(4, 4), requires_grad=True)
    w.grad = mg.tensor(draw.array(4, 4))
    return mg.tensor(draw.array(rows, 4)), w


def mending(sentence):
    """`sentence`, but for the error that the loop ended in from the start."""

    def hint(got, want):
        if isinstance(got, Raised):
            old = "a second time" in got.text
            return "Which second call walks an old graph? Follow `backward` turn by turn." * old
        return sentence

    return hint


def without_retaining(run, w):
    """The gradient that `run` leaves, and how many nodes a backward has walked again."""
    with Walked() as walked:
        run()
    found = None if w.grad is None else w.grad.tolist()
    return {"gradient": found, "walked again": walked.again}


class Walked(Observer):
    """How often a node ran that had run before; a leaf's may, it keeps nothing."""

    def __init__(self):
        self.again, self._nodes = 0, []  # held, so that none is taken for another

    def visited(self, node):
        if not is_leafs(node):
            self.again += any(node is one for one in self._nodes)
            self._nodes.append(node)


def about_retaining(sentence):
    """For such a value: `sentence` about the gradient."""
    about = mending(sentence)

    def hint(got, want):
        if isinstance(got, dict) and got["walked again"]:
            return RETAINED
        return about(got, want)

    return hint


RETAINED = (
    "A graph was kept and walked twice: `retain_graph` silences the error, and the card asks for "
    "a mend without it."
)


@case(
    "FourLoops",
    "shared: the gradient",
    hint=about_retaining(
        "All targets count, and none of them cuts the trunk off. What can be added up before a "
        "single backward?"
    ),
)
def loops_shared(f, draw):
    x, w = layer(draw)
    targets = [mg.tensor(draw.array(3, 4)) for _ in range(draw.int(2, 5))]
    return without_retaining(lambda: f.shared(x, w, targets), w)


@case(
    "FourLoops",
    "carried: the gradient",
    hint=mending(
        "Each step's gradient shall stop at the `h` that came in, and each step shall count. The "
        "numbers of `h` go on; what must not go on with them?"
    ),
)
def loops_carried(f, draw):
    x, w = layer(draw)
    f.carried(x, w, draw.int(2, 6))
    return w.grad


@case(
    "FourLoops",
    "updated: the weight",
    hint=mending(
        "After an update the old graph belongs to the old `w`. Which line must run again in each "
        "step?"
    ),
)
def loops_updated(f, draw):
    x, w = layer(draw)
    w.grad.zero_()
    f.updated(x, w, draw.int(2, 6))
    return w


@case(
    "FourLoops",
    "doubled: the gradient",
    hint=about_retaining("The gradient of `loss` shall be added to `w.grad` exactly twice."),
)
def loops_doubled(f, draw):
    x, w = layer(draw)
    return without_retaining(lambda: f.doubled(x, w), w)


@case(
    "FourLoops",
    "shared and doubled: matrix products",
    points=2,
    at_most="4",  # one forward and one backward, each; wrong from 10
    needs=("shared: the gradient", "doubled: the gradient"),
    hint="More products than the trunk needs once forward and once backward. What comes back along "
    "it is added up anyway: add before you walk.",
)
def loops_products(f, draw):
    x, w = layer(draw)
    targets = [mg.tensor(draw.array(3, 4)) for _ in range(draw.int(3, 6))]
    return measure(f.shared, x, w, targets).matmuls + measure(f.doubled, x, w).matmuls


@case(
    "FourLoops",
    "carried: bytes at the peak",
    at_most="5.75 U + w",  # right 3 to 4 and w, wrong from 7
    needs=("carried: the gradient",),
    hint="More is alive at once than one step's graph needs. Does anything lead from the new step "
    "to the old?",
)
def loops_bytes(f, draw):
    x, w = layer(draw, draw.int(20, 40))
    return measure(f.carried, x, w, draw.int(6, 9)).at_peak(U=x.nbytes, w=w.nbytes)


# --- price_of_retaining


def loop(draw, retain, then, layers=60, steps=19):
    return draw.int(2, layers), draw.int(2, steps), retain, then


def loop_name(number, layers, steps, retain, then):
    return f"loop {number}, {then.replace('.append(y)', '')}"


def priced(f, loops):
    return by_question(f, loops, loop_name)


AFTER = "after the loop, does a name or list lead to a graph that kept its results?"
HIGH = {  # what was counted that is not there at that moment
    "nothing": "too high: when backward begins, `y` has moved on. What is left of the old graph?",
    "del y": "too high: what has `del y` taken away before the next forward begins?",
    "log": "too high: each graph counts once, and of the gradients those of one moment.",
}


def plain_hint(question, said, right):
    if not isinstance(said, list) or len(said) != 2:
        return "return two numbers, (highest, after)."
    if said[1] != right[1]:
        return AFTER
    return "each node lets go once it has run; while one runs, what is alive beside its result?"


def price_hint(question, said, right):
    then = question.partition(", ")[2]
    if not isinstance(said, list) or len(said) != 2 or said[1] != right[1]:
        return plain_hint(question, said, right)
    if said[0] > right[0]:
        return HIGH[then]
    if then == "nothing":
        return "`y` keeps its old graph until the new one is complete."
    return "during the last backward all results stay. How many gradients are alive beside them?"


pricing = about_wrong_question(price_hint)


@case("price_of_retaining", "plain backwards", hint=about_wrong_question(plain_hint))
def price_plain(f, draw):
    thens = "del y", "nothing", "log.append(y)"
    return priced(f, [loop(draw, False, then, 19, 9) for then in thens])


@case("price_of_retaining", "retained, then dropped", hint=pricing)
def price_dropped(f, draw):
    return priced(f, [loop(draw, True, "del y") for _ in range(2)])


@case("price_of_retaining", "retained, and held", points=2, draws=2, hint=pricing)
def price_held(f, draw):
    return priced(f, [loop(draw, True, then) for then in ("nothing", "log.append(y)")])


WAYS = [
    (retain, then) for retain in (True, False) for then in ("nothing", "del y", "log.append(y)")
]


@by_hand("price_of_retaining", "work the numbers out", of=WAYS, calls=len(WAYS))
def price_by_hand(draw, way):
    retain, then = way
    return loop(draw, retain, then, *() if retain else (19, 9))
