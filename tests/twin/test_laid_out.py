"""What is made in the shape of another tensor lies as in PyTorch, however that one lies."""

import random
import secrets

import pytest

import minigrad
from tests.twin.probes import strides

EACH = 300


@pytest.fixture
def peaks(torch):  # which cannot be imported without PyTorch
    from tests.twin import peaks

    return peaks


MADE = {
    "empty_like": lambda mg, x: mg.empty_like(x),
    "ones_like": lambda mg, x: mg.ones_like(x),
    "zeros_like": lambda mg, x: mg.zeros_like(x, dtype=mg.float64),
    "rand_like": lambda mg, x: mg.rand_like(x),
    "full_like": lambda mg, x: mg.full_like(x, 2.5),
    "clone": lambda mg, x: x.clone(),
    "another dtype": lambda mg, x: x.double(),
}


def viewed(mg, seed):
    """A tensor seen through up to four random views.

    No axis has one element: what NumPy and PyTorch write down for its steps differs, and can
    decide an order (a case in 3,000).
    """
    draw = random.Random(seed)
    shape = [draw.choice((0, 2, 3, 3, 4)) for _ in range(draw.randint(1, 4))]
    x = mg.ones(*shape)
    for _ in range(draw.randint(0, 4)):
        axis, way = draw.randrange(x.dim()), draw.randrange(3)
        if way == 0:
            x = x.permute(*draw.sample(range(x.dim()), x.dim()))
        if way == 1 and x.dim() < 5:
            x = x.expand(2, *x.shape)
        if way == 2 and x.shape[axis] > 2:
            x = x.transpose(0, axis)[::2].transpose(0, axis)
    return x


def somewhere(x) -> tuple:
    """Whether it has an address, and its storage has one."""
    return bool(x.data_ptr()), bool(x.untyped_storage().data_ptr())


def test_it_lies_as_in_pytorch(torch):
    first = secrets.randbelow(10**9)
    for seed in range(first, first + EACH):
        theirs, mine = viewed(torch, seed), viewed(minigrad, seed)
        assert strides(mine) == strides(theirs), f"seed {seed}"
        for name, made in MADE.items():
            expected, found = strides(made(torch, theirs)), strides(made(minigrad, mine))
            assert found == expected, f"seed {seed}: {name} of strides {theirs.stride()}"
        expected, found = (somewhere(x) + somewhere(x.clone()) for x in (theirs, mine))
        assert found == expected, f"seed {seed}: the address of nothing"


# -- gradients, which `.grad` of a leaf does not show: it lies as the leaf does --

MIXED = {  # rules whose backward combines what lies differently: see `layout` in known.py
    "x[:, 0] = x[:, -1]", "margin_ranking_loss", "hinge_embedding_loss",
    "masked_select", "prod", "prod, a zero", "prod(1)", "var_mean", "norm(-inf, dim)",
    "normalize", "copy_",
    "binary_cross_entropy(mean)", "binary_cross_entropy(sum)",
    "binary_cross_entropy_with_logits(mean)",
    "binary_cross_entropy_with_logits(sum)", "binary_cross_entropy_with_logits(none)",
}  # fmt: skip
LAYERS = "conv", "max_pool", "avg_pool", "adaptive_avg_pool"  # PyTorch's keep channels last
USES = 3


def turned(x, axes):
    """A leaf that lies so that these of its axes, the outermost first, have their elements side
    by side."""
    if x.dim() < 2:
        return x
    order = sorted(range(x.dim()), key=axes)
    back = sorted(range(x.dim()), key=order.__getitem__)
    return x.detach().permute(*order).contiguous().permute(*back).requires_grad_(x.requires_grad)


def gradients_lie(peaks, mg, use, axes):
    """The strides of the gradients of a use of a rule; None if it has none, or the error."""
    given = [turned(x, axes) for x in peaks.leaves(mg, use)]
    try:
        out = peaks.called(mg, use, given)
    except RuntimeError as error:  # of a view
        return str(error)
    if not out.requires_grad:
        return None
    found = peaks.gradients(mg, use, out, given, mg.ones_like(out))
    return [None if grad is None else strides(grad) for grad in found]


def differ(peaks, torch, rule, seed) -> bool:
    use, draw = peaks.drawn(rule, seed), random.Random(seed)
    chances = [draw.random() for _ in range(9)]
    if any(n < 2 for shape in use.shapes for n in shape):
        return False
    both = [gradients_lie(peaks, mg, use, chances.__getitem__) for mg in (torch, minigrad)]
    return both[0] != both[1]


def left_out(peaks) -> set:
    return MIXED | {rule for rule in peaks.rules() if rule.startswith(LAYERS)}


def test_gradients_lie_as_in_pytorch(peaks, torch):
    first = secrets.randbelow(10**9)
    for rule in set(peaks.rules()) - left_out(peaks):
        for seed in range(first, first + USES):
            assert not differ(peaks, torch, rule, seed), f"seed {seed}: {peaks.drawn(rule, seed)}"


def test_those_of_mixed_operands_still_lie_otherwise(peaks, torch):
    first = secrets.randbelow(10**9)
    stale = [
        rule for rule in MIXED
        if not any(differ(peaks, torch, rule, seed) for seed in range(first, first + 2000))
    ]  # fmt: skip
    assert not stale, f"They lie as PyTorch's now: take {stale} out of MIXED."
