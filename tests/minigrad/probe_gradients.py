"""Probes of gradients: who owns them, who looks at them, what a failure leaves."""

import threading
import traceback

from probing import (
    N,
    Square,
    equal,
    grad,
    leaf,
    live,
    mg,
    peak,
)  # fmt: skip

# -- gradients --


def check_gradients_add_up_and_own_their_bytes():
    x = leaf()
    kept = []
    y = x + 0
    y.register_hook(kept.append)
    (y * 2).sum().backward()
    (x * 3).sum().backward()
    equal((kept[0].tolist()[0], x.grad.tolist()[0], x.grad._version), (2, 5, 2))
    seed = mg.ones(N)
    (x + 0).backward(seed)
    (x + 0).backward(seed)
    equal((seed.tolist()[0], seed._version, x.grad.tolist()[0]), (1, 0, 7))


def check_a_waiting_gradient_that_somebody_keeps_is_not_written_to():
    for keep in (lambda g: g, lambda g: g.view(1, -1), lambda g: g.detach()):
        x = leaf()
        old, new = x + 0, x + 0
        kept = []
        new.register_hook(lambda g, kept=kept, keep=keep: kept.append(keep(g)))
        (old * 2 + new * 3).sum().backward()
        equal((kept[0].view(-1).tolist()[0], x.grad.tolist()[0]), (3, 5))


def check_a_leaf_takes_its_gradient_over_without_a_copy():
    x = leaf()
    y = x * 2
    mg.reset_peak_memory_stats()
    before, seed = live(), mg.ones(N)
    y.backward(seed)
    equal(peak() - before, 8 * N)  # the seed and x.grad
    x.sum().backward()
    z = x.sum() + x.sum()
    del x.grad
    assert x.grad is None
    z.backward()
    equal((x.grad.tolist(), x.grad.untyped_storage().nbytes()), ([2] * N, 4 * N))


def check_an_expanded_gradient_is_not_added_to_in_place():
    x = leaf()
    ((x * mg.arange(float(N))).sum() + x.sum() * 2).backward()
    equal(x.grad.tolist(), [k + 2 for k in range(N)])


def check_a_gradient_that_is_a_view_books_no_bytes():
    x, seed = leaf(), mg.ones(N)
    x.view(1, N).backward(seed.view(1, N))
    equal(live(), 8 * N)


def check_what_is_handed_on_is_let_go_at_once():
    for function, buffers in ((lambda x: x * x, 3), (lambda x: x * 2 * 3 + x.sum(), 3)):
        x = leaf()
        y, seed = function(x), mg.ones(N)
        before = live()
        mg.reset_peak_memory_stats()
        y.backward(seed)
        most = peak() - before + 4 * N  # with the seed
        assert most <= buffers * 4 * N + 16, most


def check_a_traceback_keeps_the_gradients_that_were_given_and_no_other():
    x = leaf()
    y = x.exp()
    y.backward(mg.ones(N))
    before = live()
    try:
        mg.autograd.backward([y, y, y], [mg.ones(N), mg.ones(N), mg.ones(N)])
    except RuntimeError as error:
        equal(live() - before, 3 * 4 * N)  # the frame of backward() has them, as PyTorch's
        del error
    equal(live(), before)


def check_a_traceback_keeps_no_captured_gradient():
    x, z = leaf(), leaf()
    y = x.exp()
    y.sum().backward()
    loss = y.sum() + z.exp().sum()
    before = live()
    try:
        mg.autograd.grad(loss, [z, x])  # that of z arrives, then the walk fails at y
    except RuntimeError as error:
        equal(live(), before - 4 * N + 4)  # what the exp of z had saved, and the 1 of grad()
        del error


def check_a_rule_that_fails_leaves_its_frames_but_no_gradient():
    x, factor = leaf(), mg.ones(N)
    y = (x.exp() * factor) * 3
    factor.data = mg.ones(N + 1)  # behind autograd's back: the rule of `*` cannot compute
    seed = mg.ones(N)
    before = live()
    try:
        y.backward(seed)
    except RuntimeError as error:
        equal(live(), before)
        functions = [entry.name for entry in traceback.extract_tb(error.__traceback__)]
        assert functions[-3:] == ["walk", "apply", "backward"], functions


