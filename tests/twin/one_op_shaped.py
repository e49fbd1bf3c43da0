"""What to give operations whose operands have to go together: indices, classes, layers, einsum.

Each function takes the maker of a line, adds operands to it, and returns the text of an argument,
or in LINES of all of them. Most of what is drawn fits; some does not, so that refusals are met.
"""

import math

from tests.twin.one_op_operands import SHAPES, operand

CLASSES = 3
NORMS = ["2", "1", "0", "inf", "-inf", "3", "0.5", "-1", "2.5"]


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


def gathered_along(maker) -> str:
    """Places for take_along_dim, which are repeated to fit, and an axis or none."""
    index = places(maker)
    return mostly(maker, f"{index}, {maker.axis()}", index, f"{index}, None")


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


def divergence(maker) -> str:
    """Logarithms of chances, and chances or their logarithms."""
    given = pair(maker, maker.draw.choice(["chances", "tame", "special"]))
    how = ["", "sum", "none", "mean", "batchmean", "batchmean", "what"]
    more = f", reduction={name!r}" if (name := maker.draw.choice(how)) else ""
    return given + more + maker.draw.choice(["", "", ", log_target=True"])


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


def smoothed(maker) -> str:
    """The same, now and then of labels that are a little of every class."""
    how = ["", "0.1", "0.5", "1", "0.0", "True", mostly(maker, "0.3", "2", "1.5", "-0.1", "nan")]
    more = f", label_smoothing={number}" if (number := maker.draw.choice(how)) else ""
    if maker.draw.random() < 0.25:
        return chances_of_classes(maker) + more
    return classes(maker) + more


SCORES = [
    (2, CLASSES), (3, CLASSES), (CLASSES,), (2, CLASSES, 2), (0, CLASSES), (2, CLASSES, 2, 3),
    (1, CLASSES, 2, 1, 2), (0, CLASSES, 2, 2), (2, CLASSES, 0, 2),
]  # fmt: skip


def weights_of_classes(maker, dtype) -> str:
    if maker.draw.random() < 0.7:
        return ""
    dtype = mostly(maker, dtype, any_kind(maker))
    return f", {added(maker, dtype, mostly(maker, (CLASSES,), (2,), (CLASSES, 1)))}"


def chances_of_classes(maker) -> str:
    """Scores, and the probability of each class."""
    dtype = floating(maker)
    shape = mostly(maker, maker.draw.choice(SCORES), ())
    x = added(maker, mostly(maker, dtype, any_kind(maker)), shape)
    y = added(maker, mostly(maker, dtype, any_kind(maker)), shape)
    weight = weights_of_classes(maker, dtype)
    ignored = maker.draw.choice(["", "", "", ", ignore_index=1", ", ignore_index=-1"])
    return f"{x}, {y}{weight}{ignored}{reduction(maker)}"


def classes(maker) -> str:
    """Scores and the classes that they are scores of."""
    shape = maker.draw.choice(SCORES)
    dtype = mostly(maker, floating(maker), any_kind(maker))
    x = added(maker, dtype, shape)
    kept = shape[:1] + shape[2:] if len(shape) > 1 else ()
    y = added(
        maker,
        mostly(maker, "int64", any_kind(maker)),
        mostly(maker, kept, (2,), (1,), (2, 2), (2, 2, 3), shape),
        within(maker),
    )
    weight = weights_of_classes(maker, dtype)
    ignored = maker.draw.choice(["", "", ", ignore_index=1", ", ignore_index=-1"])
    return f"{x}, {y}{weight}{ignored}{reduction(maker)}"


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


def sequence(maker) -> str:
    """Some sequences, or one alone; few have no elements."""
    shape = maker.draw.choice([(2, 3, 5), (1, 2, 4), (2, 4), (3, 1, 6)])
    shape = mostly(maker, shape, (0, 2, 4), (2, 0, 3), (2, 2, 0), (4,), (1, 2, 3, 4))
    return added(maker, mostly(maker, floating(maker), any_kind(maker)), shape)


def pooled_along(maker) -> str:
    more = ["2", "3", "2, 1", "(2,)", "3, 2, 1", "2, stride=(1,)", "2, ceil_mode=True", "7"]
    more = mostly(maker, maker.draw.choice(more), "2, padding=2", "0", "(2, 3)", "2, 0", "2.0")
    return f"{sequence(maker)}, {more}"


