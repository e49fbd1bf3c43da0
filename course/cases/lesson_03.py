"""Lesson 03: the order of the walk, where gradients stay, and a backward written by hand."""

import minigrad as mg
from course.trying import Raised, any_form, by_hand, case, differs, measure, naming

from .several import along, of_lines

# --- backward_order

LEAVES = "abc"


def random_lines(draw, count):
    """Lines that use earlier ones, and at most one leaf each."""
    lines = [("p1", draw.choice(LEAVES))]
    for i in range(2, count + 1):
        old = [name for name, *_ in lines]
        earlier, leaves = draw.choice(((0, 1), (1, 0), (2, 0), (1, 1)))
        inputs = [draw.choice(old) for _ in range(earlier)]
        inputs += [draw.choice(LEAVES) for _ in range(leaves)]
        lines.append((f"p{i}", *inputs))
    return lines


def joined(lines):
    """The same lines, with sums at the end, so that every line is used."""
    lines, used = list(lines), {one for _, *inputs in lines for one in inputs}
    unused = [name for name, *_ in lines if name not in used]
    while len(unused) > 1:
        lines.append((f"s{len(lines) + 1}", unused.pop(0), unused.pop(0)))
        unused.append(lines[-1][0])
    return lines


def in_order(got, want):
    if isinstance(got, Raised):
        return None
    if len(set(got)) < len(got):
        return "A name is there twice: a node waits for all its consumers, and runs once."
    if set(got) - set(want):
        return (
            "A name too many: a node that cannot be reached from the last line gets no gradient "
            "from anybody, and does not run."
        )
    if set(want) - set(got):
        return "A node is missing: lines on the way to the root, and leaves that they use."
    first = next(pair for pair in zip(got, want, strict=True) if pair[0] != pair[1])
    if set(first) & set(LEAVES):
        return (
            "A leaf's AccumulateGrad jumps the queue: it runs right after the last of its "
            "consumers, not at its own line and not at the end."
        )
    return "Of the nodes that are ready, the one of the latest line runs first."


@case("backward_order", "every line is used", points=2, draws=3, hint=in_order)
def order_joined(f, draw):
    return f(joined(random_lines(draw, 8)))


@case("backward_order", "some lines lead nowhere", points=2, draws=5, hint=in_order)
def order_with_dead(f, draw):
    lines = random_lines(draw, 8)
    chosen = draw.some([name for name, *_ in lines], 2)
    return f([*lines, ("d1", "a"), ("d2", "d1", "c"), ("end", *chosen)])


@by_hand("backward_order", "go by the rules")
def order_by_hand(draw):
    return (joined(random_lines(draw, 8)),)


# --- grads_and_bytes

LINES = (
    "`b = a * p`: how many elements, of 4 bytes each?",
    "`c = b * b`: one new result; what its node keeps was there before.",
    "`c.retain_grad()` is a wish. Is there a gradient yet?",
    "`del b`: one arrow goes. Which node still leads to b?",
    "The first backward: the node of `b * b` lets go of b. Which gradients stay: those of a leaf, "
    "and those that were asked for?",
    "`kept = a.grad`: a name. Does it copy?",
    "The second backward finds a gradient in `a.grad`. Where does it put its own?",
    "`a.grad = None` turns one arrow. Who else leads to these bytes?",
    "The third backward finds `a.grad` empty.",
)
UNNAMED = "4 bytes too many: a sum has them while its line runs. Who names it afterwards?"


PAIR = "Return a pair: a list of nine numbers of bytes, and a list of three values."


@of_lines(LINES)
def about_bytes(got, want):
    pairs = zip(got, want, LINES, strict=True)
    found, right, line = next(three for three in pairs if three[0] != three[1])
    return UNNAMED if found == right + 4 else line


def drawn(draw):
    """Sizes so small that nine numbers of bytes fit into a line of the table."""
    return draw.int(2, 24), draw.int(2, 24), draw.int(2, 99), draw.int(2, 99)


@case("grads_and_bytes", "bytes, lines 1 to 9", points=3, hint=about_bytes, returns=PAIR)
def grads_bytes(f, draw):
    found = f(*drawn(draw))
    return list(found[0]) if len(found) == 2 else found


