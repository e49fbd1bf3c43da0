"""Tensors on a GPU: PyTorch's rules for two devices, and bytes that the pool agrees with.

The stand-in is as strict as CuPy, and other files run on it whole (ON_GPU, see conftest.py).
"""

import importlib.util

import numpy as np
import pytest

import minigrad as mg
from minigrad import gpu
from minigrad.gpu import simulated
from tests.minigrad.on_card import CHECKS

on_gpu = pytest.mark.parametrize("device", ["simulated", "real"], indirect=True)


@on_gpu
@pytest.mark.parametrize("name", CHECKS)
def test_on_a_gpu(name, device):
    CHECKS[name]()


# -- devices --


def test_a_device_is_named_as_in_torch():
    assert repr(mg.device("cuda")) == "device(type='cuda')"
    assert repr(mg.device("cuda:0")) == "device(type='cuda', index=0)" == repr(mg.device("cuda", 0))
    assert mg.device("cuda") != mg.device("cuda:0") and mg.device("cpu") == mg.ones(2).device
    for wrong, why in (("cuda:x", "Invalid"), ("gpu", "Expected one of"), ("mps", "not mps")):
        with pytest.raises(RuntimeError, match=why):
            mg.device(wrong)


def test_without_a_gpu_there_is_a_sentence_with_the_reason(monkeypatch):
    monkeypatch.setattr(gpu, "_card", None)
    monkeypatch.setattr(gpu, "_reason", "no card")
    assert not mg.cuda.is_available() and mg.cuda.why_not() == "no card"
    makers = [lambda: mg.ones(2).cuda(), lambda: mg.ones(2, device="cuda"), mg.cuda.synchronize]
    for make in (*makers, lambda: mg.set_default_device("cuda"), mg.cuda.mem_get_info):
        with pytest.raises(AssertionError, match="Torch not compiled with CUDA") as refused:
            make()
        assert refused.value.__notes__[0].startswith("minigrad finds no usable GPU (no card): use")
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


def test_every_view_can_be_written_as_cupys():
    """A gradient that came through an expanded view is added to in place, on either device."""
    card = mg.cuda.simulate(1 << 20)
    number = card.put(np.zeros(()))
    np.broadcast_to(number, (1,))[...] = 3.0
    assert number.item() == 3
    with card:
        x = mg.tensor(2.0, device="cuda", requires_grad=True)
        for _ in range(2):
            x.view(-1).sum().backward()
    assert x.grad.item() == 2


def test_what_the_stand_in_offers_cupy_offers():
    if importlib.util.find_spec("cupy") is None:
        pytest.skip(gpu.NO_CUPY)
    import cupy

    assert all(callable(getattr(cupy, name)) for name in simulated.FUNCTIONS)
    offered = set(dir(cupy.ndarray))
    assert offered >= simulated.METHODS | simulated.LOOKS | {"scatter_add", "get", "T", "base"}
