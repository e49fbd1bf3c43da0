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
    "no dict": (
        lambda p: [{"params": [p]}, 3],
        "param_group must be a dict, but got <class 'int'>",
    ),
    "a set": (lambda p: [{"params": {p}}], "optimizer parameters need to be organized in ordered"),
    "twice": (
        lambda p: [{"params": [p]}, {"params": p}],
        "some parameters appear in more than one parameter group",
    ),
    "some named": (
        lambda p: [("weight", p), p],
        "all optimizer params should be with/without names. Some param names are missing",
    ),
    "no leaf": (lambda p: [p * 2], "can't optimize a non-leaf Tensor"),
}


@pytest.mark.parametrize("way", ["foreach", "fused", "capturable", "differentiable"])
def test_another_way_to_compute_the_steps_is_refused_in_a_sentence(way):
    """PyTorch's hold other bytes meanwhile, or keep a graph."""
    x = mg.ones(3, requires_grad=True)
    group = [{"params": x, way: True}]
    for kind in (mg.optim.Adam, mg.optim.AdamW):
        for given, options in ((group, {}), ([x], {way: True})):
            with pytest.raises(NotImplementedError, match=f"do not know {way}: leave it out"):
                kind(given, **options)


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("kind", [mg.optim.SGD, mg.optim.Adam])
def test_what_cannot_be_moved(kind, name):
    params, words = REFUSED[name]
    with pytest.raises((TypeError, ValueError), match=re.escape(words)):
        kind(params(mg.ones(3, requires_grad=True)), lr=0.1)