VALUES = (
    "`kept`: is the second walk in it? It was added in place, into the bytes of the first.",
    "`a.grad`: it was emptied before the third walk.",
    "`c.grad`: only the walk that went through c.",
)
about_values = naming("kept", "a.grad", "c.grad")(along(VALUES))


@case("grads_and_bytes", "kept, a.grad and c.grad", points=2, hint=about_values, returns=PAIR)
def grads_values(f, draw):
    found = f(*drawn(draw))
    return list(found[1]) if len(found) == 2 else found


@by_hand("grads_and_bytes", "work it out from the sizes")
def grads_by_hand(draw):
    return drawn(draw)


# --- mean_gradient


def training(draw):
    """(w, parts)."""
    inputs = draw.int(3, 5)
    w = mg.tensor(draw.array(inputs, draw.int(4, 6)), requires_grad=True)
    rows = draw.int(16, 24)
    return w, [mg.tensor(draw.array(rows, inputs)) for _ in range(draw.int(5, 7))]


def flat(rows):
    return [value for row in rows for value in row]


def is_multiple(got, want):
    """Whether one matrix is the other, times a number."""
    ratios = [one / other for one, other in zip(flat(got), flat(want), strict=True) if other]
    return max(ratios) - min(ratios) < 1e-2 * abs(max(ratios))


def about_mean(got, want):
    if isinstance(got, Raised):
        return None
    if is_multiple(got, want):
        return (
            "Your gradient is a multiple of the right one. How often does a walk go through each "
            "part, and with which share of the mean?"
        )
    return (
        "That is not the gradient of the mean of all parts. What is in `w.grad` when each walk "
        "begins?"
    )


@case(
    "mean_gradient",
    "the gradient",
    hint=about_mean,
    what="w.grad",
    returns="Has any backward reached w?",
)
def mean_value(f, draw):
    w, parts = training(draw)
    f(w, parts)
    return w.grad if w.grad is None else w.grad.tolist()


@case(
    "mean_gradient",
    "the mean",
    given=True,
    hint="Return the mean of the losses, a Python float.",
    exact=True,
)
def mean_loss(f, draw):
    return f(*training(draw))


@naming("kept", "w.grad")
def about_old(got, want):
    if isinstance(got, Raised):
        return None
    if differs(got[1], want[1]):
        both = [
            [one + 1 * old for one, old in zip(*rows, strict=True)]
            for rows in zip(*want, strict=True)
        ]
        if not differs(got[1], both):
            return "The old gradient is in the new one: no backward empties `.grad`."
        return "That is not the gradient of the mean alone: what was in `.grad` before?"
    return "The kept gradient has changed: you wrote into its bytes. Turn the arrow `w.grad`."


@case("mean_gradient", "with an old gradient that somebody has kept", points=2, hint=about_old)
def mean_with_old(f, draw):
    w, parts = training(draw)
    w.grad = kept = mg.full(w.shape, float(draw.int(1, 9)))
    f(w, parts)
    return [kept.tolist(), w.grad if w.grad is None else w.grad.tolist()]


@case(
    "mean_gradient",
    "bytes at the peak",
    points=2,
    at_most="6.5 U + w",  # right 3 to 4 and w, wrong from 8
    needs=("the gradient",),
    hint="At that line more is alive than one part needs: the graph of another part, a copy, or "
    "a result that no node saves. Which name of yours holds it?",
)
def mean_peak(f, draw):
    w, parts = training(draw)
    return measure(f, w, parts).at_peak(U=4 * len(parts[0]) * w.shape[1], w=w.nbytes)


# --- net_by_hand


def net(draw):
    """(x, w1, w2); the hidden layer is by far the largest tensor."""
    rows, inputs, hidden, outputs = (draw.int(*r) for r in ((30, 40), (4, 6), (16, 20), (2, 3)))
    w1 = mg.tensor(draw.array(inputs, hidden), requires_grad=True)
    w2 = mg.tensor(draw.array(hidden, outputs), requires_grad=True)
    return mg.tensor(draw.array(rows, inputs)), w1, w2


