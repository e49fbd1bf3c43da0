"""Second derivatives: each agrees with the difference quotient of the first, or is refused."""

import os
import random

import numpy as np
import pytest

import minigrad as mg
from minigrad.autograd import GradcheckError, gradcheck, gradgradcheck
from minigrad.core.op import Op
from minigrad.memory.saves import nodes
from tests.minigrad.rules import ONCE, RULES, leaf, uses
from tests.minigrad.test_gradients import classes

FRESH = int(os.environ["MINIGRAD_MOVED"])  # drawn anew in each run


def one_use(name):
    """A function and its leaves, one of the rule's uses by chance; float results only."""
    draw = random.Random(f"{FRESH} {name}")
    found = [(f, leaves) for f, leaves in uses(name) if all(x.numel() for x in leaves)]
    return draw.choice(found)


@pytest.mark.parametrize("name", ONCE)
def test_who_asks_for_a_second_derivative_that_is_none_is_told_so(name):
    function, leaves = one_use(name)
    wanted = [x for x in leaves if x.requires_grad]
    (first, *_) = mg.autograd.grad(function(*leaves).sum(), wanted, create_graph=True)
    with pytest.raises(
        RuntimeError,
        match="(flash_attention_for_cpu|_cdist|hardsigmoid)_backward'? is not implemented",
    ):
        first.sum().backward()


# 0 ** x: 0 times an infinite slope is nan, in PyTorch as here
@pytest.mark.parametrize("name", sorted(RULES.keys() - {"0 ** x", *ONCE}))
def test_the_slope_of_the_slope_of(name):
    function, leaves = one_use(name)
    assert gradgradcheck(function, leaves), f"MINIGRAD_MOVED={FRESH}"


@pytest.mark.parametrize("name", RULES)
def test_the_first_gradients_are_what_they_are_without_a_graph(name):
    function, leaves = one_use(name)
    wanted = [x for x in leaves if x.requires_grad]
    out = function(*leaves)
    seed = mg.ones_like(out)
    plain = mg.autograd.grad(out, wanted, seed, retain_graph=True, allow_unused=True)
    recorded = mg.autograd.grad(out, wanted, seed, create_graph=True, allow_unused=True)
    for one, other in zip(plain, recorded, strict=True):
        assert (one is None) is (other is None)
        assert one is None or np.allclose(one.numpy(), other.detach().numpy(), 1e-12, 1e-14)
        assert one is None or one.dtype is other.dtype


@pytest.mark.parametrize("name", sorted(RULES.keys() - {*ONCE}))
def test_a_gradient_that_is_recorded_has_a_gradient(name):
    """Also where the one above it needs none: then it may depend on nothing that is asked for."""
    function, leaves = one_use(name)
    wanted = [x for x in leaves if x.requires_grad]
    first = mg.autograd.grad(function(*leaves).sum(), wanted, create_graph=True, allow_unused=True)
    for gradient in first:
        if gradient is not None and gradient.requires_grad:
            second = mg.autograd.grad(gradient.sum(), wanted, retain_graph=True, allow_unused=True)
            shapes = [x.shape for x, g in zip(wanted, second, strict=True) if g is not None]
            assert shapes == [g.shape for g in second if g is not None]


def test_no_rule_of_the_second_derivatives_is_left_out():
    tried = set()
    for name in RULES:
        for function, leaves in uses(name):
            out = function(*leaves)
            seed = mg.ones_like(out).requires_grad_()
            wanted = [x for x in leaves if x.requires_grad]
            given = mg.autograd.grad(out, wanted, seed, create_graph=True, allow_unused=True)
            tried |= {type(n).__name__ for g in given if g is not None for n in nodes(g)}
    second = {c for c in classes(Op) if c.__module__.startswith("minigrad.second")}
    assert {c.__name__ for c in second if not c.__subclasses__()} <= tried


def third(function, leaves):
    """The second derivative along fixed directions, as a function to be checked."""

    def twice(*given):
        wanted = [x for x in given if isinstance(x, mg.Tensor) and x.requires_grad]
        out = function(*given)
        for _ in range(2):
            if not out.requires_grad:
                return None
            found = mg.autograd.grad(out.sum(), wanted, create_graph=True, allow_unused=True)
            parts = [(g * (i + 1.5)).reshape(-1) for i, g in enumerate(found) if g is not None]
            out = mg.cat(parts) if parts else mg.zeros(1)
        return out

    result = twice(*leaves)
    return twice if result is not None and result.requires_grad else None


# that of logcumsumexp takes the logarithm of a 0 on its way, in PyTorch as here
NAN = {"0 ** x", "logcumsumexp(0)", "logcumsumexp(-1)"}


@pytest.mark.parametrize(
    "name", random.Random(FRESH).sample(sorted(RULES.keys() - NAN - {*ONCE}), 40)
)
def test_a_third_derivative_of(name):
    function, leaves = one_use(name)
    if (twice := third(lambda *given: function(*given) ** 3, leaves)) is not None:
        assert gradcheck(twice, leaves, atol=1e-4), f"MINIGRAD_MOVED={FRESH}"


def test_gradgradcheck_refuses_a_rule_that_takes_for_fixed_what_is_not():
    class Square(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.x = x.detach()
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return 2 * ctx.x * grad

    x = leaf((3,))
    assert gradcheck(Square.apply, x)
    with pytest.raises(GradcheckError, match="output 0 with respect to input 0"):
        gradgradcheck(Square.apply, x)


def test_a_gradient_with_a_graph_is_never_overwritten():
    x = leaf((3,))
    with pytest.warns(UserWarning, match="reference cycle"):
        (x**3).sum().backward(create_graph=True)
    first, version = x.grad, x.grad._version
    with pytest.warns(UserWarning, match="reference cycle"):
        (x**2).sum().backward(create_graph=True)
    assert x.grad is not first
    assert first._version == version
