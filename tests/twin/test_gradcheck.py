"""gradcheck and gradgradcheck of functions by chance: answer, error, each call they make."""

import os
import random
import re
from functools import partial

import pytest

import minigrad
from course.twin.compare import same_names

SEED = int(os.environ["MINIGRAD_MOVED"])
SHAPES = (), (1,), (3,), (2, 2), (1, 3), (0,)
INPUTS = "plain plain plain plain constant turned sliced expanded whole number".split()
OUTPUTS = "smooth smooth product several doubled missing changing detached place fixed".split()
OPTIONS = (
    {}, {}, {}, {"raise_exception": False}, {"eps": 1e-3}, {"atol": 10.0}, {"rtol": 10.0},
    {"nondet_tol": 1e6}, {"check_undefined_grad": False},
)  # fmt: skip


def draw(seed) -> tuple:
    """(shape, the inputs' kinds and numbers, the outputs' kinds and whose, how it is asked)."""
    r = random.Random(seed)
    shape = r.choice(SHAPES)
    size = minigrad.Size(shape).numel()
    numbers = [
        [round(r.uniform(0.2, 2), 3) for _ in range(size)] for _ in range(r.choice([1, 1, 2, 3]))
    ]
    inputs = [(r.choice(INPUTS), given) for given in numbers]
    outputs = [(r.choice(OUTPUTS), r.randrange(len(inputs))) for _ in range(r.choice([1, 1, 2, 3]))]

    def of_whole(kind, i):
        return kind != "fixed" and inputs[i][0] == "whole"

    # PyTorch mixes up what follows an output of whole numbers
    outputs.sort(key=lambda one: one[0] == "place" or of_whole(*one))
    form = r.choice([tuple, list]) if len(outputs) > 1 else r.choice([tuple, lambda o: o[0]])
    slopes = any(
        inputs[i][0] not in ("number", "whole", "constant")
        for kind, i in outputs
        if kind in ("smooth", "product", "several", "doubled", "missing", "changing")
    )
    # without outputs that have gradients PyTorch's gradgradcheck calls the function with nothing
    check = r.choice(["gradcheck", "gradcheck", "gradgradcheck"] if slopes else ["gradcheck"])
    return shape, inputs, outputs, form, check, r.choice(OPTIONS)


def made(m, shape, kind, numbers):
    """An input, of an engine's."""
    if kind == "number":
        return 2.0
    if kind == "whole":
        return m.tensor([1, 2])
    x = m.tensor(numbers, dtype=m.float64).reshape(shape)
    if kind == "turned" and len(shape) > 1:
        x = x.t().contiguous().t()
    if kind == "sliced" and shape:
        x = m.stack([x, x], -1)[..., 0]
    if kind == "expanded" and x.numel():  # strides of nothing: numpy's are others
        x = x.expand(2, *shape)
    return x if kind == "constant" else x.detach().requires_grad_()


class Odd:
    """A Function that multiplies by 3, whose backward does as it is told and notes each call."""

    def __init__(self, m, calls):
        changes = iter(range(1, 10**6))
        how = {"doubled": lambda g: g * 6, "missing": lambda g: None}
        how["changing"] = lambda g: g * 3 + next(changes)
        how["right"] = lambda g: g * 3

        class Three(m.autograd.Function):
            @staticmethod
            def forward(ctx, x, kind):
                ctx.kind = kind
                return x * 3

            @staticmethod
            def backward(ctx, g):
                calls.append("backward")
                return how[ctx.kind](g), None

        self.of = Three.apply


def output(m, odd, x, kind):
    if not isinstance(x, m.Tensor):
        return m.ones(2, dtype=m.float64) * x
    if kind in ("doubled", "missing", "changing"):
        return odd(x, kind)
    return {
        "smooth": lambda: odd(x, "right").sin() if x.is_floating_point() else odd(x, "right"),
        "product": lambda: (x * x).sum() + x,
        "several": lambda: m.stack([x, x.exp() if x.is_floating_point() else x]),
        "detached": lambda: x.detach() * 2,
        "place": lambda: x.argmax() if x.numel() else m.tensor([], dtype=m.int64),
        "fixed": lambda: m.ones(2, dtype=m.float64),
    }[kind]()


def told(m, seed) -> tuple:
    """(the answer, or the error with its numbers apart; whose function was called, in order)."""
    shape, inputs, outputs, form, check, options = draw(seed)
    calls = []
    odd = Odd(m, calls).of

    def function(*given):
        calls.append("forward")
        return form([output(m, odd, given[i], kind) for kind, i in outputs])

    run = partial(getattr(m.autograd, check), function, **options)
    try:
        answer = run([made(m, shape, *one) for one in inputs])
    except Exception as error:
        text, _, note = same_names(str(error)).partition("\n\nNOTE")
        found = [float(one) for one in re.findall(NUMBER, text)]
        plain = " ".join(re.sub(NUMBER, "#", text).split())
        return type(error).__name__, re.sub(r" ?# *", "# ", plain), found, calls
    return answer, "", [], calls


NUMBER = r"-?\d+\.\d*(?:e[+-]\d+)?|(?<=\[|\s)-?\d+(?=,|\])"


def differ(torch, seed) -> bool:
    *ours, numbers, calls = told(minigrad, seed)
    *theirs, others, their_calls = told(torch, seed)
    own = "gradgradcheck" in draw(seed)  # each engine makes up gradients of its own
    close = own or numbers == pytest.approx(others, rel=1e-3, abs=1e-3)
    return ours != theirs or calls != their_calls or not close


def test_gradcheck_says_what_pytorchs_says(live_torch):
    for seed in range(SEED, SEED + 300):
        assert not differ(live_torch, seed), (seed, told(minigrad, seed), told(live_torch, seed))


def test_a_planted_fault_is_found(live_torch, monkeypatch):
    """Backward is asked once for each element of an output, not twice."""
    from minigrad.autograd import gradcheck  # the function

    module = __import__("sys").modules[gradcheck.__module__]
    monkeypatch.setattr(module, "_computed", lambda out, checked, tol: module._rows(out, checked))
    assert any(differ(live_torch, seed) for seed in range(SEED, SEED + 100))
