"""What a reversible chain must do, on minigrad and on PyTorch alike: right, or a sentence.

What it holds meanwhile is in test_reversible_bytes.py.
"""

import threading
from functools import partial

import pytest

from tests.for_torch.engines import Torch
from tests.minigrad.reversible_engine import WIDTH, Minigrad

ENGINES = {
    "minigrad": Minigrad,
    "trimmed": partial(Minigrad, trimmed=True),
    "baton": partial(Minigrad, baton=True),
    "torch": Torch,
}


@pytest.fixture(params=ENGINES)
def on(request):
    return ENGINES[request.param]()


@pytest.fixture
def x(on):
    return on.data()[0]


@pytest.fixture
def dy(on):
    return on.data()[1]


# -- the gradients --


@pytest.mark.parametrize("depth", [1, 6, 32])
def test_the_gradients_are_those_of_the_stored_twin(depth, on, x, dy):
    assert on.difference(on.chain(depth), x, dy) < 1e-5


def test_an_input_of_zeros_is_an_input(on, dy):
    x = on.lib.zeros(*dy.shape, requires_grad=True)
    assert on.difference(on.chain(8), x, dy) < 1e-4


def test_the_inverse_undoes_the_block(on, x):
    block = on.block()
    x1, x2 = x.detach().chunk(2, -1)
    for back, was in zip(block.inverse(*block(x1, x2)), (x1, x2), strict=True):
        assert on.lib.allclose(back, was, atol=1e-6)


def layers(on):
    """Layers that draw and remember; no bias below BatchNorm, whose gradient is rounding alone."""
    nn = on.lib.nn
    first, last = nn.Linear(4, 4, bias=False), nn.Linear(4, 4)
    return nn.Sequential(first, nn.BatchNorm1d(4), nn.Dropout(0.5), last)


def test_random_numbers_come_again_for_f_and_for_g(on, x, dy):
    assert on.difference(on.chain(4, lambda: layers(on)), x, dy) < 1e-5


def test_backward_leaves_the_random_numbers_where_they_were(on, x, dy):
    net = on.chain(2, lambda: layers(on))
    y = net(x)
    state = on.random_state()
    y.backward(dy)
    assert on.random_state() == state


def test_statistics_are_counted_once(on, x, dy):
    net = on.chain(3, lambda: layers(on))
    net(x).backward(dy)
    assert [block.G[1].num_batches_tracked.item() for block in net] == [1, 1, 1]
    mean = net[0].F[1].running_mean.clone()
    again = on.chain(3, lambda: layers(on))
    on.stored(again, x).backward(dy)
    assert on.lib.equal(mean, again[0].F[1].running_mean)


def test_a_module_may_ask_whether_it_runs_again(on, x, dy):
    seen = []
    net = on.of(lambda u: (seen.append(on.recomputing()), u * 2.0)[1])
    net(x).backward(dy)
    assert seen == [False, True] and not on.recomputing()


@pytest.mark.parametrize("reentrant", [True, False])
def test_a_checkpoint_in_f_is_right_or_refused(reentrant, on, x, dy):
    from importlib import import_module

    tools = import_module(f"{on.lib.__name__}.utils.checkpoint")

    class Checkpointed(on.lib.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = on.mlp()

        def forward(self, u):
            return tools.checkpoint(self.inner, u, use_reentrant=reentrant)

    net = on.chain(2, Checkpointed)
    if not reentrant:
        assert on.difference(net, x, dy) < 1e-5
        return
    with pytest.warns(UserWarning, match="None of the inputs"):
        y = net(x)
    refused(on, net, y, "use_reentrant")


def test_raw_data_trains_the_weights(on, x, dy):
    net = on.chain(3)
    expected = on.gradients(net, net, x, dy)[2:]
    net.zero_grad()
    net(x.detach()).backward(dy)
    for p, g in zip(net.parameters(), expected, strict=True):
        assert p.grad.tolist() == g.tolist()


def test_grad_returns_the_gradients_and_touches_no_other(on, x, dy):
    net = on.chain(2)
    expected = on.gradients(net, net, x, dy)[1:]
    net.zero_grad()
    x.grad = None
    found = on.lib.autograd.grad(net(x), [x, *net.parameters()], dy)
    assert [g.tolist() for g in found] == [g.tolist() for g in expected]
    assert x.grad is None and all(p.grad is None for p in net.parameters())


def test_a_walk_for_one_weight_accumulates_into_no_other(on, x):
    net = on.chain(3)
    wanted = net[1].F[0].weight
    net(x).sum().backward(inputs=[wanted])
    assert [p is wanted for p in net.parameters()] == [p.grad is not None for p in net.parameters()]


@pytest.mark.parametrize("post", [False, True])
def test_a_weight_s_hooks_run_once(post, on, x, dy):
    net, seen = on.chain(2), []
    weight = net[0].F[0].weight
    whole = on.gradients(net, lambda x: on.stored(net, x), x, dy)[2]
    if post:
        weight.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.clone()))
    else:
        weight.register_hook(lambda grad: seen.append(grad.clone()) or grad * 2.0)
    found = on.gradients(net, net, x, dy)[2]
    assert len(seen) == 1 and on.distance(seen[0], whole) < 1e-5
    assert on.distance(found, whole if post else whole * 2.0) < 1e-5


