"""The reversible chain for PyTorch: its bytes, and all that PyTorch alone has.

U is the bytes of one activation. What it shares with minigrad's chain stands in test_both.py.
"""

import copy
import gc
import io
import warnings
import weakref

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch import nn  # noqa: E402
from torch.nn.utils import parametrizations  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

from for_torch import reversible  # noqa: E402
from for_torch.reversible import (  # noqa: E402
    ReversibleBlock,
    ReversibleSequential,
    recomputing,
    wrongness,
)
from whoholds.on_torch.ledger import Ledger, Watch, warm_up  # noqa: E402

ROWS, WIDTH = 1024, 32
U = ROWS * WIDTH * 4
DEPTHS = [4, 16, 64]
SAMPLE = 256  # bytes that `tolerance` remembers of a block
RANDOM = 5056  # bytes of a state of random numbers on the processor


def mlp(width=WIDTH // 2, hidden=WIDTH, middle=nn.ReLU, bias=True):
    first = nn.Linear(width, hidden, bias=bias)
    return nn.Sequential(first, middle(), nn.Linear(hidden, width))


def chain(depth, make=mlp, **options):
    torch.manual_seed(0)
    blocks = [ReversibleBlock(make(), make()) for _ in range(depth)]
    return ReversibleSequential(*blocks, **options)


def dropout():
    return mlp(middle=lambda: nn.Sequential(nn.ReLU(), nn.Dropout(0.2)))


def batch_norm():
    """Without a bias below the norm: its gradient is 0, and rounding."""
    return mlp(middle=lambda: nn.Sequential(nn.BatchNorm1d(WIDTH), nn.ReLU()), bias=False)


def data(rows=64, width=WIDTH):
    torch.manual_seed(1)
    return torch.randn(rows, width)


# -- the bytes --


def saved_bytes(call):
    """Bytes that the graph of call() saves, by storage, each once; and the result."""
    seen = {}

    def pack(tensor):
        storage = tensor.untyped_storage()
        seen[storage.data_ptr()] = storage.nbytes()
        return tensor.detach()

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        result = call()
    return sum(seen.values()), result


@pytest.mark.parametrize("depth", DEPTHS)
def test_the_graph_saves_the_output_and_nothing_else(depth):
    net, x = chain(depth), torch.ones(ROWS, WIDTH)
    size, y = saved_bytes(lambda: net(x))
    assert size == U == y.nbytes
    weights = sum(p.nbytes for block in net for p in (block.F[0].weight, block.G[0].weight))
    stored, _ = saved_bytes(lambda: net.stored(x))
    assert stored >= 3 * depth * U - U + weights // 2


def nodes(y):
    """Those of the blocks, from the last to the first."""
    node, found = y.grad_fn, []
    while (node := node.next_functions[0][0]) is not None:
        found.append(node)
    return found


@pytest.mark.parametrize("depth", DEPTHS)
def test_the_graph_has_a_node_for_each_block_and_none_holds_a_tensor(depth):
    """What thread 000 asked for."""
    y = chain(depth)(torch.ones(4, WIDTH))
    steps = nodes(y)
    assert [t.shape for t in y.grad_fn.saved_tensors] == [(4, WIDTH)]
    assert [type(step).__name__ for step in steps] == ["_StepBackward"] * depth
    assert all(step.saved_tensors == () for step in steps)


def step_bytes(net, rows=ROWS):
    """(after forward, highest of forward, highest of backward) in bytes; weights do not count."""
    warm_up()
    ledger = Ledger()
    with Watch(ledger):
        for p in net.parameters():
            p.grad = torch.zeros_like(p)
            ledger.see(p.detach())
        net(torch.ones(rows, WIDTH)).sum().backward()
        start = ledger.live()
        ledger.reset_peak()
        x = torch.ones(rows, WIDTH)
        y = net(x)
        after, forward = ledger.live() - start, ledger.peak - start
        seed = torch.ones_like(y)
        ledger.reset_peak()
        y.backward(seed)
        return after, forward, ledger.peak - start


@pytest.mark.parametrize("options", [{}, {"stream_dtype": torch.float64}])
def test_a_step_needs_the_same_bytes_at_each_depth(options):
    found = [step_bytes(chain(depth, tolerance=None, **options)) for depth in DEPTHS]
    assert found[0] == found[1] == found[2]
    after, forward, backward = (size / U for size in found[0])
    wide = 2 * bool(options)
    assert (after, forward) == (2 + wide, 4.5 + wide)
    assert backward <= 10 + 2 * wide


@pytest.mark.parametrize("depth", DEPTHS)
def test_what_a_block_remembers_beside_is_small_and_known(depth):
    bare = step_bytes(chain(depth, tolerance=None))
    assert step_bytes(chain(depth))[0] - bare[0] == SAMPLE * depth
    norms = step_bytes(chain(depth, batch_norm, tolerance=None))
    assert norms[0] - bare[0] == 2 * (2 * WIDTH * 4 + 8) * depth  # its statistics and its count


@pytest.mark.parametrize("make", [mlp, dropout])
def test_the_random_state_is_kept_for_what_drew_and_for_no_other(make):
    """PyTorch shows it to no dispatch mode, so the ledger does not count it."""
    steps = nodes(chain(4, make)(data()))
    kept = [t.nbytes for step in steps for call in (step.f, step.g) for t in call.random or []]
    assert kept == [RANDOM] * 8 * (make is dropout)


def test_the_stored_twin_grows():
    found = []
    for depth in DEPTHS[:2]:
        net = chain(depth)
        net.forward = net.stored
        found.append(step_bytes(net)[0] / U)
    assert found[1] - found[0] == 3 * (DEPTHS[1] - DEPTHS[0])


@pytest.mark.parametrize("quiet", [torch.no_grad, torch.inference_mode])
def test_without_gradients_nothing_is_saved(quiet):
    net, x = chain(3, dropout), data()
    with quiet():
        size, y = saved_bytes(lambda: net(x))
    assert size == 0 and y.grad_fn is None
    net.eval()
    with quiet():
        assert torch.equal(net(x), net.stored(x))


def test_nothing_to_train_is_nothing_recorded():
    net = chain(3).requires_grad_(False)
    assert net(data()).grad_fn is None


def test_data_made_in_inference_mode_trains():
    with torch.inference_mode():
        x = data()
    net = chain(2)
    net(x).sum().backward()
    assert net[0].F[0].weight.grad.abs().sum() > 0


@pytest.mark.parametrize("wants", [False, True])
def test_after_a_walk_the_baton_is_with_nobody(wants):
    y = chain(3)(data().requires_grad_(wants))
    y.sum().backward()
    assert y.grad_fn.run.streams is None


@pytest.mark.parametrize("walk", ["none", "whole", "part"])
def test_nothing_waits_for_the_collector_when_the_last_name_is_gone(walk):
    net = chain(3, dropout)
    y = net(data())
    run, output = weakref.ref(y.grad_fn.run), weakref.ref(y.untyped_storage())
    if walk == "whole":
        y.sum().backward()
    if walk == "part":
        torch.autograd.grad(y.sum(), list(net[2].parameters()))
    del y
    assert output() is None and run() is None  # all that backward needs hangs on it


# -- the gradients --


def test_finite_differences_agree():
    torch.manual_seed(0)
    net = chain(3, lambda: mlp(2, 3, nn.Tanh)).double()
    x = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    names, weights = zip(*net.named_parameters(), strict=True)

    def run(x, *weights):
        return torch.func.functional_call(net, dict(zip(names, weights, strict=True)), (x,))

    assert torch.autograd.gradcheck(run, (x, *weights))


@pytest.mark.parametrize("make", [mlp, dropout, batch_norm])
def test_in_float64_nothing_is_left_of_a_difference(make):
    assert wrongness(chain(16, make).double(), data().double()) < 1e-12
    assert wrongness(chain(16, make), data()) < 1e-4
    assert wrongness(chain(16, make, stream_dtype=torch.float64), data()) == 0


def test_wrongness_tells_a_figure_where_the_chain_refuses():
    net, x = chain(24), data()
    with torch.no_grad():
        for p in net.parameters():
            p.mul_(3.0)
    with pytest.raises(RuntimeError, match="came back"):
        net(x).sum().backward()
    net.zero_grad()
    state, before = torch.get_rng_state(), copy.deepcopy(net.state_dict())
    assert wrongness(net, x) > 1e-2
    assert torch.equal(state, torch.get_rng_state())
    assert all(torch.equal(v, before[k]) for k, v in net.state_dict().items())
    assert all(p.grad is None for p in net.parameters())


@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
def test_images_are_cut_along_their_channels(layout):
    def make():
        return nn.Sequential(nn.Conv2d(3, 5, 3, padding=1), nn.GELU(), nn.Conv2d(5, 3, 1))

    torch.manual_seed(2)
    x = torch.randn(2, 6, 5, 5).to(memory_format=layout)
    assert wrongness(chain(4, make, dim=1, stream_dtype=torch.float64), x) < 1e-6
    with pytest.raises(ValueError, match=r"dimension 1 in halves.*even.*\[2, 5, 5, 5\]"):
        chain(4, make, dim=1)(x[:, 1:])


def test_what_is_no_tensor_is_refused():
    with pytest.raises(TypeError, match="takes one tensor, not tuple"):
        chain(1)((data(), data()))
    with pytest.raises(ValueError, match="dimension 2"):
        chain(1, dim=2)(data())


def test_an_f_that_works_in_place_is_refused_before_the_data_is_written_to():
    class InPlace(nn.Module):
        def forward(self, u):
            return u.mul_(2.0)

    x = data()
    before = x.clone()
    with pytest.raises(RuntimeError, match="InPlace changed its input in place"):
        chain(1, InPlace)(x.requires_grad_())
    assert torch.equal(x, before)


class Listed(nn.Module):
    """Keeps its weights in a list of its own, past which a stand-in goes."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(WIDTH // 2, WIDTH // 2) / 8)
        self.own = [self.weight]

    def forward(self, u):
        return torch.tanh(u @ self.own[0])


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.LSTM(WIDTH // 2, WIDTH // 2, batch_first=True)

    def forward(self, u):
        return self.inner(u[None])[0][0]


def weight_norm():
    linear = parametrizations.weight_norm(nn.Linear(WIDTH // 2, WIDTH // 2))
    return nn.Sequential(linear, nn.Tanh(), nn.Linear(WIDTH // 2, WIDTH // 2))


def spectral_norm():
    """Its result depends on buffers that it writes in the same call."""
    return parametrizations.spectral_norm(nn.Linear(WIDTH // 2, WIDTH // 2))


@pytest.mark.parametrize("make", [Listed, Recurrent, weight_norm, spectral_norm])
def test_modules_that_treat_their_weights_in_ways_of_their_own(make):
    assert wrongness(chain(3, make), data()) < 1e-5


def test_part_of_the_output_is_enough():
    net, x = chain(3), data().requires_grad_()
    found = []
    for run in net, net.stored:
        found.append(torch.autograd.grad(run(x)[:5, :3].square().sum(), [x, *net.parameters()]))
    for a, b in zip(*found, strict=True):
        assert torch.allclose(a, b, atol=1e-5)


def test_what_is_frozen_between_forward_and_backward_is_frozen_as_without_a_chain():
    net, x = chain(2), data()
    for run in net, net.stored:
        net.requires_grad_(True).zero_grad()
        y = run(x)
        net[0].G.requires_grad_(False)
        y.sum().backward()
        found = [name for name, p in net.named_parameters() if p.grad is not None]
        assert len(found) == 12 and not any(name.startswith("0.G") for name in found)


def test_a_chain_inside_of_a_checkpoint():
    net, x = chain(3, dropout), data().requires_grad_()
    found = []
    for run in net, lambda x: checkpoint(net, x, use_reentrant=False):
        torch.manual_seed(5)
        found.append(torch.autograd.grad(run(x).square().sum(), [x, *net.parameters()]))
    for a, b in zip(*found, strict=True):
        assert torch.equal(a, b)


def test_what_is_saved_may_be_kept_elsewhere():
    net, x = chain(3), data()
    net(x).square().sum().backward()
    expected = [p.grad for p in net.parameters()]
    net.zero_grad()
    with torch.autograd.graph.save_on_cpu():
        y = net(x)
    y.square().sum().backward()
    assert all(torch.equal(p.grad, g) for p, g in zip(net.parameters(), expected, strict=True))


# -- autocast --


def bf16(enabled=True):
    return torch.autocast("cpu", torch.bfloat16, enabled=enabled)


def gradients(run, net, x, inside):
    """The backward pass is inside of the same autocast, or outside, as PyTorch advises."""
    net.zero_grad()
    with bf16():
        y = run(x)
        if inside:
            y.float().square().sum().backward()
    if not inside:
        y.float().square().sum().backward()
    return [p.grad for p in net.parameters()]


@pytest.mark.parametrize("inside", [False, True])
def test_autocast_is_met_again(inside):
    net, x = chain(4, stream_dtype=torch.float64), data()
    pairs = zip(*(gradients(run, net, x, inside) for run in (net, net.stored)), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)


def test_where_autocast_was_off_it_is_off_again():
    """In backward itself it is on, for the products of the gradients, chain or not."""
    net, x, found = chain(4, stream_dtype=torch.float64), data(), []
    for run in net, net.stored:
        net.zero_grad()
        loss = run(x).square().sum()
        with bf16():
            loss.backward()
        found.append([p.grad for p in net.parameters()])
    assert all(torch.equal(a, b) for a, b in zip(*found, strict=True))


def test_without_it_a_gradient_would_be_off(monkeypatch):
    """Recorded for the snippet of thread 000: 0.28 %."""
    net, x = chain(4, tolerance=None), data()
    with bf16():
        assert wrongness(net, x) < 1e-5
        y = net(x)
    right = torch.autograd.grad(y, list(net.parameters()), torch.ones_like(y))
    monkeypatch.setattr(reversible._How, "precision", lambda how: bf16(torch.is_grad_enabled() < 1))
    with bf16():
        y = net(x)
    wrong = torch.autograd.grad(y, list(net.parameters()), torch.ones_like(y))
    off = [float((a - b).norm() / b.norm()) for a, b in zip(wrong, right, strict=True)]
    assert max(off) > 1e-3


def test_autocast_finds_no_copy_of_a_weight_that_the_chain_has_made():
    """It would have been made without a way back to the weight."""
    net, x = chain(1), data()
    weight = net[0].F[0].weight
    with bf16():
        net(x)
        nn.functional.linear(x[:, :16], weight).float().sum().backward()
    assert weight.grad is not None and weight.grad.any()


def test_a_chain_leaves_no_copies_of_its_weights_in_autocast_s_cache():
    warm_up()
    net, x, alive = chain(2), data(), []
    copied = torch.ops.aten._to_copy.default

    class Copies(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            result = func(*args, **(kwargs or {}))
            if func is copied:
                alive.append((tuple(result.shape), weakref.ref(result.untyped_storage())))
            return result

    with bf16(), Copies():
        torch.autograd.grad(net(x).sum(), list(net.parameters()))
        assert len(alive) > 8
        assert [shape for shape, one in alive if one() is not None] == []


# -- buffers and hooks --


def test_two_forward_passes_before_one_backward_count_two_batches():
    mine, twin, x = chain(2, batch_norm), chain(2, batch_norm), data()
    for net, run in (mine, mine), (twin, twin.stored):
        (run(x).sum() + run(x * 2).square().sum()).backward()
        assert net[0].F[1][0].num_batches_tracked == 2
    for a, b in zip(mine.buffers(), twin.buffers(), strict=True):
        assert torch.equal(a, b)
    for a, b in zip(mine.parameters(), twin.parameters(), strict=True):
        assert torch.allclose(a.grad, b.grad, rtol=1e-3, atol=1e-3)


def test_a_second_walk_begins_with_the_buffers_of_the_first():
    net, x = chain(2, spectral_norm, tolerance=1e-5), data()
    y = net(x)
    wanted = list(net.parameters())
    once, twice = (torch.autograd.grad(y.sum(), wanted, retain_graph=True) for _ in range(2))
    assert all(map(torch.equal, once, twice))


def test_statistics_that_are_written_unseen_are_written_once():
    class Unseen(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = mlp()
            self.register_buffer("mean", torch.zeros(WIDTH // 2))
            self.register_buffer("var", torch.ones(WIDTH // 2))

        def forward(self, u):
            return self.inner(nn.functional.batch_norm(u, self.mean, self.var, training=True))

    net = chain(1, Unseen)
    y = net(data())
    before = [b.clone() for b in net.buffers()]
    y.sum().backward()
    assert all(map(torch.equal, before, net.buffers()))


def test_a_buffer_that_is_replaced_is_replaced_once():
    class Moving(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = mlp()
            self.register_buffer("scale", torch.ones(()))

        def forward(self, u):
            self.scale = self.scale * 0.9
            return self.inner(u) * self.scale

    net, x = chain(2, Moving), data()
    assert wrongness(net, x) < 1e-5
    net(x).sum().backward()
    assert float(net[0].F.scale) == pytest.approx(0.9)


def test_hooks_of_a_block_run_once_and_see_the_graph():
    net, seen = chain(3), []
    net[1].register_forward_pre_hook(lambda block, given: seen.append(("pre", len(given))))
    net[1].register_forward_hook(
        lambda block, given, out: seen.append(("forward", out[0].grad_fn is not None))
    )
    net[1].register_full_backward_hook(
        lambda block, wanted, given: seen.append(("backward", wanted[0].shape))
    )
    x = data().requires_grad_()
    y = net(x)
    y.square().sum().backward()
    assert seen == [("pre", 2), ("forward", True), ("backward", (64, WIDTH // 2))]
    expected = torch.autograd.grad(net.stored(x).square().sum(), list(net.parameters()))
    for p, g in zip(net.parameters(), expected, strict=True):
        assert torch.allclose(p.grad, g, rtol=1e-4, atol=1e-5)


def doubled_in_place(block, given, out):
    out[1].mul_(2)


@pytest.mark.parametrize(
    ("pre", "hook", "text"),
    [
        (True, lambda block, given: tuple(t * 2 for t in given), "block 2 changed its input"),
        (False, lambda block, given, out: (out[0] * 2, out[1]), "block 2 changed its output"),
        (False, doubled_in_place, "block 2 changed its output"),
    ],
)
def test_a_hook_that_changes_what_cannot_be_undone_is_refused(pre, hook, text):
    net = chain(3)
    place = net[1].register_forward_pre_hook if pre else net[1].register_forward_hook
    place(hook)
    with pytest.raises(RuntimeError, match=text):
        net(data())


def test_hooks_of_f_are_part_of_it_and_may_ask_which_run_it_is():
    net, seen = chain(2), []

    def doubled(module, given, out):
        seen.append(recomputing())
        return out * 2

    net[0].F.register_forward_hook(doubled)
    net[0].F.register_full_backward_hook(lambda *given: seen.append("backward"))
    net(data()).sum().backward()
    assert seen == [False, True, "backward"]
    net[0].F._backward_hooks.clear()
    assert wrongness(net, data()) < 1e-5


# -- copies, and what an error leaves --


def test_copies_and_files_hold_all_of_it():
    net = chain(3, dropout, stream_dtype=torch.float64, tolerance=None)
    file = io.BytesIO()
    torch.save(net, file)
    file.seek(0)
    for other in copy.deepcopy(net), torch.load(file, weights_only=False):
        assert (other.stream_dtype, other.tolerance, other.dim) == (torch.float64, None, -1)
        for run in net, other:
            torch.manual_seed(3)
            run(data()).sum().backward()
        for a, b in zip(net.parameters(), other.parameters(), strict=True):
            assert torch.equal(a.grad, b.grad)
        net.zero_grad()


def test_its_state_dict_is_that_of_a_sequence_of_blocks():
    net, other = chain(2), chain(2)
    assert list(net.state_dict())[0] == "0.F.0.weight"
    with torch.no_grad():
        for p in other.parameters():
            p.zero_()
    other.load_state_dict(net.state_dict())
    assert torch.equal(net(data()), other(data()))


def test_a_slice_is_a_chain_with_the_same_options():
    net = chain(4, tolerance=0.5)
    part = net[1:3]
    assert [*part] == [net[1], net[2]] and part.tolerance == 0.5
    assert torch.equal(net[:2](data()), net[1:2](net[:1](data())))


def state(net):
    """All that a chain may not leave changed."""
    return [
        torch.get_rng_state().tolist(),
        torch.is_grad_enabled(),
        torch.is_autocast_enabled("cpu"),
        recomputing(),
        [id(p) for p in net.parameters()],
        [id(b) for b in net.buffers()],
    ]


@pytest.mark.parametrize("again", [False, True])
def test_an_error_of_a_block_leaves_nothing_behind(again):
    net, x, seen = chain(3, dropout), data(), []
    middle = net[1].G[1]

    class Failing(nn.Module):
        def forward(self, u):
            if recomputing() is again:
                seen.append(weakref.ref(u.untyped_storage()))
                raise LookupError("mine")
            return middle(u)

    net[1].G[1] = Failing()
    if not again:
        with pytest.raises(LookupError, match="mine"), bf16():
            net(x)
        before = state(net)
    else:
        with bf16():
            y = net(x)
        before = state(net)
        with pytest.raises(LookupError, match="mine"):
            y.float().sum().backward()
        assert all(p.grad is None for block in net[:2] for p in block.parameters())
        del y
    gc.collect()  # the error's traceback was a circle
    assert state(net) == before and seen[0]() is None
    net[1].G[1] = middle
    net.zero_grad()
    assert wrongness(net, x) < 1e-5


def test_a_walk_that_ended_in_an_error_is_begun_anew():
    net, fails = chain(3), [True]
    inner = net[0].F[1]

    class Once(nn.Module):
        def forward(self, u):
            if recomputing() and fails.pop():
                raise LookupError
            return inner(u)

    net[0].F[1] = Once()
    y = net(data())
    with pytest.raises(LookupError):
        y.sum().backward(retain_graph=True)
    net.zero_grad()
    fails.append(False)
    y.sum().backward()
    assert all(p.grad is not None for p in net.parameters())


def test_numbers_that_are_not_finite_pass_as_without_a_chain():
    """So that a GradScaler can skip the step."""
    net, x = chain(2), data()
    x[0, 0] = float("inf")
    net(x).sum().backward()
    assert not torch.isfinite(net[0].G[0].weight.grad).all()


def test_it_needs_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        net = chain(2, dropout)
        net(data()).sum().backward()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch sees no CUDA device")
def test_random_numbers_of_a_card_come_again():
    net, x = chain(4, dropout).cuda(), data().cuda()
    assert wrongness(net, x) < 1e-4
    with torch.autocast("cuda", torch.bfloat16):
        assert wrongness(net, x) < 1e-4
