"""`run.py gpu` on a simulated card; it goes on whatever a stage does, and needs little to start."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import numpy as np
import pytest

from benchmarks.gpu import plan, record, report, runner
from benchmarks.gpu.__main__ import main
from benchmarks.gpu.row import FAILED, PASSED, Row, left_out
from course.recorded import NONE, RealCard

ROOT = Path(__file__).parents[1]


def planted(name, share=60.0):
    return plan.Stage(name, f"planted: {name}", share, f"tests.gpu_planted:{name}")


# -- whatever a stage does, the next one runs --

ENDS = {
    "failing": "ended by exit code 1: ValueError: planted to fail",
    "leaving": "ended by exit code 3: without a word",
    "crashing": "ended by SIGSEGV: without a word",
}


@pytest.mark.parametrize("how", ENDS)
def test_a_stage_that_goes_wrong_keeps_its_rows_and_stops_no_other(how):
    said = []
    found = runner.run_all([planted(how), planted("good")], True, said.append)
    assert [row.outcome for row in found[how]] == [PASSED, FAILED]
    assert found[how][1].detail == ENDS[how]
    assert found["good"] == [Row("planted", "before", PASSED)]
    assert not report.good(found) and any("FAILED" in line for line in said)


def test_a_stage_that_hangs_is_stopped_at_its_share():
    found = runner.run_all([planted("hanging", 10.0), planted("good")], True, lambda text: None)
    *before, last = found["hanging"]
    assert last.detail == "stopped at its share of 10 s: what it had not tried is not known"
    assert {row.outcome for row in before} <= {PASSED} and report.good({"good": found["good"]})


def test_what_an_engine_prints_is_no_row():
    (row,) = runner.rows_of(planted("babbling"), True, 60.0)
    assert row == Row("planted", "before", PASSED)


def test_all_shares_are_under_eight_minutes():
    assert sum(stage.share for stage in (plan.FACTS, *plan.STAGES)) < 60 * plan.MINUTES


# -- the command --


def gpu(options="{}", **environment):
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.gpu", options],
        cwd=ROOT, capture_output=True, text=True, env={**os.environ, **environment},
    )  # fmt: skip


def test_the_lesson_runs_on_a_simulated_card_and_is_recorded(tmp_path):
    done = gpu(json.dumps({"stages": ["lesson"], "simulate": True, "out": str(tmp_path)}))
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line for line in done.stdout.splitlines() if line.startswith("| lesson")]
    assert len(rows) == 2 and " passed " in rows[0] and "not on a simulated card" in rows[1]
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["gpu_14.json", *(f"simulated-gpu-16-00-gib-part.{k}" for k in ("json", "md"))]
    cells = {cell["cell"] for cell in json.loads((tmp_path / "gpu_14.json").read_text())["cells"]}
    assert {"14.where", "14.pool", "14.rounding", "14.moments", "14.lengths"} <= cells


@pytest.mark.slow
def test_everything_passes_on_a_simulated_card():
    done = gpu('{"simulate": true, "share": 10}')  # a slow machine takes its time
    assert done.returncode == 0, done.stdout + done.stderr
    for stage in plan.STAGES:
        assert f"\n| {stage.name} " in done.stdout
    assert "Written" not in done.stdout, "a simulated card's figures are nobody's"


def test_a_stage_that_is_not_there_gets_one_sentence(capsys):
    assert main(stages=["nothing"]) == 2
    assert capsys.readouterr().err.startswith("There is no stage nothing: choose from checks, ")


def test_without_a_card_it_says_so():
    done = gpu(MINIGRAD_BACKEND="numpy")
    assert done.returncode == 2 and not done.stdout
    assert done.stderr.startswith("No run on a card: MINIGRAD_BACKEND=numpy is set")
    assert done.stderr.count("\n") == 1


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A Python that has the standard library, numpy, and a CuPy without a driver; no more."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, symlinks=True)
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": folder}))
    for name in ("numpy", "numpy.libs"):
        (packages / name).symlink_to(Path(np.__file__).parents[1] / name)
    (packages / "cupy.py").write_text(
        "class ndarray: pass\n"
        "def get_default_memory_pool(): raise RuntimeError('cudaErrorInsufficientDriver')\n"
    )
    unused = "PYTHONPATH", "PYTHONHOME", "MINIGRAD_BACKEND"
    kept = {name: value for name, value in os.environ.items() if name not in unused}

    def run(*words):
        return subprocess.run(
            [folder / "bin" / "python", *words], cwd=ROOT, env=kept, capture_output=True, text=True
        )

    return run


needs_links = pytest.mark.skipif(os.name != "posix", reason="the bare Python is made of links")


@needs_links
def test_a_card_without_its_driver_is_told_in_a_bare_python(bare):
    done = bare("-m", "benchmarks.gpu")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
    assert "No run on a card: CuPy is installed, but a first matrix product" in done.stderr
    assert "RuntimeError: cudaErrorInsufficientDriver" in done.stderr


@needs_links
def test_the_command_runs_in_a_bare_python(bare):
    done = bare("-m", "benchmarks.gpu", '{"simulate": true, "stages": ["suite", "lesson"]}')
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\| cells of lesson 14 +\| passed ", done.stdout)


@needs_links
@pytest.mark.parametrize("name", [stage.name for stage in plan.STAGES])
def test_a_stage_needs_numpy_and_nothing_else(bare, name):
    """Its modules are imported and its first row is made, where pytest and IPython are not."""
    code = (
        "import sys; from benchmarks.gpu import plan; from benchmarks.gpu.place import Place; "
        "(stage,) = plan.chosen(sys.argv[1:]); row = next(stage.function(Place(True, 60))); "
        "print(row.outcome)"
    )
    done = bare("-c", code, name)
    assert done.stdout in ("passed\n", "left out\n"), done.stdout + done.stderr


# -- the table and the record --

POOL = {"cell": "14.pool", "prints": "on a C 9: 1\n"}
EXP, LOG = Row("values", "exp", PASSED), Row("values", "log", FAILED, "a | b")
FOUND = {
    "ops": [EXP, LOG, Row("x", "y", PASSED), left_out("x", "3 of 4 were tried")],
    "lesson": [Row("cells", "14.pool", PASSED, figures=POOL)],
}
FACTS = {"device": "C 9", "date": "2026-11-22", "CuPy": "14.2.0"}


def test_the_table_counts_and_names_the_first_failure(tmp_path):
    lines = report.table(FOUND).splitlines()
    cells = [[cell.strip() for cell in line.split(" | ")] for line in lines[2:]]
    assert cells[0] == ["| ops", "values", "FAILED", "1", "1", "log: a \\| b |"]
    assert cells[1] == ["| ops", "x", "passed", "1", "0", "3 of 4 were tried |"]
    page = report.page(FACTS, FOUND, whole=True)
    assert "- ops, values, log: a | b" in page and report.PARTS not in page
    assert [p.name for p in report.save(FACTS, FOUND, tmp_path, True)] == ["c-9.json", "c-9.md"]


def test_the_lesson_shows_a_record_if_there_is_one(tmp_path):
    path = record.save(FACTS, FOUND["lesson"], tmp_path)
    shown = repr(RealCard(path))
    assert shown == "Recorded on a C 9, 2026-11-22 (CuPy 14.2.0):\n\n[14.pool] on a C 9: 1"
    assert repr(RealCard(tmp_path / "none.json")) == NONE
    failed = [*FOUND["lesson"], Row("cells", "14.dies", FAILED)]
    assert record.save(FACTS, failed, tmp_path) is None
