"""What must hold on a GPU: plain functions, for test_gpu.py and for `run.py gpu` without pytest.

Each runs with "cuda" as the default device, on a card or on the stand-in, and raises if it fails.
"""

import copy
import functools
import gc
import math
import pickle
import unittest

import minigrad as mg
import whoholds
from minigrad import gpu
from minigrad.core import storage
from minigrad.gpu.pool import rounded
from minigrad.memory.budgets import living
from minigrad.reversible import ReversibleBlock, ReversibleSequential
from minigrad.utils.checkpoint import checkpoint

F = mg.nn.functional
raises = unittest.TestCase().assertRaisesRegex
warns = unittest.TestCase().assertWarnsRegex


def net():
    return mg.nn.Sequential(mg.nn.Linear(5, 7), mg.nn.Tanh(), mg.nn.Linear(7, 3))


def there_and_back():
    x = mg.arange(6.0, device="cpu", requires_grad=True)
    y = x.cuda()
    assert (y.device, y.is_cuda, y.is_leaf) == (mg.device("cuda:0"), True, False)
    assert type(y.grad_fn).__name__ == "ToCopyBackward0" and y.cuda() is y and y.to("cuda") is y
    (y * y).sum().cpu().backward()
    assert x.grad.tolist() == [0, 2, 4, 6, 8, 10] and x.grad.device.type == "cpu"
    assert "device='cuda:0'" in repr(y) and "cuda" not in repr(y.cpu())
    assert y.type() == "torch.cuda.FloatTensor"


def a_leaf_on_the_gpu_is_made_there():
    trap = mg.zeros(2, device="cpu", requires_grad=True).cuda()
    leaf = mg.zeros(2, device="cuda", requires_grad=True)
    assert (trap.is_leaf, leaf.is_leaf) == (False, True)
    (trap + leaf).sum().backward()
    assert leaf.grad.tolist() == [1, 1]
    with warns(UserWarning, "not a leaf"):
        assert trap.grad is None


# operation -> function of an engine and of two tensors on two devices
MIXED = {
    "+": lambda mg, x, y: x + y,
    "> ": lambda mg, x, y: x > y,
    "@": lambda mg, x, y: x @ y,
    "maximum": lambda mg, x, y: x.maximum(y),
    "add_": lambda mg, x, y: x.add_(y),
    "cat": lambda mg, x, y: mg.cat([x, y]),
    "stack": lambda mg, x, y: mg.stack([x, y]),
    "where": lambda mg, x, y: mg.where(x > 0, x, y),
    "linear": lambda mg, x, y: mg.nn.functional.linear(x, y),
    "mse_loss": lambda mg, x, y: mg.nn.functional.mse_loss(x, y),
    "layer_norm": lambda mg, x, y: mg.nn.functional.layer_norm(x, (2,), y[0], y[1]),
}


def two_devices_in_one_operation_are_torchs_error(name):
    here, there = mg.ones(2, 2, device="cpu"), mg.ones(2, 2)
    for pair in ((here, there), (there, here)):
        with raises(RuntimeError, "found at least two devices, c.*and c.*!"):
            MIXED[name](mg, *pair)


def a_number_on_the_cpu_goes_with_everything():
    x, two = mg.ones(2, requires_grad=True), mg.tensor(2.0, device="cpu", requires_grad=True)
    (x * two + two / x).sum().backward()
    assert x.grad.tolist() == [0, 0] and two.grad.item() == 4 and two.grad.device.type == "cpu"
    assert (x > mg.tensor(0.0, device="cpu")).tolist() == [True, True]


def what_may_cross_over():
    x = mg.arange(6.0)
    assert x[mg.tensor([0, 2], device="cpu")].tolist() == x[[0, 2]].tolist() == [0, 2]
    x[mg.tensor([1], device="cpu")] = mg.tensor([7.0], device="cpu")
    x[[0]] = 5.0
    assert x.copy_(x.cpu() * 2).tolist()[:3] == [10, 14, 4] and x.is_cuda
    source = mg.ones(6, device="cpu", requires_grad=True)
    x.copy_(source)
    x.sum().backward()
    assert source.grad.tolist() == [1] * 6


def what_may_not():
    x = mg.ones(2)
    with raises(TypeError, "can't convert cuda:0 device type tensor to numpy"):
        x.numpy()
    with raises(RuntimeError, "gradient with device type 'cpu'"):
        x.grad = mg.ones(2, device="cpu")


def copies_stay_where_they_were():
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    for twin in (copy.deepcopy(x), pickle.loads(pickle.dumps(x)), mg.zeros_like(x) + x.detach()):
        assert twin.is_cuda and twin.tolist() == [1, 2]
    assert mg.ones_like(x.cpu()).device.type == "cpu"
    with warns(UserWarning, "clone"):
        assert mg.tensor(x.cpu()).device.type == "cpu"


def a_module_moves_with_all_it_has():
    model = mg.nn.Sequential(mg.nn.Linear(2, 3), mg.nn.BatchNorm1d(3)).cpu()
    for p in model.parameters():
        p.grad = mg.ones_like(p)
    before = list(model.parameters())
    assert model.cuda() is model and all(
        p is q for p, q in zip(model.parameters(), before, strict=True)
    )
    everything = [*before, *(p.grad for p in before), model[1].running_mean]
    assert all(t.is_cuda for t in everything) and all(p.is_leaf for p in before)
    assert not any(t.is_cuda for t in model.to("cpu").state_dict().values())
    assert model.to(mg.float64)[0].weight.dtype is mg.float64


