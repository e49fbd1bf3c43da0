"""`record(detail="module")`: bytes at the boundaries of modules; the nets are random ones."""

import gc
import json
import random
import subprocess
import sys
import warnings
import weakref
from collections import Counter

import pytest

import whoholds

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch.optim.optimizer import _global_optimizer_post_hooks  # noqa: E402

from whoholds.on_torch.ledger import Ledger, Watch  # noqa: E402

nn, wide = torch.nn, 6


class Twice(nn.Module):
    """Calls one module twice, and a second path leads to it, too."""

    def __init__(self, inner):
        super().__init__()
        self.first, self.again = inner, inner

    def forward(self, x):
        return self.first(x) + self.again(x).sigmoid()


class Split(nn.Module):
    """Ops before, between and after its parts, whose results it gives in a dict."""

    def __init__(self, a, b):
        super().__init__()
        self.a, self.b = a, b

    def forward(self, x):
        found = {"y": self.b(self.a(x.tanh()).sigmoid() * x)}
        return found["y"].square() / wide


class Aside(nn.Module):
    """Keeps results that only the loss uses."""

    def __init__(self, inner):
        super().__init__()
        self.inner, self.asides = inner, []

    def forward(self, x):
        self.asides.append(self.inner(x).sigmoid().sum())
        return x * 2


def some_module(rng, depth=3):
    make = lambda: some_module(rng, depth - 1)  # noqa: E731
    leaves = [lambda: nn.Linear(wide, wide), nn.Tanh, nn.Identity, lambda: nn.LayerNorm(wide),
              nn.ReLU, lambda: nn.BatchNorm1d(wide)]  # fmt: skip
    inner = [lambda: Twice(make()), lambda: Split(make(), make()), lambda: Aside(make()),
             lambda: nn.Sequential(make(), make(), make())]  # fmt: skip
    return rng.choice(inner if depth else leaves)()


class Case:
    """A net, its optimizer and a step, the same for the same seed."""

    def __init__(self, seed):
        torch.manual_seed(seed)
        self.net = nn.Sequential(some_module(random.Random(seed)), nn.Linear(wide, wide))
        self.opt = torch.optim.Adam(self.net.parameters())
        self.x = torch.randn(5, wide)

    def loss(self):
        asides = [one for one in self.net.modules() if isinstance(one, Aside)]
        out = self.net(self.x).sum()
        return out + sum(kept for one in asides for kept in one.asides)

    def step(self):
        self.opt.zero_grad()
        loss = self.loss()
        loss.backward()
        self.opt.step()
        for one in self.net.modules():
            getattr(one, "asides", []).clear()
        return loss.item()


def names(case):
    """{module: path} as the recorder says them, where the net is `net`."""
    return {one: f"net.{path}".rstrip(".") for path, one in case.net.named_modules()}


def packed(case):
    """{path: bytes} that PyTorch packs in a step, and {path: calls}, by hooks of their own."""
    paths, running, calls = names(case), [], Counter()
    lasting = {one.untyped_storage()._cdata for one in case.net.state_dict().values()}
    kept, sizes = {}, Counter()

    def called(module, args):
        running.append(paths[module])
        calls[paths[module]] += 1

    def pack(tensor):
        storage = tensor.untyped_storage()
        if tensor.dim() and storage._cdata not in {*lasting, *kept}:
            kept[storage._cdata] = storage
            for path in set(running):
                sizes[path] += storage.nbytes()
        return tensor.detach()

    handles = [hook for one in case.net.modules() for hook in (
        one.register_forward_pre_hook(called),
        one.register_forward_hook(lambda *_: running.pop() and None),
    )]  # fmt: skip
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda kept: kept):
        case.loss()
    for handle in handles:
        handle.remove()
    return sizes, calls


def recorded(seed, steps=3):
    case = Case(seed)
    net = case.net  # noqa: F841  the name that the paths begin with
    with whoholds.record(engine="torch", detail="module") as trace:
        losses = [case.step() for _ in range(steps)]
    return case, trace, losses


SEEDS = range(40)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_a_module_saved_is_what_pytorch_packs(seed):
    _, trace, _ = recorded(seed)
    sizes, calls = packed(Case(seed))
    assert trace.error == "" and len(trace.turns) == 3
    for turn in trace.turns:
        rows = {row["path"]: row for row in turn["rows"]}
        assert {path: row["calls"] for path, row in rows.items()} == dict(calls)
        assert {path: row["saved"] for path, row in rows.items()} == {p: sizes[p] for p in calls}


