"""memory.saved() lists what a graph keeps."""

import minigrad as mg
from minigrad.autograd import Function
from minigrad.autograd.graph import save_on_cpu
from minigrad.memory import saved


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


def test_asking_holds_nothing(no_collector, ledger, leaf):
    x = leaf(3)
    y = x.exp().sin()
    repr(saved(y))
    del y
    assert ledger.check() == 12


def test_the_names_torch_has():
    assert mg.cuda.memory_allocated() == mg.memory_allocated()
    assert mg.memory.max_memory_allocated() == mg.max_memory_allocated()
