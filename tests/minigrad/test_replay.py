"""A replay gives what the function itself would give, bit for bit, or says why it cannot."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minigrad as mg
from course.trying.numpy_bytes import NumpyBytes
from minigrad.core import storage
from minigrad.replay import ReplayError, record
from tests.minigrad.replayed import SHAPE_OF_DATA, bits, both, random_program, rule
from tests.minigrad.rules import RULES
from tests.twin.programs import OPERATIONS

ON_GPU = True  # too: see conftest.py


# -- equal to the bit --


@pytest.mark.parametrize("name", [name for name in RULES if name not in SHAPE_OF_DATA])
def test_every_rule_is_replayed(name):
    rule(name)


steps = st.lists(
    st.tuples(st.sampled_from(OPERATIONS), st.integers(0, 99), st.integers(0, 99)), max_size=30
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=steps)
def test_random_programs_are_replayed(steps):
    random_program(steps)


class Twice(mg.autograd.Function):
    """A user's own operation."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x * 2


def net(x, w, b):
    return (x @ w + b).tanh()


@pytest.fixture
def leaves():
    w = (mg.arange(12.0).view(4, 3) / 10).requires_grad_()
    return w, mg.zeros(3, requires_grad=True)


def made(function):
    """Data for two calls of a function of one (2, 4) tensor."""
    return [(mg.arange(8.0).view(2, 4) * s,) for s in (0.1, -0.3, 0.2)]


def test_a_function_of_ones_own_a_hook_and_kept_gradients_are_replayed(leaves):
    w, b = leaves

    def step(x):
        h = net(x, w, b)
        h.register_hook(lambda grad: grad * 2)
        h.retain_grad()
        y = Twice.apply(h)
        y.sum().backward()
        return y.detach(), h.grad

    direct, replayed = both(step, leaves, made(step))
    assert direct == replayed


def test_two_walks_over_one_graph_and_grad_are_replayed(leaves):
    w, b = leaves

    def step(x):
        h = net(x, w, b)
        (early,) = mg.autograd.grad(h.sum(), w, retain_graph=True)
        (h * h).sum().backward(retain_graph=True)
        h.mean().backward()
        return [early]

    direct, replayed = both(step, leaves, made(step))
    assert direct == replayed


def test_saved_tensors_may_be_packed(leaves):
    w, b = leaves

    def step(x):
        with mg.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t / 2):
            y = net(x, w, b)
        y.sum().backward()
        return [y.detach()]

    direct, replayed = both(step, leaves, made(step))
    assert direct == replayed


# -- what is read in place, and what is drawn anew --


def test_the_optimizers_step_is_seen(leaves):
    w, b = leaves
    optimizer = mg.optim.SGD(leaves, lr=0.1)

    def step(x):
        loss = net(x, w, b).square().mean()
        loss.backward()
        return loss.detach()

    found = []
    for call in (step, record(step)):
        with mg.no_grad():
            w.copy_(mg.arange(12.0).view(4, 3) / 10), b.zero_()
        losses = []
        for _ in range(5):
            optimizer.zero_grad()
            losses.append(call(mg.ones(2, 4)))
            optimizer.step()
        found.append(bits(losses))
    assert found[0] == found[1]
    assert len(set(map(str, found[0]))) == 5


def test_buffers_of_the_network_are_written_in_place_and_their_version_says_so(leaves):
    w, b = leaves
    mean = mg.zeros(3)

    def step(x):
        h = x @ w
        with mg.no_grad():
            mean.mul_(0.9).add_(h.detach().mean(0), alpha=0.1)
        (h - mean).square().sum().backward()

    replayed = record(step)
    values = []
    for call in (step, replayed):
        mean.zero_()
        for s in (1.0, 2.0, 3.0):
            call(mg.ones(2, 4) * s)
        values.append(mean.tolist())
    assert values[0] == values[1]
    version = mean._version
    replayed(mg.ones(2, 4))
    assert mean._version > version


