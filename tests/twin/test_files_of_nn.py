"""nn.modules shows each layer in the file that PyTorch keeps it in; its own source can be read."""

import importlib
import inspect

import pytest

import minigrad

LAYERS = {
    name: kind
    for name, kind in vars(minigrad.nn).items()
    if inspect.isclass(kind) and issubclass(kind, minigrad.nn.Module)
}


@pytest.mark.parametrize("name", sorted(LAYERS))
def test_a_layer_stands_in_pytorchs_file(live_torch, name):
    theirs = getattr(live_torch.nn, name).__module__
    ours = importlib.import_module(theirs.replace("torch", "minigrad", 1))
    assert vars(ours)[name] is LAYERS[name], theirs


@pytest.mark.parametrize("name", sorted(LAYERS))
def test_the_source_of_a_layer_can_be_read(name):
    assert f"class {name}" in inspect.getsource(LAYERS[name])
