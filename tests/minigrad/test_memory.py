"""memory.saved() lists what a graph keeps; memory.holders() names who keeps these bytes alive."""

import sys
import types

import pytest

import minigrad as mg
from minigrad.autograd import Function
from minigrad.autograd.graph import save_on_cpu
from minigrad.memory import holders, saved


class KeepsBoth(Function):
    """Saves its input and its result."""

    @staticmethod
    def forward(ctx, x):
        result = x * 2
        ctx.save_for_backward(x, None, result)
        return result

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def rows(y):
    return [(r["node"], r["name"], r["shape"], r["bytes"], r["freed"]) for r in saved(y)]


# -- saved() --


def test_rows_before_and_after_backward(leaf):
    x = leaf(2, 3)
    y = (x * 5).exp().sum()
    assert rows(y) == [
        ("ExpBackward0", "result", "[2, 3]", 24, False),
        ("MulBackward0", "other", "", 0, False),
    ]
    assert saved(y).total == 24
    y.backward(retain_graph=True)
    assert saved(y).total == 24
    y.backward()
    assert [(r["node"], r["freed"], r["bytes"]) for r in saved(y)] == [
        ("ExpBackward0", True, 0),
        ("MulBackward0", True, 0),
    ]
    assert saved(y).total == 0
    assert "freed" in repr(saved(y))


def test_only_what_was_needed_is_listed(leaf):
    x, constant = leaf(4), mg.ones(4)
    assert [(r["name"], r["bytes"]) for r in saved(x * constant)] == [("other", 16)]
    assert [r["name"] for r in saved(x * x)] == ["self", "other"]
    assert rows(x + x) == [] and repr(saved(x + x)) == "nothing saved"
    assert rows(constant * constant) == []


def test_a_buffer_saved_twice_counts_once(leaf):
    x = leaf(4)
    y = x.tanh()
    z = y * y
    found = saved(z)
    assert [(r["node"], r["name"], r["shared"]) for r in found] == [
        ("MulBackward0", "self", False),
        ("MulBackward0", "other", True),
        ("TanhBackward0", "result", True),
    ]
    assert found.total == 16
    assert found[2]["note"] == "same buffer as MulBackward0.self"


def test_views_share_their_buffer(leaf):
    x = leaf(2, 3)
    y = x.exp()
    found = saved(y.t() * y.view(3, 2))
    assert [r["bytes"] for r in found if not r["shared"]] == [24]
    assert found.total == 24


def test_a_leaf_is_noted_as_such(leaf):
    x = leaf(4)
    (row,) = saved(x.sin())
    assert row["note"] == "a leaf" and row["bytes"] == 16


def test_indices_in_a_list_count(leaf):
    found = saved(leaf(4)[[0, 1, 1]])
    assert [(r["node"], r["name"]) for r in found] == [("IndexBackward0", "indices")]


def test_a_custom_function_names_places(leaf):
    y = KeepsBoth.apply(leaf(4))
    assert rows(y) == [
        ("KeepsBothBackward", "[0]", "[4]", 16, False),
        ("KeepsBothBackward", "[2]", "[4]", 16, False),
    ]
    y.sum().backward()
    assert saved(y).total == 0


def test_packed_tensors_are_said_to_be(leaf):
    with save_on_cpu():
        y = leaf(4).exp()
    (row,) = saved(y)
    assert row["note"] == "in the care of a pack hook" and row["bytes"] == 0


def test_the_total_is_what_the_graph_alone_holds(no_collector, ledger, leaf):
    x = leaf(100)
    before = ledger.check()
    y = ((x + 1).exp().tanh() + 1).sum()
    assert ledger.check() - before - 4 == saved(y).total == 800
    y.backward()
    x.grad = None
    assert ledger.check() - before - 4 == saved(y).total == 0


def test_the_table_is_aligned(leaf):
    text = repr(saved(leaf(100, 30).tanh()))
    assert text == "TanhBackward0  result  [100, 30]  12,000 B\n12,000 B held by the graph"
    text = repr(saved((leaf(2, 3) * 5).exp()))
    assert text.splitlines() == [
        "ExpBackward0  result  [2, 3]  24 B",
        "MulBackward0  other            0 B  the number 5",
        "24 B held by the graph",
    ]


# -- holders(): asked in a statement of its own, since pytest's assert makes names of its parts --


def test_a_local_name():
    t = mg.ones(3)
    assert holders(t) == ["name t in test_a_local_name"]


def test_a_second_name_and_a_view():
    t = mg.ones(3)
    other, view = t, t[1:]  # noqa: F841
    assert set(holders(t)) == {
        f"name {n} in test_a_second_name_and_a_view" for n in ("t", "other", "view")
    }


