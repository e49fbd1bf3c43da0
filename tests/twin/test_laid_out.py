"""What is made in the shape of another tensor lies as in PyTorch, however that one lies."""

import random
import secrets

import minigrad
from tests.twin.probes import strides

EACH = 300
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