def pooled_along_to(maker) -> str:
    sizes = mostly(maker, maker.draw.choice(["1", "2", "(3,)", "4"]), "0", "-1", "(1, 2)", "None")
    return f"{sequence(maker)}, {sizes}"


def pooled_to(maker) -> str:
    return f"{image(maker)}, {maker.draw.choice(['1', '2', '(2, 3)', '(None, 1)', '4', '0'])}"


def resized(maker) -> str:
    """An image, now and then none, or one whose result is large; its size or its scale; how."""
    sides = [maker.draw.randint(1, 4) for _ in range(2)]
    shape = maker.draw.choice([(1, 2, *sides), (2, 1, *sides), (1, 2, *sides), (2, 5, *sides)])
    shape = mostly(maker, shape, (0, *shape[1:]), (1, 0, *sides), (1, 1, 0, 2), shape[1:], (2,))
    kind = mostly(maker, floating(maker), any_kind(maker))
    sizes = ["3", "(2, 5)", "[4, 4]", "6", "(1, 8)", "(3, 126)", "(3, 2)", "1"]
    sizes = mostly(maker, maker.draw.choice(sizes), "0", "-1", "(2, 2, 2)", "(2, 2.5)", "True")
    scales = ["2", "1.5", "(2, 3)", "(0.5, 1)", "0.7", "1.3", "(1.0, 2.0)", "(1, 40)", "(1.2, 1.9)"]
    scales = mostly(maker, maker.draw.choice(scales), "0", "-1.0", "inf", "nan", "(2,)", "0.1")
    how = maker.draw.choice([f"size={sizes}", f"scale_factor={scales}"])
    how = mostly(maker, how, f"size={sizes}, scale_factor={scales}", "")
    mode = maker.draw.choice(["", "nearest", "bilinear", "bilinear", "bilinear"])
    mode = mostly(maker, mode, "linear", "trilinear", "what", "area")
    corners = maker.draw.choice(["", "", "True", "False"] if mode == "bilinear" else [""])
    corners = mostly(maker, corners, "True")
    named = {"mode": repr(mode) if mode else "", "align_corners": corners}
    more = [how, *(f"{name}={text}" for name, text in named.items() if text)]
    return ", ".join([added(maker, kind, shape), *filter(None, more)])


def convolved(axes, transposed=False):
    """An image or a sequence, filters, maybe a bias, and where the windows lie."""

    def arguments(maker) -> str:
        sides = [mostly(maker, maker.draw.randint(3, 5), 0, 1) for _ in range(axes)]
        shape = maker.draw.choice([(1, 2, *sides), (2, 2, *sides), (2, *sides), (0, 2, *sides)])
        kind = mostly(maker, floating(maker), any_kind(maker))
        names = [added(maker, kind, mostly(maker, shape, (2,)))]
        size = mostly(maker, (2,), (3,), (1,)) * axes
        channels, groups = (2, 3) if transposed else (3, 2), ""
        if maker.draw.random() < 0.3:
            channels = (2, 2) if transposed else (maker.draw.choice([2, 4]), 1)
            groups = f", groups={mostly(maker, 2, 1, 3, 0, 4)}"
        filters = mostly(maker, (*channels, *size), (3, 1, *size), (0, 2, *size), (3, 2, 2, 2))
        names.append(added(maker, mostly(maker, kind, any_kind(maker)), filters))
        if maker.draw.random() < 0.5:
            bias = mostly(maker, (3,) if not groups else (channels[0],), (2,), (4,))
            names.append(added(maker, mostly(maker, kind, any_kind(maker)), bias))
        return ", ".join(names) + where(maker, axes, transposed) + groups

    return arguments


def where(maker, axes, transposed) -> str:
    """Stride, padding and dilation: some of them, now and then one that is refused."""
    found = ""
    least = {"stride": 1, "padding": 0, "dilation": 1}
    if transposed:
        least["output_padding"] = 0
    for name, number in least.items():
        if maker.draw.random() < 0.3:
            numbers = [
                mostly(maker, maker.draw.randint(number, 2), number - 1) for _ in range(axes)
            ]
            given = mostly(maker, tuple(numbers), numbers[0], (1, 1, 1))
            if name == "padding" and maker.draw.random() < 0.4:
                given = mostly(maker, "'same'", "'valid'", "'full'")
            found += f", {name}={given}"
    return found


