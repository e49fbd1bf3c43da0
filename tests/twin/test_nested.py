"""tensor() and its kin on nested lists: numbers, numpy's scalars and arrays, tensors, by chance."""

import os
import random
import warnings

import numpy as np

import minigrad
from minigrad.ops import nested

SEED = int(os.environ["MINIGRAD_MOVED"])
DTYPES = "float32 float64 float16 int64 int32 uint8 bool".split()
ODD = (  # no numbers, or such as have no room
    "None 'a' object {} 300 -1 -1.5 1e30 float('nan') 2**63 10**400 np.array(1) np.array(2.5) "
    "np.array(True) m.ones(2) m.tensor(300) m.tensor(1.,requires_grad=True) range(2)"
).split()
MAKERS = "tensor as_tensor Tensor FloatTensor LongTensor ByteTensor".split()


def draw(seed) -> str:
    """A call, as a line of a program in which `m` is an engine."""
    r = random.Random(seed)
    rows = [number(r) if r.random() < 0.5 else row(r) for _ in range(r.randint(1, 3))]
    if r.random() < 0.4:  # all of one length
        rows = [r.choice([array(r, 2), f"[{number(r)}, {number(r)}]"]) for _ in rows]
    data = r.choice(["[{}]", "[{}]", "({},)", "[[{}]]"]).format(", ".join(rows))
    maker = r.choice(MAKERS)
    takes_dtype = maker in ("tensor", "as_tensor") and r.random() < 0.3
    return f"m.{maker}({data}{f', dtype=m.{r.choice(DTYPES)}' if takes_dtype else ''})"


def number(r) -> str:
    """A number as Python, numpy or an engine has it."""
    value, dtype = r.choice(["0", "1", "2"]), r.choice(DTYPES)
    scalar = {"bool": "bool_"}.get(dtype, dtype)
    plain = [value, f"{value}.5", "True"]
    if r.random() < 0.1:
        return r.choice(ODD)
    return r.choice([*plain, f"np.{scalar}({value})", f"m.tensor({value}, dtype=m.{dtype})"])


def row(r) -> str:
    """Several numbers, or one in an array or a tensor with an axis."""
    length, dtype = r.choice([0, 1, 2]), r.choice(DTYPES)
    plain = f"[{', '.join(number(r) for _ in range(length))}]"
    return r.choice([plain, array(r, length), f"m.ones(1, dtype=m.{dtype})"])


def array(r, length) -> str:
    return f"np.ones({length}, {r.choice(DTYPES)!r})"


def told(m, line) -> tuple:
    """The dtype, the shape and the numbers; or the class of the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = eval(line, {"m": m, "np": np})
        except Exception as error:
            return (type(error).__name__,)
    return str(made.dtype).partition(".")[2], tuple(made.shape), repr(made.tolist())


def difference(torch, seed) -> str:
    """What the two engines make of it, where it is not the same."""
    line = draw(seed)
    expected, found = told(torch, line), told(minigrad, line)
    return "" if expected == found else f"{line}\n  PyTorch  {expected}\n  minigrad {found}"


def test_nested_numbers_are_read_alike(live_torch):
    for seed in range(SEED, SEED + 1000):
        assert not (found := difference(live_torch, seed)), f"seed {seed}: {found}"


def test_a_planted_fault_is_found(live_torch, monkeypatch):
    """Arrays' own dtypes are forgotten, as they were."""
    monkeypatch.setattr(nested, "widest", lambda kinds: np.dtype(np.float32))
    assert any(difference(live_torch, seed) for seed in range(SEED, SEED + 1000))
