"""Lesson 07: what an op of one's own keeps, for how long, and how one would find out."""

import minigrad as mg
from course.trying import Raised, any_form, by_hand, case, differs, measure
from course.trying.behind import is_leafs
from minigrad.memory.saves import nodes

from .several import about_first_wrong, answered

KEEPS = "save h", "save y", "ctx.h", "ctx.y", "ctx.shape"


# --- held_by_op


def op_text(keeps, rows, columns):
    return f"{', '.join(keeps)}; {rows} x {columns}"


def op_hint(question, said, right):
    if not isinstance(said, list) or len(said) != 3:
        return "return a list of three numbers."
    if said[0] != right[0]:
        return "after forward: whatever is kept, in one way or in two, is there once; and the loss."
    if said[1] != right[1]:
        return "after backward: which of these arrows does the node let go? `loss` still holds it."
    return "after `del loss`: does anything still lead to the node? What hangs on it then?"


holding = about_first_wrong(op_hint)


def asked(f, draw, *lists):
    questions = [(keeps, draw.int(2, 99), draw.int(2, 99)) for keeps in lists]
    return answered(f, questions, op_text)


@case("held_by_op", "one line each", hint=holding)
def held_one(f, draw):
    return asked(f, draw, *[[keep] for keep in draw.some(KEEPS, 5)])


@case("held_by_op", "several lines", points=2, hint=holding)
def held_more(f, draw):
    lists = [draw.some(KEEPS, draw.int(2, 4)) for _ in range(5)]
    return asked(f, draw, draw.some(["save y", "ctx.y"], 2), draw.some(KEEPS[2:4], 2), *lists)


@by_hand("held_by_op", "work the bytes out from the list")
def held_by_hand(draw):
    return draw.some(KEEPS, 3), draw.int(2, 999), draw.int(2, 999)


# --- CubeOp and SinCos


def used(op, leaf):
    """A loss made by an op whose input only the op can hold."""
    found = op.apply(leaf + 1.0)
    results = found if type(found) is tuple else (found,)
    for one in results:
        if type(one) is not mg.Tensor:  # whose sum would be a loss of the learner's own
            raise TypeError(f"apply gave a {type(one).__name__}, where a tensor is wanted")
    return sum(y.sum() for y in results)


def leaf(draw, *shape):
    made = mg.tensor(draw.array(*shape), requires_grad=True)
    made.grad = mg.zeros(shape)
    return made


def left_by_steps(op, draw):
    """Bytes that three steps leave while their losses are kept, besides the losses."""
    data, losses = leaf(draw, draw.int(5, 40), 4), []

    def steps():
        for _ in range(3):
            losses.append(used(op, data))
            losses[-1].backward()

    return measure(steps).kept - sum(loss.nbytes for loss in losses)  # all of them the engine's


def left_unused(op, draw):
    """Bytes that forward passes leave, with no backward and no name.

    One of them, nobody knows which, has a backward all the same: it has worked as it always does.
    Before it has, nothing may be left of the others, whatever that backward would let go.
    """
    data, count = leaf(draw, draw.int(5, 40), 4), 4
    found = measure(lambda: [used(op, data) for _ in range(count)])
    one, found.value = found.value[draw.int(0, count - 1)], None
    others = (count * found.left() - found.kept) // (count - 1)  # each holds as much as this one
    one.backward()
    del one
    return max(others, found.left())


@any_form
def about_slopes(got, want):
    if not isinstance(got, dict):
        return None
    if differs(got["result"], want["result"]):
        return "The result is to be h * h * h."
    if got["slope"] is None:
        return "The result is right. Backward gives no gradient for h: is its `return` missing?"
    if not differs(got["slope"], want["slope"]):
        if differs(got["times a gradient"], want["times a gradient"]):
            return "The slope is right where ones come in. What comes in is to be multiplied by it."
        return "All is right, but other operations have recorded the graph: be one node."
    return "The result is right, the gradient is not: 3 * h * h, times the gradient that comes in."


@case("CubeOp", "values and slopes", given=True, hint=about_slopes)
def cube_slopes(f, draw):
    h = leaf(draw, 5)
    y, grad = f.apply(h), mg.tensor(draw.array(5))
    return {
        "result": y.tolist(),
        "slope": gradient(y, h, mg.ones(5)),
        "times a gradient": gradient(f.apply(h), h, grad),
        "nodes": len([node for node in nodes(y) if not is_leafs(node)]),
    }


def gradient(y, h, grad):
    (found,) = mg.autograd.grad(y, [h], grad, allow_unused=True)
    return None if found is None else found.tolist()


@case(
    "CubeOp",
    "bytes left by three steps",
    points=2,
    at_most="0",
    needs=("values and slopes",),
    hint="The losses are kept, so their nodes are, and with a node all its attributes. What does "
    "backward free?",
)
def cube_steps(f, draw):
    return left_by_steps(f, draw)