def padded(maker) -> str:
    """A tensor and how many elements are put, or taken away, at the ends of its axes."""
    shape = maker.draw.choice([(3,), (2, 3), (1, 2, 4), (0, 2), (1, 1, 2, 2)])
    x = added(maker, any_kind(maker), shape)
    count = mostly(maker, 2 * maker.draw.randint(0, len(shape)), 1, 2 * len(shape) + 2)
    pad = tuple(maker.draw.choice([0, 1, 1, 2, -1, -2]) for _ in range(count))
    more = maker.draw.choice(["", "", ", value=2", ", value=0.5", ", mode='other'", ", value=1e9"])
    return f"{x}, {pad}{more}"


def normed(maker) -> str:
    x = added(maker, mostly(maker, floating(maker), any_kind(maker)), (2, 3))
    more = ""
    if maker.draw.random() < 0.5:
        dtype = mostly(maker, first(maker).dtype, floating(maker))
        more = f", weight={added(maker, dtype, (3,))}, bias={added(maker, dtype, (3,))}"
    return f"{x}, {mostly(maker, '(3,)', '(2, 3)', '(2,)', '[3]', '()')}{more}"


def normed_by_batch(maker) -> str:
    dtype = floating(maker)
    x = added(maker, dtype, maker.draw.choice([(2, 3), (3, 3), (2, 3, 2)]), "tame")
    mean, var = (added(maker, dtype, (3,), "chances", grad=False) for _ in range(2))
    for name in (mean, var):  # of those with steps PyTorch's gradients change from run to run
        made = maker.operands[name]
        maker.operands[name] = made._replace(layout="contiguous", values=(made.values * 3)[:3])
    more = ""
    if maker.draw.random() < 0.5:
        more = f", {added(maker, dtype, (3,))}, {added(maker, dtype, (3,))}"
    return f"{x}, {mean}, {var}{more}{maker.draw.choice(['', ', training=True'])}"


def in_groups(maker) -> str:
    """Channels, into how many groups they go, and maybe a weight and a bias for each."""
    shapes = [(2, 4), (1, 4, 3), (2, 4, 2, 2), (3, 4, 1), (2, 6, 1, 2), (1, 4, 2, 1, 2)]
    shape = mostly(maker, maker.draw.choice(shapes), (0, 4, 2), (2, 4, 0), (4,), (1, 1), (2, 0, 3))
    x = added(maker, mostly(maker, floating(maker), any_kind(maker)), shape, "tame")
    more = mostly(maker, maker.draw.choice(["2", "1", "4"]), "3", "-2", "2.0", "True")
    for name in ("weight", "bias"):
        if maker.draw.random() < 0.5:
            dtype = mostly(maker, first(maker).dtype, floating(maker))
            more += f", {name}={added(maker, dtype, mostly(maker, shape[1:2], (2,), (1, 4)))}"
    return f"{x}, {more}{maker.draw.choice(['', ', eps=0.1'])}"


def by_instance(maker) -> str:
    """Images or sequences, their statistics or those of before."""
    dtype = mostly(maker, floating(maker), any_kind(maker))
    shapes = [(2, 3, 2), (1, 3, 4), (3, 3, 2, 2), (2, 3, 1, 2), (1, 3, 2, 1, 2)]
    shape = mostly(maker, maker.draw.choice(shapes), (0, 3, 2), (2, 3), (2, 3, 1), (3,))
    x, more = added(maker, dtype, shape, "tame"), ""
    kind = mostly(maker, dtype, floating(maker))
    if maker.draw.random() < 0.4:
        for name in ("running_mean", "running_var"):
            made = added(maker, kind, (3,), "chances", grad=False)
            one = maker.operands[made]._replace(layout="contiguous")
            maker.operands[made] = one._replace(values=(one.values * 3)[:3])
            more += f", {name}={made}"
        more += maker.draw.choice(["", ", use_input_stats=False"])
    for name in ("weight", "bias"):
        if maker.draw.random() < 0.4:
            more += f", {name}={added(maker, kind, mostly(maker, (3,), (2,), (1, 3)))}"
    return f"{x}{more}"


