"""What nn and optim do beyond PyTorch's words: hidden bytes, recomputing, polite refusals."""

import pytest

import minigrad as mg
from course.trying.numpy_bytes import NumpyBytes
from minigrad import nn, optim
from minigrad.core import arrays
from minigrad.core.modes import recomputing
from minigrad.ops.convolution import CACHE

ON_GPU = True  # too: see conftest.py

BIG = 2**20  # elements


def statistics(layer):
    return {name: t.tolist() for name, t in layer.state_dict().items()}


@pytest.mark.parametrize("momentum", [0.1, None])
def test_batch_norm_counts_a_batch_once_if_it_is_recomputed(momentum):
    layer, x = nn.BatchNorm1d(3, momentum=momentum), mg.randn(8, 3)
    first = layer(x)
    before = statistics(layer)
    with recomputing():
        again = layer(x)
    assert statistics(layer) == before and before["num_batches_tracked"] == 1
    assert mg.equal(first, again), "the batch's own statistics, as the first time"
    layer(x)
    assert statistics(layer) != before


def test_a_buffer_is_state_and_no_parameter():
    layer = nn.BatchNorm1d(3)
    assert set(layer.state_dict()) - {n for n, _ in layer.named_parameters()} == {
        "running_mean", "running_var", "num_batches_tracked",
    }  # fmt: skip
    assert layer.state_dict()["running_mean"].data_ptr() == layer.running_mean.data_ptr()


def test_what_conv2d_lacks_is_refused_in_a_sentence():
    with pytest.raises(NotImplementedError, match="Conv2d does not know .*: it takes stride"):
        nn.Conv2d(2, 2, 3, padding_mode="reflect")


def test_conv2d_takes_pytorchs_own_defaults():
    layer = nn.Conv2d(2, 4, 3, dilation=1, groups=1, padding_mode="zeros")
    assert layer(mg.ones(1, 2, 3, 3)).shape == (1, 4, 1, 1)


def test_conv2d_makes_no_columns_of_the_whole_batch():
    x, w = mg.ones(64, 4, 16, 16, requires_grad=True), mg.ones(4, 4, 3, 3, requires_grad=True)
    columns = 9 * x.nbytes
    with NumpyBytes() as used:
        y = nn.functional.conv2d(x, w)
    assert used.peak <= y.nbytes + 2 * CACHE < columns
    with NumpyBytes() as used:
        y.backward(mg.ones_like(y))
    assert used.peak <= y.nbytes + 2 * x.nbytes + 4 * CACHE < columns


OPTIMIZERS = {
    "SGD": lambda ps: optim.SGD(ps, lr=0.1),
    "momentum": lambda ps: optim.SGD(ps, lr=0.1, momentum=0.9, weight_decay=0.1),
    "Adam": lambda ps: optim.Adam(ps, weight_decay=0.1),
    "AdamW": lambda ps: optim.AdamW(ps),
}
STATES = {"SGD": 0, "momentum": 1, "Adam": 2, "AdamW": 2}
SHAPES = {
    "square": lambda: mg.ones(1024, BIG // 1024),
    "flat": lambda: mg.ones(BIG),
    "one row": lambda: mg.ones(1, BIG),
    "transposed": lambda: mg.ones(1024, BIG // 1024).t(),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_step_makes_no_temporary_of_the_weights_size(name, shape, monkeypatch):
    monkeypatch.setitem(arrays.BLOCK, "cuda", arrays.BLOCK["cpu"])  # on a GPU: of a larger weight's
    w = nn.Parameter(SHAPES[shape]())
    optimizer = OPTIMIZERS[name]([w])
    w.grad = mg.ones_like(w)
    before = mg.memory_allocated()
    with NumpyBytes() as first:
        optimizer.step()
    states = STATES[name] * w.nbytes + ("step" in optimizer.state[w]) * 4
    assert mg.memory_allocated() - before == states, "its states are counted"
    assert first.peak <= STATES[name] * w.nbytes + w.nbytes / 4
    with NumpyBytes() as second:
        optimizer.step()
    assert second.peak <= w.nbytes / 4
    assert (w != 1).sum().item() == BIG, "every element has moved"


def test_a_parameter_without_a_gradient_stays():
    moved, stays = nn.Parameter(mg.ones(2)), nn.Parameter(mg.ones(2))
    moved.grad = mg.ones(2)
    optim.Adam([moved, stays]).step()
    assert stays.tolist() == [1, 1] and moved.tolist() != [1, 1]


def test_a_number_can_be_a_parameter():
    w = nn.Parameter(mg.tensor(1.0))
    w.grad = mg.tensor(1.0)
    optim.Adam([w], lr=0.5).step()
    assert w.item() == pytest.approx(0.5)
