"""The engine keeps a gradient, or adds into it, only while nobody else could notice."""

import weakref

import pytest

import minigrad as mg
from minigrad.autograd import Function


class Watch(Function):
    """The identity; remembers the gradient it hands on (keep), or its Storage, weakly."""

    @staticmethod
    def forward(ctx, x, seen, keep):
        ctx.seen, ctx.keep = seen, keep
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        grad = grad * 1
        ctx.seen.append(grad if ctx.keep else weakref.ref(grad._storage))
        return grad, None, None


def watched(x, keep=False):
    seen: list = []
    return Watch.apply(x, seen, keep), seen


# -- alone: no copy --


def test_a_leaf_takes_over_a_gradient_that_nobody_else_holds(leaf):
    x = leaf(5)
    y, seen = watched(x)
    y.sum().backward()
    assert x.grad._storage is seen[0]()


def test_a_second_backward_adds_into_the_same_bytes(leaf):
    x = leaf(5)
    (x * 2).sum().backward()
    first = x.grad
    (x * 3).sum().backward()
    assert x.grad is first and first.tolist() == [5] * 5


def test_what_arrives_later_is_added_in_place_to_what_waits(leaf):
    x = leaf(5)
    older, of_older = watched(x)
    newer, of_newer = watched(x)
    (older * 2 + newer * 3).sum().backward()
    assert x.grad._storage is of_newer[0]() and of_older[0]() is None
    assert x.grad.tolist() == [5] * 5


def test_adding_in_place_costs_no_third_buffer(no_collector, ledger, leaf):
    x = leaf(1000)
    parts = [x.exp() for _ in range(5)]
    seed = mg.ones(1000)
    out = parts[0] + parts[1] + parts[2] + parts[3] + parts[4]
    before = ledger.check()
    mg.reset_peak_memory_stats()
    out.backward(seed)
    # what exp saved goes node by node, so: the sum that waits and the one that is to be added
    assert mg.max_memory_allocated() - ledger.start - before <= 2 * 4000
    assert x.grad is not seed


# -- not alone: a copy --


@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_gradient_kept_by_a_rule_is_never_added_to(times, leaf):
    x = leaf(5)
    parts = [watched(x, keep=True) for _ in range(times)]
    sum(part * k for k, (part, _) in enumerate(parts, 2)).sum().backward()
    (x * 100).sum().backward()
    for k, (_, seen) in enumerate(parts, 2):
        assert seen[0].tolist() == [k] * 5
        assert x.grad is not seen[0] and x.grad._storage is not seen[0]._storage
    assert x.grad.tolist() == [100 + sum(range(2, 2 + times))] * 5


@pytest.mark.parametrize("where", ["on the leaf", "on the result"])
def test_a_gradient_kept_by_a_hook_stays_as_it_was(where, leaf):
    x = leaf(5)
    y = x + 0
    kept: list = []
    (x if where == "on the leaf" else y).register_hook(kept.append)
    (y * 2).sum().backward()
    (x * 100).sum().backward()
    assert kept[0].tolist() == [2] * 5
    assert x.grad.tolist() == [102] * 5


TWINS = {
    "itself": lambda g: g,
    "view": lambda g: g.view(5),
    "detached": lambda g: g.detach(),
    "data": lambda g: g.data,
    "numpy": lambda g: g.detach().numpy(),
}


@pytest.mark.parametrize("how", TWINS)
def test_a_gradient_whose_bytes_somebody_kept_is_not_added_to_while_it_waits(how, leaf):
    x = leaf(5)
    kept: list = []
    older, newer = x + 0, x + 0  # newer runs first; its gradient then waits at x
    newer.register_hook(lambda grad: kept.append(TWINS[how](grad)))
    (older * 2 + newer * 3).sum().backward()
    assert kept[0].tolist() == [3] * 5
    assert x.grad.tolist() == [5] * 5


def test_retain_grad_keeps_its_own_numbers(leaf):
    x = leaf(5)
    y = x + 0
    y.retain_grad()
    (y * 2).sum().backward()
    (x * 100).sum().backward()
    assert y.grad.tolist() == [2] * 5 and x.grad.tolist() == [102] * 5


def test_two_that_retain_the_same_gradient(leaf):
    x = leaf(5)
    y = x + 0
    z = y + 0
    y.retain_grad(), z.retain_grad()
    (z * 2).sum().backward()
    x.grad.zero_()
    assert y.grad.tolist() == z.grad.tolist() == [2] * 5


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_the_gradient_the_user_passed_in_is_not_ours(depth, leaf):
    x, seed = leaf(5), mg.ones(5)
    y = x
    for _ in range(depth):
        y = y + 0
    y.backward(seed, retain_graph=True)
    y.backward(seed)
    (x + x).backward(seed)
    assert seed.tolist() == [1] * 5 and seed._version == 0
    assert x.grad.tolist() == [4] * 5


def test_both_leaves_of_a_sum_own_their_gradient(leaf):
    x, y = leaf(5), leaf(5)
    (x + y).sum().backward()
    x.grad.zero_()
    assert y.grad.tolist() == [1] * 5


def test_a_sum_used_twice_as_its_own_operand(leaf):
    x = leaf(5)
    (x + x).sum().backward()
    assert x.grad.tolist() == [2] * 5


def test_an_expanded_gradient_is_not_written_to(leaf):
    x = leaf(5)
    (x.sum() + x.sum() * 2 + (x * 3).sum()).backward()
    assert x.grad.tolist() == [6] * 5
    assert x.grad.is_contiguous() and x.grad._storage.nbytes() == 20


def test_pieces_of_one_gradient_do_not_overwrite_each_other(leaf):
    x, y = leaf(2), leaf(2)
    for _ in range(2):
        mg.cat([x, y, x]).backward(mg.tensor([1.0, 2, 3, 4, 5, 6]))
    assert x.grad.tolist() == [12, 16] and y.grad.tolist() == [6, 8]


def test_captured_gradients_are_not_added_to(leaf):
    x = leaf(5)
    y = x + 0
    of_y, of_x = mg.autograd.grad((y * 2).sum() + (x * 3).sum(), [y, x])
    assert of_y.tolist() == [2] * 5 and of_x.tolist() == [5] * 5


def test_a_gradient_assigned_by_hand_is_added_to_in_place(leaf):
    x, mine = leaf(5), mg.ones(5)
    x.grad = mine
    (x * 2).sum().backward()
    assert x.grad is mine and mine.tolist() == [3] * 5  # as in PyTorch
