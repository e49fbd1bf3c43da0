"""Lesson 19: a block's bytes, an op that keeps less, tensors elsewhere, a choice of blocks."""

import minigrad as mg
from course.trying import Raised, any_form, beyond, by_hand, case, differs, measure, newborn
from course.trying.banned import ban
from course.trying.run import Found, failure, is_stub
from minigrad.core.observer import Births

from .several import about_first_wrong, answered, of_tuple

ban("GeluLinear", "minigrad.utils.checkpoint", "`mg.utils.checkpoint`")
ban("GeluLinear", "minigrad.second", "`mg.second`")
F = mg.nn.functional

# --- block_bytes

WAYS = "plain", "dropout", "causal"


def shape(draw, acts, ways):
    """batch, tokens, width, heads, times, act, weights."""
    heads = draw.int(2, 6)
    sizes = draw.int(1, 20), draw.int(10, 60), heads * draw.int(2, 9), heads, draw.int(1, 6)
    return *sizes, draw.choice(acts), draw.choice(ways)


def shape_text(batch, tokens, width, heads, times, act, weights):
    return f"block_bytes({batch}, {tokens}, {width}, {heads}, {times}, {act!r}, {weights!r})"


def asked(text):
    """The arguments behind such a text."""
    numbers = text.removeprefix("block_bytes(").removesuffix(")").split(", ")
    return *map(int, numbers[:5]), *(one.strip("'") for one in numbers[5:])


