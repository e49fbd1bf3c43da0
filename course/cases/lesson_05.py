"""Lesson 05: what a second backward needs, what keeping it costs, and what a failed one leaves."""

import minigrad as mg
from course.grade import by_hand, case, error_of, measure

from .several import about_first_wrong, answered

PASSING = "y + 5", "5 - y", "-y", "y.clone()"
SAVING = "y * 5", "y * y", "y.exp()", "y.tanh()"


# --- where_it_stops


def text(before, inside, retain):
    lists = [", ".join(step.replace(" ", "") for step in steps) for steps in (before, inside)]
    kept = ", ".join("yes" if keep else "no" for keep in retain)
    return "before: {}; inside: {}; retain: {}".format(*lists, kept)


def told(f, programs):
    return answered(f, programs, text)


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


stopping = about_first_wrong(stop_hint)


@case("where_it_stops", "one step that saves", hint=stopping)
def stops_once(f, draw):
    before = [*draw.some(PASSING, 2), draw.choice(SAVING), draw.choice(PASSING)]
    inside = draw.choice(PASSING + SAVING), draw.choice(PASSING + SAVING)
    harmless = draw.some(PASSING, 3), [draw.choice(SAVING)], [False] * draw.int(2, 9)
    return told(f, [harmless, (before, list(inside), [False] * draw.int(2, 9))])


@case("where_it_stops", "several that save", hint=stopping)
def stops_first(f, draw):
    programs = []
    for _ in range(3):
        before = [draw.choice(SAVING), draw.choice(PASSING), *draw.some(SAVING + PASSING, 2)]
        programs.append((before, [draw.choice(SAVING)], [False, draw.choice([False, True])]))
    return told(f, programs)


@case("where_it_stops", "calls that retain", points=2, hint=stopping)
def stops_late(f, draw):
    late = [True] * draw.int(1, 5)
    steps = [draw.some(SAVING + PASSING, 3) + [draw.choice(SAVING)] for _ in range(3)]
    programs = [
        (steps[0], [draw.choice(SAVING)], [*late, False, True, False]),
        (steps[1], [draw.choice(SAVING)], [*late, False]),
        (steps[2], [draw.choice(PASSING)], [False, *late]),
    ]
    return told(f, programs)


@by_hand("where_it_stops", "read the lists")
def stops_by_hand(draw):
    before = [draw.choice(SAVING + PASSING) for _ in range(6)]
    return before, [draw.choice(SAVING)], draw.some([True, False, True, False], 4)


# --- FourLoops


def layer(draw, rows=3):
    w = mg.tensor(draw.array(4, 4), requires_grad=True)
    w.grad = mg.tensor(draw.array(4, 4))
    return mg.tensor(draw.array(rows, 4)), w


@case(
    "FourLoops",
    "shared: the gradient",
    hint="All targets count, and none of them cuts the trunk off. What can be added up before a "
    "single backward?",
)
def loops_shared(f, draw):
    x, w = layer(draw)
    f.shared(x, w, [mg.tensor(draw.array(3, 4)) for _ in range(draw.int(2, 5))])
    return w.grad


@case(
    "FourLoops",
    "carried: the gradient",
    hint="Each step's gradient shall stop at the `h` that came in, and each step shall count. The "
    "numbers of `h` go on; what must not go on with them?",
)
def loops_carried(f, draw):
    x, w = layer(draw)
    f.carried(x, w, draw.int(2, 6))
    return w.grad


@case(
    "FourLoops",
    "updated: the weight",
    hint="After an update the old graph belongs to the old `w`. Which line must run again in each "
    "step?",
)
def loops_updated(f, draw):
    x, w = layer(draw)
    w.grad.zero_()
    f.updated(x, w, draw.int(2, 6))
    return w


@case(
    "FourLoops",
    "doubled: the gradient",
    hint="The gradient of `loss` shall be added to `w.grad` exactly twice.",
)
def loops_doubled(f, draw):
    x, w = layer(draw)
    f.doubled(x, w)
    return w.grad


@case(
    "FourLoops",
    "shared and doubled: matrix products",
    points=2,
    at_most=1.0,
    hint="The trunk ran forward or backward more often than once. What comes back along it is "
    "added up anyway: add before you walk.",
)
def loops_products(f, draw):
    x, w = layer(draw)
    targets = [mg.tensor(draw.array(3, 4)) for _ in range(draw.int(3, 6))]
    return measure(f.shared, x, w, targets).matmuls + measure(f.doubled, x, w).matmuls


@case(
    "FourLoops",
    "carried: bytes at the peak",
    at_most=1.5,
    hint="More than one step's graph is alive at once. What leads from the new step to the old?",
)
def loops_bytes(f, draw):
    x, w = layer(draw, draw.int(20, 40))
    found = measure(f.carried, x, w, draw.int(6, 9))
    return found.at_peak(found.peak)


# --- price_of_retaining


def loop(draw, retain, then):
    return draw.int(2, 12), draw.int(2, 9), retain, then


def loop_text(layers, steps, retain, then):
    return f"layers={layers}, steps={steps}, retain={retain}, then {then}"


def priced(f, loops):
    return answered(f, loops, loop_text)


