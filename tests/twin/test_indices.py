"""x[index] and x[index] = y, of any index and shapes: the same elements, or the same refusal."""

import itertools
import math
import os
import random

import pytest

import minigrad
from tests.twin.graph_programs import an_index
from tests.twin.one_op_judge import same_error

# PyTorch says so of a list of lists, once.
pytestmark = pytest.mark.filterwarnings("ignore:Using a non-tuple sequence")

COUNT = int(os.environ.get("MINIGRAD_INDICES", 1500))
START = int(os.environ["MINIGRAD_MOVED"]) * 10_000
SHAPES = (
    (2, 3, 4), (2, 2, 2), (3, 2), (4, 1), (3, 1, 2), (2, 0), (0, 3), (3, 0, 2), (4,), (1, 2), (0,),
    (),
)  # fmt: skip


def drawn(seed, mg):
    """A tensor of different numbers, and an index for it."""
    draw = random.Random(seed)
    x = numbered(mg, draw.choice(SHAPES))
    return draw, x, an_index(mg, x.shape, draw.randrange(10**6))


def numbered(mg, shape):
    x = mg.zeros(shape)
    return (mg.arange(x.numel()) + 1).to(x.dtype).reshape(shape)


def read(mg, seed):
    _, x, index = drawn(seed, mg)
    return x[index].tolist()


def fitting(torch, seed) -> tuple:
    """A shape to write: mostly that of what is chosen, or nearly."""
    draw, x, index = drawn(seed, torch)
    try:
        shape = [*x[index].shape]
    except IndexError:
        shape = [2]
    if draw.random() < 0.4:
        draw.shuffle(shape)
    return tuple(draw.choice([n, n, n, n, 1, n + 1]) for n in shape[draw.randrange(-1, 2) :])


def written(mg, seed, shape, wants):
    _, x, index = drawn(seed, mg)
    return put(mg, x, index, numbered(mg, shape).requires_grad_(wants), seed % 2 == 0)


def put(mg, was, index, value, wants=True):
    """What is there after a write, and the gradients of what was there and of what was written."""
    weights = was * 3
    x = was.requires_grad_(wants) * 1
    x[index] = -value
    if x.requires_grad:
        (x * weights).sum().backward()
    return x.tolist(), [t.grad if t.grad is None else t.grad.tolist() for t in (was, value)]


KINDS = "float32", "float64", "float16", "int64", "int32", "uint8", "bool"


def written_of_another_kind(mg, seed, shape, wants):
    """x[index] = y, of dtypes that may differ; y is mostly of one element."""
    draw, x, index = drawn(seed, mg)
    kind, other = draw.choice(KINDS), draw.choice(KINDS)
    shape = draw.choice([(), (1,), (1, 1), (1, 1, 1), shape])
    y = -numbered(mg, shape).to(getattr(mg, other))
    x = x.to(getattr(mg, kind))
    x[index] = y.requires_grad_(wants and other.startswith("float"))
    return x.tolist()


def told(run, *given):
    try:
        return run(*given), None
    except Exception as error:
        return None, (type(error).__name__, str(error))


def alike(one, other) -> bool:
    if one[1] and other[1]:  # of two faults either may be named
        return same_error(one[1], other[1])
    return one == other


def several(seed, mg):
    """A tensor, and index tensors for it, laid in any way, of which many are out of bounds."""
    draw = random.Random(seed)
    x = numbered(mg, [draw.randrange(1, 4) for _ in range(draw.randrange(1, 4))])
    shape = [draw.randrange(1, 4) for _ in range(draw.randrange(1, 4))]
    index = [slice(None)] * x.dim()
    for axis in draw.sample(range(x.dim()), draw.randrange(1, x.dim() + 1)):
        axes = [draw.choice([n, n, n, 1]) for n in shape[draw.randrange(len(shape)) :]]
        index[axis] = laid(draw, mg, axes, x.shape[axis])
    return draw, x, tuple(index)


def laid(draw, mg, shape, n):
    """Numbers around the length `n`: in order, transposed, or one of them repeated."""
    axes = draw.sample(range(len(shape)), len(shape))
    count = math.prod(shape)
    i = mg.tensor([draw.randrange(-n - 1, n + 1) for _ in range(count)])
    i = i.reshape([shape[axis] for axis in axes]).permute([axes.index(k) for k in range(len(axes))])
    return i[..., :1].expand(shape) if draw.random() < 0.2 else i


def read_several(mg, seed):
    _, x, index = several(seed, mg)
    chosen = x[index]
    steps = zip(chosen.shape, chosen.stride(), strict=True)
    return chosen.tolist(), [step for n, step in steps if n > 1]  # of one element it means nothing


def written_several(mg, seed):
    draw, x, index = several(seed, mg)
    x[index] = mg.tensor(1.0, requires_grad=draw.random() < 0.5)
    return x.tolist()


def written_again(mg, seed):
    """Some places are written several times, by values of which some are written at several."""
    draw = random.Random(seed)
    was = numbered(mg, [draw.choice([1, 1, 2, 3]) for _ in range(draw.randrange(1, 4))])
    axis, index = draw.randrange(was.dim()), [slice(None)] * was.dim()
    index[axis] = [draw.randrange(was.shape[axis]) for _ in range(draw.randrange(1, 4))]
    shape = [draw.choice([n, n, 1]) for n in was[tuple(index)].shape]
    return put(mg, was, tuple(index), numbered(mg, shape[draw.randrange(-1, 2) :]).requires_grad_())


def test_what_is_written_several_times_has_one_gradient_for_each_number(torch):
    for seed in range(START, START + COUNT):
        one, other = (told(written_again, mg, seed) for mg in (torch, minigrad))
        assert alike(one, other), f"seed {seed}: {one} {other}"


@pytest.mark.parametrize("run", [read_several, written_several])
def test_of_many_indices_out_of_bounds_the_same_is_named(torch, run):
    for seed in range(START, START + COUNT):
        one, other = (told(run, mg, seed) for mg in (torch, minigrad))
        assert one == other, f"seed {seed}: x[{several(seed, minigrad)[2]}]"


def test_an_index_chooses_the_same(torch):
    for seed in range(START, START + COUNT):
        one, other = (told(read, mg, seed) for mg in (torch, minigrad))
        assert alike(one, other), f"seed {seed}: x[{drawn(seed, minigrad)[2]}]"


def test_a_value_of_another_dtype_is_written_alike(torch):
    """PyTorch converts what it copies, and a number that it fills a mask with; else it refuses.

    Writes are drawn until there are COUNT, and a tenth as many were refused.
    """
    refused = 0
    for seed in itertools.count(START):
        if seed >= START + COUNT and refused >= COUNT / 10:
            break
        assert seed < START + 10 * COUNT, "too few writes are refused"
        shape, wants = fitting(torch, seed), seed % 3 == 0
        one, other = (
            told(written_of_another_kind, mg, seed, shape, wants) for mg in (torch, minigrad)
        )
        refused += "source and destination" in str(one[1])
        indexes = one[1] and other[1] and one[1][0] == other[1][0] == "IndexError"
        text = f"seed {seed}: x[{drawn(seed, minigrad)[2]}] = {shape}"
        assert indexes or alike(one, other), text  # of two faulty indices either may be named


def test_an_index_is_written_alike(torch):
    for seed in range(START, START + COUNT):
        shape, wants = fitting(torch, seed), seed % 3 == 0
        one, other = (told(written, mg, seed, shape, wants) for mg in (torch, minigrad))
        assert alike(one, other), f"seed {seed}: x[{drawn(seed, minigrad)[2]}] = {shape}"
