"""Turns, ratios and quartiles of given timings; an engine that is missing, a child that dies,
Ctrl-C; and what a child is given."""

import json

import pytest
from bench_figures import REFUSED, answer, chain

from benchmarks import bench, child, instructions, pair, rounds
from benchmarks.bench import QUICK, WHOLE, Options
from benchmarks.cases import CASES
from benchmarks.child import Died
from benchmarks.rounds import Effort, Refused
from course import cli

CHAIN = CASES["chain"]


# -- figures --


def test_a_ratio_is_formed_in_each_round():
    row = rounds.ratio("minigrad", "torch", answer([1, 3, 2, 6], [2, 2, 2, 2], [[6], [4]]))
    assert row == {"engine": "minigrad", "over": "torch", "median": 1.25, "low": 0.875,
                   "high": 1.875, "seconds": [0.0025, 0.002], "faults": [0.0, 3.0],
                   "instructions": 1.5}  # fmt: skip


def test_what_is_not_counted_has_a_reason_and_no_ratio():
    row = rounds.ratio("minigrad", "torch", answer([1], [2]))
    assert row["not counted"] == REFUSED and "instructions" not in row


def test_one_round_is_its_own_quartiles():
    assert rounds.quartiles([0.5]) == [0.5, 0.5, 0.5]


def test_a_case_is_plain_data():
    assert json.loads(json.dumps(chain())) == chain()


# -- turns --


def test_who_is_first_changes_from_round_to_round():
    asked = []
    found = pair.take_turns(["a", "b"], 3, lambda side: asked.append(side) or len(asked))
    assert "".join(asked) == "abbaab"
    assert found == {"a": [1, 4, 5], "b": [2, 3, 6]}


class Steps:
    """A case whose steps are counted."""

    def __init__(self, anew):
        self.anew, self.done = anew, []

    def step(self, engine):
        number = len(self.done)
        self.done.append(0)

        def step():
            self.done[number] += 1

        return step


@pytest.mark.parametrize(("anew", "done"), [(False, [8]), (True, [1, 1])])
def test_a_step_is_warm_unless_it_is_good_for_one_time(anew, done):
    case = Steps(anew)
    side = pair.Side(case, "minigrad", steps=1 if anew else 3)
    for _ in range(2):
        pair.turn(side, int)
    assert case.done == done


def test_a_turn_is_of_one_step():
    counts = iter([100, 130])
    _, counted, _ = pair.turn(pair.Side(Steps(False), "minigrad", steps=3), lambda: next(counts))
    assert counted == 10


# -- instructions --

CPU_CLOCK = 1, 0  # of the kernel's own making, which every Linux can count


def test_a_counter_counts_what_this_process_does():
    try:
        count = instructions.Counter(CPU_CLOCK)
    except instructions.NotCounted as refusal:
        pytest.skip(str(refusal))
    before = count()
    sum(range(100_000))
    assert count() > before


def test_an_event_that_is_unknown_is_refused_in_words():
    with pytest.raises(instructions.NotCounted, match=r"^(the kernel says: |\w+ \w+ has no )"):
        instructions.Counter((99, 99))


def test_another_system_is_a_sentence(monkeypatch):
    monkeypatch.setattr(instructions.platform, "system", lambda: "Plan9")
    assert instructions.counter().startswith("Plan9 ")


# -- children --