def trained(where):
    """The losses of a few steps of a net with dropout, a checkpoint and Adam."""
    mg.manual_seed(0)
    model, x = net().to(where), mg.linspace(-1, 1, 20, device="cpu").view(4, 5).to(where)
    target = mg.tensor([0, 1, 2, 0], device=where)
    optimizer = mg.optim.Adam(model.parameters(), lr=0.1)
    losses = []
    for _ in range(3):
        h = checkpoint(model, x, use_reentrant=False)
        loss = F.cross_entropy(h, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def a_net_learns_the_same_as_on_the_cpu():
    mg.set_default_device("cpu")
    alike = functools.partial(math.isclose, rel_tol=1e-5)
    assert all(map(alike, trained("cuda"), trained("cpu")))


def a_second_run_draws_the_numbers_of_the_first(reentrant):
    mg.manual_seed(3)
    x = mg.ones(50, requires_grad=True)
    y = checkpoint(F.dropout, x, use_reentrant=reentrant)
    after = mg.rand(3).tolist()
    y.sum().backward()
    assert x.grad.tolist() == y.tolist() and after != mg.rand(3).tolist()
    mg.manual_seed(3)
    assert F.dropout(mg.ones(50)).tolist() == y.tolist()


def the_gpu_has_random_numbers_of_its_own():
    mg.cuda.manual_seed(5)
    state, first = mg.cuda.get_rng_state(), mg.rand(3).tolist()
    on_host = mg.rand(3, device="cpu").tolist()
    for device in (0, None, "cuda:0", "cuda"):  # all the ways to name the one GPU
        assert mg.cuda.get_rng_state(device) != state
        mg.cuda.set_rng_state(state, device)
        assert mg.cuda.get_rng_state(device) == state
        assert mg.rand(1).item() == first[0]
    mg.cuda.set_rng_state(state)
    assert mg.rand(3).tolist() == first != mg.rand(3).tolist()
    assert mg.rand(3, device="cpu").tolist() != on_host  # the host's went on
    mg.cuda.manual_seed(5)
    assert mg.rand(3).tolist() == first


def a_reversible_chain_holds_its_flat_line():
    def peak(depth):
        mg.manual_seed(1)
        layers = [mg.nn.Sequential(mg.nn.Linear(8, 8), mg.nn.Tanh()) for _ in range(2 * depth)]
        pairs = zip(layers[::2], layers[1::2], strict=True)
        chain = ReversibleSequential(*[ReversibleBlock(f, g) for f, g in pairs])
        for p in chain.parameters():
            p.grad = mg.zeros_like(p)
        x = mg.ones(64, 16, requires_grad=True)
        mg.cuda.reset_peak_memory_stats()
        before = mg.cuda.memory_allocated()
        chain(x).sum().backward()
        assert x.grad.is_cuda
        return mg.cuda.max_memory_allocated() - before

    assert peak(12) == peak(3), "temporaries included: a block hands its gradients on at once"


def booked():
    """What the pool must have handed out: each storage on the GPU in whole steps."""
    return sum(rounded(s.bytes) for s in living(storage.Storage) if type(s.array) in gpu.kinds)


def the_pool_agrees_with_the_ledger():
    gc.collect()
    nothing = mg.cuda.memory_allocated() - booked()
    x, model = mg.randn(33, 5), net().cuda()
    h = model[1](model[0](x))
    kept = h.t()[1:], mg.memory_allocated()
    loss = model[2](h).sum()
    assert mg.cuda.memory_allocated() - booked() == nothing
    loss.backward(retain_graph=True)
    assert mg.cuda.memory_allocated() - booked() == nothing
    loss.backward()
    assert mg.cuda.memory_allocated() - booked() == nothing
    del loss, h, kept, x
    assert mg.cuda.memory_allocated() - booked() == nothing
    del model
    gc.collect()
    assert mg.cuda.memory_allocated() - booked() == nothing


def the_ledger_counts_every_device_to_the_byte():
    before, used = mg.memory_allocated(), mg.cuda.memory_allocated()
    x, y = mg.ones(3), mg.ones(5, device="cpu")
    assert mg.memory_allocated() - before == 4 * (3 + 5) == x.nbytes + y.nbytes
    assert mg.cuda.memory_allocated() - used == 512
    with whoholds.record() as trace:
        z = x * 2
        del z
    sizes = [e["size"] for e in trace.events if e["kind"] == "born" and e["line"]]
    assert sizes == [12]


def reserved_stays_until_the_cache_is_emptied():
    mg.cuda.empty_cache()
    before = mg.cuda.memory_reserved()
    x = mg.ones(1 << 20)
    free, total = mg.cuda.mem_get_info()
    del x
    assert mg.cuda.memory_reserved() - before == 4 << 20 and free < total
    mg.cuda.empty_cache()
    assert mg.cuda.memory_reserved() == before
    assert mg.cuda.mem_get_info()[0] >= free


CHECKS = {
    check.__name__.replace("_", " "): check
    for check in (
        there_and_back, a_leaf_on_the_gpu_is_made_there, a_number_on_the_cpu_goes_with_everything,
        what_may_cross_over, what_may_not, copies_stay_where_they_were,
        a_module_moves_with_all_it_has, a_net_learns_the_same_as_on_the_cpu,
        the_gpu_has_random_numbers_of_its_own, a_reversible_chain_holds_its_flat_line,
        the_pool_agrees_with_the_ledger, the_ledger_counts_every_device_to_the_byte,
        reserved_stays_until_the_cache_is_emptied,
    )
} | {
    f"two devices in {name}": functools.partial(two_devices_in_one_operation_are_torchs_error, name)
    for name in MIXED
} | {
    f"a second run draws the numbers of the first, reentrant {way}": functools.partial(
        a_second_run_draws_the_numbers_of_the_first, way
    )
    for way in (False, True)
}  # fmt: skip
