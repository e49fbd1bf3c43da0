"""What no optimizer can move is refused when it is made, in PyTorch's words."""

import re

import pytest

import minigrad as mg

REFUSED = {
    "a tensor": (
        lambda p: p,
        "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
        "torch.FloatTensor",
    ),
    "a number": (
        lambda p: [1.0],
        "optimizer can only optimize Tensors, but one of the params is float",
    ),
    "a dict": (lambda p: [{"params": [p]}], "has one group of parameters: pass a list of Tensors"),
    "no leaf": (lambda p: [p * 2], "can't optimize a non-leaf Tensor"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("kind", [mg.optim.SGD, mg.optim.Adam])
def test_what_cannot_be_moved(kind, name):
    params, words = REFUSED[name]
    with pytest.raises((TypeError, ValueError), match=re.escape(words)):
        kind(params(mg.ones(3, requires_grad=True)), lr=0.1)
