"""Probes of what is built on the engine: a replay, and a reversible chain."""

import warnings
import weakref

from probing import equal, leaf, live, mg, own, refuses

Block, Chain = mg.reversible.ReversibleBlock, mg.reversible.ReversibleSequential


def step_of(w):
    def step(x):
        loss = (x * w * w).sum()
        loss.backward()
        return loss

    return step


def slope(w, x):
    """What a replay must give as the gradient of w."""
    return (2 * w.detach() * x).tolist()


def check_a_replay_gives_the_gradient_of_new_data():
    w, x = leaf(), mg.ones(100)
    w.grad = mg.ones(100)
    step = mg.replay.record(step_of(w))
    step(x)
    equal(w.grad.tolist(), [3.0] * 100)
    w.grad = None
    step(x * 3)
    equal(w.grad.tolist(), slope(w, x * 3))


def check_a_second_replay_adds_and_counts_a_version():
    w, x = leaf(), mg.ones(100)
    step = mg.replay.record(step_of(w))
    step(x)
    alive = live()
    step(x)
    before, grad = w.grad._version, w.grad
    step(x)
    equal((grad.tolist(), grad._version, live()), ([6.0] * 100, before + 1, alive))


def check_a_replay_that_is_compared_leaves_an_older_gradient_out():
    w, x = leaf(), mg.ones(100)
    step = mg.replay.record(step_of(w), check=1)
    for n in (1, 2, 3):
        step(x)
        equal(w.grad.tolist(), [2.0 * n] * 100)


def check_what_a_recording_writes_outside_counts_a_version():
    total, x = mg.zeros(100), mg.ones(100)

    def add(x):
        total.add_(x)
        return x * 2

    step = mg.replay.record(add)
    step(x)
    before = total._version
    step(x)
    equal((total.tolist(), total._version), ([2.0] * 100, before + 1))


def check_a_result_that_nobody_holds_takes_no_bytes_along():
    step, x = mg.replay.record(lambda x: x * 2 + 1), mg.ones(100)
    gone = weakref.ref(step(x))
    assert gone() is None
    before = live()
    for _ in range(3):
        step(x)
    equal(live(), before)
    kept = step(x)
    equal((step(x * 2).tolist(), kept.tolist()), ([5.0] * 100, [3.0] * 100))


def check_a_recording_that_failed_is_no_recording():
    def positive(x):
        if x.shape[0] == 2:
            raise ValueError("two")
        return x * 2

    step = mg.replay.record(positive, on_change="record")
    step(mg.ones(3))
    for _ in range(2):
        refuses("two", lambda: step(mg.ones(2)), ValueError)
    equal(mg.ones(2).tolist(), [1.0, 1.0])


def check_a_recording_counts_its_buffers():
    x, before = mg.ones(100), live()
    step = mg.replay.record(lambda x: x * 2 + 1)
    step(x)
    equal(step.nbytes, live() - before)


def check_a_recording_that_looks_at_grad_wants_none_from_before():
    w, x = leaf(), mg.ones(100)

    def look(x):
        (x * w).sum().backward()
        return w.grad * 2

    step = mg.replay.record(look)
    for _ in range(3):
        equal(step(x).tolist()[0], 2)
        refuses("set it to None", lambda: step(x))
        w.grad = None


def check_a_replay_adds_to_a_gradient_of_the_programs_own():
    w, x = leaf(), mg.ones(100)
    step = mg.replay.record(step_of(w))
    step(x)
    step(x)
    w.grad = mg.ones(100)
    step(x * 2)
    equal(w.grad.tolist(), [5.0] * 100)
    step(x)
    equal(w.grad.tolist(), [7.0] * 100)


