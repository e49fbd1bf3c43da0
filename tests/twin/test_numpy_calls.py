"""Tensors among numpy's arrays: the same call of numpy's on either engine's tensors, by chance."""

import operator
import os
import random

import numpy as np
import pytest

import minigrad

SEED = int(os.environ["MINIGRAD_MOVED"])
UFUNCS = [
    name for name, f in vars(np).items() if isinstance(f, np.ufunc) and f.nin < 3 and f.nout == 1
]
OF_ONE = {
    **{name: getattr(np, name) for name in (
        "array asarray ascontiguousarray argsort sort unique copy ravel cumsum squeeze shape ndim "
        "argmax argmin median zeros_like ones_like float64 linalg".split()) if name != "linalg"},
    "norm": np.linalg.norm,
    "as float64": lambda x: np.asarray(x, dtype="float64"),
    "as an array twice": lambda x: np.array([x, x]),
    "stack": lambda x: np.stack([x, x]),
    "concatenate": lambda x: np.concatenate([x, x]),
    "reshape": lambda x: np.reshape(x, -1),
    "repeat": lambda x: np.repeat(x, 2),
    "where": lambda x: np.where(x, x, 0),
}  # fmt: skip
OPERATORS = "add sub mul truediv pow matmul eq ne lt ge floordiv mod and_ or_".split()
DTYPES = "float32 float64 float16 int64 int32 uint8 bool".split()
LACKING = "int8 int16 uint16 uint32 uint64".split()  # dtypes of numpy's that minigrad has not


def draw(seed):
    """(a name, the call of a module's tensors that gives what is compared)."""
    r = random.Random(seed)
    first, second = tensor(r), tensor(r)
    beside = r.choice([second, lambda m: np.array(second(m).detach()), lambda m: 2, np_number])
    swapped, kind = r.random() < 0.4, r.choice(["ufunc", "of one", "operator"])
    name = r.choice({"ufunc": UFUNCS, "of one": [*OF_ONE], "operator": OPERATORS}[kind])
    places = [first, beside][:: -1 if swapped else 1]
    f = OF_ONE.get(name) or getattr(np if kind == "ufunc" else operator, name)
    if kind == "of one" or getattr(f, "nin", 2) == 1:
        places = [first]
    return name, lambda m: f(*(place(m) for place in places))


def np_number(m):
    return np.float64(2)


def tensor(r):
    """What makes a tensor of a module's; the same for each."""
    shape = r.choice([(), (1,), (3,), (2, 3), (0,), (2, 1, 2)])
    numbers = [r.choice([-2, 0, 1, 2, 3]) for _ in range(int(np.prod(shape)))]
    dtype, layout = r.choice(DTYPES), r.choice(["rows", "turned", "sliced", "grad"])

    def make(m):
        t = m.tensor(numbers, dtype=getattr(m, dtype)).reshape(shape)
        if layout == "turned" and len(shape) > 1:
            return t.transpose(0, 1)
        if layout == "sliced" and shape:
            return t[::2]
        return t.requires_grad_(layout == "grad" and dtype.startswith("float"))

    return make


def told(m, call):
    """What it gave: its kind, its dtype, its numbers; or the class of the error."""
    try:
        got = call(m)
    except Exception as error:
        return type(error).__name__, str(error)
    if isinstance(got, m.Tensor):
        return "Tensor", str(got.dtype).partition(".")[2], got.requires_grad, repr(got.tolist())
    kind = type(got).__name__
    return kind, str(getattr(got, "dtype", "")), np.shape(got), repr(np.asarray(got).tolist())


def same(name, theirs, ours) -> bool:
    both_refuse = theirs[0] == ours[0] and theirs[0].endswith("Error")
    lacking = theirs[1] in LACKING and ours[0] == "NotImplementedError"
    # PyTorch looks at the kind of the other first; minigrad refuses to take bools apart before it.
    of_bools = name == "sub" and "bool tensor" in ours[1]
    return theirs == ours or both_refuse or lacking or of_bools


@pytest.mark.filterwarnings("ignore")
def test_numpys_functions_and_operators_take_tensors_as_they_take_pytorchs(live_torch):
    for seed in range(SEED, SEED + 1500):
        name, call = draw(seed)
        theirs, ours = told(live_torch, call), told(minigrad, call)
        assert same(name, theirs, ours), f"seed {seed}, {name}: PyTorch {theirs}, minigrad {ours}"


class Other:
    """An operand that neither engine knows, and that knows what to do."""


REFLECTED = "add sub mul truediv pow matmul floordiv mod and or xor".split()
for name in REFLECTED:
    setattr(Other, f"__r{name}__", lambda self, x: "asked")


@pytest.mark.parametrize("name", REFLECTED)
def test_another_class_is_asked_for_what_is_no_operand(live_torch, name):
    function = getattr(operator, name + "_" * (name in ("and", "or")))
    for m in (live_torch, minigrad):
        assert function(m.tensor([1, 2]), Other()) == "asked", m