def price_hint(program, said, right):
    if not isinstance(said, list) or len(said) != 2:
        return "return two numbers, (highest, after)."
    if said[1] != right[1]:
        return "after the loop, does a name or list lead to a graph that kept its results?"
    if "retain=False" in program:
        return "each node lets go once it has run; while one runs, what is alive beside its result?"
    if "nothing" in program:
        return "`y` keeps its old graph until the new one is complete."
    return "during the last backward all results stay. How many gradients are alive beside them?"


pricing = about_first_wrong(price_hint)


@case("price_of_retaining", "plain backwards", hint=pricing)
def price_plain(f, draw):
    return priced(
        f, [loop(draw, False, then) for then in ("del y", "nothing", "log.append(y)", "nothing")]
    )


@case("price_of_retaining", "retained, then dropped", hint=pricing)
def price_dropped(f, draw):
    return priced(f, [loop(draw, True, "del y") for _ in range(4)])


@case("price_of_retaining", "retained, and held", points=2, hint=pricing)
def price_held(f, draw):
    held = [loop(draw, True, "nothing") for _ in range(2)]
    return priced(f, held + [loop(draw, True, "log.append(y)") for _ in range(2)])


@case(
    "price_of_retaining",
    "worked out by hand",
    hint="Your function made tensors: work the numbers out instead.",
)
def price_by_hand(f, draw):
    loops = [loop(draw, True, draw.choice(("nothing", "del y", "log.append(y)"))) for _ in "abcd"]
    return sum(measure(f, *one).peak for one in loops)


# --- all_or_nothing


def two_parts(draw, product_first=True, shape=(2,)):
    """(loss, a, b): the part with `a` saves something, the part with `b` does not."""
    a, b = (mg.tensor(draw.array(*shape), requires_grad=True) for _ in range(2))
    if product_first:
        return (a * a).sum() + b.sum(), a, b
    return b.sum() + (a * a).sum(), a, b


def state(*leaves):
    return [None if leaf.grad is None else leaf.grad.tolist() for leaf in leaves]


def ended(f, *arguments):
    error = error_of(f, *arguments)
    return "backward's own error" if "a second time" in error else error


@case(
    "all_or_nothing",
    "when nothing fails",
    hint="Gradients are added to those that were there, leaf by leaf; a leaf that had none gets "
    "its first.",
)
def nothing_fails(f, draw):
    loss, a, b = two_parts(draw, draw.choice((True, False)))
    a.grad = mg.tensor(draw.array(2))
    f(loss, [a, b])
    return state(a, b)


def failing(got, want):
    if isinstance(got, list) and got[0] == "no error":
        return "The error is the caller's to see: after repairing, `raise` it again."
    if got is None or isinstance(got, list) and got[0] != want[0]:
        return "The error shall be backward's own: a bare `raise` passes it on as it is."
    if isinstance(got, list) and None in got[1:]:
        return "Throwing all gradients away loses what earlier backwards had put there."
    return (
        "A gradient has changed. Backward adds into the bytes of `.grad`: a second name for them "
        "is no copy."
    )


@case("all_or_nothing", "when it fails, after a success", points=2, hint=failing)
def fails_after(f, draw):
    loss, a, b = two_parts(draw)
    b.grad = mg.tensor(draw.array(2))
    loss.backward()
    return [ended(f, loss, [a, b]), *state(a, b)]


@case(
    "all_or_nothing",
    "a leaf that had no gradient",
    hint="Before the failure this leaf's `.grad` was None. So it must be afterwards.",
)
def fails_first(f, draw):
    loss, a, b = two_parts(draw)
    mg.autograd.grad(loss, [a])  # uses up the part with a
    return [ended(f, loss, [a, b]), *state(a, b)]


@case(
    "all_or_nothing",
    "two leaves, two gradients",
    hint="Two leaves ended with one tensor as their `.grad`, or with none: the next backward would "
    "add to both. Each leaf needs bytes of its own.",
)
def apart(f, draw):
    a, b = (mg.tensor(draw.array(2), requires_grad=True) for _ in range(2))
    f((a + b).tanh().sum(), [a, b])
    a.grad += 1
    return state(a, b)


@case(
    "all_or_nothing",
    "bytes left by a failure",
    hint="Something of your call outlives it: a copy, a gradient, or a name outside the function.",
)
def nothing_left(f, draw):
    loss, a, b = two_parts(draw, shape=(4, 5))
    a.grad, b.grad = mg.tensor(draw.array(4, 5)), mg.tensor(draw.array(4, 5))
    loss.backward()

    def change():
        before = mg.memory_allocated()
        error_of(f, loss, [a, b])
        return mg.memory_allocated() - before

    return measure(change).value


@case(
    "all_or_nothing",
    "bytes at the peak",
    at_most=1.5,
    hint="One more tensor for each leaf is enough, be it a copy or a new gradient. What else is "
    "alive at that line?",
)
def no_more(f, draw):
    leaves = [mg.tensor(draw.array(8, 8), requires_grad=True) for _ in range(6)]
    for leaf in leaves:
        leaf.grad = mg.tensor(draw.array(8, 8))
    found = measure(f, sum((leaf * leaf).sum() for leaf in leaves), leaves)
    return found.at_peak(found.peak)