def test_random_numbers_are_drawn_anew_from_the_generator_of_the_day(device):
    generator = mg.cuda if device else mg

    def step(x):
        noise = mg.rand(2, 4) + mg.randn(2, 4)
        state = generator.get_rng_state()
        first = mg.rand_like(x)
        generator.set_rng_state(state)
        return noise * x, first - mg.rand_like(x)

    replayed = record(step)
    found = []
    for call in (step, replayed):
        mg.manual_seed(7)
        found.append([bits(call(mg.ones(2, 4))) for _ in range(3)])
    assert found[0] == found[1]
    assert len(set(map(str, found[0]))) == 3
    assert replayed(mg.ones(2, 4))[1].tolist() == mg.zeros(2, 4).tolist()


def test_a_constant_that_the_function_adds_to_starts_anew():
    def step(x):
        total = mg.zeros(4)
        for row in x:
            total += row
        return total

    replayed = record(step)
    results = [replayed(mg.ones(2, 4)).tolist() for _ in range(3)]
    assert results == [[2.0] * 4] * 3


def test_what_the_caller_does_to_a_constant_stays_his_own():
    replayed = record(lambda x: (x + 1, mg.ones(3)))
    replayed(mg.ones(2))[1].fill_(5.0)
    assert replayed(mg.ones(2))[1].tolist() == [1.0] * 3


# -- gradients add up, results are the caller's --


def test_gradients_add_up_as_they_do_without_a_recording(leaves):
    w, b = leaves

    def step(x):
        net(x, w, b).sum().backward()

    found = []
    for call in (step, record(step)):
        w.grad = b.grad = None
        one = [call(x) or bits([w.grad, b.grad]) for (x,) in made(step)]
        w.grad = mg.ones(4, 3)
        one += [call(x) or bits([w.grad, b.grad]) for (x,) in made(step)]
        found.append(one)
    assert found[0] == found[1]


def test_a_result_that_is_kept_is_moved_out_of_the_way():
    replayed = record(lambda x: x * 2)
    kept = [replayed(mg.full((2,), float(i))) for i in range(4)]
    assert [t.tolist() for t in kept] == [[2.0 * i] * 2 for i in range(4)]


def test_a_gradient_that_is_kept_is_moved_out_of_the_way():
    w = mg.ones(2, requires_grad=True)
    replayed = record(lambda x: (w * x).sum().backward())
    kept = []
    for i in range(4):
        w.grad = None
        replayed(mg.full((2,), float(i)))
        kept.append(w.grad)
    assert [t.tolist() for t in kept] == [[float(i)] * 2 for i in range(4)]


def test_a_result_that_another_graph_saved_is_safe():
    w = mg.ones(2, requires_grad=True)
    replayed = record(lambda x: x * 2)
    replayed(mg.ones(2))
    y = (w * replayed(mg.ones(2))).sum()
    replayed(mg.full((2,), 9.0))
    y.backward()
    assert w.grad.tolist() == [2.0, 2.0]


def test_a_result_may_be_fed_back():
    replayed = record(lambda x: x * 2)
    x = mg.ones(2)
    for _ in range(5):
        x = replayed(x)
    assert x.tolist() == [32.0, 32.0]


@pytest.mark.parametrize("look", [lambda t: t[0:1], lambda t: t.numpy(), lambda t: t.detach()])
def test_a_view_of_a_result_stops_the_next_replay(look, device):
    if device and look(mg.ones(1).cpu()).__class__ is not mg.Tensor:
        look = mg.Tensor.detach  # there is no numpy array of what lives on a GPU
    replayed = record(lambda x: x * 2)
    view = look(replayed(mg.ones(2)))
    with pytest.raises(ReplayError, match="a view or a numpy array of an earlier result"):
        replayed(mg.full((2,), 9.0))
    assert list(view) == [2.0] * len(view)
    del view
    assert replayed(mg.full((2,), 9.0)).tolist() == [18.0, 18.0]


# -- bytes --


class PoolBytes:
    """What a GPU's pool hands out: the numpy arrays of the stand-in are none of its bytes."""

    def __init__(self, gpu):
        self.gpu = gpu

    def __enter__(self):
        self.gpu.reset_peak()
        self.before = self.gpu.used()
        return self

    def __exit__(self, *error):
        self.peak = self.gpu.peak() - self.before


def allocated(gpu):
    return PoolBytes(gpu) if gpu else NumpyBytes()


