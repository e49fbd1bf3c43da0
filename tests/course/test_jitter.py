"""Jitter: another processor on this one. What may move moves a little, and the same way again."""

import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
from course import jitter
from course.jitter import known, moves

quick = settings(max_examples=60, deadline=None, database=None)
ROOT = Path(__file__).resolve().parents[2]
KINDS = [np.float16, np.float32, np.float64]
FUNCTIONS = [np.exp, np.tanh, np.log1p, np.sin, np.cbrt]


@pytest.fixture(autouse=True)
def numpy_as_it_was():
    yield
    jitter.stop()


def apart(one, other):
    """How many units in the last place two arrays are apart, at most."""
    kind = moves.BITS[one.itemsize]
    one, other = (np.array(a, one.dtype, ndmin=1).view(kind).astype(int) for a in (one, other))
    return int(np.abs(one - other).max(initial=0))


def drawn(seed, shape, kind=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(kind)


def laid_out(array, way):
    """The same numbers in another layout."""
    if way == "fortran":
        return np.asfortranarray(array)
    if way == "gaps":
        wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]
    return array[..., ::-1].copy()[..., ::-1] if way == "backwards" else array


layouts = st.sampled_from(["plain", "fortran", "gaps", "backwards"])
seeds = st.integers(0, 10**6)
sizes = st.integers(0, 6)


@quick
@given(seeds, st.sampled_from(FUNCTIONS), st.sampled_from(KINDS), layouts, sizes, st.booleans())
def test_a_function_moves_by_four_units_at_most_and_the_same_way_again(
    seed, function, kind, way, size, inplace
):
    x = laid_out(np.abs(drawn(seed, (size, 5), kind)), way)
    right, given_bytes = function(x), x.tobytes()
    with jitter.on(str(seed)):
        got, again, plain = function(x), function(x), function(np.array(x))
        out, written = np.empty_like(right), np.array(x)
        assert function(x, out=out) is out
        function(written, out=written) if inplace else None
    assert apart(got, right) <= moves.MOST
    assert got.tobytes() == again.tobytes() == out.tobytes()
    assert not inplace or written.tobytes() == plain.tobytes()
    assert x.tobytes() == given_bytes and got.base is None
    assert function(x).tobytes() == right.tobytes()


