"""What to give operations whose operands have to go together: indices, classes, layers, einsum.

Each function takes the maker of a line, adds operands to it, and returns the text of an argument,
or in LINES of all of them. Most of what is drawn fits; some does not, so that refusals are met.
"""

from tests.twin.one_op_operands import SHAPES, operand

CLASSES = 3


def added(maker, dtype, shape, kind=None, grad=None) -> str:
    """One more operand's name."""
    name = "xyzuvw"[len(maker.operands)]
    made = operand(maker.draw, dtype, tuple(shape), kind)
    maker.operands[name] = made if grad is None else made._replace(grad=grad and made.grad)
    return name


def first(maker):
    return maker.operands["x"]


def mostly(maker, usual, *other):
    """The usual thing, or now and then another."""
    return usual if maker.draw.random() < 0.85 else maker.draw.choice(other)


def any_kind(maker) -> str:
    return maker.draw.choice(["float32", "float64", "float16", "int64", "uint8", "bool"])


def floating(maker) -> str:
    return maker.draw.choice(["float32", "float32", "float64", "float16"])


# -- indices --


def places(maker) -> str:
    """Indices of as many axes as `x` has, most often within it."""
    shape = [maker.draw.randint(min(n, 1), n) for n in first(maker).shape]
    shape = mostly(maker, shape, first(maker).shape, (2,), ())
    return added(maker, mostly(maker, "int64", "int32", "float32"), shape, within(maker))


def vector_of_places(maker) -> str:
    shape = mostly(maker, (maker.draw.randint(0, 3),), (), (2, 1))
    return added(maker, mostly(maker, "int64", "int32", "float32", "bool"), shape, within(maker))


def within(maker) -> str:
    return mostly(maker, "first", "second", "ties")


def source(maker) -> str:
    """What is scattered: of the shape of the indices, or larger, or a number."""
    if maker.draw.random() < 0.2:
        return maker.number()
    shape = mostly(maker, maker.operands["y"].shape, first(maker).shape)
    return added(maker, mostly(maker, first(maker).dtype, any_kind(maker)), shape)


def scattered(maker) -> str:
    index = places(maker)
    return f"{maker.axis()}, {index}, {source(maker)}"


def gathered(maker) -> str:
    return f"{maker.axis()}, {places(maker)}"


def selected(maker) -> str:
    return f"{maker.axis()}, {vector_of_places(maker)}"


# -- einsum --

EQUATIONS = [
    ("ij,jk->ik", (2, 3), (3, 2)), ("ii->i", (3, 3)), ("ii", (3, 3)), ("i,i", (3,), (3,)),
    ("i,j->ij", (3,), (2,)), ("bij,bjk->bik", (2, 1, 3), (2, 3, 2)), ("ij->ji", (2, 3)),
    ("ij->", (2, 3)), ("ijk->k", (2, 1, 3)), ("...i,...i->...", (2, 3), (3,)),
    ("i,i->", (3,), (2,)), ("ij,ij->ij", (2, 3), (1, 3)), ("ij,jk,kl->il", (2, 3), (3, 1), (1, 2)),
    ("ij", (3,)), ("i->ii", (3,)), ("i->j", (3,)), (" i j -> j i ", (2, 3)), ("ba", (2, 3)),
    ("...->...", (2, 3)), ("i...->...", (2, 3)), ("i", ()), ("", ()), ("i,->i", (3,), ()),
    ("ij,kj->ik", (0, 3), (2, 3)), ("ij,kj->ik", (2, 0), (3, 0)), ("i2", (3,)), ("i.i", (3,)),
]  # fmt: skip


def equation(maker) -> str:
    text, *shapes = maker.draw.choice(EQUATIONS)
    dtype = any_kind(maker)
    names = [added(maker, mostly(maker, dtype, any_kind(maker)), shape) for shape in shapes]
    return ", ".join([repr(text), *names])


# -- losses --


def pair(maker, kind=None, dtype=None) -> str:
    """An input and a target, of one shape and dtype most often."""
    dtype = dtype or mostly(maker, floating(maker), any_kind(maker))
    shape = maker.draw.choice([*SHAPES, (), (0,), (2, 0)])
    x = added(maker, dtype, shape, kind)
    if maker.draw.random() < 0.15:
        return f"{x}, {maker.tensor()}"
    return f"{x}, {added(maker, mostly(maker, dtype, any_kind(maker)), shape, kind)}"


def reduction(maker) -> str:
    return maker.draw.choice(["", ", reduction='sum'", ", reduction='none'", ", reduction='mean'"])


