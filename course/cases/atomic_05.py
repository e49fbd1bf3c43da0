"""Lesson 05: what a backward that failed leaves behind, and how to leave nothing."""

import minigrad as mg
from course.trying import Raised, any_form, beyond, case, error_of, gone, measure


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


@any_form
def failing(got, want):
    if isinstance(got, Raised):
        return None
    if got[0] == "no error":
        return "The error is the caller's to see: after repairing, `raise` it again."
    if got[0] != want[0]:
        return "The error shall be backward's own: a bare `raise` passes it on as it is."
    if None in got[1:]:
        return "Throwing all gradients away loses what earlier backwards had put there."
    return (
        "A gradient has changed. Backward adds into the bytes of `.grad`: a second name for them "
        "is no copy."
    )


FIRST = ("when nothing fails",)  # to do nothing leaves nothing behind either


@case("all_or_nothing", "when it fails, after a success", points=2, needs=FIRST, hint=failing)
def fails_after(f, draw):
    loss, a, b = two_parts(draw)
    b.grad = mg.tensor(draw.array(2))
    loss.backward()
    return [ended(f, loss, [a, b]), *state(a, b)]


@any_form
def about_none(got, want):
    if isinstance(got, list) and got[0] == want[0]:
        return "Before the failure this leaf's `.grad` was None. So it must be afterwards."
    return failing(got, want)


@case("all_or_nothing", "a leaf that had no gradient", invariant=True, hint=about_none)
def fails_first(f, draw):
    loss, a, b = two_parts(draw)
    mg.autograd.grad(loss, [a])  # uses up the part with a
    return [ended(f, loss, [a, b]), *state(a, b)]


@any_form
def about_two(got, want):
    if isinstance(got, Raised):
        return None
    if None in got:
        return "A leaf ended without a `.grad`."
    if got[0] == got[1]:
        return (
            "Two leaves ended with one tensor as their `.grad`: the next backward would add to "
            "both. Each leaf needs bytes of its own."
        )
    return None


@case("all_or_nothing", "two leaves, two gradients", hint=about_two)
def apart(f, draw):
    a, b = (mg.tensor(draw.array(2), requires_grad=True) for _ in range(2))
    f((a + b).tanh().sum(), [a, b])
    a.grad += 1
    return state(a, b)


@any_form
def about_second(got, want):
    if isinstance(got, list) and got[0] == "no error":
        return (
            "A plain `loss.backward()` uses its graph up, so a second call raises. Which option of "
            "yours keeps the graph?"
        )
    return failing(got, want)


@case("all_or_nothing", "when it is called a second time", needs=FIRST, hint=about_second)
def called_twice(f, draw):
    loss, a, b = two_parts(draw)
    f(loss, [a, b])
    return [ended(f, loss, [a, b]), *state(a, b)]


@case(
    "all_or_nothing",
    "bytes left by a failure",
    cost=True,
    needs=("when it fails, after a success",),
    hint=beyond(
        "Something of your call outlives it: a copy, a gradient, or a name outside the function.",
        "Fewer bytes are alive than before: a gradient that somebody had is gone.",
    ),
)
def nothing_left(f, draw):
    """One of three fails, nobody knows which: what is in `.grad` after each is witnessed."""
    losses = []
    for fails in draw.some([True, False, False], 3):
        loss, a, b = two_parts(draw, shape=(4, 5))
        a.grad, b.grad = mg.tensor(draw.array(4, 5)), mg.tensor(draw.array(4, 5))
        if fails:
            loss.backward()
        losses.append((loss, [a, b]))
    replaced = gone(*(leaf.grad for _, leaves in losses for leaf in leaves))  # by newborn ones

    def change():
        for loss, leaves in losses:
            error_of(f, loss, leaves)

    return measure(change).kept - replaced()


@case(
    "all_or_nothing",
    "bytes at the peak",
    at_most="2 leaves",  # right 1.2 to 1.4, wrong from 3.3
    needs=("when nothing fails", "when it fails, after a success"),
    hint="One more tensor for each leaf is enough, be it a copy or a new gradient. What else is "
    "alive at that line?",
)
def no_more(f, draw):
    leaves = [mg.tensor(draw.array(8, 8), requires_grad=True) for _ in range(6)]
    for leaf in leaves:
        leaf.grad = mg.tensor(draw.array(8, 8))
    loss = sum((leaf * leaf).sum() for leaf in leaves)
    return measure(f, loss, leaves).at_peak(leaves=sum(leaf.nbytes for leaf in leaves))
