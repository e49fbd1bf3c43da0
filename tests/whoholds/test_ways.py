"""Ways out: what is told leads out, and where somebody has repaired a program, with his numbers."""

import os
import random
import sys
import time
from pathlib import Path

import pytest

from whoholds.step.magic import run, step_cell
from whoholds.ways import Reserve, reserve, ways_out
from whoholds.ways.facts import facts
from whoholds.ways.source import Source

CORPUS = Path(__file__).parent / "corpus"
# Of each repair of a second backward, of a write in place, or of growth; the others mend names.
CASES = "001", "003", "010", "023", "024", "036", "039", "040", "055", "063", "070"


def reserved(engine):
    def look(text):
        names = {"__name__": "__main__"}
        outcome = run(text, engine, names)
        return facts(outcome.trace, names, outcome.error)

    return Reserve(look)


def source(folder, number):
    (path,) = (CORPUS / folder).glob(f"{number}_*.py")
    return path.read_text("utf-8")


FIRST = {  # what somebody who knows PyTorch would do, told first
    "003": "`state = tuple(one.detach() for one in state)`",
    "040": "line 17: `fake.detach()` for the step of line 21",
    "036": "line 26: `str(err)` in place of `err`",
    "055": "`Rev.outs = None` at the end of each turn",
}


@pytest.mark.parametrize("number", CASES)
def test_a_way_out_gives_the_numbers_of_a_repair_by_hand(number):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    torch.set_num_threads(1)
    with reserved("torch") as copies:
        ways = ways_out(source("programs", number), copies.trial).ways
        repaired = copies.trial(source("repairs", number))
    assert repaired["printed"] in [way.printed for way in ways], [str(way) for way in ways]
    assert ways[0].words.startswith(FIRST.get(number, "")) and len(ways) <= 3


def test_a_cell_is_told_them_after_its_error(capsys):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    cell = source("programs", "040")
    step_cell("--engine torch", cell, {"__name__": "__main__"}, display=lambda view: None)
    rows = [row for row in capsys.readouterr().out.splitlines() if row.startswith("- ")]
    assert rows[0].startswith(f"- {FIRST['040']}") and len(rows) <= 3


def test_wanted_growth_has_no_way_out():
    pytest.importorskip("torch", reason="PyTorch is not installed")
    with reserved("torch") as copies:
        assert ways_out(source("programs", "018"), copies.trial).ways == []


BRANCHES = """import torch
torch.manual_seed(0)
enc, a, b = torch.nn.Linear(8, 8), torch.nn.Linear(8, 1), torch.nn.Linear(8, 1)
opt_a = torch.optim.{kind}([*enc.parameters(), *a.parameters()], 0.1)
opt_b = torch.optim.{kind}(b.parameters(), 0.1)
for i in range(5):
    h = enc(torch.ones(4, 8)).tanh()
    loss_a = a(h).pow(2).mean()
    loss_b = b(h).pow(2).mean()
    opt_a.zero_grad()
    loss_a.backward()
    opt_a.step()
    opt_b.zero_grad()
    loss_b.backward()
    opt_b.step()
"""
CARRIED = """import torch
torch.manual_seed(0)
rnn, head = torch.nn.GRUCell(4, 8), torch.nn.Linear(8, 1)
opt = torch.optim.SGD([*rnn.parameters(), *head.parameters()], lr=0.1)
h = torch.zeros(2, 8)
for i in range(6):
    h = rnn(torch.ones(2, 4), h)
    loss = head(h).pow(2).mean()
    opt.zero_grad()
    loss.backward(retain_graph=True)
    opt.step()
"""


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_a_way_that_stops_training_is_not_told_where_another_does_not(kind):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    torch.set_num_threads(1)
    text = BRANCHES.format(kind=kind)
    with reserved("torch") as copies:
        ways = ways_out(text, copies.trial).ways
        right = copies.trial(text.replace("b(h)", "b(h.detach())"))["numbers"]
    words = [way.words for way in ways]
    assert words[0].startswith("line 9: `h.detach()` in place of `h`") and not ways[0].still
    assert any("retain_graph=True" in one for one in words), words
    for way in ways:
        names = {"__name__": "__main__"}
        run(way.source, "torch", names)
        assert names["enc"].weight.sum().item() == pytest.approx(right["enc"][0]), way.words


def test_hidden_state_is_carried_on_without_its_graph_first():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    torch.set_num_threads(1)
    with reserved("torch") as copies:
        ways = ways_out(CARRIED, copies.trial).ways
    assert ways[0].words.startswith("`h = h.detach()` after line 11: h is carried on"), ways


LEAKS = """import torch
net = torch.nn.Linear(4, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
total, kept = 0.0, []
for i in range(6):
    loss = net(torch.ones(2, 4)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    total = total + loss
    kept.append(torch.ones(4))
"""


def test_each_leak_has_a_way_with_what_shrinks_or_a_word_that_there_is_none():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    torch.set_num_threads(1)
    with reserved("torch") as copies:
        *ways, none = ways_out(LEAKS, copies.trial).rows()
        both = ways_out(LEAKS.replace("torch.ones(4))", "net.weight * i)"), copies.trial).rows()
    assert ways[0].startswith("line 10: `loss.detach()`")
    assert ", no nodes a turn in place of" in ways[0]
    assert none == "No change of this text was found after which less is held by kept."
    assert any("line 11" in row for row in both) and any("line 10" in row for row in both), both


# -- a cell --

KEPT = """import torch
model = torch.nn.Linear(4, 4)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
history = {{"loss": [], "all": {{"rows": []}}}}
class Log:
    def __init__(self):
        self.rows = []
    def add(self, step=0, loss=None):
        self.rows.append((step, loss))
log = Log()
for i in range(6):
    loss = model(torch.ones(2, 4)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    {keep}
"""


