"""`who(tensor)`: a path for every way to hold a tensor, on both engines."""

import json
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

import minigrad as mg
import whoholds
from minigrad.autograd import Function
from whoholds import who
from whoholds.holders import who as who_module

HERE = Path(__file__).parent
WAYS = sorted(path.stem for path in (HERE / "corpus/holders").glob("*.py"))
LACKS = 6  # of the ways, at most, minigrad cannot make: hooks of modules, ModuleDict and the like


def answers(engine):
    command = [sys.executable, str(HERE / "ask.py"), engine]
    env = os.environ | {"PYTHONPATH": str(HERE.parents[1])}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def right(answer, accepted):
    """A string is a path, a list the words that must all be there."""
    path = answer.partition(" (")[0]
    return any(
        path == one if isinstance(one, str) else all(word in answer for word in one)
        for one in accepted
    )


@pytest.fixture(scope="module")
def on_torch():
    pytest.importorskip("torch", reason="PyTorch is not installed")
    return answers("torch")


@pytest.fixture(scope="module")
def on_minigrad():
    return answers("minigrad")


@pytest.mark.parametrize("way", WAYS)
def test_torch_names_the_holder(on_torch, way):
    found, accepted = on_torch[way]
    assert any(right(answer, accepted) for answer in found), (found, accepted)


@pytest.mark.parametrize("way", WAYS)
def test_minigrad_names_the_holder(on_minigrad, way):
    if isinstance(on_minigrad[way], str):
        pytest.skip(f"minigrad cannot make it: {on_minigrad[way]}")
    found, accepted = on_minigrad[way]
    assert any(right(answer, accepted) for answer in found), (found, accepted)


def test_minigrad_can_make_nearly_all(on_minigrad):
    lacking = [way for way, row in on_minigrad.items() if isinstance(row, str)]
    assert len(lacking) <= LACKS, lacking


def test_the_question_holds_nothing():
    kept = [mg.ones(3)]
    found = whoholds.who(kept[0])  # asked by itself: pytest's assert keeps parts of what it asks
    assert found == ["kept[0]"]
    before = mg.memory_allocated()
    kept.clear()
    assert mg.memory_allocated() == before - 12


def test_nobody_holds_what_was_just_made():
    assert repr(whoholds.who(mg.ones(3))) == "nobody"


def test_what_is_no_tensor_is_refused():
    with pytest.raises(TypeError, match="a tensor of PyTorch or minigrad is wanted, but got list"):
        whoholds.who([1])


# -- asked in a statement of its own, since pytest's assert makes names of its parts --


def leaf(*shape):
    return mg.ones(*shape, requires_grad=True)


def test_a_second_name_and_a_view():
    t = mg.ones(3)
    other, view = t, t[1:]  # noqa: F841
    found = who(t)
    assert found == ["t", "other", "view._base", "view (on the same bytes)"]


def test_an_argument_of_a_running_function():
    def inner(argument):
        return who(argument)

    t = mg.ones(3)
    found = inner(t)
    assert set(found) == {"argument", "test_an_argument_of_a_running_function.t"}


@pytest.fixture
def notebook(monkeypatch):
    """A module as IPython's: names, and Out with what cells returned."""
    module = types.ModuleType("notebook_of_this_test")
    module.Out = {}
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


def test_names_and_places_in_another_module(notebook):
    notebook.model = mg.ones(3)
    notebook.batches = [mg.zeros(1), notebook.model]
    notebook.by_name = {"w": notebook.model}
    found = who(notebook.model)
    here = [path for path in found if path.startswith("notebook_of_this_test.")]
    names = "model", "batches[1]", "by_name['w']"
    assert here == [f"notebook_of_this_test.{name}" for name in names]


def test_the_out_of_a_notebook_is_named_once(notebook):
    notebook._oh = notebook.Out
    notebook.Out[3] = mg.ones(3)
    found = who(notebook.Out[3])
    assert "notebook_of_this_test.Out[3]" in found and not any("_oh" in path for path in found)


def test_nodes_with_what_they_saved():
    x = leaf(3)
    t = x * 2
    y = t.sin()
    found = who(t)
    assert found == ["t", "y.grad_fn._saved_self (SinBackward0)"]
    y.sum().backward()
    found = who(t)
    assert found == ["t"]


def test_a_leaf_that_only_its_graph_keeps():
    y = leaf(3) * 1
    found = who(y.grad_fn.next_functions[0][0].variable)
    assert "y.grad_fn.next_functions[0][0].variable" in found


def test_what_is_near_is_found_in_the_largest_program(monkeypatch):
    """Modules with ever so many things are looked at side by side with the variables."""
    monkeypatch.setattr(who_module, "MOST", 1000)
    y = leaf(3) * 1
    assert "y.grad_fn.next_functions[0][0].variable" in who(y.grad_fn.next_functions[0][0].variable)


def test_a_grad():
    x = leaf(3)
    x.sum().backward()
    found = who(x.grad)
    assert found == ["x.grad"]


def test_a_hook_and_what_is_in_it():
    x, factor = leaf(3), mg.ones(3)
    x.register_hook(lambda g, factor=factor: g * factor)
    found = who(factor)
    assert found == ["factor", "x, a hook, default 'factor'"]


def test_what_an_op_of_ones_own_keeps_on_its_ctx():
    class Hides(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.hidden = x
            return x * 1

    x = leaf(3)
    y = Hides.apply(x)  # noqa: F841
    found = who(x)
    assert "y.grad_fn.hidden" in found


def test_a_twin_by_data():
    t = mg.ones(3)
    twin = t.data  # noqa: F841
    found = who(t)
    assert found == ["t", "twin"]