def by_margin(kind):
    """Two that are ranked, or one, with a target of signs; now and then one that does not fit."""

    def arguments(maker) -> str:
        dtype = mostly(maker, floating(maker), any_kind(maker))
        shape = maker.draw.choice([(3,), (2, 3), (), (0,), (2, 0)])
        count = 1 if kind in ("hinge", "soft") else 2
        kinds = (mostly(maker, dtype, any_kind(maker)) for _ in range(count))
        names = [added(maker, one, shape, "tame") for one in kinds]
        signs = shape[:-1] if kind == "cosine" else shape
        signs = mostly(maker, signs, (3,), (1,), shape)
        names.append(added(maker, mostly(maker, dtype, "int64"), signs, "second", grad=False))
        more = mostly(maker, maker.draw.choice(["", ", margin=0.5", ", 2"]), ", margin='a'")
        return f"{', '.join(names)}{'' if kind == 'soft' else more}{reduction(maker)}"

    return arguments


def halved(maker) -> str:
    """An axis of an even length, mostly."""
    shape = maker.draw.choice([(4,), (2, 3), (3, 2), (2, 4), (), (0, 2), (2, 0)])
    x = added(maker, mostly(maker, floating(maker), any_kind(maker)), shape, "tame")
    return f"{x}{maker.draw.choice(['', ', 0', ', 1', ', dim=-1', ', -2'])}"


def normed_by_squares(maker) -> str:
    dtype = mostly(maker, floating(maker), any_kind(maker))
    shape = maker.draw.choice([(2, 3), (3,), (2, 1, 3), (0, 3), (3, 0)])
    x, rows = added(maker, dtype, shape, "tame"), mostly(maker, shape[-1:], shape[-2:], (3,))
    more = maker.draw.choice(["", "", ", None, 0.5", ", eps=1e-3"])
    if maker.draw.random() < 0.5 and not more:
        more = f", {added(maker, mostly(maker, dtype, any_kind(maker)), rows, 'second')}"
    return f"{x}, {rows}{more}"


def triplet(maker) -> str:
    dtype = mostly(maker, floating(maker), any_kind(maker))
    shape = maker.draw.choice([(3,), (2, 3), (1, 2, 2)])
    sizes = [mostly(maker, shape, (3,), (1, 3)) for _ in range(3)]
    names = [added(maker, mostly(maker, dtype, any_kind(maker)), one, "tame") for one in sizes]
    more = mostly(maker, maker.draw.choice(["", ", p=1", ", swap=True", ", 2.0"]), ", -1", ", 0")
    return f"{', '.join(names)}{more}{reduction(maker)}"


def counted(maker) -> str:
    """Numbers, or counts, and how likely they are; of a Gauss distribution with its variance."""
    dtype = mostly(maker, floating(maker), any_kind(maker))
    shape = maker.draw.choice([(3,), (2, 3), (), (0,)])
    x = added(maker, dtype, shape, "chances")
    y = added(maker, mostly(maker, dtype, any_kind(maker)), mostly(maker, shape, (3,)), "chances")
    more = maker.draw.choice(["", ", False", ", full=True", ", False, True", ", False, eps=0.5"])
    return f"{x}, {y}{more}{reduction(maker)}"


def with_variance(maker) -> str:
    pair = counted(maker).split(", ")[:2]
    x = maker.operands["x"]
    var = added(maker, x.dtype, mostly(maker, x.shape, x.shape[:-1], (1, 3)), "chances")
    more = mostly(maker, var, "2.0", "-0.5") + maker.draw.choice(["", ", True", ", eps=0.1"])
    return f"{', '.join(pair)}, {more}{reduction(maker)}"


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


def pairs(maker) -> str:
    """Two tensors that go together, and the norm of their difference."""
    more = f", {maker.tensor(mostly(maker, first(maker).dtype, any_kind(maker)))}"
    if maker.draw.random() < 0.5:
        more += f", p={maker.draw.choice(NORMS)}"
    more += maker.draw.choice(["", "", ", eps=0", ", eps=0.5", ", eps=-1.0"])
    return more + maker.draw.choice(["", "", ", keepdim=True"])


def angles(maker) -> str:
    """Two tensors that go together, and the axis of their vectors."""
    more = f", {maker.tensor(mostly(maker, first(maker).dtype, any_kind(maker)))}"
    more += f", dim={maker.axis()}" if maker.draw.random() < 0.7 else ""
    return more + maker.draw.choice(["", "", ", eps=0", ", eps=0.5", ", eps=-1.0"])


def any_first(arguments):
    """These, behind a tensor of any shape, a float most often."""
    return lambda maker: (
        maker.tensor(mostly(maker, floating(maker), any_kind(maker))) + arguments(maker)
    )


