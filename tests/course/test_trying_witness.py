"""Bytes of values that a learner's lines take to where neither the ledger nor NumPy counts."""

import pickle
import random

import numpy as np
import pytest

import minigrad as mg
from course.trying import lines
from course.trying.witness import Witness

WAYS = {
    "a numpy array": "kept.append(np.array(x.numpy()))",
    "bytes": "kept.append(x.numpy().tobytes())",
    "a list": "kept.append(x.tolist())",
    "a number": "kept.append([x.view(-1)[n].item() for n in range(x.numel())])",
    "an array": "kept.append(np.array(x))",
    "a pickle": "kept.append(pickle.dumps(x))",
    "an earlier array": "pool.numpy()[: x.numel()] = x.numpy().reshape(-1)",
    "an earlier tensor": "pool[: x.numel()] = x.view(-1)",
    "an earlier tensor's data": "pool.data[: x.numel()].copy_(x.view(-1))",
    "a view of an earlier tensor": "window[: x.numel()].mul_(0).add_(x.view(-1))",
}


@pytest.mark.parametrize("way", WAYS)
def test_values_that_are_taken_out_are_counted(way):
    x, taken = tried(WAYS[way])
    assert taken >= x.nbytes


def test_what_stays_in_the_engine_is_not():
    for line in ("x.add_(1)", "y = x.clone(); y[0] = x[1]; y.grad = x", "mg.manual_seed(1)"):
        assert tried(line)[1] == 0


def tried(line):
    """A tensor of any size, and the bytes that this line of a learner's takes of it."""
    pool = mg.zeros(1000)
    names = {"mg": mg, "np": np, "pickle": pickle, "kept": [], "pool": pool, "window": pool[5:]}
    exec(compile(f"def f(x):\n    {line}", "cell 1", "exec"), names)
    with lines.own(["cell 1"]), Witness() as witness:
        x = mg.rand(random.randrange(2, 30), random.randrange(2, 30))
        x.tolist()  # by the case
        names["f"](x)
    return x, witness.taken
