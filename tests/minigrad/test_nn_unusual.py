"""Layers on unusual tensors: views in any layout, empty batches, parts that do not fit."""

import re

import numpy as np
import pytest

import minigrad as mg
import minigrad.nn.functional as F


def conv_by_hand(x, weight):
    """A convolution without padding, from its definition."""
    windows = np.lib.stride_tricks.sliding_window_view(x, weight.shape[2:], (2, 3))
    return np.einsum("nchwij,ocij->nohw", windows, weight)


@pytest.mark.parametrize("order", [(0, 1, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0), (1, 0, 2, 3)])
def test_conv2d_of_a_view_in_any_layout(order):
    numbers = np.random.default_rng(0).random((3, 3, 3, 3))
    x = mg.tensor(numbers).permute(*order).requires_grad_()
    weight = mg.tensor(numbers).permute(*order[::-1]).requires_grad_()
    y = F.conv2d(x, weight[:, :, :2, :2])
    parts = x.detach().numpy(), weight.detach().numpy()[:, :, :2, :2]
    assert np.allclose(y.detach().numpy(), conv_by_hand(*parts))
    assert y.is_contiguous()


def test_conv2d_of_no_image():
    x, weight = mg.zeros(0, 3, 5, 6, requires_grad=True), mg.ones(4, 3, 2, 3, requires_grad=True)
    bias = mg.ones(4, requires_grad=True)
    y = F.conv2d(x, weight, bias)
    y.sum().backward()
    assert y.shape == (0, 4, 4, 4) and x.grad.shape == x.shape
    assert not weight.grad.numpy().any() and not bias.grad.numpy().any()


def test_a_stride_may_be_a_list_of_one_number():
    x, weight = mg.rand(1, 1, 5, 5), mg.rand(1, 1, 2, 2)
    assert F.conv2d(x, weight, stride=(2,)).tolist() == F.conv2d(x, weight, stride=2).tolist()


def test_normalization_of_a_transposed_view_is_contiguous():
    x = mg.rand(4, 3).t()
    assert F.layer_norm(x, (4,)).view(12).shape == (12,)
    assert F.batch_norm(x, None, None, training=True).view(12).shape == (12,)


REFUSED = {
    "F.conv2d(mg.ones(1, 1, 2, 2), mg.ones(1, 1, 1, 1), mg.ones(1, dtype=mg.float64))": (
        "Input type (float) and bias type (double) should be the same"
    ),
    "F.conv2d(mg.ones(1, 1, 2, 2), mg.ones(1, 1, 1, 1), stride=(1, 1, 1))": (
        "expected stride to be a single integer value or a list of 2 values to match the "
        "convolution dimensions, but got stride=[1, 1, 1]"
    ),
    "F.layer_norm(mg.ones(2, 3), (3,), mg.ones(1))": (
        "Expected weight to be of same shape as normalized_shape, but got weight of shape [1] and "
        "normalized_shape = [3]"
    ),
    "F.layer_norm(mg.ones(2, 3), (3,), None, mg.ones(1))": (
        "Expected bias to be of same shape as normalized_shape, but got bias of shape [1] and "
        "normalized_shape = [3]"
    ),
    "F.layer_norm(mg.ones(2, 3), (3,), mg.ones(3, dtype=mg.float64))": (
        "mixed dtype (CPU): expect parameter to have scalar type of Float"
    ),
    "F.batch_norm(mg.ones(2, 3), None, None, mg.ones(1), training=True)": (
        "weight should contain 3 elements not 1"
    ),
    "F.batch_norm(mg.ones(2, 3), None, None, None, mg.ones(2), training=True)": (
        "bias should contain 3 elements not 2"
    ),
    "F.batch_norm(mg.ones(2, 3), mg.ones(3), mg.ones(2), training=True)": (
        "running_var should contain 3 elements not 2"
    ),
    "F.batch_norm(mg.ones(2, 3), None, None)": "running_mean must be defined in evaluation mode",
    "F.batch_norm(mg.ones(2, 3, dtype=mg.float64), mg.ones(3), mg.ones(3))": (
        "mixed dtype (CPU): all inputs must share same datatype."
    ),
    "F.dropout(mg.ones(3, dtype=mg.int64))": (
        "result type Float can't be cast to the desired output type Long"
    ),
}


@pytest.mark.parametrize("code", REFUSED)
def test_what_does_not_fit_is_refused_in_pytorchs_words(code):
    with pytest.raises(RuntimeError, match=f"^{re.escape(REFUSED[code])}$"):
        eval(code)
