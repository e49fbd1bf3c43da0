"""Reversible chains: flat to the byte, also when they are cut off, and the line of a baton.

U is the bytes of one activation. The closed forms and the curve are those of the reference.
"""

import gc

import pytest

import minigrad as mg
import whoholds
from minigrad.core import modes, storage
from minigrad.reversible import ReversibleBlock, ReversibleSequential, chain, recompute
from tests.minigrad.counted import counted
from tests.minigrad.reversible_engine import Minigrad
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


def network(depth=6, make=MLP, **options):
    mg.manual_seed(0)
    blocks = [ReversibleBlock(make(), make()) for _ in range(depth)]
    return ReversibleSequential(*blocks, **options)


ON = Minigrad()


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
    net.forward = lambda x: ON.stored(net, x)
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
        ON.stored(net, x).backward(dy)
    assert (reversible.matmuls, plain.matmuls) == (16 * 4, 12 * 4)


@pytest.mark.parametrize("kind", KINDS)
def test_a_budget_too_small_for_the_first_activation(kind, x, dy):
    net = network(2, **kind)
    with mg.memory.budget(U):
        with pytest.raises(mg.memory.OutOfMemoryError):
            net(x)
    assert modes.state.grad_enabled and not modes.state.recomputing
    assert ON.difference(net, x, dy) < 1e-5


# -- the baton --


def assert_backward_refused(net, y, text):
    with pytest.raises(RuntimeError, match=text):
        y.backward(mg.ones(*y.shape))
    assert all(p.grad is None for p in net.parameters())
    assert modes.state.grad_enabled and not modes.state.recomputing


def line_of_nodes(y):
    node, nodes = y.grad_fn, []
    while type(node).__name__ == "ReversibleStepBackward":
        nodes.append(node)
        node = node.next_functions[0][0]
    return nodes


def test_a_chain_is_trimmed_or_hands_on_a_baton():
    with pytest.raises(ValueError, match="choose one"):
        network(1, trimmed=True, baton=True)


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
    expected = ON.gradients(net, net, x, dy)
    peak = peak_of(lambda: ON.gradients(net, net, x, dy))
    with whoholds.record() as trace:
        found = ON.gradients(net, net, x, dy)
    assert [t.tolist() for t in found] == [t.tolist() for t in expected]
    for event in trace.events:
        assert sum(event["bytes"]) == event["live"]
    kinds = [event["kind"] for event in trace.events]
    assert kinds.count("backward") == kinds.count("end") == 1 + 6
    scratch = CATEGORIES.index("scratch")
    assert trace.events[-1]["bytes"][scratch] == 0
    assert peak_of(lambda: ON.gradients(net, net, x, dy)) == peak


def peak_of(call):
    gc.collect()
    mg.reset_peak_memory_stats()
    start = storage.live
    call()
    return storage.peak - start
