"""Budgets, counts and scopes: exact, and over when their block is."""

import gc
import weakref

import pytest

import minigrad as mg
from tests.minigrad.counted import counted


def test_a_budget_refuses_the_storage_that_does_not_fit():
    gc.collect()
    w = mg.full((1 << 18,), 0.5, requires_grad=True)  # the biggest, whatever other tests hold
    before, free, size = mg.memory_allocated(), counted(), w.nbytes
    kept = []
    with pytest.raises(mg.cuda.OutOfMemoryError, match=f"allocate {size} bytes") as caught:
        with mg.memory.budget(free + 4 * size):
            y = w
            for _ in range(10):
                y = y.exp()
                kept.append(y.nbytes)
    assert len(kept) == 4
    assert f"node ExpBackward0 holds {size} bytes (result)" in caught.value.__notes__
    del y, caught  # a traceback keeps what the failing call was given
    assert mg.memory_allocated() == before


def test_a_budget_lets_gradients_of_parameters_pass():
    gc.collect()
    w = mg.full((64,), 0.5, requires_grad=True)
    with mg.memory.budget(counted() + 3 * 256 + 16):
        for _ in range(3):
            w.exp().sum().backward()
    assert w.grad is not None


def test_a_gradient_that_went_is_not_exempt_any_more():
    w = mg.ones(64, requires_grad=True)
    with mg.memory.budget(10**6) as gpu:
        before = gpu.used
        (w * 2.0).sum().backward()
        assert gpu.used == before
        w.grad = None
        assert gpu.used == before


def test_a_budget_ends_with_its_block_though_a_parameter_lives_on(no_collector):
    w = mg.ones(64, requires_grad=True)
    with mg.memory.budget(10**6) as gpu:
        (w * 2.0).sum().backward()
    before, w.grad = gpu.used, None
    assert gpu.used == before, "a gradient that went after the block"
    kept = len(weakref.getweakrefs(w._storage))
    gone = weakref.ref(gpu)
    del gpu
    assert gone() is None and len(weakref.getweakrefs(w._storage)) == kept - 1


def test_a_budget_is_a_number_of_bytes():
    with pytest.raises(ValueError, match="a number of bytes"):
        mg.memory.budget(-1)


def test_counts():
    x, w = mg.ones(3, 4), mg.ones(4, 4).requires_grad_()
    with mg.memory.count_ops() as n:
        ((x @ w) @ w).sum().backward()
        with mg.no_grad():
            x @ w
    assert (n.matmuls, n.ops, n.visits) == (3 + 3, 3, 4)
    x @ w
    assert n.matmuls == 6


def test_a_scope_takes_its_names_away():
    namespace = {"mg": mg, "old": 1}
    code = "with mg.memory.scope():\n    t = mg.ones(1000)\n    inside = mg.memory_allocated()\n"
    before = mg.memory_allocated()
    exec(compile(code, "<cell>", "exec"), namespace)
    assert "t" not in namespace and namespace["old"] == 1
    assert mg.memory_allocated() == before
