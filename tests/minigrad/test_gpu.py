"""Tensors on a GPU: PyTorch's rules for two devices, and bytes that the pool agrees with.

The stand-in is as strict as CuPy, and other files run on it whole (ON_GPU, see conftest.py).
"""

import copy
import gc
import importlib.util
import pickle

import numpy as np
import pytest

import minigrad as mg
from minigrad import gpu, storage
from minigrad.gpu import simulated
from minigrad.gpu.pool import rounded
from minigrad.reversible import ReversibleBlock, ReversibleSequential
from minigrad.trace.seams import living
from minigrad.utils.checkpoint import checkpoint

F = mg.nn.functional
on_gpu = pytest.mark.parametrize("device", ["simulated", "real"], indirect=True)


def net():
    return mg.nn.Sequential(mg.nn.Linear(5, 7), mg.nn.Tanh(), mg.nn.Linear(7, 3))


# -- devices --


def test_a_device_is_named_as_in_torch():
    assert repr(mg.device("cuda")) == "device(type='cuda')"
    assert repr(mg.device("cuda:0")) == "device(type='cuda', index=0)" == repr(mg.device("cuda", 0))
    assert mg.device("cuda") != mg.device("cuda:0") and mg.device("cpu") == mg.ones(2).device
    for wrong, why in (("cuda:x", "Invalid"), ("gpu", "Expected one of"), ("cuda:1", "number 0")):
        with pytest.raises(RuntimeError, match=why):
            mg.device(wrong)


def test_without_a_gpu_there_is_a_sentence_with_the_reason(monkeypatch):
    monkeypatch.setattr(gpu, "_card", None)
    monkeypatch.setattr(gpu, "_reason", "no card")
    assert not mg.cuda.is_available() and mg.cuda.why_not() == "no card"
    makers = [lambda: mg.ones(2).cuda(), lambda: mg.ones(2, device="cuda"), mg.cuda.synchronize]
    for make in (*makers, lambda: mg.set_default_device("cuda"), mg.cuda.mem_get_info):
        with pytest.raises(RuntimeError, match=r"no usable GPU \(no card\): use"):
            make()
    assert mg.cuda.memory_reserved() == 0 and mg.cuda.empty_cache() is None


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (ModuleNotFoundError("No module named 'cupy'"), "pip install"),
        (OSError("libcublas.so:\ncannot open"), "OSError: libcublas.so: cannot open"),
        (RuntimeError("cudaErrorInsufficientDriver"), "cudaErrorInsufficientDriver"),
    ],
)
def test_whatever_is_broken_is_told_and_asked_for_once(monkeypatch, broken, said):
    asked = []

    def probed():
        asked.append(1)
        raise broken

    for name, value in {"_card": None, "_reason": "", "_probed": probed}.items():
        monkeypatch.setattr(gpu, name, value)
    assert not mg.cuda.is_available() and said in mg.cuda.why_not() and len(asked) == 1


@on_gpu
def test_there_and_back(device):
    x = mg.arange(6.0, device="cpu", requires_grad=True)
    y = x.cuda()
    assert (y.device, y.is_cuda, y.is_leaf) == (mg.device("cuda:0"), True, False)
    assert type(y.grad_fn).__name__ == "ToCopyBackward0" and y.cuda() is y and y.to("cuda") is y
    (y * y).sum().cpu().backward()
    assert x.grad.tolist() == [0, 2, 4, 6, 8, 10] and x.grad.device.type == "cpu"
    assert "device='cuda:0'" in repr(y) and "cuda" not in repr(y.cpu())
    assert y.type() == "torch.cuda.FloatTensor"


@on_gpu
def test_a_leaf_on_the_gpu_is_made_there(device):
    trap = mg.zeros(2, device="cpu", requires_grad=True).cuda()
    leaf = mg.zeros(2, device="cuda", requires_grad=True)
    assert (trap.is_leaf, leaf.is_leaf) == (False, True)
    (trap + leaf).sum().backward()
    assert leaf.grad.tolist() == [1, 1]
    with pytest.warns(UserWarning, match="not a leaf"):
        assert trap.grad is None


MIXED = {
    "+": lambda x, y: x + y,
    "> ": lambda x, y: x > y,
    "@": lambda x, y: x @ y,
    "maximum": lambda x, y: x.maximum(y),
    "add_": lambda x, y: x.add_(y),
    "cat": lambda x, y: mg.cat([x, y]),
    "stack": lambda x, y: mg.stack([x, y]),
    "where": lambda x, y: mg.where(x > 0, x, y),
    "linear": F.linear,
    "mse_loss": F.mse_loss,
    "layer_norm": lambda x, y: F.layer_norm(x, (2,), y[0], y[1]),
}


