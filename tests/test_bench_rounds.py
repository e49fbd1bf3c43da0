"""Ratios and quartiles of given timings; an engine that is missing, a worker that dies, Ctrl-C."""

import json
import subprocess
import sys

import pytest
from bench_figures import TIMES, answers

from benchmarks import bench, crew, rounds
from benchmarks.bench import Options
from benchmarks.cases import CASES
from benchmarks.crew import Died, Worker
from benchmarks.rounds import Effort
from course import cli

CHAIN = CASES["chain"]


# -- figures --


def test_a_ratio_is_formed_in_each_round():
    (row,) = rounds.ratios(TIMES, [("minigrad", "torch")], {"minigrad": 30, "torch": 40})
    assert row == {"engine": "minigrad", "over": "torch", "median": 1.25, "low": 0.875,
                   "high": 1.875, "peak": 0.75}  # fmt: skip


def test_one_round_is_its_own_quartiles():
    assert rounds.quartiles([0.5]) == [0.5, 0.5, 0.5]


def test_who_is_not_there_has_no_ratio():
    pairs = [("minigrad", "torch"), ("numpy", "torch"), ("minigrad", "numpy")]
    found = rounds.ratios({"minigrad": [1.0], "numpy": [2.0]}, pairs, {})
    assert [(row["engine"], row["over"]) for row in found] == [("minigrad", "numpy")]


def test_a_case_is_plain_data():
    result = rounds.result(CHAIN, answers(), {"minigrad": 30})
    assert json.loads(json.dumps(result)) == result
    assert result["engines"]["minigrad"]["microseconds"] == 2500
    assert [row["engine"] for row in result["ratios"]] == ["minigrad", "numpy"]


# -- workers --


class StandIn:
    """Answers as often as it is told to, then it is dead."""

    def __init__(self, engine, answers=99):
        self.engine, self.answers, self.ended = engine, answers, False

    def ask(self, *words):
        self.answers -= 1
        if self.answers < 0:
            raise Died(f"{self.engine} died and is left out: killed.")
        return {"seconds": 0.001, "steps": 3, "faults": 0.0}

    def end(self):
        self.ended = True


def test_who_dies_on_the_way_is_left_out_and_the_others_go_on():
    workers = {"minigrad": StandIn("minigrad"), "torch": StandIn("torch", answers=2)}
    torch, left_out = workers["torch"], []
    found = rounds.take_turns(workers, 5, 0.1, left_out)
    assert {engine: len(each) for engine, each in found.items()} == {"minigrad": 5}
    assert left_out == ["torch died and is left out: killed."] and torch.ended


def test_the_order_is_drawn_anew_each_round(monkeypatch):
    asked = []
    workers = {name: StandIn(name) for name in ("minigrad", "torch", "numpy")}
    monkeypatch.setattr(StandIn, "ask", lambda self, *words: asked.append(self.engine) or {})
    rounds.take_turns(workers, 40, 0.1, [])
    orders = {tuple(asked[i : i + 3]) for i in range(0, 120, 3)}
    assert len(orders) > 1 and all(len(set(order)) == 3 for order in orders)


def test_a_death_is_told_with_its_last_words():
    worker = Worker("no-such-case", "minigrad")
    with pytest.raises(Died, match=r"^minigrad died and is left out: KeyError: 'no-such-case'$"):
        worker.ask("losses", 1)
    worker.end()


def test_workers_end_with_the_block_whatever_happens():
    with pytest.raises(KeyboardInterrupt), crew.crew(CHAIN, ["numpy"]) as workers:
        process = workers["numpy"].process
        raise KeyboardInterrupt
    assert process.returncode is not None


def test_an_engine_that_is_missing_is_a_sentence(monkeypatch):
    monkeypatch.setattr(crew.importlib.util, "find_spec", lambda name: name == "numpy" or None)
    said = crew.missing(["minigrad", "torch", "torch nn", "numpy"])
    assert [sentence.split()[0] for sentence in said] == ["minigrad", "torch"]
    assert '`pip install -e ".[bench]"`' in said[1]


def test_a_quick_run_leaves_the_peers_out():
    effort = Effort(3, 0.1, peers=False)
    assert effort.engines(CHAIN) == ["minigrad", "minigrad replay", "torch", "numpy"]
    assert effort.engines(CASES["elementwise"]) == ["minigrad", "torch"]
    assert Effort(3, 0.1).engines(CHAIN) == list(CHAIN.engines)


# -- the command --


@pytest.fixture
def said(capsys):
    return lambda: capsys.readouterr().out


def test_a_case_is_measured_by_real_workers(tmp_path, said):
    options = Options(cases=["record-elementwise"], rounds=1, quick=True, out=tmp_path / "new")
    assert bench.bench(options) == 0
    assert "| record-elementwise | minigrad recorded | minigrad |" in said()
    (path,) = tmp_path.glob("new/*.json")
    (case,) = json.loads(path.read_text())["cases"]
    assert case["engines"]["minigrad"]["peak bytes"] == 786_440
    assert [row["engine"] for row in case["ratios"]] == ["minigrad recorded"]


def interrupted(cases, effort, say, done):
    done.append(rounds.result(CHAIN, answers(), {}) | {"left out": []})
    raise KeyboardInterrupt


def test_ctrl_c_keeps_the_finished_cases(tmp_path, monkeypatch, said):
    monkeypatch.setattr(bench, "measure_all", interrupted)
    assert bench.bench(Options(out=tmp_path)) == 130
    assert "Stopped: the cases that are finished are kept." in said()
    (path,) = tmp_path.glob("*.json")
    assert [case["case"] for case in json.loads(path.read_text())["cases"]] == ["chain"]


def test_ctrl_c_before_the_first_writes_nothing(tmp_path, monkeypatch, said):
    def at_once(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(bench, "measure_all", at_once)
    assert bench.bench(Options(out=tmp_path)) == 130
    assert list(tmp_path.iterdir()) == []


def test_a_refused_case_does_not_stop_the_others(monkeypatch):
    def measure(case, effort):
        if case is CHAIN:
            raise rounds.Refused("chain is refused, and why.")
        return {"case": case.name}

    monkeypatch.setattr(rounds, "measure", measure)
    done = []
    rounds.measure_all([CHAIN, CASES["conv"]], Effort(1, 0.1), lambda text: None, done)
    assert done == [
        {"case": "chain", "title": CHAIN.title, "refused": "chain is refused, and why."},
        {"case": "conv"},
    ]


def test_an_unknown_case_is_a_sentence_with_the_known_ones(capsys):
    assert cli.main("bench", cases=["chian"]) == 2
    assert capsys.readouterr().err.startswith("There is no case chian: choose from chain, ")


def test_a_class_has_no_benchmarks(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(cli, "ROOT", tmp_path)
    assert cli.main("bench", cases=["no-such-case"]) == 2
    assert "no part of a class's copy" in capsys.readouterr().err


def test_a_worker_leaves_ctrl_c_to_the_one_who_asks():
    code = (
        "import os, signal, sys; from benchmarks import worker;"
        "sys.stdin = iter(()); worker.main('chain', 'numpy');"
        "os.kill(os.getpid(), signal.SIGINT); print('alive', file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=crew.ROOT, capture_output=True, text=True
    )
    assert done.stderr == "alive\n"