def test_an_argument_of_a_running_function():
    def inner(argument):
        return holders(argument)

    assert "name argument in inner" in inner(mg.ones(3))


def test_nobody_but_the_question():
    found = holders(mg.ones(3))
    assert repr(found) == "nobody"


@pytest.fixture
def notebook(monkeypatch):
    """A module as IPython's: names, and Out with what cells returned."""
    module = types.ModuleType("notebook_of_this_test")
    module.Out = {}
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


def test_names_and_places_in_a_module(notebook):
    notebook.model = mg.ones(3)
    notebook.batches = [mg.zeros(1), notebook.model]
    notebook.by_name = {"w": notebook.model}
    notebook.pair = (notebook.model,)
    found = holders(notebook.model)
    assert found == [
        "name batches[1] in notebook_of_this_test",
        "name by_name['w'] in notebook_of_this_test",
        "name model in notebook_of_this_test",
        "name pair[0] in notebook_of_this_test",
    ]


def test_the_out_of_a_notebook(notebook):
    notebook._oh = notebook.Out
    notebook.Out[3] = mg.ones(3)
    found = holders(notebook.Out[3])
    assert found == ["name Out[3] in notebook_of_this_test"]


def test_a_list_of_a_function():
    history = [mg.zeros(1), mg.ones(3)]
    found = holders(history[1])
    assert found == ["name history[1] in test_a_list_of_a_function"]


def test_nodes_with_what_they_saved(leaf):
    x = leaf(3)
    t = x * 2
    y = t.sin()
    found = holders(t)
    assert "node SinBackward0._saved_self" in found
    assert "name t in test_nodes_with_what_they_saved" in found
    y.sum().backward()
    assert holders(t) == ["name t in test_nodes_with_what_they_saved"]


def test_a_result_that_only_its_node_keeps(leaf):
    y = leaf(3).exp()
    found = holders(y)
    assert "node ExpBackward0._saved_result" in found


def test_a_custom_function(leaf):
    x = leaf(3)
    y = KeepsBoth.apply(x)
    assert "node KeepsBothBackward.saved_tensors[0]" in holders(x)
    assert "node AccumulateGrad.variable" in holders(x)
    assert "node KeepsBothBackward.saved_tensors[2]" in holders(y)


def test_a_ctx_attribute(leaf):
    class Hides(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.hidden = x
            return x * 1

    x = leaf(3)
    y = Hides.apply(x)
    assert "node HidesBackward.hidden" in holders(x)
    assert y.grad_fn is not None


def test_a_grad(leaf):
    x = leaf(3)
    x.sum().backward()
    found = holders(x.grad)
    assert found == ["the .grad of x in test_a_grad"]


def test_a_closure():
    t = mg.ones(3)

    def later():
        return t

    found = holders(t)
    assert "a variable of a closure" in found and later is not None


def fails():
    forgotten = mg.ones(3)
    raise ValueError(forgotten.shape)


def test_a_traceback():
    try:
        fails()
    except ValueError as error:
        kept = error
    frame = kept.__traceback__.tb_next.tb_frame
    found = holders(frame.f_locals["forgotten"])
    assert "name forgotten in fails (kept by a traceback or a generator)" in found


def test_a_generator():
    def batches():
        batch = mg.ones(3)
        yield batch

    running = batches()
    found = holders(next(running))
    assert found == ["name batch in batches (kept by a traceback or a generator)"]


def test_a_tensor_and_a_node_that_somebody_looked_into(leaf):
    x = leaf(3)
    t = x * 2
    y = t.sin()
    dir(x), dir(t), dir(t.grad_fn), dir(y.grad_fn)  # as completion in a notebook does
    found = holders(t)
    here = "test_a_tensor_and_a_node_that_somebody_looked_into"
    assert found == [f"name t in {here}", "node SinBackward0._saved_self"]
    t.sum().backward()
    found = holders(x.grad)
    assert found == [f"the .grad of x in {here}"]


def test_data_and_numpy_twins(leaf):
    t = mg.ones(3)
    twin = t.data
    assert "name twin in test_data_and_numpy_twins" in holders(t)
    assert "name t in test_data_and_numpy_twins" in holders(twin)


def test_asking_holds_nothing(no_collector, ledger, leaf):
    x = leaf(3)
    y = x.exp().sin()
    repr(holders(y)), repr(saved(y))
    del y
    assert ledger.check() == 12  # no snapshot of our local variables stayed behind


def test_the_names_torch_has():
    assert mg.cuda.memory_allocated() == mg.memory_allocated()
    assert mg.memory.max_memory_allocated() == mg.max_memory_allocated()