def check_sums_of_gradients_are_made_in_place():
    x = leaf()
    y = x * 1 + x * 2 + x * 3
    seed = mg.ones(N)
    before = live()
    mg.reset_peak_memory_stats()
    y.backward(seed)
    assert peak() - before <= 8 * N, peak() - before
    equal(x.grad.tolist()[0], 6)


def check_no_gradient_outlives_its_use():
    x = leaf()
    alive = []
    y = x * 1
    y.register_hook(lambda g: alive.append(live()))
    z = (y + 0) * 2 * 3 * 4
    seed = mg.ones(N)
    before = live()
    z.backward(seed)
    equal(alive, [before + 4 * N])  # only the one that is being looked at


def check_a_captured_gradient_takes_no_other_along():
    x, y, alive = leaf(2, N), leaf(), []
    old = y * 1
    old.register_hook(lambda g: alive.append(live()))
    one, other = (x * 1).unbind()
    loss = (one * 2 + other * 3).sum() + (old * 1).sum()
    before = live()
    grad(loss, [one, y])
    equal(alive[0] - before, 8 * N + 4)  # of `one`, `old`, and the 1 of grad(); not of `other`


def check_a_gradient_goes_when_it_has_been_fitted():
    x, y = leaf(N, 1), leaf(1, N)
    z, seed = x * y, mg.ones(N, N)
    before = live()
    mg.reset_peak_memory_stats()
    z.backward(seed)
    equal(peak() - before, 2 * 4 * N * N + 4 * N)  # the second is fitted when the first has gone
    equal(live() - before, 8 * N)


# -- failures --


def check_a_failed_backward_leaves_nothing_in_flight():
    x = leaf()
    old = x * 1
    old.register_hook(lambda g: 1 / 0)
    others = [x * k for k in (2.0, 3.0, 4.0)]
    y = sum((o.sum() for o in others), (old * 1).sum())
    before = live()
    try:
        y.backward()
    except ZeroDivisionError as error:
        assert live() - before <= 4 * N + 4, live() - before  # the hook's frame has its argument
        del error
    equal(live(), before)
    old.detach_()
    middle = x.exp()
    y = (middle * 1).sum()
    middle.sum().backward()
    before = live()
    try:
        y.backward()
    except RuntimeError as error:
        assert live() - before <= 4, live() - before  # no frame of the engine has anything
        del error
    equal(live(), before)
    assert mg.is_grad_enabled()


def check_threads_share_a_leaf():
    x = leaf()
    threads = [
        threading.Thread(target=lambda: [(x * 2).sum().backward() for _ in range(20)])
        for _ in range(3)
    ]
    [t.start() for t in threads], [t.join() for t in threads]
    equal(x.grad.tolist(), [120] * N)


def check_a_training_step_frees_everything():
    model = mg.nn.Sequential(mg.nn.Linear(4, 8), mg.nn.Tanh(), mg.nn.Linear(8, 2), mg.nn.ReLU())
    optimizer = mg.optim.SGD(model.parameters(), lr=0.1)
    x, target = mg.ones(3, 4), mg.zeros(3, 2)
    before = live()
    for _ in range(2):
        loss = mg.nn.functional.mse_loss(Square.apply(model(x)), target)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        del loss
        equal(live(), before)


def check_a_gradient_that_somebody_keeps_is_not_a_resized_leafs():
    x, kept = mg.ones(1, requires_grad=True), []
    y = x * 2
    x.register_hook(kept.append)
    x.data = mg.ones(5)
    y.backward(mg.ones(1))
    assert x.grad._storage is not kept[0]._storage


def check_a_number_beside_half_floats_is_not_rounded_to_one():
    x = mg.tensor([1000.0, 4000.0]).half().requires_grad_()
    for y in (x * 1e-8, x * mg.tensor(1e-8), x / 1e8, mg.ones(2).half().mul_(1e-5)):
        assert 0 < y.tolist()[0] < 1.1e-5
        equal(y.dtype, mg.float16)
        if y.requires_grad:
            (slope,) = grad(y, x, mg.tensor([1000.0, 0.0]).half())
            assert 0 < slope.tolist()[0] < 1.1e-5
    equal((x * mg.tensor(2).half()).dtype, mg.float16)
    equal((mg.tensor(3.0).half() * mg.tensor(0.1)).dtype, mg.float32)
    equal(
        ((x // 1e5).tolist(), (x.detach().div(3e4, rounding_mode="trunc")).tolist()), ([0, 0],) * 2
    )
