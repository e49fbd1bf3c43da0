"""Reversible chains: flat to the byte, equal to the stored twin, and loud where neither can be.

U is the bytes of one activation. The closed forms and the curve are those of the reference.
"""

import gc
import threading

import pytest

import minigrad as mg
import whoholds
from minigrad.core import modes, storage
from minigrad.reversible import ReversibleBlock, ReversibleSequential, chain, recompute
from tests.minigrad.counted import counted
from whoholds.events import CATEGORIES

B, D = 64, 8
U = B * D * 4
KINDS = [{}, {"trimmed": True}, {"baton": True}]


class MLP(mg.nn.Module):
    """u -> relu(u W1 + b1) W2 + b2, as wide as it came."""

    def __init__(self, width=D // 2, hidden=D, scale=0.1):
        he = (2 / width) ** 0.5
        self.W1 = mg.nn.Parameter(mg.randn(width, hidden) * he)
        self.b1 = mg.nn.Parameter(mg.zeros(hidden))
        self.W2 = mg.nn.Parameter(mg.randn(hidden, width) * (scale / hidden**0.5))
        self.b2 = mg.nn.Parameter(mg.zeros(width))

    def forward(self, u):
        return (u @ self.W1 + self.b1).relu() @ self.W2 + self.b2


class Calls(mg.nn.Module):
    """A module around a function."""

    def __init__(self, function):
        self.function = function

    def forward(self, u):
        return self.function(u)


def network(depth=6, make=MLP, **options):
    mg.manual_seed(0)
    blocks = [ReversibleBlock(make(), make()) for _ in range(depth)]
    return ReversibleSequential(*blocks, **options)


def of(function, **options):
    """A chain with weights whose last block's G is `function`."""
    blocks = [ReversibleBlock(MLP(), MLP()), ReversibleBlock(MLP(), Calls(function))]
    return ReversibleSequential(*blocks, **options)


def stored(net, x):
    """The same blocks with every activation kept: what the chain must agree with."""
    x1, x2 = chain.halves(x.to(net.stream_dtype or x.dtype))
    for block in net:
        x1, x2 = block(x1, x2)
    return mg.cat([x1, x2], -1).to(x.dtype)


def gradients(net, forward, x, dy):
    net.zero_grad()
    x.grad = None
    y = forward(x)
    y.backward(dy)
    return [y.detach(), x.grad, *[p.grad for p in net.parameters()]]


def difference(net, x, dy):
    """The largest relative difference to the stored twin, over all parameters."""
    mg.manual_seed(1)
    mine = gradients(net, net, x, dy)
    mg.manual_seed(1)
    theirs = gradients(net, lambda x: stored(net, x), x, dy)
    pairs = zip(mine, theirs, strict=True)
    return max(float((a - b).abs().max()) / float(b.abs().max()) for a, b in pairs)


@pytest.fixture
def x():
    mg.manual_seed(7)
    return mg.randn(B, D, requires_grad=True)


@pytest.fixture
def dy():
    mg.manual_seed(8)
    return mg.randn(B, D)


# -- the bytes --


def step(net, bytes):
    """One step on raw data under a budget, which counts neither parameters nor their .grad."""
    net.zero_grad()
    mg.manual_seed(7)
    with mg.memory.budget(counted() + bytes):
        x = mg.randn(B, D)
        y = net(x)
        y.backward(mg.ones(B, D))


def assert_peak(net, bytes):
    gc.collect()
    step(net, bytes)
    with pytest.raises(mg.memory.OutOfMemoryError):
        step(net, bytes - 1)


@pytest.mark.parametrize("depth", [1, 2, 8, 64, 256])
def test_the_peak_is_10_u_at_every_depth(depth):
    assert_peak(network(depth), 10 * U)


@pytest.mark.parametrize("depth", [1, 8, 256])
def test_the_trimmed_chain_needs_5_and_a_half_u_besides_input_output_and_seed(depth):
    assert_peak(network(depth, trimmed=True), int((3 + 5.5) * U))


@pytest.mark.parametrize("depth", [2, 8, 256])
def test_the_baton_is_as_flat(depth):
    assert_peak(network(depth, baton=True), 10 * U)


@pytest.mark.parametrize("v", [1, 2, 4])
def test_the_closed_form(v):
    assert_peak(network(8, lambda: MLP(hidden=v * D)), (7 + 3 * v) * U)


@pytest.mark.parametrize("v", [1, 2, 4])
def test_the_closed_form_of_the_forward_pass(v):
    net, x = network(8, lambda: MLP(hidden=v * D)), mg.zeros(B, D)
    base = counted() - U
    with mg.memory.budget(base + int((3.5 + 2 * v) * U)):
        net(x)
    with (
        pytest.raises(mg.memory.OutOfMemoryError),
        mg.memory.budget(base + int((3.5 + 2 * v) * U) - 1),
    ):
        net(x)


@pytest.mark.parametrize("depth", [1, 4, 16])
def test_the_same_blocks_stored_grow(depth):
    net = network(depth)
    net.forward = lambda x: stored(net, x)
    assert_peak(net, (3 * depth + 5) * U)


class Probed(MLP):
    """Notes the bytes alive when it is called: of F in forward, of G in backward."""

    notes: list = []

    def forward(self, u):
        Probed.notes.append(Probed.used())
        return super().forward(u)


@pytest.fixture
def curve(monkeypatch):
    """Runs a step and returns the marks of the reference's curve, in U."""

    def run(net):
        notes = Probed.notes = []
        checked = recompute.Unchanged.check_input
        joined = chain.cat
        x = mg.zeros(B, D) + 1
        with mg.memory.budget(10**9) as gpu:
            start = gpu.used - U
            Probed.used = lambda: (gpu.used - start) / U
            monkeypatch.setattr(
                chain, "cat", lambda *a: (notes.append(Probed.used()), joined(*a))[1]
            )
            monkeypatch.setattr(
                recompute.Unchanged,
                "check_input",
                lambda *a: (notes.append(Probed.used()), checked(*a))[1],
            )
            y = net(x)
            forward, notes[:] = notes[2::2], []  # before each F but the first, and before cat
            seed = mg.ones(B, D)
            notes.append(Probed.used())
            y.backward(seed)
            backward = [notes[0], *notes[3::3]]  # the seed; then each block after its G and F
            return forward, (gpu.used - start) / U, backward

    return run


def test_the_curve_of_the_reference(curve):
    forward, end, backward = curve(network(6, Probed))
    assert forward == [3, 3, 3, 3, 3, 3]
    assert backward == [3, 5, 5, 5, 5, 5, 5]
    assert end == 3  # of which the seed is one; the reference has X.grad instead


def test_the_curve_of_the_trimmed_chain(curve):
    forward, end, backward = curve(network(6, Probed, trimmed=True))
    assert forward == [2, 2, 2, 2, 2, 2]
    assert backward == [3, 5, 5, 5, 5, 5, 5]


@pytest.mark.parametrize("kind", KINDS)
def test_after_the_call_2_u_live_and_nothing_stays(kind, no_collector, ledger):
    net = network(8, **kind)
    mg.manual_seed(7)
    before = ledger.check()
    x = mg.randn(B, D)
    y = net(x)
    assert ledger.check() - before == 2 * U
    del x, y
    assert ledger.check() == before
    for _ in range(3):  # T11: nor after ten steps, and without the collector
        net(mg.randn(B, D)).sum().backward()
        net.zero_grad()
    assert ledger.check() == before


def test_recomputation_costs_a_third_more_products(x, dy):
    net = network(4)
    with mg.memory.count_ops() as reversible:
        net(x).backward(dy)
    with mg.memory.count_ops() as plain:
        stored(net, x).backward(dy)
    assert (reversible.matmuls, plain.matmuls) == (16 * 4, 12 * 4)


# -- the gradients --


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("depth", [1, 6, 32])
def test_the_gradients_are_those_of_the_stored_twin(kind, depth, x, dy):
    assert difference(network(depth, **kind), x, dy) < 1e-5


def test_the_inverse_undoes_the_block(x):
    block = network(1)[0]
    x1, x2 = x.detach().chunk(2, -1)
    for back, was in zip(block.inverse(*block(x1, x2)), (x1, x2), strict=True):
        assert mg.allclose(back, was, atol=1e-6)


class Dropout(MLP):
    """With its own mask at each call: what a recomputation must meet again."""

    def forward(self, u):
        return super().forward(u) * (mg.rand(*u.shape) > 0.5).to(u.dtype)


@pytest.mark.parametrize("kind", KINDS)
def test_random_numbers_come_again_for_f_and_for_g(kind, x, dy):
    assert difference(network(4, Dropout, **kind), x, dy) < 1e-5


def test_backward_leaves_the_random_numbers_where_they_were(x, dy):
    y = network(2, Dropout)(x)
    before = mg.get_rng_state()
    y.backward(dy)
    assert mg.get_rng_state() == before


class Counting(MLP):
    """As BatchNorm does: what was seen is counted, unless it is seen again for backward."""

    def __init__(self):
        super().__init__()
        self.seen = 0

    def forward(self, u):
        self.seen += not modes.state.recomputing
        return super().forward(u)


@pytest.mark.parametrize("kind", KINDS)
def test_statistics_are_counted_once(kind, x, dy):
    net = network(2, Counting, **kind)
    net(x).backward(dy)
    assert [block.F.seen for block in net] == [1, 1] == [block.G.seen for block in net]
    assert not modes.state.recomputing


@pytest.mark.parametrize("kind", KINDS)
def test_the_layers_of_nn_that_remember_and_draw(kind, x, dy):
    class Layers(mg.nn.Sequential):
        def __init__(self):
            nn = mg.nn  # no bias below BatchNorm: its gradient is 0, and rounding
            first, last = nn.Linear(4, 4, bias=False), nn.Linear(4, 4)
            super().__init__(first, nn.BatchNorm1d(4), nn.Dropout(0.5), last)

    net = network(3, Layers, **kind)
    net(x).backward(dy)
    assert [block.G[1].num_batches_tracked.item() for block in net] == [1, 1, 1]
    assert difference(net, x, dy) < 1e-5


@pytest.mark.parametrize("way", [True, False])
def test_a_checkpoint_in_f_is_right_or_refused(way, x, dy):
    class Checkpointed(MLP):
        def forward(self, u):
            return mg.utils.checkpoint.checkpoint(super().forward, u, use_reentrant=way)

    net = network(2, Checkpointed)
    if way:  # its own backward would write into .grad of the parameters, behind the chain's back
        with pytest.warns(UserWarning, match="None of the inputs"):
            y = net(x)
        assert_backward_refused(net, y, "use_reentrant")
    else:
        assert difference(net, x, dy) < 1e-5


@pytest.mark.parametrize("kind", KINDS)
def test_raw_data_trains_the_weights(kind, x, dy):
    net = network(3, **kind)
    expected = gradients(net, net, x, dy)[2:]
    net.zero_grad()
    net(x.detach()).backward(dy)
    for p, g in zip(net.parameters(), expected, strict=True):
        assert p.grad.tolist() == g.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_grad_returns_the_gradients_and_touches_no_other(kind, x, dy):
    net = network(2, **kind)
    expected = gradients(net, net, x, dy)[2:]
    net.zero_grad()
    x.grad = None
    found = mg.autograd.grad(net(x), list(net.parameters()), dy)
    assert [g.tolist() for g in found] == [g.tolist() for g in expected]
    assert x.grad is None and all(p.grad is None for p in net.parameters())


@pytest.mark.parametrize("kind", KINDS)
def test_a_parameters_hooks_run_once(kind, x, dy):
    net, calls = network(2, **kind), []
    weight = net[0].F.W1
    weight.register_hook(lambda g: calls.append("grad") or g * 2)
    weight.register_post_accumulate_grad_hook(lambda p: calls.append("accumulated"))
    twice = gradients(net, net, x, dy)[2]
    assert calls == ["grad", "accumulated"]
    assert mg.allclose(twice, gradients(net, lambda x: stored(net, x), x, dy)[2], atol=1e-5)


def test_shared_and_frozen_parameters(x, dy):
    one = MLP()
    net = ReversibleSequential(ReversibleBlock(one, MLP()), ReversibleBlock(one, MLP()))
    assert difference(net, x, dy) < 1e-5
    net[0].G.requires_grad_(False)
    net.zero_grad()
    net(x).backward(dy)
    assert net[0].G.W1.grad is None and one.W1.grad is not None


def test_with_retain_graph_a_second_backward_doubles(x, dy):
    for kind in KINDS[:2]:
        net = network(2, **kind)
        y = net(x)
        y.backward(dy, retain_graph=True)
        once = net[0].F.W1.grad.clone()
        y.backward(dy)
        assert mg.allclose(net[0].F.W1.grad, once * 2)


def test_a_chain_in_a_chain(x, dy):
    def inner():
        return ReversibleSequential(ReversibleBlock(MLP(D // 4), MLP(D // 4)))

    assert difference(network(2, inner), x, dy) < 1e-5


def test_two_threads_share_a_chain(x, dy, fast_switches):
    net = network(4)
    once = gradients(net, net, x, dy)[2:]
    net.zero_grad()
    threads = [threading.Thread(target=lambda: net(x.detach()).backward(dy)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for p, g in zip(net.parameters(), once, strict=True):
        assert mg.allclose(p.grad, g * 4, rtol=1e-4, atol=1e-4)


def test_functions_without_a_gradient(x, dy):
    for function in (lambda u: u, lambda u: u.detach() * 2, mg.zeros_like):
        assert difference(of(function), x, dy) < 1e-5


# -- rounding --


def wild(**options):
    """He-initialised, 16 blocks: the output is 1000 times the input."""
    return network(16, lambda: MLP(16, 32, scale=2**0.5), **options)


@pytest.fixture
def wide():
    mg.manual_seed(3)
    return mg.randn(64, 32, requires_grad=True), mg.randn(64, 32)


def test_rounding_that_grew_is_refused_or_on_request_wrong(wide):
    x, dy = wide
    with pytest.raises(RuntimeError, match="came back with a relative error.*float64"):
        wild()(x).backward(dy)
    assert difference(wild(tolerance=None), x, dy) > 1e-2


def test_float64_streams_are_equal_bit_by_bit(wide):
    x, dy = wide
    net = wild(stream_dtype=mg.float64)
    assert difference(net, x, dy) == 0
    assert net(x).dtype is mg.float32


# -- refused --


def assert_refused(net, x, error, text):
    """In forward, with nothing half-done."""
    before, version = mg.get_rng_state(), x._version
    with pytest.raises(error, match=text):
        net(x)
    assert modes.state.grad_enabled and not modes.state.recomputing
    assert all(p.grad is None for p in net.parameters())
    assert mg.get_rng_state() == before and x._version == version


def assert_backward_refused(net, y, text, error=RuntimeError):
    with pytest.raises(error, match=text):
        y.backward(mg.ones(*y.shape))
    assert all(p.grad is None for p in net.parameters())
    assert modes.state.grad_enabled and not modes.state.recomputing


@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_coupled_is_refused_in_forward(kind, x):
    odd = mg.zeros(B, 7)
    assert_refused(network(1, **kind), odd, ValueError, r"must be even.*\[64, 7\]")
    assert_refused(of(lambda u: u[:, :1], **kind), x, RuntimeError, "must return a tensor like")
    assert_refused(of(lambda u: u.double(), **kind), x, RuntimeError, "float64")
    assert_refused(of(lambda u: [u], **kind), x, RuntimeError, "returned list")
    values = x.tolist()
    assert_refused(of(lambda u: u.mul_(2.0), **kind), x, RuntimeError, "changed its input in place")
    assert x.tolist() == values or kind.get("baton")


def test_in_place_inside_f_is_fine(x, dy):
    assert difference(of(lambda u: (u * 2.0).relu_()), x, dy) < 1e-5


def test_what_is_no_block_is_refused():
    with pytest.raises(TypeError, match="must be Modules"):
        ReversibleBlock(MLP(), lambda u: u)
    with pytest.raises(TypeError, match="expected ReversibleBlocks, but got MLP"):
        ReversibleSequential(MLP())
    with pytest.raises(ValueError, match="choose one"):
        network(1, trimmed=True, baton=True)


def count_up(u, calls=[]):  # noqa: B006  (the point: a state that nobody restores)
    calls.append(0)
    return u * float(len(calls))


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_deterministic_is_refused(kind, x):
    net = of(count_up, **kind)
    assert_backward_refused(net, net(x), "not deterministic")


def test_a_mode_that_was_switched_is_refused(x):
    class Doubling(MLP):
        def forward(self, u):
            return super().forward(u) * (2.0 if self.training else 1.0)

    net = network(3, Doubling)
    y = net(x)
    net.eval()
    assert_backward_refused(net, y, "its mode or an output changed")


@pytest.mark.parametrize("kind", KINDS)
def test_a_weight_that_moved_on_is_refused(kind, x):
    net = network(3, **kind)
    y = net(x)
    with mg.no_grad():
        net[0].F.W1.mul_(0.5)
    assert_backward_refused(net, y, "changed between forward and backward")


@pytest.mark.parametrize("kind", KINDS)
def test_an_output_that_was_changed_is_refused(kind, x):
    net = network(2, **kind)
    y = net(x)
    y.detach().add_(1.0)
    assert_backward_refused(net, y, "modified by an inplace|was changed in place")


@pytest.mark.parametrize("kind", KINDS)
def test_a_gradient_that_would_be_lost_is_refused(kind, x):
    hidden = mg.ones(D // 2, requires_grad=True)
    computed = hidden * 2.0
    for outside in (hidden, computed):
        net = of(lambda u, w=outside: u * w, **kind)
        assert_backward_refused(net, net(x), "not one of its parameters")
    computed.sum().backward()  # its own graph was left alone
    assert hidden.grad.tolist() == [2.0] * (D // 2)


def test_double_backward_is_refused(x):
    y = network(1)(x)
    with pytest.raises(NotImplementedError, match="create_graph"):
        mg.autograd.grad(y.sum(), x, create_graph=True)


def test_a_second_backward_is_the_message_that_everybody_knows(x):
    y = network(1)(x)
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.sum().backward()


@pytest.mark.parametrize("kind", KINDS)
def test_a_budget_too_small_for_the_first_activation(kind, x, dy):
    net = network(2, **kind)
    with mg.memory.budget(U):
        with pytest.raises(mg.memory.OutOfMemoryError):
            net(x)
    assert modes.state.grad_enabled and not modes.state.recomputing
    assert difference(net, x, dy) < 1e-5


# -- the baton --


def line_of_nodes(y):
    node, nodes = y.grad_fn, []
    while type(node).__name__ == "ReversibleStepBackward":
        nodes.append(node)
        node = node.next_functions[0][0]
    return nodes


@pytest.mark.parametrize("depth", [4, 16, 64])
def test_the_nodes_of_a_baton_hold_nothing(depth, x):
    y = network(depth, baton=True)(x)
    assert len(line_of_nodes(y)) == depth
    assert mg.memory.saved(y).total == 0
    assert type(network(depth)(x).grad_fn.next_functions[0][0]).__name__ == "AccumulateGrad"


def test_between_the_blocks_of_a_baton_2_u_live(curve):
    notes = []

    class Noting(MLP):
        def forward(self, u):
            notes.append(storage.live)
            return super().forward(u)

    net = network(6, Noting, baton=True)
    x = mg.zeros(B, D)
    start = storage.live - U
    net(x)
    assert [(live - start) / U for live in notes[2::2]] == [2, 2, 2, 2, 2]


def test_a_baton_is_walked_once(x, dy):
    net = network(3, baton=True)
    y = net(x)
    y.backward(dy, retain_graph=True)
    net.zero_grad()
    assert_backward_refused(net, y, "block 3 needs the baton, but it is gone")


def test_a_baton_is_walked_in_order(x, dy):
    net = network(3, baton=True)
    y = net(x)
    mg.autograd.grad(y, list(net[2].parameters()), dy, retain_graph=True)
    assert_backward_refused(net, y, "block 3 needs the baton, but it stands after block 2")


# -- watched --


@pytest.mark.parametrize("kind", KINDS)
def test_a_recording_survives_a_walk_in_a_walk(kind, x, dy):
    net = network(3, **kind)
    expected = gradients(net, net, x, dy)
    peak = peak_of(lambda: gradients(net, net, x, dy))
    with whoholds.record() as trace:
        found = gradients(net, net, x, dy)
    assert [t.tolist() for t in found] == [t.tolist() for t in expected]
    for event in trace.events:
        assert sum(event["bytes"]) == event["live"]
    kinds = [event["kind"] for event in trace.events]
    assert kinds.count("backward") == kinds.count("end") == 1 + 6
    scratch = CATEGORIES.index("scratch")
    assert trace.events[-1]["bytes"][scratch] == 0
    assert peak_of(lambda: gradients(net, net, x, dy)) == peak


def peak_of(call):
    gc.collect()
    mg.reset_peak_memory_stats()
    start = storage.live
    call()
    return storage.peak - start
