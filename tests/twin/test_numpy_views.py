"""A tensor on a view of a numpy array has the storage that PyTorch gives it, and its bytes."""

import os
import random

import numpy as np
import pytest

import minigrad

SEED = int(os.environ["MINIGRAD_MOVED"])
PARTS = [slice(None), slice(1, None), slice(None, -1), slice(None, None, 2), 0, slice(0, 0), -1]


def view(draw):
    """An array, and a part of it: sliced, transposed, of one row, of one element, of none."""
    shape = tuple(draw.choice([1, 2, 3, 5]) for _ in range(draw.randint(1, 3)))
    array = np.arange(np.prod(shape), dtype=draw.choice(["f4", "f8", "i8", "u1"])).reshape(shape)
    part = array[tuple(draw.choice(PARTS) for _ in shape)]
    part = part.T if draw.random() < 0.3 else part
    return array, np.asarray(part) if isinstance(part, np.ndarray) else array


def said(mg, seed):
    draw = random.Random(seed)
    array, part = view(draw)
    before = mg.memory_allocated()
    make = draw.choice([mg.from_numpy, mg.as_tensor])
    tensor = make(part)
    storage = tensor.untyped_storage()
    found = [tensor.storage_offset(), storage.nbytes(), mg.memory_allocated() - before]
    tensor.add_(1)
    part += 1
    found += [array.tolist(), tensor.tolist(), mg.memory_allocated() - before]
    if tensor.dim():
        row = tensor[:1]
        found += [row.storage_offset(), row.untyped_storage().nbytes() == storage.nbytes()]
        del row
    del tensor, storage
    return [*found, mg.memory_allocated() - before]


@pytest.mark.parametrize("nth", range(100))
def test_a_view_of_an_array_has_the_bytes_between_its_ends(live_torch, nth):
    seed = f"{SEED} {nth}"
    assert said(minigrad, seed) == said(live_torch, seed), seed