@pytest.mark.parametrize("keep", [
    'history["loss"].append(loss)', 'history["all"]["rows"].append(loss)',
    'history["all"][i] = loss', "log.add(i, loss)", "log.add(step=i, loss=loss)",
])  # fmt: skip
def test_what_is_kept_as_a_number_is_found_however_it_is_put_away(keep):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    with reserved("torch") as copies:
        ways = ways_out(KEPT.format(keep=keep), copies.trial).ways
    assert ways and "`loss.item()` in place of `loss`, kept as a number" in ways[0].words
    assert ways[0].unchanged


SHARED = """import torch
a = torch.ones(3, requires_grad=True)
b = a * 5
for i in range(2):
    c = (b + i).sum()
    c.backward()
"""


def test_advice_that_fails_is_not_given(capsys):
    step_cell("--engine minigrad", SHARED, {}, display=lambda view: None)
    said = capsys.readouterr().out
    assert "- lines 3 and 5 again" in said and "retain_graph=True" in said
    assert "detach()" not in said  # nothing would require grad


def test_a_trial_changes_nothing_here(capsys):
    import minigrad as mg

    names = {"torch": mg, "mg": mg, "log": [], "w": mg.ones(3, requires_grad=True)}
    cell = "log.append(1)\nw.data += 1\ny = (w * w * mg.rand(3)).sum()\ny.backward()\ny.backward()"
    mg.manual_seed(3)
    drawn = [mg.rand(3).tolist(), mg.rand(1).tolist()]
    mg.manual_seed(3)
    step_cell("--engine minigrad", cell, names, display=lambda view: None)
    assert "again before" in capsys.readouterr().out
    assert names["log"] == [1] and names["w"].tolist() == [2.0, 2.0, 2.0]
    assert mg.rand(1).tolist() == drawn[1], "the cell has drawn once"


def test_where_no_copy_can_be_made_that_is_said(capsys, monkeypatch):
    monkeypatch.delattr(os, "fork")
    step_cell("--engine minigrad", SHARED, {}, display=lambda view: None)
    rows = [row for row in capsys.readouterr().out.splitlines() if row.startswith("- ")]
    assert rows and all("(not tried: this system cannot copy a process)" in row for row in rows)


def test_growth_is_asked_for(capsys):
    cell = "import torch\nw = torch.ones(9, requires_grad=True)\nkept = []\n" + (
        "for i in range(6):\n    kept.append((w * w).sum())\n"
    )
    told = []
    for options in "--engine minigrad", "--engine minigrad --ways":
        step_cell(options, cell, {}, display=lambda view: None)
        told.append(capsys.readouterr().out)
    assert told[0] == ""
    assert told[1].startswith("- line 5: `(w * w).sum().item()` in place of `(w * w).sum()`")


def test_a_script_is_told_its_ways_out(capfd, tmp_path):
    from whoholds.__main__ import main

    pytest.importorskip("torch", reason="PyTorch is not installed")
    path = tmp_path / "train.py"
    path.write_text(SHARED)
    here = sys.argv, sys.path[0], sys.modules["__main__"]
    try:
        with pytest.raises(SystemExit):
            main(["--ways", str(path)])
    finally:
        sys.argv, sys.path[0], sys.modules["__main__"] = here
    said = capfd.readouterr().err
    assert "way out: lines 3 and 5 again before line 6: the forward runs twice: peak" in said


# -- the copies --


def alive(process) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_trial_that_does_not_end_is_ended(monkeypatch):
    monkeypatch.setattr(reserve, "SECONDS", 0.2)

    def look(text):
        while text == "slow":
            time.sleep(1)
        return {"said": text}

    with Reserve(look) as copies:
        assert "not done after" in copies.trial("slow")["error"]
        assert copies.trial("quick")["said"] == "quick"


def test_a_trial_that_dies_or_fails_says_so_and_the_next_one_answers():
    def look(text):
        if text == "dies":
            os._exit(3)
        if text == "fails":
            raise SystemExit(4)
        print(text)
        return {"size": len(text)}

    with Reserve(look) as copies:
        assert "without an answer" in copies.trial("dies")["error"]
        assert copies.trial("fails")["error"] == "SystemExit: 4"
        long = "é" * 300_000  # more than a pipe holds
        assert copies.trial(long) == {"size": len(long), "printed": long + "\n"}
    assert not alive(copies.child)


def test_closing_does_not_wait_for_a_trial_that_runs():
    read, write = os.pipe()

    def look(text):
        os.write(write, b"begun")
        time.sleep(1000)

    copies = Reserve(look)
    reserve._send(copies.asked[1], "x")
    os.close(write)
    assert os.read(read, 5) == b"begun"
    copies.close()
    assert os.read(read, 5) == b"", "all copies have ended, that of the trial too"
    os.close(read)


# -- edits --

PROGRAMS = sorted((CORPUS / "programs").glob("*.py"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_an_edit_changes_its_statement_and_nothing_else(path):
    seed = random.randrange(10**6)
    print("seed", seed)
    draw = random.Random(seed)
    text = path.read_text("utf-8")
    program = Source(text)
    statement = draw.choice([s for _, block in program.blocks for s in block])
    code = program.code(statement)
    assert text.count(code) and program.edited(program.put(statement, code)) == text
    for new in program.before(statement, "é = 1"), program.after(statement, "é = 1"):
        edited = program.edited(new)
        if edited:
            left = [line for line in edited.splitlines() if line.strip() != "é = 1"]
            assert left == text.splitlines() and len(edited.splitlines()) == len(left) + 1
    gone = program.edited(program.without(statement))
    if gone:
        assert len(Source(gone).blocks) <= len(program.blocks)