@on_gpu
@pytest.mark.parametrize("name", MIXED)
def test_two_devices_in_one_operation_are_torchs_error(name, device):
    here, there = mg.ones(2, 2, device="cpu"), mg.ones(2, 2)
    for pair in ((here, there), (there, here)):
        with pytest.raises(RuntimeError, match="found at least two devices, c.*and c.*!"):
            MIXED[name](*pair)


@on_gpu
def test_a_number_on_the_cpu_goes_with_everything(device):
    x, two = mg.ones(2, requires_grad=True), mg.tensor(2.0, device="cpu", requires_grad=True)
    (x * two + two / x).sum().backward()
    assert x.grad.tolist() == [0, 0] and two.grad.item() == 4 and two.grad.device.type == "cpu"
    assert (x > mg.tensor(0.0, device="cpu")).tolist() == [True, True]


@on_gpu
def test_what_may_cross_over(device):
    x = mg.arange(6.0)
    assert x[mg.tensor([0, 2], device="cpu")].tolist() == x[[0, 2]].tolist() == [0, 2]
    x[mg.tensor([1], device="cpu")] = mg.tensor([7.0], device="cpu")
    x[[0]] = 5.0
    assert x.copy_(x.cpu() * 2).tolist()[:3] == [10, 14, 4] and x.is_cuda
    source = mg.ones(6, device="cpu", requires_grad=True)
    x.copy_(source)
    x.sum().backward()
    assert source.grad.tolist() == [1] * 6


@on_gpu
def test_what_may_not(device):
    x = mg.ones(2)
    with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy"):
        x.numpy()
    with pytest.raises(RuntimeError, match="gradient with device type 'cpu'"):
        x.grad = mg.ones(2, device="cpu")


@on_gpu
def test_copies_stay_where_they_were(device):
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    for twin in (copy.deepcopy(x), pickle.loads(pickle.dumps(x)), mg.zeros_like(x) + x.detach()):
        assert twin.is_cuda and twin.tolist() == [1, 2]
    assert mg.ones_like(x.cpu()).device.type == "cpu"
    with pytest.warns(UserWarning, match="clone"):
        assert mg.tensor(x.cpu()).device.type == "cpu"


@on_gpu
def test_a_module_moves_with_all_it_has(device):
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


# -- the same numbers --


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


@on_gpu
def test_a_net_learns_the_same_as_on_the_cpu(device):
    mg.set_default_device("cpu")
    assert trained("cuda") == pytest.approx(trained("cpu"), rel=1e-5)


@on_gpu
@pytest.mark.parametrize("reentrant", [False, True])
def test_a_second_run_draws_the_numbers_of_the_first(device, reentrant):
    mg.manual_seed(3)
    x = mg.ones(50, requires_grad=True)
    y = checkpoint(F.dropout, x, use_reentrant=reentrant)
    after = mg.rand(3).tolist()
    y.sum().backward()
    assert x.grad.tolist() == y.tolist() and after != mg.rand(3).tolist()
    mg.manual_seed(3)
    assert F.dropout(mg.ones(50)).tolist() == y.tolist()


@on_gpu
def test_the_gpu_has_random_numbers_of_its_own(device):
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


@on_gpu
def test_a_reversible_chain_holds_its_flat_line(device):
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

    of_a_block = 4 * 512  # the gradients of two weights and two biases, in steps of the pool
    assert peak(12) - peak(3) == 9 * of_a_block, "temporaries included"


# -- bytes --


def booked():
    """What the pool must have handed out: each storage on the GPU in whole steps."""
    return sum(rounded(s.bytes) for s in living(storage.Storage) if type(s.array) in gpu.kinds)


@on_gpu
def test_the_pool_agrees_with_the_ledger(device):
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


@on_gpu
def test_the_ledger_counts_every_device_to_the_byte(device):
    before, used = mg.memory_allocated(), mg.cuda.memory_allocated()
    x, y = mg.ones(3), mg.ones(5, device="cpu")
    assert mg.memory_allocated() - before == 4 * (3 + 5) == x.nbytes + y.nbytes
    assert mg.cuda.memory_allocated() - used == 512
    with mg.memory.record() as trace:
        z = x * 2
        del z
    sizes = [e["size"] for e in trace.events if e["kind"] == "born" and e["line"]]
    assert sizes == [12]


@on_gpu
def test_reserved_stays_until_the_cache_is_emptied(device):
    mg.cuda.empty_cache()
    before = mg.cuda.memory_reserved()
    x = mg.ones(1 << 20)
    free, total = mg.cuda.mem_get_info()
    del x
    assert mg.cuda.memory_reserved() - before == 4 << 20 and free < total
    mg.cuda.empty_cache()
    assert mg.cuda.memory_reserved() == before
    assert mg.cuda.mem_get_info()[0] >= free