@pytest.mark.parametrize("post", [False, True])
def test_a_weight_of_two_blocks_gets_its_whole_gradient_at_once(post, on, x, dy):
    one, seen = on.mlp(), []
    net = on.sequential(on.Block(one, on.mlp()), on.Block(on.mlp(), one))
    whole = on.gradients(net, lambda x: on.stored(net, x), x, dy)[2]
    if post:
        one[0].weight.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.clone()))
    else:
        one[0].weight.register_hook(lambda grad: seen.append(grad.clone()))
    on.gradients(net, net, x, dy)
    assert len(seen) == 1 and on.distance(seen[0], whole) < 1e-4


def test_one_module_may_be_f_and_g(on, x, dy):
    one = on.mlp()
    assert on.difference(on.sequential(on.Block(one, one)), x, dy) < 1e-5


def test_a_frozen_module_gets_no_gradient_and_the_others_theirs(on, x, dy):
    net = on.chain(3)
    net[1].G.requires_grad_(False)
    mine = on.gradients(net, net, x, dy)
    theirs = on.gradients(net, lambda x: on.stored(net, x), x, dy)
    assert net[1].G[0].weight.grad is None
    assert [g is None for g in mine] == [g is None for g in theirs]
    some = [(a, b) for a, b in zip(mine, theirs, strict=True) if a is not None]
    assert max(on.distance(a, b) for a, b in some) < 1e-5


def test_several_steps_add_up(on, x, dy):
    net = on.chain(3)
    once = [g.clone() for g in on.gradients(net, net, x, dy)[2:]]
    for _ in range(2):
        net(x).backward(dy)
    for p, g in zip(net.parameters(), once, strict=True):
        assert on.distance(p.grad, g * 3.0) < 1e-5


@pytest.mark.parametrize("on", [name for name in ENGINES if name != "baton"], indirect=True)
def test_with_retain_graph_a_second_backward_doubles(on, x, dy):
    net = on.chain(2, lambda: layers(on))
    y = net(x)
    y.backward(dy, retain_graph=True)
    once = net[0].F[0].weight.grad.clone()
    y.backward(dy)
    assert on.distance(net[0].F[0].weight.grad, once * 2.0) < 1e-6


def test_a_weight_that_is_also_used_outside_gets_the_sum(on, x):
    net = on.chain(3)
    weight = net[1].G[0].weight
    weight.grad = on.lib.ones_like(weight)
    (net(x).sum() + (weight * 2.0).sum()).backward()
    found = weight.grad
    net.zero_grad()
    net(x).sum().backward()
    assert on.lib.allclose(found, weight.grad + 3.0, atol=1e-4)


def test_a_chain_in_a_chain(on, x, dy):
    def inner():
        return on.sequential(on.Block(on.mlp(2), on.mlp(2)), on.Block(on.mlp(2), on.mlp(2)))

    assert on.difference(on.chain(2, inner), x, dy) < 1e-5


def test_a_chain_inside_of_a_model(on, x, dy):
    nn = on.lib.nn
    chain = on.chain(3)
    model = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(), chain, nn.Linear(WIDTH, WIDTH))

    def through(x):
        return model[3](on.stored(chain, model[1](model[0](x))))

    mine, theirs = (on.gradients(model, way, x, dy) for way in (model, through))
    assert max(on.distance(a, b) for a, b in zip(mine, theirs, strict=True)) < 1e-5