def undropped(maker) -> str:
    """Whatever is drawn, none of the elements may be dropped."""
    return f"{maker.tensor()}, {maker.draw.choice(['0.0', '0.5, training=False', '-1.0', '2.0'])}"


# -- the constructors of old --

OLD = {
    "HalfTensor": "float16", "FloatTensor": "float32", "DoubleTensor": "float64",
    "LongTensor": "int64", "IntTensor": "int32", "ByteTensor": "uint8", "BoolTensor": "bool",
}  # fmt: skip
SIZES = ["0, 2", "3, 0", "0", "", "mg.Size([0, 1])", "0, np.int64(2)", "mg.tensor(2), 0", "2, 3"]
NO_SIZES = [
    "-1", "2, -1", "2, 1.0", "True, 2", "1, None", "[1], 2", "(1,), (2,)", "1, [2]", "2.0, 1",
    "mg.Size([1]), 1", "None", "'a'", "'1', 2", "1.5", "True", "{1: 2}", "np.float32(2)",
]  # fmt: skip


def of_old(dtype):
    """Sizes, numbers, or another tensor, most often of that dtype."""

    def arguments(maker) -> str:
        turn = maker.draw.random()
        if turn < 0.3:
            return maker.draw.choice(SIZES + NO_SIZES)
        if turn < 0.6:
            return maker.tensor(mostly(maker, dtype, any_kind(maker)))
        data = maker.data()
        return data if data.startswith(("[", "np.array")) else f"[{data}]"

    return arguments


def given_as_tensor(maker) -> str:
    """Numbers, arrays in any layout, tensors."""
    array = "np.arange(6.0).reshape(2, 3)"
    arrays = [array, f"{array}.T", f"{array}[:, ::2]", f"{array}[::-1]", "np.array(2)", "[[], []]"]
    data = maker.draw.choice([maker.data, maker.tensor, lambda: maker.draw.choice(arrays)])()
    return data + maker.draw.choice(["", f", dtype={maker.dtype()}", ", device='cpu'", ""])


def old_name(maker) -> str:
    """A dtype, as it is, by its old name, or by its constructor."""
    name = maker.draw.choice([*OLD, "Foo", "Tensor"])
    no = ["3", "float", "x", "'float32'", "None", ""]
    if name in ("Foo", "Tensor"):
        return maker.draw.choice(["'Foo'", *no])
    return maker.draw.choice([f"mg.{name}", f"'torch.{name}'", f"mg.{OLD[name]}"])


# -- unique --


def once_each(maker) -> str:
    """Flags, and an axis now and then."""
    flags = [
        maker.draw.choice(["", f"{name}=True"]) for name in ("return_inverse", "return_counts")
    ]
    dim = maker.draw.choice(["", "", f"dim={maker.axis()}"])
    return ", ".join(
        filter(None, [maker.draw.choice(["", "", "", "True", "False", "0"]), *flags, dim])
    )


# -- three tensors --


def fitting(maker) -> str:
    """One more tensor, most often of the first one's shape and dtype."""
    shape = mostly(maker, first(maker).shape, (), (1,), (3,), (2, 1))
    return added(maker, mostly(maker, first(maker).dtype, any_kind(maker)), shape)


def two_more(maker) -> str:
    value = maker.draw.choice(["", "", ", value=0.5", ", value=-2", ", value=3", ", value=0"])
    return f"{fitting(maker)}, {fitting(maker)}{value}"


def end_and_weight(maker) -> str:
    end, numbers = fitting(maker), ["0.25", "0.5", "0.75", "1", "0", "-1.5", "True"]
    weight = maker.draw.choice(numbers) if maker.draw.random() < 0.5 else fitting(maker)
    return f"{end}, {weight}"


# -- repeat_interleave --


def interleaved(maker) -> str:
    """A number, or numbers for each element along an axis, or of all."""
    shape = first(maker).shape if maker.operands else (2,)
    dim = maker.draw.choice([*range(-len(shape), max(len(shape), 1)), None, None, 2])
    count = math.prod(shape if dim is None else shape[dim : (dim + 1) or None])
    many = mostly(maker, (count,), (1,), (), (2,), (1, 2), (0,))
    kind = mostly(maker, "int64", "int32", any_kind(maker))
    numbers = maker.draw.choice(["second", "second", "first", "ties"])
    texts = ["2", "0", "1", "3", "-1", "2.0", "None", "[1, 2]", "np.int64(2)", "True"]
    turn = maker.draw.random()
    times = added(maker, kind, many, numbers) if turn < 0.6 else maker.draw.choice(texts)
    sizes = ["", "", f", output_size={count}", ", output_size=2"]
    size = maker.draw.choice(sizes if numbers != "ties" else [""])  # PyTorch crashes on some
    return f"{times}{maker.draw.choice([', ', ', dim='])}{dim}{size}"


