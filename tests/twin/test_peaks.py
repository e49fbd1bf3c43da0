"""max_memory_allocated() and budgets count what PyTorch's formulas hold for a moment."""

import itertools
import secrets

import pytest

import minigrad as mg
from minigrad.core import backward
from minigrad.core.observer import Observer
from minigrad.ops.powers import PowBackward0


@pytest.fixture(scope="module")
def peaks(torch):
    from tests.twin import peaks

    return peaks


def drawn(peaks):
    """One use of every rule that is to be as PyTorch's."""
    seed = secrets.randbelow(10**9)
    return [peaks.drawn(rule, seed) for rule in peaks.rules() if rule not in peaks.KNOWN]


def test_each_rule_needs_as_many_bytes_as_in_pytorch(peaks):
    assert not peaks.found(drawn(peaks))


def test_a_peak_that_is_not_told_is_found(peaks, monkeypatch):
    monkeypatch.setattr(PowBackward0, "peak", lambda node, grad, x: 2 * grad.nbytes)
    assert peaks.found([peaks.Use("x ** 3", ((8, 8),), "float64", (True,))])


def test_every_known_difference_is_one(peaks):
    uses = [shown for _, shown in peaks.KNOWN.values()]
    assert set(peaks.found(uses)) == set(uses), "which is gone? take it out of peaks.py"


def test_gradients_that_meet_are_added_in_place_where_pytorch_adds_them_so(peaks):
    assert not peaks.wasteful([use for use in drawn(peaks) if use.rule not in peaks.TURNED])


def test_a_known_one_is_not_yet(peaks):
    uses = [peaks.use(rule, *[(1, 5, 5, 5)] * 3) for rule in peaks.TURNED]
    assert set(peaks.wasteful(uses)) == set(uses), "which is gone? take it out of peaks.py"


def test_a_gradient_that_is_taken_for_a_view_is_found(peaks, monkeypatch):
    """That of scatter is a view of an array that nobody else has."""
    monkeypatch.setattr(backward, "_is_whole", lambda grad: grad._array.base is None)
    assert peaks.wasteful([peaks.use("scatter", (4, 5, 4))])


SECOND = {"tanh": lambda x: x.tanh(), "sigmoid": lambda x: x.sigmoid(), "exp": lambda x: x.exp()}


def again(engine, first, kept, to_seed):
    """The backward of a backward, as a step; all it was given lives on in `kept`."""
    x, seed = (engine.ones(6, 5, requires_grad=yes) for yes in (True, to_seed))
    (g,) = engine.autograd.grad(first(x), [x], seed, create_graph=True)
    v, wanted = engine.ones(6, 5), [x, seed] if to_seed else [x]
    return lambda: kept.append((x, seed, g, v, engine.autograd.grad(g, wanted, v)))


@pytest.mark.parametrize("to_seed", [False, True])
@pytest.mark.parametrize("op", SECOND)
def test_the_backward_of_a_backward_needs_as_many_bytes_as_in_pytorch(peaks, op, to_seed):
    kept = []

    def theirs():
        step = again(peaks.torch, SECOND[op], kept, to_seed)
        peaks.torch.empty(peaks.MARK, dtype=peaks.torch.uint8)
        step()

    sizes = peaks.allocations(theirs)
    needed = max(itertools.accumulate(sizes[sizes.index(-peaks.MARK) + 1 :]))
    step = again(mg, SECOND[op], kept, to_seed)
    before = peaks.started(mg)
    step()
    assert peaks.taken(mg, before)[0] == needed


# -- what is told of it --


class Passed(Observer):
    def __init__(self):
        self.sizes = []

    def passed(self, size):
        self.sizes.append(size)


def squared(n=100):
    x = mg.ones(n, requires_grad=True)
    return x, (x**2).sum()


@pytest.mark.parametrize("wanted", [None, "x"])
def test_the_peak_is_above_what_comes_of_it(wanted):
    x, y = squared()
    mg.reset_peak_memory_stats()
    before = mg.memory_allocated()
    with Passed() as told:
        mg.autograd.grad(y, x) if wanted else y.backward()
    # The 1 that it starts with, and the three arrays of 2 * x ** 1 * gradient.
    assert mg.max_memory_allocated() - before == 4 + 3 * 400
    assert told.sizes == [3 * 400]


def test_a_budget_has_room_for_it_or_refuses():
    for room, fits in ((4 + 3 * 400, True), (3 * 400, False)):  # it begins with a 1
        x, y = squared()
        with mg.memory.budget(mg.memory.budget(0).used + room):
            if fits:
                y.backward()
            else:
                with pytest.raises(mg.cuda.OutOfMemoryError, match="tried to allocate 1200 bytes"):
                    y.backward()
        assert (x.grad is not None) is fits
        del x, y
