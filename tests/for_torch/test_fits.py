"""fits(): what it measures, what it chooses, and that it is verified."""

import copy
import os
import random

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch import nn  # noqa: E402

from for_torch import fits as module  # noqa: E402
from for_torch.fits import fits  # noqa: E402
from whoholds.on_torch.ledger import Ledger, Watch, warm_up  # noqa: E402

SEED = int(os.environ.get("MINIGRAD_SEED", random.randrange(10**6)))
CASES = int(os.environ.get("MINIGRAD_CHAINS", "12"))
ROWS, WIDTH = 256, 32
U = ROWS * WIDTH * 4


def block(middle=nn.ReLU, hidden=4 * WIDTH):
    return nn.Sequential(nn.Linear(WIDTH, hidden), middle(), nn.Linear(hidden, WIDTH), nn.Tanh())


def model(depth=6, **options):
    torch.manual_seed(0)
    return nn.Sequential(*[block(**options) for _ in range(depth)])


def batch(rows=ROWS):
    torch.manual_seed(1)
    return torch.randn(rows, WIDTH)


def peak(run, x, weights):
    """Highest bytes of a step by the ledger of whoholds, which is exact to the byte."""
    warm_up()
    ledger = Ledger()
    with Watch(ledger):
        for t in (x, *weights):
            ledger.see(t.detach())
        start = ledger.live()
        grads = torch.autograd.grad(run(x).square().mean(), weights)
        return ledger.peak - start, grads


# -- measured --


def test_what_a_block_saves_is_counted_by_storage_and_once():
    """Relu's result (4 U) and tanh's (1 U); tanh's is also the next block's input."""
    answer = fits(model(3), batch(), 10**9)
    assert answer.saved == [5 * U] * 3 and answer.rest == 0
    answer = fits(model(3), batch(), 10**9, loss=lambda y: (y * y.exp()).sum())
    assert answer.saved == [5 * U] * 3 and answer.rest == U  # exp's result; y is counted


def test_weights_batch_and_buffers_are_there_anyway():
    net = nn.Sequential(nn.BatchNorm1d(WIDTH), nn.Linear(WIDTH, WIDTH))
    answer = fits(net, batch(), 10**9)
    assert answer.saved == [2 * WIDTH * 4, U]  # mean and 1/std of the batch; the linear's input
    assert answer.rest == U


def test_the_highest_moment_is_that_of_an_exact_ledger_and_at_most_one_gradient_more():
    """A dispatch mode that holds storages makes the engine add gradients into new ones."""
    net, x = model(), batch()
    weights = list(net.parameters())
    found = fits(net, x, 10**9)
    exact = peak(net, x, weights)[0]
    assert exact <= found.peak <= exact + 4 * U
    some = fits(net, x, int(exact * 0.6))
    exact = peak(some.run, x, weights)[0]
    assert some and some.segments and exact <= some.peak <= exact + 4 * U


# -- chosen --


def test_what_fits_as_it_is_has_no_checkpoint():
    answer = fits(model(), batch(), 10**9)
    assert answer and answer.segments == [] and answer.peak == answer.plain_peak
    assert str(answer).endswith("It fits as it is: " + f"{answer.peak:,} B at the highest moment, "
                                "of 1,000,000,000 B.")  # fmt: skip


def test_the_smaller_the_budget_the_more_is_checkpointed():
    net, x = model(8), batch()
    plain = fits(net, x, 10**9).peak
    counts = []
    for share in (1.0, 0.9, 0.7, 0.5):
        answer = fits(net, x, int(plain * share))
        assert answer and answer.peak <= plain * share
        counts.append(sum(map(len, answer.segments)))
    assert counts == sorted(counts) and counts[0] == 0 and len(set(counts)) == 4


def test_the_block_that_saves_most_goes_first():
    torch.manual_seed(0)
    net = [(f"small {i}", block()) for i in range(6)]
    net.insert(2, ("large", block(hidden=6 * WIDTH)))
    answer = fits(net, batch(), fits(net, batch(), 10**9).peak - 5 * U)
    assert answer and answer.names == [["large"]]


def test_where_inputs_are_as_large_as_what_is_saved_a_checkpoint_has_several_blocks():
    torch.manual_seed(0)
    net = nn.Sequential(*[nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh()) for _ in range(16)])
    answer = fits(net, batch(), int(fits(net, batch(), 10**9).peak * 0.6))
    assert answer and all(len(segment) > 1 for segment in answer.segments)


def test_what_does_not_fit_is_told_with_the_least_that_was_found():
    net, x = model(4), batch()
    answer = fits(net, x, 1000)
    assert not answer and answer.peak > 1000
    assert f"It does not fit. The least of {answer.tried} ways tried" in str(answer)
    assert f"is {answer.peak:,} B at the highest moment, of 1,000 B" in str(answer)
    assert fits(net, x, answer.peak).peak == answer.peak
    assert not fits(net, x, answer.peak - 1)


# -- verified --