def stacks(maker) -> str:
    """Stacks of matrices, and what is added to their products."""
    dtype = mostly(maker, floating(maker), any_kind(maker))
    x = added(maker, dtype, maker.draw.choice([(2, 2, 3), (1, 2, 3), (2, 1), (3,), (2, 2, 2, 3)]))
    y = added(
        maker, mostly(maker, dtype, any_kind(maker)), mostly(maker, (2, 2, 2), (2, 2), (1, 2, 2))
    )
    return f"{x}, {y}, {added(maker, mostly(maker, dtype, any_kind(maker)), (2, 2, 3))}"


def summed_products(maker) -> str:
    """A matrix product, and what is added to it."""
    dtype = mostly(maker, floating(maker), any_kind(maker))
    x = added(maker, dtype, maker.draw.choice([(2, 3), (1, 3), (2, 1), (3,), (1,), ()]))
    kinds = [mostly(maker, dtype, any_kind(maker)) for _ in "yz"]
    y = added(maker, kinds[0], mostly(maker, (2, 2), (2,), (2, 1, 2)))
    return f"{x}, {y}, {added(maker, kinds[1], mostly(maker, (2, 3), (2, 4), (3,)))}"


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


def classes_to_rows(maker) -> str:
    """Numbers of classes, and how many classes there are."""
    shape = mostly(maker, maker.draw.choice([(3,), (2, 2), ()]), (0,), (2, 0))
    x = added(
        maker, mostly(maker, "int64", any_kind(maker)), shape, mostly(maker, "ties", "second")
    )
    return x + maker.draw.choice(
        ["", ", 3", ", 5", ", 1", ", 0", ", -1", ", -2", ", num_classes=4"]
    )


def to_count(maker) -> str:
    """Whole numbers to count, and their weights."""
    shape = mostly(maker, maker.draw.choice([(3,), (1,), (4,)]), (0,), (2, 2), ())
    kind = mostly(maker, maker.draw.choice(["int64", "int64", "int32", "uint8"]), any_kind(maker))
    text = added(maker, kind, shape, mostly(maker, "ties", "second"))
    if maker.draw.random() < 0.5:
        weights = mostly(maker, shape, (2,), ())
        text += ", " + added(maker, any_kind(maker), weights, "second")
    return text + maker.draw.choice(["", "", ", minlength=3", ", minlength=0", ", minlength=-1"])


def middles(maker) -> str:
    """Of all, or along an axis; PyTorch reads beside an expanded tensor."""
    name = maker.tensor()
    while maker.operands[name].layout == "expanded":
        maker.operands[name] = operand(maker.draw, None)
    some = [f", {maker.axis()}", f", dim={maker.axis()}, keepdim=True", ", 1, False"]
    return name + maker.draw.choice(["", *some])


def slices_added(maker) -> str:
    """An axis, a vector of places along it, and as many slices."""
    shape, axis = first(maker).shape, maker.axis()
    dim = int(axis) if axis.lstrip("-").isdigit() else 0
    index, kind = vector_of_places(maker), mostly(maker, first(maker).dtype, any_kind(maker))
    count = maker.operands[index].shape if index in maker.operands else (2,)
    sizes = list(shape)
    if -len(sizes) <= dim < len(sizes) and len(count) == 1:
        sizes[dim] = count[0]
    source = added(maker, kind, mostly(maker, tuple(sizes), (2,), ()), "second")
    return f"{axis}, {index}, {source}" + maker.draw.choice(["", f", alpha={maker.factor()}"])


# -- products, and axes moved --


def times(axes, last=2):
    """Another factor of a product, which fits a first one of so many axes."""

    def arguments(maker) -> str:
        shape = first(maker).shape
        inner = shape[-1] if shape else 1
        fits = (inner,) if last == 1 else (*shape[:-2], inner, maker.draw.choice([2, 1, 0]))
        shape = mostly(maker, fits, (2,), (3, 2), (2, 3, 2))
        return added(maker, mostly(maker, first(maker).dtype, any_kind(maker)), shape)

    return arguments