@pytest.mark.parametrize("seed", SEEDS)
def test_numbers_are_those_of_a_plain_run(seed):
    plain = Case(seed)
    expected = [plain.step() for _ in range(3)]
    case, _, losses = recorded(seed)
    assert losses == expected
    for one, other in zip(case.net.parameters(), plain.net.parameters(), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("seed", SEEDS)
def test_alive_is_never_more_than_all_and_equal_when_a_turn_is_over(seed):
    with Watch(ledger := Ledger()):  # sees each op's result
        case, net = (made := Case(seed)), made.net  # noqa: F841
        with whoholds.record(engine="torch", detail="module") as trace:
            case.step()
            ledger.reset_peak()
            case.step()
        peak, live = ledger.peak, ledger.live()
    assert trace.turns[-1]["peak"] <= peak
    assert trace.turns[-1]["after"] == live
    assert all(row["after"] <= row["peak"] <= trace.peak for row in trace.rows)


def test_a_module_that_is_called_twice_has_one_row():
    net = Twice(nn.Linear(3, 3))
    with whoholds.record(detail="module") as trace:
        net(torch.ones(2, 3))
    assert [(row["path"], row["calls"]) for row in trace.rows] == [("net", 1), ("net.first", 2)]
    assert "net.first (Linear)" in str(trace)


def test_nothing_is_held_and_no_hook_stays():
    module = nn.modules.module
    before = [dict(module._global_forward_hooks), dict(module._global_forward_pre_hooks)]
    walk = torch.autograd._engine_run_backward
    net = nn.Linear(3, 3)
    with pytest.raises(RuntimeError) as plain:
        net(torch.ones(2, 4))
    with pytest.raises(RuntimeError) as failed, whoholds.record(detail="module") as trace:
        gone = [weakref.ref(net(torch.ones(2, 3)))]
        gc.collect()
        assert gone[0]() is None
        net(torch.ones(2, 4))
    assert str(failed.value) == str(plain.value)
    assert trace.error == f"in net: RuntimeError: {plain.value}"
    assert [module._global_forward_hooks, module._global_forward_pre_hooks] == before
    assert torch.autograd._engine_run_backward is walk
    assert not _global_optimizer_post_hooks


def test_an_error_that_is_caught_leaves_the_next_call_where_it_is():
    net, after = nn.Sequential(nn.Linear(3, 3), nn.Linear(4, 4)), nn.Linear(3, 3)
    with whoholds.record(detail="module") as trace:
        for _ in range(2):
            with pytest.raises(RuntimeError):
                net(torch.ones(2, 3))
        y = after(torch.ones(2, 3))  # noqa: F841  its graph lives
    rows = {row["path"]: (row["calls"], row["saved"]) for row in trace.rows}
    assert rows == {"net": (2, 48), "net.0": (2, 48), "net.1": (2, 0), "after": (1, 24)}
    assert trace.error == ""


def test_an_error_of_autograd_and_warnings_stay():
    def program():
        net = nn.Sequential(nn.Linear(3, 3), nn.Tanh())
        y = net(torch.ones(2, 3))
        y.detach().add_(1)
        y.sum().grad  # noqa: B018  warns
        y.sum().backward()

    said = []
    for run in program, whoholds.record(detail="module")(program):
        with warnings.catch_warnings(record=True) as heard, pytest.raises(RuntimeError) as error:
            warnings.simplefilter("always")
            run()
        said.append((str(error.value), [str(one.message) for one in heard]))
    assert said[0] == said[1] and "modified by an inplace operation" in said[0][0]


def test_a_leak_grows_and_equal_turns_are_told_once(tmp_path):
    net, kept = nn.Sequential(nn.Linear(8, 8), nn.Tanh()), []
    opt = torch.optim.Adam(net.parameters())

    def step(keep):
        opt.zero_grad()
        out = net(torch.ones(4, 8))
        out.sum().backward()
        opt.step()
        kept.extend([out.detach()] * keep)

    with whoholds.record(detail="module") as trace:
        for _ in range(9):
            step(0)
    assert "turns 2 to 9, each" in str(trace) and "grows" not in str(trace)
    with whoholds.record(detail="module") as trace:
        for _ in range(9):
            step(1)
    assert "grows: +128 B a turn or more" in str(trace)
    page = trace.save(tmp_path / "a.html").read_text("utf-8")
    assert "grows: +128 B" in page and "<script" not in page
    assert json.loads(trace.save(tmp_path / "a.json").read_text("utf-8"))["turns"] == trace.turns


def test_a_detail_that_there_is_not_is_refused():
    with pytest.raises(
        ValueError, match='detail is "tensor", "line" or "module", but got \'modules\''
    ):
        whoholds.record(detail="modules")
    with pytest.raises(ValueError, match="leave the detail out"):
        whoholds.record(engine="minigrad", detail="module").start()


def test_the_command_line_writes_the_table(tmp_path):
    (tmp_path / "train.py").write_text(
        "import torch\nnet = torch.nn.Linear(2, 2)\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\nfor turn in range(5):\n"
        "    net(torch.ones(1, 2)).sum().backward()\n    opt.step()\n"
    )
    command = [sys.executable, "-m", "whoholds", "--detail=module", "--steps=2", "--save=a.json"]
    subprocess.run([*command, "train.py"], cwd=tmp_path, check=True)
    turns = json.loads((tmp_path / "a.json").read_text("utf-8"))["turns"]
    assert [[row["path"] for row in turn["rows"]] for turn in turns] == [["net"], ["net"]]