SHAPES = [((3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (4, 5)),
          ((2, 3, 4), (2, 4, 5)), ((3, 0), (0, 2)), ((0, 3), (3, 2)), ((7, 1), (1, 7))]  # fmt: skip


@quick
@given(seeds, st.sampled_from(SHAPES), st.sampled_from(KINDS), layouts, layouts)
def test_a_product_too_in_every_shape_and_layout(seed, shapes, kind, way, other):
    x, y = (drawn(seed + i, shape, kind) for i, shape in enumerate(shapes))
    x, y = laid_out(x, way), laid_out(y, other)
    right = np.asarray(x @ y)
    with jitter.on(str(seed)):
        got, again, named = x @ y, x @ y, np.matmul(x, y)
        out = np.empty_like(right)
        np.matmul(x, y, out=out)
    assert apart(np.asarray(got), right) <= moves.MOST
    assert np.array_equal(got, named) and np.array_equal(got, again) and np.array_equal(got, out)


@quick
@given(seeds, st.sampled_from(KINDS[1:]), st.sampled_from([None, 0, 1, (0, 1)]), st.booleans())
def test_a_sum_and_a_mean_too(seed, kind, axis, keepdims):
    x = drawn(seed, (5, 7), kind)
    for call in (np.ndarray.sum, np.ndarray.mean, np.sum, np.mean):
        right = np.asarray(call(x, axis=axis, keepdims=keepdims))
        with jitter.on(str(seed)):
            got = np.asarray(call(x, axis=axis, keepdims=keepdims))
            out = np.empty_like(right)
            call(x, axis=axis, keepdims=keepdims, out=out)
        assert got.dtype == right.dtype and got.shape == right.shape
        assert apart(got, right) <= 2 * moves.MOST + 1  # a mean divides, which may halve a unit
        assert np.array_equal(got, out)


@quick
@given(seeds, st.integers(1, 40), st.integers(0, 20))
def test_what_is_exact_in_any_order_stays(seed, length, power):
    """Multiples of 2**-power that are so small in number that no sum of them is rounded."""
    whole = np.random.default_rng(seed).integers(-99, 99, (2, length, 3))
    x, y = (whole / 2**power).astype(np.float32)
    with jitter.on(str(seed)):
        assert np.array_equal(x @ y.T, (x.astype(np.float64) @ y.T).astype(np.float32))
        assert np.array_equal(x.sum(0), x.astype(np.float64).sum(0).astype(np.float32))
        assert np.exp(np.zeros(length, np.float32)).tolist() == [1.0] * length
        assert np.tanh(np.float32(99)) == 1


@settings(quick, max_examples=15)
@given(seeds, st.sampled_from(KINDS), layouts)
def test_a_result_that_is_known_is_that_of_no_other_call(seed, kind, way):
    """Of other numbers, another layout, axis, function or seed; and the second is as the first."""
    x, y = drawn(seed, (4, 4), kind), drawn(seed + 1, (4, 4), kind)
    calls = [lambda a, b: a @ b, lambda a, b: b @ a, lambda a, b: np.exp(a), lambda a, b: np.sin(a),
             lambda a, b: np.logaddexp(a, b), lambda a, b: np.logaddexp(b, a)]  # fmt: skip
    calls += [lambda a, b: a.reshape(8, 2) @ b.reshape(2, 8)]
    calls += [lambda a, b, axis=axis: np.sum(a, axis) for axis in (None, 0, 1)]
    calls += [lambda a, b: np.sum(a, initial=2), lambda a, b: np.sum(a, 0, keepdims=True)]
    pairs = [(x, y), (laid_out(x, way), y), (x, laid_out(y, way)), (x, x), (y, y)]
    asked = [(call, pair) for call in calls for pair in pairs]
    for name in str(seed), f"{seed}x3":
        with jitter.on(name):
            warm = [call(*pair).tobytes() for _ in range(2) for call, pair in asked]
            for place, (call, pair) in enumerate(2 * asked):
                known.forget()
                assert call(*pair).tobytes() == warm[place]


def test_what_is_kept_is_no_memory_that_an_exercise_measures():
    x = drawn(3, (128, 128), np.float32)
    y = np.empty_like(x)
    with jitter.on("1"):
        np.tanh(x, out=y)
        tracemalloc.start()
        np.tanh(x, out=y)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < x.nbytes


def test_only_so_many_results_are_kept(monkeypatch):
    monkeypatch.setattr(known, "MOST", 2000)
    with jitter.on("1"):
        for turn in range(40):
            np.exp(drawn(turn, 50))
            assert sum(map(len, known._results.values())) <= known.MOST + 200


def test_the_sum_of_one_number_is_that_number():
    with jitter.on("1"):
        assert np.float32(0.1).sum() == np.float32(0.1) == np.array(0.1, np.float32).mean()


@quick
@given(seeds)
def test_most_of_what_is_rounded_moves(seed):
    x, y = drawn(seed, (40, 30)), drawn(seed + 1, (30, 20))
    rights = np.exp(x), x @ y, x.sum(0)
    with jitter.on(str(seed)):
        moved = np.exp(x), x @ y, x.sum(0)
        others = np.exp(x), x @ y, x.sum(0)
    with jitter.on(str(seed + 1)):
        third = np.exp(x), x @ y, x.sum(0)
    for right, got, again, other in zip(rights, moved, others, third, strict=True):
        assert np.mean(got != right) > 0.5 and np.array_equal(got, again)
        assert np.mean(got != other) > 0.5, "another seed moves another way"


@settings(quick, max_examples=10)
@given(seeds)
def test_a_replay_gives_what_the_program_gives(seed):
    def step(x):
        loss = ((x @ w).tanh().exp().mean() + x.sum()).log()
        loss.backward()
        return loss.detach()

    arrays = np.abs(drawn(seed, (3, 6, 6)))
    w = mg.tensor(arrays[0], requires_grad=True)
    with jitter.on(str(seed)):
        replayed = mg.replay.record(step)
        for data in (arrays[1], arrays[2]):
            results = []
            for run in (replayed, step):
                w.grad = None
                results.append((run(mg.tensor(data)).item(), w.grad.tolist()))
            assert results[0] == results[1]


def test_a_ledger_sees_no_more_bytes():
    x, w = mg.tensor(drawn(0, (8, 8))), mg.tensor(drawn(1, (8, 8)), requires_grad=True)

    def peak():
        w.grad = None
        mg.reset_peak_memory_stats()
        before = mg.memory_allocated()
        (x @ w).tanh().sum().backward()
        return mg.max_memory_allocated() - before

    plain = peak()
    with jitter.on("1"):
        assert peak() == plain


@pytest.mark.parametrize("seed", ["1", "2"])
def test_a_process_that_is_started_so_is_jittered(seed):
    ask = "import numpy as np; print(np.exp(np.linspace(0.1, 1, 50, dtype='f')).tolist())"
    env = jitter.environment(seed, {**os.environ, "PYTHONPATH": str(ROOT)})
    done = subprocess.run([sys.executable, "-c", ask], env=env, capture_output=True, text=True)
    x = np.linspace(0.1, 1, 50, dtype="f")
    with jitter.on(seed):
        assert done.stdout.strip() == str(np.exp(x).tolist()), done.stderr