def chain_step(leaf):
    def step(x):
        y = x * leaf
        for _ in range(50):
            y = (y + x) * 0.5
        loss = (y.relu() @ y).tanh()
        loss.backward()
        return loss.detach()

    return step


def test_a_replay_allocates_nothing(device):
    leaf, data = mg.ones(1000, requires_grad=True), [mg.ones(1000) * s for s in (1.0, 2.0, 3.0)]
    replayed = record(chain_step(leaf))
    for x in data[:2]:  # the second adds to .grad: that takes a buffer, once
        replayed(x)
    live, before = storage.live, storage.peak = storage.live, storage.live
    with allocated(device) as counted:
        loss = replayed(data[2])
    assert (counted.peak, storage.live, storage.peak) == (0, live, before)
    assert replayed.allocating == []
    assert loss.item() > 0.0
    with allocated(device) as counted:
        chain_step(leaf)(data[2])
    assert counted.peak > 4 * 4000


def test_the_ledger_knows_the_buffers_and_they_go_with_the_recording():
    leaf, x = mg.ones(1000, requires_grad=True), mg.ones(1000)
    before = storage.live
    replayed = record(chain_step(leaf))
    replayed(x)
    leaf.grad = None
    assert storage.live - before == replayed.nbytes > 100 * 4000
    del replayed
    assert storage.live == before


def test_a_recording_leaves_the_engine_as_it_was():
    before = dict(vars(mg.Tensor)), mg.default_generator.random
    with pytest.raises(ZeroDivisionError):
        record(lambda x: x * (1 / 0))(mg.ones(2))
    record(lambda x: x * 2)(mg.ones(2))
    assert (dict(vars(mg.Tensor)), mg.default_generator.random) == before


# -- whole nets --


def layers():
    mg.manual_seed(1)
    return mg.nn.Sequential(
        mg.nn.Conv2d(1, 2, 3, padding=1), mg.nn.BatchNorm1d(4), mg.nn.Dropout(0.5),
        mg.nn.LayerNorm(4), mg.nn.Linear(4, 3),
    )  # fmt: skip


@pytest.mark.parametrize("reentrant", [None, True, False])
def test_a_net_with_everything_is_trained_by_replays(reentrant):
    def trained(wrap):
        conv, norm, drop, layer, head = layers()
        parameters = [p for part in (conv, norm, layer, head) for p in part.parameters()]
        optimizer = mg.optim.Adam(parameters, lr=0.1)

        def middle(h):
            return layer(drop(h).tanh())

        def step(x, target):
            h = norm(conv(x).flatten(2).mean(1)[:, :4])
            if reentrant is None:
                h = middle(h)
            else:
                h = mg.utils.checkpoint.checkpoint(middle, h, use_reentrant=reentrant)
            loss = mg.nn.functional.cross_entropy(head(h), target)
            loss.backward()
            return loss.detach()

        call, losses = wrap(step), []
        for i in range(4):
            optimizer.zero_grad()
            x = (mg.arange(48.0).view(3, 1, 4, 4) * (i + 1)).sin()
            losses.append(call(x, mg.tensor([i % 3, 1, 2])))
            optimizer.step()
        return bits([*losses, norm.running_mean, *parameters]), call, x

    direct, _, _ = trained(lambda step: step)
    replayed, call, x = trained(record)
    assert direct == replayed
    with pytest.raises(IndexError, match="Target 3 is out of bounds"):
        call(x, mg.tensor([0, 1, 3]))


# -- from one device to the other --


def test_what_travels_to_the_gpu_and_back_travels_at_each_replay():
    with mg.cuda.simulate(1 << 20):
        weight = mg.ones(3, device="cuda", requires_grad=True)

        def step(x):
            there = (x * 2).cuda() * weight
            there.sum().backward()
            return there.detach().cpu() + 1, there.detach()

        data = [[mg.tensor([1.0, 2.0, 3.0]) * s] for s in (1.0, -2.0, 5.0)]
        direct, replayed = both(step, [weight], data)
        assert direct == replayed
        assert len(set(map(str, direct))) == 3
        (recorded := record(step))(*data[0])
        assert recorded.allocating == []