@case(
    "CubeOp",
    "bytes left without a backward",
    points=2,
    at_most="0",
    needs=("values and slopes",),
    hint="The check has dropped each result, and bytes are there. A result points at its node. "
    "What points back?",
)
def cube_unused(f, draw):
    return left_unused(f, draw)


@case(
    "CubeOp",
    "the slope at zero",
    invariant=True,
    fixed="there is one zero; the sizes are drawn",
    hint="At zero the slope is zero. Dividing by `h` gives no number there: compute it from `h` "
    "alone.",
)
def cube_zero(f, draw):
    h = mg.zeros(draw.int(2, 5), requires_grad=True)
    f.apply(h).sum().backward()
    return None if h.grad is None else h.grad.tolist()


def cube_write_hint(got, want):
    if isinstance(got, Raised):
        return None
    if got == "no gradient":
        return "No gradient reaches `h`: what does backward return?"
    if got == "another gradient":
        return (
            "Somebody wrote into `h`, and backward used it as it is now. Which way of keeping a "
            "tensor notes its version?"
        )
    return "A forward and backward that nobody disturbs must pass; a write between them must not."


def cube_gradient(f, array, write):
    data = mg.tensor(array, requires_grad=True)
    h = data * 1.0
    loss = f.apply(h).sum()
    if write:
        h += 1.0
    loss.backward()
    return data.grad


@case("CubeOp", "a write before backward", invariant=True, hint=cube_write_hint)
def cube_write(f, draw):
    array = draw.array(draw.int(5, 40), 4)  # as where bytes are measured
    undisturbed = cube_gradient(f, array, write=False)
    try:
        found = cube_gradient(f, array, write=True)
    except RuntimeError as error:
        return "no other gradient" if "inplace" in str(error) else str(error)
    if found is None:
        return "no gradient"
    same = mg.allclose(found, undisturbed)
    return "no other gradient" if same else "another gradient"


@case(
    "CubeOp",
    "bytes that the graph holds",
    at_most="1.5 U",  # right 1, wrong 2
    needs=("values and slopes",),
    hint="One tensor is enough for the slope. What else does forward keep?",
)
def cube_held(f, draw):
    data = leaf(draw, draw.int(5, 40), 4)
    return measure(used, f, data).at_end(U=data.nbytes)


def angles(draw):
    """A leaf with angles where the signs of sine and cosine differ: a root has lost them."""
    made = leaf(draw, 3, 3)
    size = abs(made.detach())
    made.data.copy_(mg.stack([size[0], size[1] + 2.0, -size[2] - 2.0]))
    return made


@case(
    "SinCos",
    "values",
    hint="Return a tuple, the sine first: (h.sin(), h.cos()).",
)
def both_values(f, draw):
    h = mg.tensor(draw.array(4))
    return [y.tolist() for y in f.apply(h)]


def slopes_hint(got, want):
    if isinstance(got, Raised) and "number of gradients" in got.text:
        return (
            "Backward receives one gradient for each result of forward, and returns one for each "
            "argument: both results are made of the same `h`."
        )
    if isinstance(got, Raised):
        return None
    return (
        "Each gradient is multiplied by its own result's slope, and the two are added. The slope "
        "of the cosine has a minus sign. A root knows no signs."
    )


@case("SinCos", "slopes", hint=slopes_hint)
def both_slopes(f, draw):
    h = angles(draw)
    sin, cos = f.apply(h)
    first, second = (mg.tensor(draw.array(3, 3)) for _ in range(2))
    ((sin * first).sum() + (cos * second).sum()).backward()
    return h.grad


@case(
    "SinCos",
    "only one result is used",
    hint="The gradient of a result that nobody used comes as zeros: no case for it is needed.",
)
def one_slope(f, draw):
    h = angles(draw)
    f.apply(h)[1].backward(mg.tensor(draw.array(3, 3)))
    return h.grad


@case(
    "SinCos",
    "bytes alive while both results have names",
    points=2,
    at_most="2.5 U",  # right 2, wrong 3
    needs=("values", "slopes"),
    hint="Something besides the two results is alive. Which tensor could backward do without?",
)
def both_held(f, draw):
    data = leaf(draw, draw.int(5, 40), 4)
    return measure(lambda: f.apply(data + 1.0)).at_end(U=data.nbytes)


@case(
    "SinCos",
    "bytes left by three steps, and without a backward",
    points=2,
    at_most="0",
    needs=("values", "slopes"),
    hint="Attributes of ctx outlive backward, and a result kept as one closes a ring.",
)
def both_left(f, draw):
    return left_by_steps(f, draw) + left_unused(f, draw)


@case(
    "SinCos",
    "bytes at the peak of forward",
    at_most="4.5 U",  # right 3, wrong from 5
    needs=("values", "slopes"),
    hint="For a moment there is more than the input and two results. Which line makes it?",
)
def both_peak(f, draw):
    data = leaf(draw, draw.int(30, 40), 4)
    return measure(lambda: f.apply(data + 1.0)).at_peak(U=data.nbytes)
