"""Batches of nested samples, drawn by chance: the same lists, tuples and dicts on either engine.

And what a data set and a loader say of themselves: how several samples are got, what a split is.
"""

import os
import random
import warnings
from collections import ChainMap, OrderedDict, UserDict, UserList, deque, namedtuple
from types import MappingProxyType

import numpy as np
import pytest

import minigrad

FIRST = int(os.environ["MINIGRAD_MOVED"])
Pair = namedtuple("Pair", "image label")
LEAVES = {
    "tensor": lambda m, n: m.full((2,), float(n)),
    "int": lambda m, n: n,
    "float": lambda m, n: n / 2,
    "bool": lambda m, n: n % 2 == 0,
    "text": lambda m, n: f"file {n}",
    "bytes": lambda m, n: bytes([n]),
    "array": lambda m, n: np.full((2,), n),
    "number": lambda m, n: np.float32(n),
    "name": lambda m, n: np.str_(f"file {n}"),
}
DICTS = dict, OrderedDict, UserDict, ChainMap, MappingProxyType
LISTS = tuple, list, UserList, deque


def drawn(r, depth=2):
    """What makes the sample number n of a module's: one kind for all samples."""
    if not depth or r.random() < 0.4:
        return LEAVES[r.choice([*LEAVES])]
    parts = [drawn(r, depth - 1) for _ in range(r.randint(1, 3))]
    kind = r.choice(["list", "list", "dict", "named"])
    if kind == "dict":
        as_kind = r.choice(DICTS)
        return lambda m, n: as_kind({f"key {i}": part(m, n) for i, part in enumerate(parts)})
    if kind == "named":
        first, last = parts[0], parts[-1]
        return lambda m, n: Pair(first(m, n), last(m, n))
    as_kind = r.choice(LISTS)
    return lambda m, n: as_kind(part(m, n) for part in parts)


def batches(m, sample, size):
    samples = [sample(m, n) for n in range(5)]
    loader = m.utils.data.DataLoader(samples, batch_size=size)
    try:
        return [repr(batch).replace("minigrad.", "torch.") for batch in loader]
    except Exception as error:
        return type(error).__name__


def test_a_batch_is_nested_as_pytorchs(live_torch):
    for seed in range(FIRST, FIRST + 200):
        r = random.Random(seed)
        sample, size = drawn(r), r.choice([None, 1, 2, 3])
        theirs, ours = (batches(m, sample, size) for m in (live_torch, minigrad))
        assert theirs == ours, f"seed {seed}"


def at_once(m, seed) -> list:
    """What a loader hands out of a data set that gives several samples at once, or of its parts."""
    r, asked = random.Random(seed), []
    data = m.utils.data

    class Several(data.Dataset):
        def __len__(self):
            return 6

        def __getitem__(self, i):
            return i

        def __getitems__(self, indices):
            asked.append(list(indices))
            return [10 * i for i in indices]

    class Part(data.Subset):
        def __getitem__(self, i):
            return -i

    class Whole(Part):
        def __getitems__(self, indices):
            return [self[i] for i in indices]

    class Without(Several):
        __getitems__ = None

    one = r.choice([Several, Without])()
    for _ in range(r.randint(0, 2)):
        kind = r.choice([data.Subset, data.Subset, Whole, Part])
        one = kind(one, r.sample(range(len(one)), len(one) - 1))
    loader = data.DataLoader(one, batch_size=r.choice([None, 1, 2, 4]), drop_last=False)
    return [str(batch) for batch in loader], asked


def split(m, seed) -> list:
    r = random.Random(seed)
    n, lengths = r.randint(0, 6), [r.choice([0, 1, 2, 3]) for _ in range(r.randint(1, 3))]
    if r.random() < 0.7:
        share = r.choice([0.25, 0.5, -0.5, 1.0, 0.1])
        lengths = r.choice([[share, 1 - share], [share, 0.5, 0.5 - share], [1.5, -0.5], [0.9]])
    return [len(part) for part in m.utils.data.random_split(range(n), lengths)]


def attributes(m, seed) -> list:
    r = random.Random(seed)
    loader = m.utils.data.DataLoader(range(5), r.choice([2, None]))
    if r.random() < 0.3:
        loader = m.utils.data.DataLoader(range(5), batch_sampler=[[1, 2], [0]])
    names = "batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "mine"
    setattr(loader, r.choice([*names, "collate_fn"]), str)
    return [loader.batch_size, loader.drop_last, *map(str, loader)]


def said(ask, m, seed):
    """What it gives, or its error; and what is warned of."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = ask(m, seed)
        except Exception as error:
            found = type(error).__name__, str(error)
    return found, [str(one.message) for one in told]


@pytest.mark.parametrize("ask", [at_once, split, attributes])
def test_a_data_set_and_a_loader_do_as_pytorchs(torch, ask):
    for seed in range(FIRST, FIRST + 150):
        assert said(ask, torch, seed) == said(ask, minigrad, seed), f"seed {seed}"