def about_block(question, said, right):
    if not isinstance(said, int):
        return "return one whole number of bytes."
    batch, tokens, width, heads, times, act, weights = asked(question)
    unit, table = 4 * batch * tokens * width, 4 * batch * heads * tokens**2
    off = right - said
    if off == times * unit:
        return "GELU and SiLU keep their input, and the Linear behind them their result."
    if off == -times * unit:
        return "ReLU keeps its result, and the Linear behind it the same buffer: count it once."
    if off and off == (times - 4) * unit * (1 if act == "relu" else 2):
        return "the hidden layer is `times` times as wide as the block, not always 4 times."
    if off in (table, 2 * table) and weights == "dropout":
        return "who keeps a table where there is dropout? Softmax, the mask, the next product."
    if off % table == 0 and off < 0:
        return "two nodes save the weights of the attention, and they are one buffer."
    if off > 0 and off % (table // heads) == 0:
        return "each head has a table of its own."
    if weights == "causal" and abs(off) < tokens**2 * max(4, batch * heads):
        return "the mask has a byte for each pair of tokens, once, and no gradient goes to it."
    if off % unit == 0:
        return "off by whole activations: count the rows of section 1 that have 1 U."
    if abs(off) < unit:
        return "each norm keeps a mean and a deviation for each token, of 4 bytes each."
    return "go through the rows of section 1, and ask of each how it grows."


@case("block_bytes", "blocks with GELU", draws=2, hint=about_first_wrong(about_block))
def block_gelu(f, draw):
    return answered(f, [shape(draw, ["gelu"], ["plain"]) for _ in range(2)], shape_text)


@case("block_bytes", "other activations", draws=2, hint=about_first_wrong(about_block))
def block_acts(f, draw):
    some = [shape(draw, [act], ["plain"]) for act in draw.some(("relu", "silu"), 2)]
    return answered(f, some, shape_text)


@case("block_bytes", "dropout and a mask", points=2, draws=5, hint=about_first_wrong(about_block))
def block_weights(f, draw):
    acts = "gelu", "silu", "relu"
    some = [shape(draw, acts, [way]) for way in draw.some(WAYS, 3)]
    return answered(f, some, shape_text)


@by_hand("block_bytes", "work the bytes out from the sizes", of=("gelu", "silu", "relu"))
def block_by_hand(draw, act):
    return shape(draw, [act], WAYS)


# --- GeluLinear


HELD = "bytes held between forward and backward"
LARGE = (150, 300), (50, 70)  # rows, hidden: a value that is kept outweighs what Python needs


def pair(draw, rows=(5, 30), hidden=(9, 20)):
    """u and w, which want gradients; these are there beforehand."""
    hidden = draw.int(*hidden)
    u = mg.tensor(draw.array(draw.int(*rows), hidden), requires_grad=True)
    w = mg.tensor(draw.array(hidden, draw.int(2, 5)), requires_grad=True)
    u.grad, w.grad = mg.zeros(u.shape), mg.zeros(w.shape)
    return u * 3.0, w, u


def op_error(got, want):
    if not isinstance(got, Raised):
        return None
    if said := of_tuple(got):
        return said
    if "does not require grad" in got.text:
        return "Backward runs without recording: the GELU needs `mg.enable_grad()` there."
    if "number of gradients" in got.text:
        return "Backward returns one value for each argument of forward: one for u, one for w."
    if "shape" in got.text or "size" in got.text or "mul" in got.text:
        return "Write down the shapes of u, w and grad: the gradient of each has its own shape."
    return None


def op_hint(sentence):
    return lambda got, want: op_error(got, want) if isinstance(got, Raised) else sentence


@case("GeluLinear", "the result", hint=op_hint("It is `F.gelu(u) @ w`, computed in forward."))
def op_result(f, draw):
    u, w, _ = pair(draw)
    return f.apply(u, w)


@case(
    "GeluLinear",
    "the gradients of u and w",
    points=2,
    hint=op_hint(
        "To w goes `gelu(u).T @ grad`. To u goes `grad @ w.T` times the slope of the GELU at u: "
        "let autograd compute that."
    ),
)
def op_gradients(f, draw):
    u, w, leaf = pair(draw)
    (f.apply(u, w) ** 2).sum().backward()
    return [leaf.grad.tolist(), w.grad.tolist()]


@case(
    "GeluLinear",
    "one of the two is frozen",
    hint=op_hint("The gradient of the one must not need that the other wants any."),
)
def op_frozen(f, draw):
    u, w, leaf = pair(draw)
    (f.apply(u, w.detach()) ** 2).sum().backward()
    (f.apply(u.detach(), w) ** 2).sum().backward()
    return [leaf.grad.tolist(), w.grad.tolist()]


def with_gradients(found, leaves):
    """The bytes that a run kept, and how large its gradients are in all: no run is good for one
    of them alone.
    """
    sizes = [leaf.grad.abs().sum().item() for leaf in leaves]  # nothing cancels in such a sum
    value = {"bytes": found.kept, "gradients": sizes}
    return found.at_end(value)


def about_bytes(more):
    """A hint for such a value: `more` where there are too many bytes."""

    def hint(got, want):
        if isinstance(got, Raised) or not isinstance(got, dict):
            return None
        if got["bytes"] != want["bytes"]:
            return beyond(more)(got["bytes"], want["bytes"])
        return "The bytes are right, and the gradients of this run are not."

    return hint


@case(
    "GeluLinear",
    HELD,
    needs=("the gradients of u and w",),
    hint=about_bytes(
        "Only the result may be new. What is saved, or held by `ctx`, besides u and w? What of it "
        "can be computed again?"
    ),
    cost=True,
)
def op_bytes(f, draw):
    u, w, leaf = pair(draw, *LARGE)
    found = measure(lambda: f.apply(u, w))
    found.value.sum().backward()
    return with_gradients(found, (leaf, w))


@case(
    "GeluLinear",
    "products of a step",
    at_most="3",
    needs=(HELD,),
    hint="One product forward and two for the gradients are enough. Which of them runs again in "
    "backward, and who reads its result?",
)
def op_products(f, draw):
    u, w, _ = pair(draw)
    return measure(lambda: f.apply(u, w).sum().backward()).matmuls


@case(
    "GeluLinear",
    "bytes alive after backward",
    needs=("the gradients of u and w",),
    hint=about_bytes(
        "Backward empties what was saved with `save_for_backward`, and no other name."
    ),
    cost=True,
)
def op_after(f, draw):
    u, w, leaf = pair(draw, *LARGE)

    def step():
        y = f.apply(u, w)
        y.sum().backward()
        return y

    return with_gradients(measure(step), (leaf, w))


# --- Carrier


def carried(f, x, w, v):
    """The loss of a small net whose saved tensors are carried by an object of the learner's."""
    there = f()
    with mg.autograd.graph.saved_tensors_hooks(there.pack, there.unpack):
        mask = (mg.rand(x.shape[0], w.shape[1]) > 0.5).float()
        loss = ((F.gelu(x @ w) * mask) @ v).tanh().sum()
    return loss, there


def data(draw):
    mg.manual_seed(draw.int(1, 10**6))
    hidden = draw.int(6, 12)  # a weight that is carried can be told from rounding
    w = mg.tensor(draw.array(4, hidden), requires_grad=True)
    v = mg.tensor(draw.array(hidden, 5), requires_grad=True)
    w.grad, v.grad = mg.zeros(w.shape), mg.zeros(v.shape)
    return mg.tensor(draw.array(draw.int(5, 40), 4)), w, v


@any_form
def about_carried(got, want):
    if isinstance(got, Raised):
        if got.own and ("numpy" in got.text or "requires grad" in got.text):
            return "A tensor that wants a gradient has no `numpy()`: detach it first."
        if got.own and "pack" not in got.text:
            return None
        return "Whatever `pack` returns comes to `unpack`, and `unpack` must return a tensor."
    if not isinstance(got, dict):
        return None
    if differs(got["gradients"], want["gradients"]):
        return "Which tensor comes back for which? What `pack` returns is what `unpack` gets."
    if got["out"] > want["out"]:
        return "Too many bytes go out: the weights are held by others. How do you know a weight?"
    return "Too few bytes are counted: a mask and the data are leaves, but no weights."


@case("Carrier", "the gradients, and the bytes that went out", hint=about_carried)
def carrier_gradients(f, draw):
    x, w, v = data(draw)
    loss, there = carried(f, x, w, v)
    loss.backward()
    return {"gradients": [w.grad.tolist(), v.grad.tolist()], "out": there.out}


def walked_again(loss, times):
    """None, or which backward after the first one ended in an error, in what and on which line."""
    for number in range(2, times + 1):
        try:
            loss.backward(retain_graph=number < times)
        except Exception as error:
            if is_stub(error):
                raise
            found = failure(error)
            by = f"{found['error']}: {found['text']}"
            return Found({"ended": f"in backward {number} of {times}", "error": by}, found["line"])
    return None


@any_form
def about_again(got, want):
    if isinstance(got, dict) and "ended" in got:
        return (
            f"The first backward came through, and it ended {got['ended']}: `unpack` may be "
            "asked again for the same, and what it needs must still be there."
        )
    return about_carried(got, want)


@case("Carrier", "three backwards of one graph", points=2, hint=about_again)
def carrier_retained(f, draw):
    x, w, v = data(draw)
    loss, there = carried(f, x, w, v)
    loss.backward(retain_graph=True)
    return walked_again(loss, 3) or {
        "gradients": [w.grad.tolist(), v.grad.tolist()],
        "out": there.out,
    }


@case(
    "Carrier",
    "bytes of the engine between forward and backward",
    points=2,
    needs=("the gradients, and the bytes that went out",),
    hint=about_bytes(
        "Saved tensors are still alive. Is what you keep another array, or the tensor's own bytes "
        "under another name? Is the mask carried?"
    ),
    cost=True,
)
def carrier_bytes(f, draw):
    x, w, v = data(draw)

    def forward():
        loss, there = carried(f, x, w, v)
        return loss, there, there.out  # the grader hears how much went out

    found = measure(forward)
    found.value[0].backward()
    return with_gradients(found, (w, v))


@case(
    "Carrier",
    "bytes of the engine after backward",
    needs=("the gradients, and the bytes that went out",),
    hint=about_bytes(
        "Something is held that backward has made or fetched: by which name of yours?"
    ),
    cost=True,
    free=True,  # what lies elsewhere may stay there
)
def carrier_after(f, draw):
    x, w, v = data(draw)

    def step():
        with newborn() as alive:
            loss, there = carried(f, x, w, v)
        between = alive()
        loss.backward()
        return loss.detach(), there, there.out, between

    return with_gradients(measure(step), (w, v))


# --- choose_blocks

# Percent of what all blocks keep. Where the budget is tight, the best rule of thumb (take what
# saves most for a product, until it fits) is right for about half of the nets: so many are asked.
TIGHT, TOO_SMALL = (45, 60), (15, 35)


def nets(draw, count, share=TIGHT, last=(3, 14)):
    return [net(draw, share, last) for _ in range(count)]


def net(draw, share, last):
    """kept, products, budget."""
    count = draw.int(7, 9)
    kept = [draw.int(3, 14) for _ in range(count - 1)] + [draw.int(*last)]
    return kept, draw.ints(count, 1, 9), sum(kept) * draw.int(*share) // 100


def outcome(kept, products, budget, chosen):
    """What comes of a choice, in words."""
    if chosen is None:
        return "none fits"
    if any(isinstance(i, bool) for i in chosen):
        return "True and False"
    again = set(chosen)
    if unknown := again - set(range(len(kept))):
        return f"no block {min(unknown)}"
    held = [1 if i in again else size for i, size in enumerate(kept)]
    over = max([sum(held), *(sum(held[:i]) + kept[i] for i in again)]) - budget
    return f"{over} U over" if over > 0 else f"fits: {sum(products[i] for i in again)} products"


def about_choice(question, said, right):
    if said == "True and False":
        return "return the numbers of the blocks that get a checkpoint, no yes or no for each."
    if said.startswith("no block"):
        return f"there is {said}: they are counted from 0."
    if said == "none fits":
        return "there is a choice that fits."
    if "over" in said and right == "none fits":
        return "no choice fits here, not even a checkpoint around every block."
    if "over" in said:
        return "it goes over the budget: when a block runs again, those before it are still held."
    return "it fits, and another one runs fewer products again. Do you try all of them?"


def chosen(f, nets):
    """What the learner's choices come to."""
    answers = [
        outcome(kept, products, budget, f(kept, products, budget))
        for kept, products, budget in nets
    ]
    texts = [f"choose_blocks({kept}, {products}, {budget})" for kept, products, budget in nets]
    return {"answers": answers, "for": texts}


LIST = "Return a list of block numbers, counted from 0, or None."


@case(
    "choose_blocks",
    "ten budgets",
    points=2,
    draws=2,
    hint=about_first_wrong(about_choice),
    returns=LIST,
)
def choose_ten(f, draw):
    return chosen(f, nets(draw, 10))


@case(
    "choose_blocks",
    "the last block keeps the most",
    points=2,
    draws=2,
    hint=about_first_wrong(about_choice),
    returns=LIST,
)
def choose_last(f, draw):
    return chosen(f, nets(draw, 10, last=(15, 25)))


@case(
    "choose_blocks",
    "budgets that may be too small",
    draws=2,
    hint=about_first_wrong(about_choice),
    returns=LIST,
)
def choose_none(f, draw):
    some = nets(draw, 8) + nets(draw, 4, TOO_SMALL)
    return chosen(f, draw.some(some, len(some)))


def about_tensors(got, want):
    if isinstance(got, Raised):
        return None
    if got["tensors made"]:
        return "Your function made tensors: a list of numbers is all that it needs."
    return "One of these choices is not the best: see the cases above."


@case("choose_blocks", "without tensors", draws=2, hint=about_tensors, returns=LIST)
def choose_plain(f, draw):
    made: list = []  # and what numpy makes is nobody's business
    with Births(made.append):
        found = chosen(f, nets(draw, 8))
    return {"tensors made": len(made), "answers": found["answers"]}