def test_a_full_card_says_so_and_goes_on():
    with mg.cuda.simulate(3 << 20):
        x = mg.ones(1 << 18, device="cuda", requires_grad=True)
        text = "CUDA out of memory. Tried to allocate 1.00 MiB. GPU 0 has a total capacity of 3.00"
        with pytest.raises(mg.cuda.OutOfMemoryError, match=text):
            x.exp().exp().exp()
        assert mg.cuda.memory_allocated() == x.nbytes, "what was made on the way is gone"
        assert x.exp().is_cuda


# -- the pool --


def test_the_pool_rounds_splits_and_joins():
    pool = simulated.Pool(1 << 20)
    a, b, c = (pool.allocate(n) for n in (1, 512, 1500))
    assert (pool.used, pool.reserved) == (512 + 512 + 1536, 2560)
    pool.give_back(c)
    d = pool.allocate(600)  # of c's bytes
    assert (d.start, pool.used, pool.reserved) == (c.start, 2048, 2560)
    pool.give_back(d)
    e = pool.allocate(1536)  # both parts in one piece again
    assert (e.start, pool.reserved) == (c.start, 2560)
    for block in (a, b, e):
        pool.give_back(block)
    assert pool.used == 0 and pool.most == 2560 and pool.reserved == 2560
    pool.free_all()
    assert pool.reserved == 0


def test_the_smallest_hole_that_fits_is_taken():
    pool = simulated.Pool(1 << 20)
    large, small = pool.allocate(4096), pool.allocate(1024)
    pool.give_back(large)
    pool.give_back(small)
    assert pool.allocate(1000).start == small.start


def test_free_bytes_in_small_holes_serve_no_large_block():
    pool = simulated.Pool(8 * 1024)
    whole = pool.allocate(8 * 1024)
    pool.give_back(whole)
    blocks = [pool.allocate(1024) for _ in range(8)]
    for block in blocks[::2]:
        pool.give_back(block)
    assert pool.total - pool.used == 4096
    with pytest.raises(MemoryError):
        pool.allocate(2048)
    pool.give_back(blocks[1])  # three neighbours
    assert pool.allocate(3072).start == blocks[0].start


def test_a_full_pool_gives_back_its_cache_before_it_gives_up():
    pool = simulated.Pool(2048)
    pool.give_back(pool.allocate(1024))
    assert pool.allocate(2048).size == 2048 and pool.reserved == 2048


# -- the stand-in is strict --


@pytest.mark.parametrize("bytes", [0, -1, 1.5, "1 GB"])
def test_a_simulated_gpu_has_bytes(bytes):
    with pytest.raises(ValueError, match="number of bytes"):
        mg.cuda.simulate(bytes)


def test_simulation_ends_with_its_block_and_tensors_live_on():
    available = mg.cuda.is_available()
    with mg.cuda.simulate(1 << 20) as card:
        assert mg.cuda.is_available() and mg.cuda.get_device_name() == card.name
        assert card.name == "simulated GPU (1.00 MiB)"
        x = mg.ones(3, device="cuda", requires_grad=True)
    assert mg.cuda.is_available() == available
    assert x.cuda() is x and x.detach().clone().copy_(x.detach()).tolist() == [1, 1, 1]
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2, 2, 2]


REFUSED = {
    "np.asarray": lambda a: np.asarray(a),
    "a numpy array": lambda a: a + np.ones(3),
    "on the left": lambda a: np.ones(3) * a,
    "written into": lambda a: a.__setitem__(0, np.ones(())),
    "as an index": lambda a: a[np.array([0])],
    "in a list": lambda a: np.concatenate([a, np.ones(3)]),
    "order=": lambda a: np.exp(a, order="C"),
    "reduce": lambda a: np.add.reduce(a),
    "a function that CuPy may lack": lambda a: np.unwrap(a),
    "a place": lambda a: [1, 2, 3][a[0]],
}


@pytest.mark.parametrize("name", REFUSED)
def test_nothing_turns_into_numpy_unasked(name):
    card = mg.cuda.simulate(1 << 20)
    with pytest.raises(TypeError):
        REFUSED[name](card.put(np.ones(3)))


def test_what_the_stand_in_offers_cupy_offers():
    if importlib.util.find_spec("cupy") is None:
        pytest.skip(gpu.NO_CUPY)
    import cupy

    assert all(callable(getattr(cupy, name)) for name in simulated.FUNCTIONS)
    offered = set(dir(cupy.ndarray))
    assert offered >= simulated.METHODS | simulated.LOOKS | {"scatter_add", "get", "T", "base"}
