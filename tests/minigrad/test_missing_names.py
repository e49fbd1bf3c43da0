"""Every name that PyTorch has and minigrad lacks says so, and what to do; no other name does."""

import copy
import importlib
import inspect
import pickle
import traceback
import types

import pytest

import minigrad as mg
from minigrad import missing
from minigrad.missing import everywhere, pytorch
from tests.minigrad import torch_names
from tests.twin.mode import why_not_live

HELP = "`%%step --engine torch` runs it on PyTorch."
NAMES = pytorch.names()


class Twice(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


def things():
    """(place, the thing of minigrad's that has or lacks its names)."""
    leaf = mg.ones(1, requires_grad=True)
    layers = {**torch_names.LAYERS, "LayerNorm": ((1,),)}
    for name in everywhere.MODULES:
        yield name.replace("minigrad", "torch", 1), importlib.import_module(name)
    yield "torch.Tensor", leaf
    yield "torch.Tensor", mg.nn.Parameter(leaf)
    yield "torch.dtype", leaf.dtype
    yield "torch.UntypedStorage", leaf.untyped_storage()
    yield "torch.autograd.function.FunctionCtx", Twice.apply(leaf).grad_fn
    for name in ("SGD", "Adam", "AdamW"):
        yield "torch.optim.SGD", getattr(mg.optim, name)([leaf])
    for name, arguments in layers.items():
        yield "torch.nn.Module", getattr(mg.nn, name)(*arguments)
        yield f"torch.nn.{name}", getattr(mg.nn, name)(*arguments)


def has(thing, name):
    """Whether it is there by ordinary ways, ours left aside."""
    if isinstance(thing, types.ModuleType):
        return name in vars(thing)
    found = inspect.getattr_static(thing, name, has)  # an attribute may well be None
    return found is not has and type(found) is not missing.Lacking


THINGS = [pytest.param(*pair, id=f"{pair[0]}-{i}") for i, pair in enumerate(things())]


@pytest.mark.parametrize(("place", "thing"), THINGS)
def test_each_name_is_there_or_says_what_to_do(place, thing):
    for name in NAMES[place]:
        if has(thing, name):
            assert name in dir(thing)
            continue
        assert not hasattr(thing, name) and getattr(thing, name, 3) == 3
        assert name not in dir(thing)
        with pytest.raises(AttributeError) as caught:
            getattr(thing, name)
        assert str(caught.value).endswith(f"has no attribute '{name}'")
        (note,) = caught.value.__notes__
        assert note.startswith("minigrad has no `torch.") and f".{name}`" in note
        assert note.endswith(HELP) and note.count(". ") == 0


@pytest.mark.parametrize(("place", "thing"), THINGS)
@pytest.mark.parametrize("name", ["nag_", "randnt", "_private", "__wrapped__", "_repr_mimebundle_"])
def test_a_name_that_pytorch_lacks_too_is_pythons_own_error(place, thing, name):
    with pytest.raises(AttributeError) as caught:
        getattr(thing, name)
    assert not hasattr(caught.value, "__notes__")
    assert caught.value.name == name and caught.value.obj is thing  # for "Did you mean"


@pytest.mark.parametrize("name", everywhere.MODULES)
def test_an_import_is_told_too(name):
    module = importlib.import_module(name)
    for wanted in NAMES[name.replace("minigrad", "torch", 1)]:
        if wanted in vars(module):
            continue
        with pytest.raises(ImportError) as caught:
            exec(f"from {name} import {wanted}", {})
        assert str(caught.value).startswith(f"cannot import name '{wanted}' from '{name}'")
        assert caught.value.__notes__[0].endswith(HELP)


def test_a_layer_whose_names_are_not_recorded_says_what_python_says():
    for layer in (mg.nn.Conv1d(1, 1, 1), mg.nn.PReLU()):
        assert not hasattr(layer, "no_such") and not hasattr(layer, "")
        with pytest.raises(AttributeError, match="has no attribute 'bfloat16'") as caught:
            layer.bfloat16  # noqa: B018
        assert "torch.nn.Module.bfloat16" in caught.value.__notes__[0]


@pytest.mark.parametrize("line", ["import {}.hooks", "from {}.hooks import RemovableHandle"])
def test_a_module_that_is_not_there(line):
    with pytest.raises(ModuleNotFoundError) as caught:
        exec(line.format("minigrad.utils"), {})
    assert str(caught.value) == "No module named 'minigrad.utils.hooks'"
    assert caught.value.__notes__ == [f"minigrad has no `torch.utils.hooks`; {HELP}"]
    with pytest.raises(ModuleNotFoundError) as caught:
        exec("import minigrad.optim.no_such", {})
    assert not hasattr(caught.value, "__notes__")


def test_the_reader_s_own_name_of_minigrad_stands_in_the_sentence():
    for alias in ("mg", "torch", "engine"):
        with pytest.raises(AttributeError) as caught:
            exec(f"import minigrad as {alias}\n{alias}.ones(1).byte()", {})
        assert f"write `mask.to({alias}.uint8)`" in (caught.value.__notes__[0])


def test_names_asked_for_are_noted_with_their_line_and_hasattr_is_none():
    missing.asked.clear()
    source = "try:\n  x.erf_()\nexcept AttributeError:\n  hasattr(x, 'log2_')"
    exec(compile(source, "<it>", "exec"), {"x": mg.ones(2)})
    (one,) = missing.asked
    assert (one.file, one.line) == ("<it>", 2) and "torch.Tensor.erf_" in one.sentence


def test_a_property_that_fails_is_not_there_and_that_is_no_name_of_pytorch_s():
    class Net(mg.nn.Module):
        @property
        def bfloat16(self):
            return self.scale_of_it

    with pytest.raises(AttributeError, match="no attribute 'bfloat16'") as caught:
        Net().bfloat16  # noqa: B018
    assert not hasattr(caught.value, "__notes__")


def test_what_the_reader_sets_is_there():
    class Net(mg.nn.Module):
        half, apply = 3, 4

    x, net = mg.ones(2), Net()
    x.note_ = x.abs_ = net.bfloat16 = 5
    assert (x.abs_, net.half, net.apply, net.bfloat16) == (5, 3, 4, 5)
    assert "abs_" in dir(x) and {"half", "apply"} <= {*dir(net)}


def test_copies_pickles_and_representations_ask_for_nothing():
    missing.asked.clear()
    net = mg.nn.Sequential(mg.nn.Linear(2, 2), mg.nn.Tanh())
    for thing in (mg.ones(2), mg.nn.Parameter(mg.ones(2)), net):
        copy.deepcopy(thing), copy.copy(thing), repr(thing)
        pickle.loads(pickle.dumps(thing))
    assert not missing.asked


def test_python_s_own_traceback_shows_the_sentence():
    with pytest.raises(AttributeError) as caught:
        mg.ones(1).byte  # noqa: B018
    told = "".join(traceback.format_exception(caught.value))
    assert "write `mask.to(mg.uint8)` for `mask.byte()`" in told


# -- beside PyTorch --

RANDOM = {"randint", "bernoulli", "normal", "normal_", "uniform_"}
on_torch = pytest.mark.skipif(why_not_live() is not None, reason=str(why_not_live()))


def scene(mg, scale=1):
    """The names that instead.txt uses."""
    x = (mg.arange(6.0).reshape(2, 3) / 4 - 0.6) * scale
    a = mg.arange(18.0).reshape(2, 3, 3) / 9 - 1
    net, p = mg.nn.Linear(3, 2), (x / scale).sigmoid()
    made = {"x": x, "y": x * x - 0.5, "p": p, "q": 1 - p * p, "u": a[0, 1], "v": a[1, 2]}
    made |= {"a": a, "b": a * a, "mask": x > 0.2, "c": mg.tensor([2, 0]), "size": (2, 3)}
    made |= {"net": net, "layers": [mg.nn.Linear(1, 2), mg.nn.Tanh()]}
    return made | {"torch": mg, "mg": mg, "nn": mg.nn, "F": mg.nn.functional}


def plain(value):
    """A value of either engine, to compare."""
    if hasattr(value, "tolist"):
        return str(value.dtype).split(".")[1], tuple(value.shape), value.tolist()
    if hasattr(value, "parameters"):
        return [plain(p)[:2] for p in value.parameters()]
    return value


def outcome(code, engine, scale=1):
    names = scene(engine, scale)
    value = eval(code, names)
    return plain(value), plain(names["x"]), plain(names["p"]), len(names["layers"])


@pytest.mark.parametrize("name", pytorch.instead())
def test_a_suggestion_is_for_a_name_that_is_missing_and_runs(name):
    place, _, last = name.rpartition(".")
    thing = dict(things())[place] if place != "torch" else mg
    assert last in NAMES[place] and not has(thing, last), f"minigrad has {name} now: drop the line"
    outcome(pytorch.instead()[name][1], mg)


@on_torch
@pytest.mark.parametrize("scale", [1, 200])  # large scores must not overflow where PyTorch's do not
@pytest.mark.parametrize("name", pytorch.instead())
def test_a_suggestion_does_what_pytorch_does(name, scale):
    import torch

    theirs, ours = pytorch.instead()[name]
    wanted, found = outcome(theirs, torch, scale), outcome(ours, mg, scale)
    if name.rpartition(".")[2] in RANDOM:
        wanted, found = ([part[:2] for part in each[:3]] for each in (wanted, found))
    assert repr(found) == repr(wanted) or close(found, wanted)


def close(found, wanted):
    if isinstance(wanted, tuple | list):
        return len(found) == len(wanted) and all(map(close, found, wanted))
    if type(wanted) is float:
        wanted = pytest.approx(wanted, rel=1e-3, abs=1e-5, nan_ok=True)
    return found == wanted


@on_torch
def test_the_recorded_names_are_pytorch_s(record_property):
    recorded, now = pytorch.names(), torch_names.names()
    for place, here in recorded.items():
        gone, new = here - set(now[place]), set(now[place]) - here
        record_property(place, (" ".join(sorted(gone)), " ".join(sorted(new))))
    assert torch_names.FILE.read_text("utf-8") == torch_names.text(torch_names.names())