def two_vectors(maker) -> str:
    """Of one length and dtype, mostly."""
    shape = maker.draw.choice([(3,), (1,), (0,), (4,)])
    dtype = maker.draw.choice(["float32", "float64", "float16", "int64"])
    x = added(maker, mostly(maker, dtype, "bool"), mostly(maker, shape, (), (2, 2)))
    y = added(maker, mostly(maker, dtype, any_kind(maker)), mostly(maker, shape, (2,), ()))
    return f"{x}, {y}"


def weighed(maker) -> str:
    """Weights, how many are drawn by them, and whether one may come again."""
    shape = mostly(maker, maker.draw.choice([(3,), (2, 3)]), (), (2, 2, 2), (0,))
    x = added(maker, mostly(maker, floating(maker), any_kind(maker)), shape, "chances")
    more = maker.draw.choice(["", ", True", ", replacement=True", ", False"])
    return f"{x}, {mostly(maker, maker.draw.choice([1, 2]), 4, 0)}{more}"


def whole_numbers(maker) -> str:
    """Bounds, a size and a dtype for randint."""
    bounds = mostly(maker, maker.draw.choice(["5", "-2, 3", "0, 1"]), "0", "3, 3", "2, -2")
    size = mostly(maker, maker.draw.choice(["(2, 3)", "(0,)", "()", "[2]"]), "3", "(-1,)", "(2.0,)")
    return f"{bounds}, {size}" + mostly(maker, "", ", dtype=mg.float32", ", dtype=mg.uint8")


def pressed(maker) -> str:
    return maker.draw.choice(["", "", "0", "-1", "1", "(0, 1)", "(0,)", "()", "(0, 0)", "5"])


def moved(maker) -> str:
    """Axes, and where they go."""
    one, two = maker.draw.sample(["0", "1", "-1", "-2", "2"], 2)
    return mostly(maker, f"{one}, {two}", f"({one}, {two}), ({two}, {one})", f"({one},), {two}")


def contracted(maker) -> str:
    """Another factor, and along how many axes, or which, the products are added up."""
    shape = first(maker).shape if maker.operands else (2, 3)
    x = (
        ""
        if maker.operands
        else added(maker, mostly(maker, floating(maker), "int64"), shape) + ", "
    )
    other = mostly(maker, maker.draw.choice([(3, 2), (2, 3), (3,), (3, 2, 2)]), (1, 3), (2,), ())
    y = added(maker, mostly(maker, first(maker).dtype, any_kind(maker)), other)
    dims = [
        "1",
        "([1], [0])",
        "2",
        "0",
        "([0], [1])",
        "[[-1], [-1]]",
        "([1, 0], [0, 1])",
        "([], [])",
    ]
    return f"{x}{y}, {mostly(maker, maker.draw.choice(dims), '-1', '3', '1.0', '([0], [0, 1])')}"


def of_rows(maker) -> str:
    """Two whose last axes are as long, mostly."""
    shape = maker.draw.choice([(3,), (2, 3), (2, 2, 3), (), (2, 0)])
    x = added(maker, mostly(maker, floating(maker), any_kind(maker)), shape)
    other = mostly(maker, maker.draw.choice([shape, shape[-1:], (2, *shape[-1:])]), (2,), ())
    return f"{x}, {added(maker, mostly(maker, first(maker).dtype, any_kind(maker)), other)}"


def apart_by(maker) -> str:
    """How often neighbours are subtracted, along which axis, and what is put before or after."""
    shape = maker.draw.choice([(3,), (2, 3), (4, 1), (2, 0), ()])
    x = added(maker, mostly(maker, floating(maker), any_kind(maker)), shape)
    more = mostly(maker, maker.draw.choice(["", ", 2", ", 1, 0", ", n=5", ", 0"]), ", -1", ", 1, 2")
    for name in ("prepend", "append"):
        if maker.draw.random() < 0.3:
            put = mostly(maker, shape, (1, *shape[1:]), (2,))
            more += (
                f", {name}={added(maker, mostly(maker, first(maker).dtype, any_kind(maker)), put)}"
            )
    return f"{x}{more}"


def in_windows(maker) -> str:
    """An axis, a size and a step."""
    shape = first(maker).shape
    dim = maker.draw.choice([*range(-len(shape), len(shape)), 0])
    length = shape[dim] if shape else 1
    size = mostly(maker, maker.draw.randint(1, max(length, 1)), 0, length + 1, -1)
    return f"{mostly(maker, dim, 3)}, {size}, {mostly(maker, maker.draw.choice([1, 2, 3]), 0, -1)}"