def drawn(seed):
    """A model by chance, of many kinds of layers, some frozen; and a batch."""
    dice = random.Random(seed)
    torch.manual_seed(seed)
    kinds = {
        "wide": lambda: block(nn.GELU, WIDTH * dice.choice([1, 2, 8])),
        "norm": lambda: nn.Sequential(nn.BatchNorm1d(WIDTH), nn.ReLU()),
        "inplace": lambda: nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(inplace=True)),
        "dropout": lambda: nn.Sequential(nn.Dropout(0.2), nn.Linear(WIDTH, WIDTH)),
        "layer norm": lambda: nn.Sequential(nn.LayerNorm(WIDTH), nn.SiLU()),
        "plain": lambda: nn.Linear(WIDTH, WIDTH),
    }
    chosen = [dice.choice(list(kinds)) for _ in range(dice.randint(2, 9))]
    net = [(f"{i} {name}", kinds[name]()) for i, name in enumerate(chosen)]
    net.append(("head", nn.Linear(WIDTH, 4)))
    for _, one in net[:-1]:
        one.requires_grad_(dice.random() < 0.85)
    x = batch(dice.choice([16, 64])).requires_grad_(dice.random() < 0.5)
    return net, x, dice


def outcome(blocks, run, x):
    """Loss, gradients, buffers and random numbers of one step from the same start."""
    torch.manual_seed(5)
    blocks = copy.deepcopy(blocks)
    leaf = x.detach().clone().requires_grad_(x.requires_grad)
    leaves = [p for _, b in blocks for p in b.parameters() if p.requires_grad]
    leaves += [leaf] * leaf.requires_grad
    loss = run(blocks, leaf).square().mean()
    grads = torch.autograd.grad(loss, leaves, materialize_grads=True)
    buffers = [b for _, one in blocks for b in one.buffers()]
    return [loss.detach(), *grads, *buffers, torch.get_rng_state()]


def test_by_chance_an_answer_is_as_good_as_it_says():
    some = 0
    for seed in range(SEED, SEED + CASES):
        net, x, dice = drawn(seed)
        before = [t.clone() for _, b in net for t in b.state_dict().values()]
        state = torch.get_rng_state()
        least, plain = fits(net, x, 0), fits(net, x, 10**9)
        budget = dice.randint(least.peak, plain.peak)
        answer = fits(net, x, budget, tries=100)
        some += bool(answer.segments)
        assert answer.peak <= budget, f"MINIGRAD_SEED={seed}"

        def run(blocks, x, answer=answer):
            return module._forward([b for _, b in blocks], answer.segments, x)

        def plainly(blocks, x):
            return module._through([b for _, b in blocks], x)

        pairs = zip(outcome(net, run, x), outcome(net, plainly, x), strict=True)
        assert all(torch.allclose(a, b, atol=1e-6) for a, b in pairs), f"MINIGRAD_SEED={seed}"
        torch.set_rng_state(state)
        after = [t for _, b in net for t in b.state_dict().values()]
        assert all(map(torch.equal, before, after)), f"MINIGRAD_SEED={seed}"
        assert all(p.grad is None for _, b in net for p in b.parameters())
    assert some


def test_nothing_is_left_changed():
    net = nn.Sequential(block(nn.Dropout), nn.BatchNorm1d(WIDTH), block())
    x = batch()
    before, state = copy.deepcopy(net.state_dict()), torch.get_rng_state()
    modes = [(id(b), b) for b in net.buffers()]
    fits(net, x, 100)
    assert torch.equal(state, torch.get_rng_state()) and x.grad is None
    assert all(torch.equal(v, before[k]) for k, v in net.state_dict().items())
    assert [(id(b), b) for b in net.buffers()] == modes
    assert all(p.grad is None for p in net.parameters())


def test_statistics_of_a_checkpointed_block_are_counted_once():
    net = nn.Sequential(*[nn.Sequential(block(), nn.BatchNorm1d(WIDTH)) for _ in range(4)])
    answer = fits(net, batch(), int(fits(net, batch(), 10**9).peak * 0.7))
    assert answer.segments
    loss = answer.run(batch()).square().mean()
    loss.backward(retain_graph=True)
    loss.backward()
    assert [one[1].num_batches_tracked.item() for one in net] == [1] * 4


class Counting(nn.Module):
    """Another function at each call."""

    def __init__(self, hidden=False):
        super().__init__()
        self.inner, self.calls, self.hidden = block(), 0, hidden

    def forward(self, x):
        self.calls += 1
        again = torch._C._current_graph_task_id() != -1
        return self.inner(x * (1.0 + again if self.hidden else float(self.calls)))


def test_a_model_that_changes_with_each_call_is_refused():
    with pytest.raises(RuntimeError, match="the same step twice gives another loss"):
        fits(nn.Sequential(block(), Counting()), batch(), 10**9)


def test_a_block_that_cannot_run_again_is_named():
    net = [("first", Counting(hidden=True)), ("second", block())]
    with pytest.raises(RuntimeError, match="with first checkpointed, a loss or gradient is off by"):
        fits(net, batch(), 0)


@pytest.mark.parametrize("wrong", [block, [], [block], [("a", 1)], 3, nn.Linear(3, 3)])
def test_what_is_no_line_of_blocks_is_refused(wrong):
    with pytest.raises(TypeError, match="an nn.Sequential or a list of"):
        fits(wrong, batch(), 100)


def test_a_loss_of_many_numbers_is_refused():
    with pytest.raises(ValueError, match=r"must be one number, but its shape is \[256\]"):
        fits(model(1), batch(), 100, loss=lambda y: y.sum(1))


def test_a_model_without_a_gradient_is_refused():
    with pytest.raises(ValueError, match="nothing here requires a gradient"):
        fits(model(1).requires_grad_(False), batch(), 100)


def test_under_autocast_each_step_pays_for_its_own_casts():
    net, x = model(4), batch()
    with torch.autocast("cpu", torch.bfloat16):
        once, twice = fits(net, x, 10**9), fits(net, x, 10**9)
        answer = fits(net, x, int(once.peak * 0.8))
    assert once.peak == twice.peak and answer and answer.segments