def test_a_child_has_one_thread_and_the_kernels_of_its_processor(monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Nehalem")
    monkeypatch.setenv("OPENBLAS_L2_SIZE", "512")
    code = "import os; print([os.environ.get(n) for n in " \
           "('OPENBLAS_CORETYPE', 'OPENBLAS_L2_SIZE', 'OMP_NUM_THREADS')])"  # fmt: skip
    assert child.python("-c", code) == "[None, None, '1']\n"


def test_a_death_is_told_with_its_last_words():
    with pytest.raises(Died, match="^KeyError: 'no-such-case'$"):
        child.ask("pair", "no-such-case", "minigrad", "torch", 1, 0.1)
    with pytest.raises(Died, match="^exit code 3, without a word.$"):
        child.python("-c", "raise SystemExit(3)")


def test_a_pair_whose_child_dies_is_left_out_and_the_others_go_on(monkeypatch):
    def ask(module, name, engine, *words):
        if engine == "numpy":
            raise Died("killed.")
        return answer([1], [2])

    monkeypatch.setattr(rounds, "ask", ask)
    monkeypatch.setattr(rounds, "installed", lambda engine: True)
    monkeypatch.setattr(rounds, "missing", lambda engines: [])
    monkeypatch.setattr(Effort, "pairs", lambda *_: [("numpy", "torch"), ("minigrad", "torch")])
    result = rounds.measure(CHAIN, Effort(1, 0.1, all=False))
    assert result["left out"] == ["chain, numpy over torch, is left out: killed."]
    assert [row["engine"] for row in result["ratios"]] == ["minigrad"]


def test_engines_that_differ_are_refused_in_a_sentence(monkeypatch):
    monkeypatch.setattr(rounds, "ask", lambda *words: {"differ": "step 1 gives 1, but 2"})
    with pytest.raises(Refused, match=r"^chain is refused, its engines differ: step 1 .* but 2\.$"):
        rounds.answer(CHAIN, "minigrad", "torch", QUICK)


def test_an_engine_that_is_missing_is_a_sentence(monkeypatch):
    monkeypatch.setattr(child.importlib.util, "find_spec", lambda name: name == "numpy" or None)
    said = child.missing(["minigrad", "torch", "torch nn", "numpy"])
    assert [sentence.split()[0] for sentence in said] == ["minigrad", "torch"]
    assert '`pip install -e ".[bench]"`' in said[1]


# -- how much --


def test_a_quick_run_has_the_pairs_with_a_bar_or_the_first():
    assert QUICK.pairs(CHAIN) == [("minigrad", "torch")]
    assert ("minigrad nn", "torch nn") in QUICK.pairs(CASES["mlp-small"])
    assert QUICK.pairs(CASES["conv"]) == [("minigrad", "torch")]
    assert WHOLE.pairs(CHAIN) == CHAIN.pairs


def test_a_ratio_is_the_median_of_25_rounds_at_least():
    assert WHOLE.rounds >= 25 and QUICK.rounds >= 25


def test_a_quick_run_has_what_has_a_bar_and_nothing_long_unless_it_is_asked_for():
    names = [case.name for case in bench.chosen(Options(quick=True))]
    assert "chain" in names and not {"million", "conv"} & set(names)
    assert [case.name for case in bench.chosen(Options(["million"], quick=True))] == ["million"]
    assert len(bench.chosen(Options())) == len(CASES)


# -- the command --


@pytest.fixture
def said(capsys):
    return lambda: capsys.readouterr().out


@pytest.mark.parametrize("name", ["record-elementwise", "record-elementwise-block"])
def test_a_case_is_measured_by_a_real_child(name, tmp_path, said):
    options = Options(cases=[name], rounds=1, quick=True, out=tmp_path / "new")
    assert bench.bench(options) == 0
    page = said()
    assert f"| {name} | minigrad recorded | minigrad |" in page
    assert "- instructions: " in page and "- BLAS of numpy: " in page
    (path,) = tmp_path.glob("new/*.json")
    (case,) = json.loads(path.read_text())["cases"]
    assert [row["engine"] for row in case["ratios"]] == ["minigrad recorded"]


def interrupted(cases, effort, say, done):
    done.append(chain())
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


def test_an_unknown_case_is_a_sentence_with_the_known_ones(capsys):
    assert cli.main("bench", cases=["chian"]) == 2
    assert capsys.readouterr().err.startswith("There is no case chian: choose from chain, ")


def test_a_class_has_no_benchmarks(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(cli, "ROOT", tmp_path)
    assert cli.main("bench", cases=["no-such-case"]) == 2
    assert "no part of a class's copy" in capsys.readouterr().err