def into_several(maker) -> str:
    """An axis, and lengths of which the product is its own, mostly."""
    shape = first(maker).shape
    dim = maker.draw.choice([*range(-len(shape), len(shape)), 0])
    n = shape[dim] if shape else 1
    return f"{dim}, {mostly(maker, maker.draw.choice([(n, 1), (1, -1), (-1,)]), (2, -1), (n, 2))}"


def parted(maker) -> str:
    """Lengths of parts, along an axis."""
    shape = first(maker).shape
    axis = maker.draw.randrange(len(shape)) if shape else 0
    length = shape[axis] if shape else 1
    cut = maker.draw.randint(0, length)
    parts = mostly(maker, [cut, length - cut], [length], [length, 0, 0], [1, 1], [-1, length + 1])
    return f"{parts}, {axis}"


def turned(maker) -> str:
    """All axes in another order, mostly."""
    axes = [*range(len(first(maker).shape))]
    maker.draw.shuffle(axes)
    axes = [i - len(axes) * maker.draw.randint(0, 1) for i in axes]
    return str(mostly(maker, tuple(axes), (0, 0), (0,), (5, 0), ()))


LINES = {
    "one_hot": classes_to_rows, "median": middles, "bincount": to_count,
    **{name: of_old(dtype) for name, dtype in OLD.items()},
    "as_tensor": given_as_tensor,
    "einsum": equation, "mse_loss": loss, "l1_loss": loss, "huber_loss": loss_with("delta"),
    "smooth_l1_loss": loss_with("beta"), "binary_cross_entropy": chances, "kl_div": divergence,
    "binary_cross_entropy_with_logits": logits, "cross_entropy": smoothed, "nll_loss": classes,
    "linear": affine, "embedding": looked_up, "avg_pool2d": pooled, "max_pool2d": pooled,
    "avg_pool1d": pooled_along, "max_pool1d": pooled_along, "adaptive_avg_pool1d": pooled_along_to,
    "adaptive_avg_pool2d": pooled_to, "layer_norm": normed,
    "triplet_margin_loss": triplet, "poisson_nll_loss": counted,
    "gaussian_nll_loss": with_variance, "margin_ranking_loss": by_margin("ranking"),
    "hinge_embedding_loss": by_margin("hinge"), "soft_margin_loss": by_margin("soft"),
    "rms_norm": normed_by_squares, "glu": halved, "cosine_embedding_loss": by_margin("cosine"),
    "batch_norm": normed_by_batch, "group_norm": in_groups, "instance_norm": by_instance,
    "dropout": undropped,
    "dropout1d": undropped, "dropout2d": undropped, "prelu": learned_slope, "cdist": rows,
    "pairwise_distance": any_first(pairs), "cosine_similarity": any_first(angles),
    "dot": two_vectors, "outer": two_vectors, "tensordot": contracted, "inner": of_rows,
    "diff": apart_by,
    "multinomial": weighed, "randint": whole_numbers, "interpolate": resized, "pad": padded,
    "baddbmm": stacks, "addmm": summed_products,
    "scaled_dot_product_attention": attended,
}  # fmt: skip
LINES |= {"conv1d": convolved(1), "conv2d": convolved(2)}
LINES |= {f"conv_transpose{axes}d": convolved(axes, transposed=True) for axes in (1, 2)}


AFTER_FIRST = {  # all arguments that follow the tensor
    "take_along_dim": gathered_along,
    "gather": gathered, "scatter": scattered, "scatter_": scattered, "scatter_add": scattered,
    "scatter_add_": scattered, "index_select": selected, "index_add": slices_added,
    "index_add_": slices_added, "type": old_name,
    "repeat_interleave": interleaved, "unique": once_each, "lerp": end_and_weight,
    "lerp_": end_and_weight, "addcmul": two_more, "addcmul_": two_more, "addcdiv": two_more,
    "addcdiv_": two_more, "mm": times(2), "bmm": times(3), "mv": times(2, last=1),
    "movedim": moved, "moveaxis": moved, "swapaxes": moved, "split_with_sizes": parted,
    "permute": turned, "squeeze": pressed, "unfold": in_windows, "unflatten": into_several,
}  # fmt: skip
