"""Derivatives exactly where a function has a kink, and among infinities, beside PyTorch's."""

import random

import numpy as np
import pytest

import minigrad

ONE = (
    "x.relu() | F.relu6(x) | F.hardtanh(x) | F.hardtanh(x, -2.0, 2.0) | x.clamp(-1, 1) | x.abs() | "
    "x.clamp(min=0) | x.clamp(max=1.0) | x.clamp_min(0) | F.leaky_relu(x, 0.1) | F.elu(x) | "
    "F.elu(x, 2.0) | F.selu(x) | F.softplus(x, 1, 1) | F.softplus(x, 2, 2) | F.logsigmoid(x) | "
    "F.softsign(x) | F.gelu(x) | F.silu(x) | F.mish(x) | "
    "F.hardswish(x) | x.sqrt() | x ** 0.5 | x ** 1 | x ** 0 | "
    "x ** 2 | x ** 1.5 | x.rsqrt() | 0 ** x | 2 ** x | x.sign() * x | x.floor() * x | x.log() | "
    "x.round() * x | x.reciprocal() | x.log1p() | x.max() | x.min() | x.amax() | x.amin(0) | "
    "x.max(0)[0] | x.min(0)[0] | x.norm() | x.norm(1) | x.norm(inf) | x.norm(3) | x.norm(0) | "
    "x.norm(0.5) | x.norm(-inf) | x.prod() | x.prod(0) | x.cumprod(0) | x.std() | x.var() | "
    "F.normalize(x, dim=0) | x.logsumexp(0) | x.sort(stable=True)[0] | x.clone().clamp_(-1, 1) | "
    "x.clone().relu_() | F.max_pool2d(x.reshape(1, 1, 1, -1), (1, 2), (1, 1), (0, 1))"
).split(" | ")
TWO = (
    "x.maximum(y) | x.minimum(y) | mg.max(x, y) | F.l1_loss(x, y) | F.mse_loss(x, y) | x ** y | "
    "x / y | x % y | x.fmod(y) | F.prelu(x[None], y[:1]) | x.lerp(y, 0.5) | F.kl_div(x, y) | "
    "mg.cdist(x[None], y[None]) | F.pairwise_distance(x[None], y[None], eps=0.0) | "
    "F.pairwise_distance(x[None], y[None], p=1, eps=0.0) | F.cosine_similarity(x, y, dim=0) | "
    "F.binary_cross_entropy(x, y) | F.binary_cross_entropy_with_logits(x, y)"
).split(" | ")
for way in "none", "mean", "sum":
    sizes = "1.0", "2.0", "0.5"
    TWO += [f"F.smooth_l1_loss(x, y, beta={size}, reduction='{way}')" for size in (*sizes, "0.0")]
    TWO += [f"F.huber_loss(x, y, delta={size}, reduction='{way}')" for size in sizes]
VALUES = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0]
INF = float("inf")
INFINITE = [0.0, -0.0, 1.0, -2.0, 0.5, INF, INF, -INF]
NOT_NUMBERS = {"F.gelu(x)"}  # PyTorch's float32 kernel makes NaN of inf, but of a single one
WEIGHTS = [1.0, 2.0, -0.5, 0.0, -3.0]


def numbers(tensors) -> list:
    """Those of all; a zero of PyTorch's may have no storage until something is done with it."""
    return [t if t is None else (t.detach() + 0.0).numpy() for t in tensors]


def given(mg, dtype, values) -> dict:
    """{name: leaf}"""
    return {
        name: mg.tensor(some, dtype=getattr(mg, dtype), requires_grad=wanted)
        for name, (some, wanted) in zip("xy", values, strict=False)
    }


def result(mg, line, leaves):
    return eval(line, {"mg": mg, "F": mg.nn.functional, "inf": INF, **leaves})


def first(mg, line, dtype, values, weights) -> list:
    """The result and the first derivatives, or the error that is met on the way."""
    leaves = given(mg, dtype, values)
    try:
        y = result(mg, line, leaves)
        seed = mg.tensor((weights * 9)[: y.numel()], dtype=y.dtype).reshape(y.shape)
        wanted = [t for t in leaves.values() if t.requires_grad]
        return numbers([y, *mg.autograd.grad(y, wanted, seed, allow_unused=True)])
    except Exception as error:
        return [(type(error).__name__, str(error))]


def said(mg, line, dtype, values, weights) -> list:
    """The first and the second derivatives, or the error that is met on the way."""
    found: list = []
    leaves = given(mg, dtype, values)
    wanted = [t for t in leaves.values() if t.requires_grad]

    def like(t):
        return mg.tensor((weights * 9)[: t.numel()], dtype=t.dtype).reshape(t.shape)

    try:
        y = result(mg, line, leaves)
        seed = like(y).requires_grad_()
        first = mg.autograd.grad(y, wanted, seed, create_graph=True, allow_unused=True)
        found += numbers(first)
        first = [g for g in first if g is not None and g.requires_grad]
        seeds, wanted = [like(g) for g in first], [*wanted, seed]
        found += numbers(mg.autograd.grad(first, wanted, seeds, allow_unused=True) if first else [])
    except Exception as error:
        found.append((type(error).__name__, str(error)))
    return found


def alike(one, other) -> bool:
    if not (isinstance(one, np.ndarray) and isinstance(other, np.ndarray)):
        return type(one) is type(other) and one == other
    close = np.allclose(one, other, rtol=1e-5, atol=1e-5, equal_nan=True)
    return one.dtype == other.dtype and one.shape == other.shape and close


def draws(line, pool):
    """(dtype, the values of the leaves and whether each wants a gradient, the seed's)"""
    draw = random.Random()
    for _ in range(12):
        size = draw.choice([1, 2, 3, 4])
        wanted = draw.choice(
            [(True, True), (True, False), (False, True)] if line in TWO else [(1,)]
        )
        values = [([draw.choice(pool) for _ in range(size)], bool(yes)) for yes in wanted]
        yield draw.choice(["float32", "float64"]), values, draw.choices(WEIGHTS, k=4)


def expect_alike(line, drawn, expected, found):
    assert len(expected) == len(found) and all(map(alike, expected, found)), (
        f"{line} of {drawn}:\n{expected}\n{found}"
    )


@pytest.mark.filterwarnings("ignore:(std|var)")
@pytest.mark.parametrize("line", [*ONE, *TWO])
def test_a_kink_has_pytorchs_slopes(torch, line):
    for drawn in draws(line, VALUES):
        expect_alike(line, drawn, said(torch, line, *drawn), said(minigrad, line, *drawn))


@pytest.mark.filterwarnings("ignore:(std|var)", "ignore::RuntimeWarning")
@pytest.mark.parametrize("line", [line for line in (*ONE, *TWO) if line not in NOT_NUMBERS])
def test_among_infinities_slopes_are_pytorchs(torch, line):
    for drawn in draws(line, INFINITE):
        expect_alike(line, drawn, first(torch, line, *drawn), first(minigrad, line, *drawn))