def loss(maker) -> str:
    return pair(maker) + reduction(maker)


def loss_with(name):
    """A loss with one number more."""

    def arguments(maker) -> str:
        number = maker.draw.choice(["", f", {name}=0.5", f", {name}=2", f", {name}=0"])
        return pair(maker) + reduction(maker) + number

    return arguments


def chances(maker) -> str:
    """An input and a target between 0 and 1, and maybe a weight."""
    return pair(maker, mostly(maker, "chances", "special")) + weight(maker) + reduction(maker)


def logits(maker) -> str:
    given = pair(maker, maker.draw.choice(["wide", "tame", "chances"]))
    more = weight(maker, "pos_weight") if maker.draw.random() < 0.3 else ""
    return given + weight(maker) + reduction(maker) + more


def weight(maker, name="weight") -> str:
    if maker.draw.random() < 0.6:
        return ""
    shape = mostly(maker, first(maker).shape, first(maker).shape[-1:], ())
    dtype = mostly(maker, first(maker).dtype, floating(maker))
    return f", {name}={added(maker, dtype, shape, 'tame', grad=False)}"


def classes(maker) -> str:
    """Scores and the classes that they are scores of."""
    shape = maker.draw.choice(
        [(2, CLASSES), (3, CLASSES), (CLASSES,), (2, CLASSES, 2), (0, CLASSES)]
    )
    x = added(maker, mostly(maker, floating(maker), any_kind(maker)), shape)
    kept = shape[:1] + shape[2:] if len(shape) > 1 else ()
    y = added(
        maker, mostly(maker, "int64", any_kind(maker)), mostly(maker, kept, (2,)), within(maker)
    )
    ignored = maker.draw.choice(["", "", ", ignore_index=1", ", ignore_index=-1"])
    return f"{x}, {y}{ignored}{reduction(maker)}"


# -- layers --


def affine(maker) -> str:
    dtype = mostly(maker, floating(maker), any_kind(maker))
    x = added(maker, dtype, maker.draw.choice([(2, 3), (3,), (2, 1, 3), (0, 3), (3, 2)]))
    names = [x, added(maker, mostly(maker, dtype, any_kind(maker)), (2, 3))]
    if maker.draw.random() < 0.5:
        names.append(added(maker, mostly(maker, dtype, any_kind(maker)), (2,)))
    return ", ".join(names)


def looked_up(maker) -> str:
    shape = maker.draw.choice([(2,), (2, 2), (), (0,)])
    x = added(maker, mostly(maker, "int64", "int32", "float32"), shape, within(maker))
    more = maker.draw.choice(["", "", ", padding_idx=0", ", padding_idx=-1", ", padding_idx=5"])
    return f"{x}, {added(maker, mostly(maker, floating(maker), 'int64'), (3, 2))}{more}"


def image(maker, channels=2) -> str:
    shape = maker.draw.choice([(1, channels, 4, 4), (2, channels, 3, 4), (channels, 4, 4)])
    return added(maker, mostly(maker, floating(maker), any_kind(maker)), shape)


def pooled(maker) -> str:
    more = ["2", "3", "2, 1", "(2, 3)", "3, 2, 1", "2, stride=(1, 2)", "2, ceil_mode=True", "5"]
    more += ["2, padding=1", "3, 2, padding=2"]
    return f"{image(maker)}, {maker.draw.choice(more)}"


def pooled_to(maker) -> str:
    return f"{image(maker)}, {maker.draw.choice(['1', '2', '(2, 3)', '(None, 1)', '4', '0'])}"


def convolved(maker) -> str:
    x = image(maker)
    dtype = first(maker).dtype
    y = added(maker, mostly(maker, dtype, any_kind(maker)), (3, mostly(maker, 2, 1), 2, 2))
    bias = f", {added(maker, dtype, (3,))}" if maker.draw.random() < 0.5 else ""
    more = maker.draw.choice(["", "", ", stride=2", ", padding=1", ", stride=(1, 2)"])
    return f"{x}, {y}{bias}{more}"


def normed(maker) -> str:
    x = added(maker, mostly(maker, floating(maker), any_kind(maker)), (2, 3))
    more = ""
    if maker.draw.random() < 0.5:
        dtype = mostly(maker, first(maker).dtype, floating(maker))
        more = f", weight={added(maker, dtype, (3,))}, bias={added(maker, dtype, (3,))}"
    return f"{x}, {mostly(maker, '(3,)', '(2, 3)', '(2,)', '[3]')}{more}"