def check_a_result_that_is_still_held_moves_to_its_own_bytes():
    step, x = mg.replay.record(lambda x: x * 2 + 1), mg.ones(100)
    kept = step(x)
    step(x)
    own(kept)
    view = kept.view(4, 25)
    step(x)  # both had moved
    equal(view.tolist()[0][0], 3)
    del kept, view
    kept = step(x)
    view = kept.view(4, 25)
    refuses("a view", lambda: step(x))
    del kept, view
    twin = step(x).detach()
    refuses("a view", lambda: step(x))
    del twin
    step(x)


def check_what_a_checkpoint_is_given_comes_again():
    x = leaf()
    run = lambda x, word, number: x.exp() * number if word == "go" else None  # noqa: E731
    y = mg.utils.checkpoint.checkpoint(run, x, "go", 3, use_reentrant=False)
    y.sum().backward()
    equal(round(x.grad.tolist()[0], 3), 8.155)


def check_a_module_moves_and_clears_its_gradients():
    net = mg.nn.Linear(2, 2)
    net.to(mg.float64)
    net(mg.ones(1, 2, dtype=mg.float64)).sum().backward()
    net.to(mg.float32)
    equal({p.grad.dtype for p in net.parameters()}, {mg.float32})
    net.weight.grad = None
    net.zero_grad(set_to_none=False)
    equal((net.weight.grad, net.bias.grad.tolist()), (None, [0.0, 0.0]))
    net.zero_grad()
    equal(net.bias.grad, None)


def check_a_cleared_gradient_lets_go_of_its_graph():
    net = mg.nn.Linear(2, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (net(mg.ones(1, 2)) ** 2).sum().backward(create_graph=True)
    net.weight.grad = net.weight.grad.detach().requires_grad_()
    net.zero_grad(set_to_none=False)
    for grad in net.weight.grad, net.bias.grad:
        equal((grad.requires_grad, grad.grad_fn, grad.sum().item()), (False, None, 0.0))


def halves(depth, function, **how):
    linear = [(mg.nn.Linear(4, 4), mg.nn.Linear(4, 4)) for _ in range(depth)]
    return Chain(*[Block(function(f), function(g)) for f, g in linear], **how)


class Writes(mg.nn.Module):
    def __init__(self, inner):
        self.inner = inner

    def forward(self, u):
        return self.inner(u.mul_(2))


def check_a_chain_keeps_its_input_output_and_nothing_else():
    chain, x = halves(3, lambda f: f), mg.rand(5, 8)
    before = live()
    y = chain(x)
    equal(live() - before, y.nbytes)
    y.sum().backward()
    assert all(p.grad is not None for p in chain.parameters())


def check_a_function_that_writes_into_its_stream_is_refused():
    refuses("changed its input in place", lambda: halves(1, Writes)(mg.rand(5, 8)))


def check_a_baton_is_refused_if_the_output_was_changed():
    chain, x = halves(3, lambda f: f, baton=True), mg.rand(5, 8)
    chain(x).sum().backward()
    assert all(p.grad is not None for p in chain.parameters())
    y = chain(x)
    y.detach().mul_(2)
    refuses("changed in place", y.sum().backward)


def check_a_weight_of_two_blocks_with_a_hook_gets_its_whole_gradient_at_once():
    for register in "register_hook", "register_post_accumulate_grad_hook":
        both, seen = mg.nn.Linear(4, 4), []
        chain = Chain(Block(both, mg.nn.Linear(4, 4)), Block(both, mg.nn.Linear(4, 4)))
        getattr(both.weight, register)(lambda t, seen=seen: seen.append(t is not None))
        chain(mg.rand(5, 8)).sum().backward()
        equal(seen, [True])


def check_an_optimizer_counts_its_writes_and_leaves_what_has_no_gradient():
    w, alone = leaf(), leaf()
    w.grad = mg.ones(w.shape)
    optimizer = mg.optim.Adam([w, alone], lr=0.5)
    optimizer.step()
    optimizer.step()
    equal([one._version for one in optimizer.state[w].values()], [2, 2, 4])
    equal((w._version, alone._version, len(optimizer.state)), (2, 0, 1))
