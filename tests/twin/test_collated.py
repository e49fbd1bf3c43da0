"""Batches of nested samples, drawn by chance: the same lists, tuples and dicts on either engine."""

import os
import random
from collections import namedtuple

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
}


def drawn(r, depth=2):
    """What makes the sample number n of a module's: one kind for all samples."""
    if not depth or r.random() < 0.4:
        return LEAVES[r.choice([*LEAVES])]
    parts = [drawn(r, depth - 1) for _ in range(r.randint(1, 3))]
    kind = r.choice(["tuple", "list", "dict", "named"])
    if kind == "dict":
        return lambda m, n: {f"key {i}": part(m, n) for i, part in enumerate(parts)}
    if kind == "named":
        first, last = parts[0], parts[-1]
        return lambda m, n: Pair(first(m, n), last(m, n))
    as_kind = {"tuple": tuple, "list": list}[kind]
    return lambda m, n: as_kind(part(m, n) for part in parts)


def batches(m, sample, size):
    samples = [sample(m, n) for n in range(5)]
    loader = m.utils.data.DataLoader(samples, batch_size=size)
    return [repr(batch).replace("minigrad.", "torch.") for batch in loader]


def test_a_batch_is_nested_as_pytorchs(live_torch):
    for seed in range(FIRST, FIRST + 200):
        r = random.Random(seed)
        sample, size = drawn(r), r.randint(1, 3)
        theirs, ours = (batches(m, sample, size) for m in (live_torch, minigrad))
        assert theirs == ours, f"seed {seed}"