ENGINE, NO_PRODUCT = "the engine's backward ran", "minigrad made no product of matrices"
BY_ENGINE = "The engine ran: no `backward` and no `grad` here. Hand each gradient on yourself."


BY_NUMPY = "minigrad made no product. Compute with its tensors: nobody counts what NumPy holds."


@any_form
@naming("loss", "grad_w1", "grad_w2")
def about_gradient(got, want):
    if got in (ENGINE, NO_PRODUCT):
        return BY_ENGINE if got == ENGINE else BY_NUMPY
    if not isinstance(got, Raised) and (not isinstance(got, list) or len(got) != 3):
        return None
    if isinstance(got, Raised) and ("shape" in got.text or "match" in got.text):
        return (
            "Shapes do not fit: a product hands on g @ b.T to the left and a.T @ g to the right. "
            "Which is a, which is b?"
        )
    if isinstance(got, Raised):
        return None
    if differs(got[0], want[0]):
        return "Begin with the forward: the loss is not yet right."
    return about_factor(got, want)


def about_factor(got, want):
    wrong = [name for name, one, other in zip(("w1", "w2"), got[1:], want[1:], strict=True)
             if differs(one, other)]  # fmt: skip
    if "w2" in wrong and is_multiple(got[2], want[2]):
        return (
            "Your gradient for w2 is a multiple of the right one. What does `y * y` hand on to y?"
        )
    if wrong == ["w1"] and is_multiple(got[1], want[1]):
        return "Your gradient for w1 is a multiple of the right one: a factor too many, or missing."
    if wrong == ["w1"]:
        return "The gradient for w2 is right. For w1 the slope of tanh comes from h."
    return "Look at the gradient for w2 first: h.T @ g. For w1 the slope of tanh comes from h."


THREE = "Return three things: the loss, a Python float, and the gradients for w1 and w2."


@case("net_by_hand", "loss and gradients", points=2, hint=about_gradient, returns=THREE)
def net_values(f, draw):
    with mg.memory.count_ops() as counted:
        found = [_plain(one) for one in f(*net(draw))]
    by_numpy = len(found) == 3 and isinstance(found[2], list) and not counted.matmuls
    return ENGINE if counted.visits else NO_PRODUCT if by_numpy else found


def _plain(value):
    """A tensor of the answer's is asked for its numbers while the visits are counted."""
    return value.detach().tolist() if isinstance(value, mg.Tensor) else value


@case("net_by_hand", "nodes that the engine has visited", cost=True, hint=BY_ENGINE)
def net_visits(f, draw):
    return measure(f, *net(draw)).visits


@case(
    "net_by_hand",
    "products of matrices",
    at_most="5",  # two forward, three backward; wrong 6
    hint="Two products forward and three backward are enough. Which is computed twice, or for "
    "somebody who wants no gradient?",
)
def net_products(f, draw):
    return measure(f, *net(draw)).matmuls


def about_kept(got, want):
    if not isinstance(got, int) or got < want:
        return None
    if got == want + 4:
        return (
            "Besides the two gradients 4 bytes are held, as many as one number has. Is the loss "
            "that you return a tensor?"
        )
    return (
        "Besides the two gradients something is still held. Was a graph recorded? "
        "`with mg.no_grad():`"
    )


@case(
    "net_by_hand",
    "bytes that the result holds",
    needs=("loss and gradients",),
    hint=about_kept,
)
def net_kept(f, draw):
    run = measure(f, *net(draw))
    return run.at_end(run.kept)


@case(
    "net_by_hand",
    "bytes at the peak",
    points=2,
    at_most="4.5 U + 2 y",  # right 2 to 4 and 2 y, wrong from 5
    needs=("loss and gradients",),
    hint="More is alive at that line than the step needs. Which of your names leads to "
    "something that no later line needs?",
)
def net_peak(f, draw):
    x, w1, w2 = net(draw)
    sizes = {"U": 4 * len(x) * w1.shape[1], "y": 4 * len(x) * w2.shape[1]}
    return measure(f, x, w1, w2).at_peak(**sizes)
