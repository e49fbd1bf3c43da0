"""`record(detail="line")`: what each line makes and keeps; the programs are random ones."""

import gc
import json
import secrets
import subprocess
import sys
import threading
import weakref
from collections import Counter

import pytest

import whoholds

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch.utils._pytree import tree_leaves  # noqa: E402

from tests.whoholds.test_modules import Case  # noqa: E402
from whoholds.on_torch.ledger import Ledger, Watch, free_weak  # noqa: E402

FRESH = secrets.randbelow(10**6)
SEEDS = pytest.mark.parametrize("seed", [*range(8), pytest.param(FRESH, id="fresh")])
PROGRAM = """import torch
net = torch.nn.Linear(8, 8)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
kept = []
for turn in range(5):
    out = net(torch.ones(4, 8))
    kept.append(out.detach())
    out.sum().backward()
    opt.step()
    opt.zero_grad()
"""


class NewBytes(Watch):
    """Counts the bytes of results that are on no storage of the op's arguments."""

    def __init__(self):
        super().__init__(Ledger())
        self.bytes = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = super().__torch_dispatch__(func, types, args, kwargs)
        given, new = ({torch._C._storage_address(one) for one in tree_leaves(values)
                       if isinstance(one, torch.Tensor)}
                      for values in ((args, kwargs), result))  # fmt: skip
        for address in new - given:
            weak, size = self.ledger.probe.read(address)  # an object on it would change the sums
            free_weak(weak)
            self.bytes += size
        return result


@SEEDS
def test_the_lines_have_made_all_that_the_ops_allocate(seed):
    case = Case(seed)
    case.step()
    with NewBytes() as new:
        case.step()
    with whoholds.record(engine="torch", detail="line") as trace:
        case.step()
    assert trace.error == "" and len(trace.turns) == 1
    assert sum(row["made"] for row in trace.turns[0]["rows"]) == new.bytes, FRESH


@SEEDS
def test_alive_and_peak_are_those_of_the_ledger(seed):
    case, live = Case(seed), []
    with whoholds.record(engine="torch", detail="line") as trace, Watch(ledger := Ledger()):
        case.opt.register_step_post_hook(lambda *_: live.append(ledger.live()))
        for _ in range(3):
            case.step()
    assert trace.peak == ledger.peak, FRESH
    assert [turn["after"] for turn in trace.turns] == live, FRESH
    for turn in trace.turns:
        assert max(row["peak"] for row in turn["rows"]) <= turn["peak"] <= trace.peak
        assert sum(row["kept"] for row in turn["rows"]) <= turn["after"]
        for row in turn["rows"]:
            assert row["after"] <= row["peak"] or row["after"] <= turn["peak"]


@SEEDS
def test_numbers_are_those_of_a_plain_run(seed):
    plain = Case(seed)
    expected = [plain.step() for _ in range(3)]
    case = Case(seed)
    with whoholds.record(engine="torch", detail="line"):
        assert [case.step() for _ in range(3)] == expected, FRESH


def test_a_leak_is_seen_at_its_line_and_nothing_is_held(tmp_path, monkeypatch):
    (tmp_path / "train.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "whoholds", "--detail=line", "--steps=4", "--save=a.json"]
    subprocess.run([*command, "train.py"], cwd=tmp_path, check=True)
    data = json.loads((tmp_path / "a.json").read_text("utf-8"))
    assert data["detail"] == "line" and len(data["turns"]) == 4
    kept = [Counter({row["place"]: row["kept"] for row in turn["rows"]}) for turn in data["turns"]]
    grown = {place: after - kept[2][place] for place, after in kept[3].items()}
    assert {place: n for place, n in grown.items() if n} == {"line 6": 128}
    with whoholds.record(detail="line") as trace:
        gone = weakref.ref(torch.ones(64).exp())
        gc.collect()
        assert gone() is None
    assert "made" in str(trace) and not trace.turns[0]["after"]
    page = trace.save(tmp_path / "a.html").read_text("utf-8")
    assert "torch.ones(64).exp()" in page and "<script" not in page


def test_what_another_thread_makes_is_in_the_table():
    kept = []

    def work():
        kept.append(torch.ones(10) * 2)

    with whoholds.record(detail="line", engine="torch") as trace:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    place = f"line {work.__code__.co_firstlineno + 1}"
    (row,) = (row for row in trace.rows if row["place"] == place)
    assert row["made"] == row["kept"] == 40


def test_an_error_passes_and_is_told():
    with pytest.raises(RuntimeError) as failed, whoholds.record(detail="line") as trace:
        torch.ones(2) @ torch.ones(3)
    assert trace.error == f"RuntimeError: {failed.value}"
    with pytest.raises(ValueError, match="leave the detail out"):
        whoholds.record(engine="minigrad", detail="line").start()