def test_two_threads_share_a_chain(on, x, dy, fast_switches):
    net = on.chain(4)
    once = [g.clone() for g in on.gradients(net, net, x, dy)[2:]]
    net.zero_grad()
    threads = [threading.Thread(target=lambda: net(x.detach()).backward(dy)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for p, g in zip(net.parameters(), once, strict=True):
        assert on.lib.allclose(p.grad, g * 4.0, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", ["itself", "detached", "zeros", "in place inside"])
def test_functions_without_weights(kind, on, x, dy):
    functions = {
        "itself": lambda u: u,
        "detached": lambda u: u.detach() * 2.0,
        "zeros": on.lib.zeros_like,
        "in place inside": lambda u: (u * 2.0).relu_(),
    }
    assert on.difference(on.of(functions[kind]), x, dy) < 1e-5


# -- rounding --


def test_rounding_that_grew_is_refused_or_on_request_wrong(on):
    x, dy = on.data(64, 32)
    with pytest.raises(RuntimeError, match="came back with a relative error.*float64"):
        on.chain(24, on.large)(x).backward(dy)
    assert on.difference(on.chain(24, on.large, tolerance=None), x, dy) > 1e-2


def test_float64_streams_are_equal_bit_by_bit(on):
    x, dy = on.data(64, 32)
    net = on.chain(16, on.large, stream_dtype=on.lib.float64)
    assert on.difference(net, x, dy) == 0
    assert net(x).dtype is on.lib.float32


# -- refused --


def refused(on, net, y, text, error=RuntimeError):
    """In backward, with no gradient half-done."""
    with pytest.raises(error, match=text):
        y.backward(on.lib.ones_like(y))
    assert all(p.grad is None for p in net.parameters())
    assert on.lib.is_grad_enabled() and not on.recomputing()


@pytest.mark.parametrize("shape", [(64, 7), (64, 0)])
def test_an_odd_input_is_refused(shape, on):
    with pytest.raises(ValueError, match=rf"must be even.*\[64, {shape[1]}\]"):
        on.chain(1)(on.lib.zeros(*shape))


def test_integers_are_refused(on):
    with pytest.raises(ValueError, match="adds real numbers"):
        on.chain(1)(on.lib.arange(24).view(3, 8))


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda u: u[:, :1], "must return a tensor like"),
        (lambda u: u.double(), "float64"),
        (lambda u: [u], "returned list"),
        (lambda u: u.mul_(2.0), "changed its input in place"),
    ],
)
def test_what_cannot_be_coupled_is_refused_in_forward(function, text, on, x):
    net, values, state = on.of(function), x.tolist(), on.random_state()
    with pytest.raises(RuntimeError, match=text):
        net(x)
    assert x.tolist() == values or on.kind.get("baton")
    assert on.lib.is_grad_enabled() and not on.recomputing()
    assert on.random_state() == state and all(p.grad is None for p in net.parameters())


def test_what_is_no_block_is_refused(on):
    with pytest.raises(TypeError, match="must be Modules"):
        on.Block(on.mlp(), lambda u: u)
    with pytest.raises(TypeError, match="expected ReversibleBlocks, but got"):
        on.sequential(on.mlp())


def test_what_is_not_deterministic_is_refused(on, x):
    calls = []
    net = on.of(lambda u: u * float(len(calls.append(0) or calls)))
    refused(on, net, net(x), "not deterministic")


def test_what_is_refused_adds_no_gradient_of_the_block_that_was_wrong(on, x):
    """The blocks behind it came back as they were; theirs are right, and stay."""
    net, right = on.chain(3), on.chain(3)
    y = net(x)
    right(x).sum().backward()
    scaled = net[1].F
    forward = scaled.forward
    scaled.forward = lambda u: forward(u) * 2.0
    with pytest.raises(RuntimeError, match="came back with a relative error"):
        y.sum().backward()
    for block in net[0], net[1]:
        assert all(p.grad is None for p in block.parameters())
    for mine, theirs in zip(net[2].parameters(), right[2].parameters(), strict=True):
        assert on.lib.allclose(mine.grad, theirs.grad, rtol=1e-3, atol=1e-4)


def test_a_mode_that_was_switched_is_refused(on, x):
    net = on.chain(3, lambda: layers(on))
    y = net(x)
    net.eval()
    refused(on, net, y, "mode|eval")


def test_a_weight_that_moved_on_is_refused(on, x):
    net = on.chain(3)
    y = net(x)
    with on.lib.no_grad():
        net[0].F[0].weight.mul_(0.5)
    refused(on, net, y, "changed.*between forward and backward")


def test_a_weight_that_was_frozen_is_refused_or_untrained_as_in_the_stored_twin(on, x):
    net = on.chain(3)
    y, twin = net(x), on.stored(net, x)
    net.requires_grad_(False)
    if on.lib.__name__ == "minigrad":
        refused(on, net, y, "changed.*between forward and backward")
        return
    (expected,), (found,) = (on.lib.autograd.grad(out.sum(), [x]) for out in (twin, y))
    assert on.distance(found, expected) < 1e-5
    assert all(p.grad is None for p in net.parameters())


def test_an_output_that_was_changed_is_refused(on, x):
    net = on.chain(2)
    y = net(x)
    y.detach().add_(1.0)
    refused(on, net, y, "modified by an inplace|changed in place")


def test_a_gradient_that_would_be_lost_is_refused(on, x):
    hidden = on.lib.ones(WIDTH // 2, requires_grad=True)
    computed = hidden * 2.0
    for outside in (hidden, computed):
        net = on.of(lambda u, w=outside: u * w)
        refused(on, net, net(x), "not one of its parameters")
    computed.sum().backward()  # its own graph was left alone
    assert hidden.grad.tolist() == [2.0] * (WIDTH // 2)


def test_double_backward_is_refused(on, x):
    net = on.chain(1)
    y = net(x)
    with pytest.raises(NotImplementedError, match="create_graph"):
        on.lib.autograd.grad(y.sum(), x, create_graph=True)
    assert all(p.grad is None for p in net.parameters())


def test_a_second_backward_is_the_message_that_everybody_knows(on, x):
    y = on.chain(1)(x)
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time|the baton, but it is gone"):
        y.sum().backward()


def test_without_gradients_nothing_is_recorded(on, x):
    net = on.chain(2)
    with on.lib.no_grad():
        y = net(x)
    assert y.grad_fn is None and on.lib.allclose(y, net(x))