def normed_by_batch(maker) -> str:
    dtype = floating(maker)
    x = added(maker, dtype, maker.draw.choice([(2, 3), (3, 3), (2, 3, 2)]), "tame")
    mean, var = (added(maker, dtype, (3,), "chances", grad=False) for _ in range(2))
    more = ""
    if maker.draw.random() < 0.5:
        more = f", {added(maker, dtype, (3,))}, {added(maker, dtype, (3,))}"
    return f"{x}, {mean}, {var}{more}{maker.draw.choice(['', ', training=True'])}"


def learned_slope(maker) -> str:
    """An input and one weight, or one for each channel."""
    dtype = mostly(maker, floating(maker), any_kind(maker))
    x = added(maker, dtype, maker.draw.choice([(3,), (2, 3), (2, 3, 2), (0, 3), ()]))
    sizes = mostly(maker, maker.draw.choice([(1,), (3,)]), (), (2,), (1, 3))
    return f"{x}, {added(maker, mostly(maker, dtype, any_kind(maker)), sizes)}"


def rows(maker) -> str:
    """Two matrices whose rows are as long."""
    dtype = mostly(maker, maker.draw.choice(["float32", "float64"]), any_kind(maker))
    shapes = [(2, 3), (3, 3), (1, 3), (0, 3), (2, 0)]
    x = added(maker, dtype, maker.draw.choice(shapes), "tame")
    return f"{x}, {added(maker, dtype, mostly(maker, maker.draw.choice(shapes), (2,)), 'tame')}"


def undropped(maker) -> str:
    """Whatever is drawn, none of the elements may be dropped."""
    return f"{maker.tensor()}, {maker.draw.choice(['0.0', '0.5, training=False', '-1.0', '2.0'])}"


def stacks(maker) -> str:
    """Stacks of matrices, and what is added to their products."""
    dtype = mostly(maker, floating(maker), any_kind(maker))
    x = added(maker, dtype, maker.draw.choice([(2, 2, 3), (1, 2, 3), (2, 1), (3,), (2, 2, 2, 3)]))
    y = added(
        maker, mostly(maker, dtype, any_kind(maker)), mostly(maker, (2, 2, 2), (2, 2), (1, 2, 2))
    )
    return f"{x}, {y}, {added(maker, mostly(maker, dtype, any_kind(maker)), (2, 2, 3))}"


def attended(maker) -> str:
    """Queries, keys and values, as heads of batches or in fewer axes, and maybe a mask."""
    dtype = mostly(maker, maker.draw.choice(["float32", "float64"]), any_kind(maker))
    before = mostly(maker, maker.draw.choice([(1, 2), (2, 1), (2,), ()]), (2, 3, 1))
    kind = mostly(maker, "tame", None)
    names = []
    for length in (maker.draw.choice([1, 3]), *[maker.draw.choice([2, 3])] * 2):
        kinds = mostly(maker, dtype, any_kind(maker))
        shape = (*mostly(maker, before, before[1:]), length, mostly(maker, 2, 3))
        names.append(added(maker, kinds, shape, kind))
    x, y = (maker.operands[name].shape for name in names[:2])
    if maker.draw.random() < 0.4:
        shape = mostly(
            maker, maker.draw.choice([x[-2:-1] + y[-2:-1], y[-2:-1], (*before, 1, 1)]), (2, 2)
        )
        names.append(
            added(maker, mostly(maker, maker.draw.choice(["bool", dtype]), "int64"), shape)
        )
    options = ["", "", ", is_causal=True", ", scale=0.5", ", scale=-2.0", ", dropout_p=2.0"]
    return ", ".join(names) + maker.draw.choice(options)


LINES = {
    "einsum": equation, "mse_loss": loss, "l1_loss": loss, "huber_loss": loss_with("delta"),
    "smooth_l1_loss": loss_with("beta"), "binary_cross_entropy": chances,
    "binary_cross_entropy_with_logits": logits, "cross_entropy": classes, "nll_loss": classes,
    "linear": affine, "embedding": looked_up, "avg_pool2d": pooled, "max_pool2d": pooled,
    "adaptive_avg_pool2d": pooled_to, "conv2d": convolved, "layer_norm": normed,
    "batch_norm": normed_by_batch, "dropout": undropped, "prelu": learned_slope, "cdist": rows,
    "baddbmm": stacks, "scaled_dot_product_attention": attended,
}  # fmt: skip
AFTER_FIRST = {  # all arguments that follow the tensor
    "gather": gathered, "scatter": scattered, "scatter_": scattered, "scatter_add": scattered,
    "scatter_add_": scattered, "index_select": selected,
}  # fmt: skip
