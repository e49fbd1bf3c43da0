"""Keywords that PyTorch's functions take and minigrad's do not."""

import io

import pytest

import minigrad as mg
from minigrad.missing import options
from tests.twin.registry import torch_version

F = mg.nn.functional
x = mg.ones(2, 2)
p = mg.nn.Parameter(mg.ones(1))
p.grad = mg.ones(1)
CALLS = {  # a call with a keyword that changes something, and its name
    "out": lambda: mg.matmul(x, x, out=x),
    "weight": lambda: F.mse_loss(x, x, weight=x),
    "pin_memory": lambda: mg.zeros(1, pin_memory=True),
    "validate_args": lambda: mg.distributions.Normal(0.0, 1.0, validate_args=False),
    "foreach": lambda: mg.nn.utils.clip_grad_norm_([p], 1.0, foreach=True),
    "pickle_protocol": lambda: mg.save(x, io.BytesIO(), pickle_protocol=4),
    "vectorize": lambda: mg.autograd.functional.jacobian(mg.exp, x, vectorize=True),
    "recompute_scale_factor": lambda: mg.nn.Upsample(2, recompute_scale_factor=True),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_option_that_is_not_there_gets_a_sentence(name):
    with pytest.raises(TypeError, match=f"got an unexpected keyword argument '{name}'") as caught:
        CALLS[name]()
    assert f"does not know {name}: leave it out; `%%step --engine" in caught.value.__notes__[0]


def test_a_slip_of_the_pen_gets_none():
    with pytest.raises(TypeError, match="unexpected keyword argument 'wieght'") as caught:
        F.mse_loss(x, x, wieght=x)
    assert not hasattr(caught.value, "__notes__")


def test_another_error_stays():
    with pytest.raises(TypeError, match="unexpected keyword argument 'wieght'"):
        F.mse_loss(x, x, weight=None, wieght=x)
    with pytest.raises(ValueError, match="batch_size should be a positive"):
        mg.utils.data.DataLoader([1], 0, in_order=True)


@pytest.mark.skipif(torch_version() is None, reason="torch is not installed")
def test_the_list_is_that_of_pytorch():
    from tests.minigrad import torch_options

    assert (options.HERE / "options.txt").read_text("utf-8") == torch_options.text()
