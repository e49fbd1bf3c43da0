"""`run.py truth` lists what another PyTorch changes; with none installed it says how to get one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from course import beside, cli, truth
from tests.twin import golden, registry

ROOT = Path(__file__).resolve().parents[2]
ASK = """
from pathlib import Path
from course import truth
from tests.twin import golden
golden.VERSION = "2.0.0"  # that of the recordings is another than the one that is asked
listing = truth.Listing()
truth.tests(listing, Path("tests").resolve(), {version!r})
print(*listing.compared.items(), *(" | ".join(row) for row in listing.rows), sep="\\n")
"""
CLAIMS = """
import pytest
torch = pytest.importorskip("torch")
def test_it_says(record_property):
    record_property("same", (1, 1))
    record_property("prints", (["one", "two"], ["one", "three"]))
    assert False
def test_it_holds():
    assert torch.ones(1) == 1, "one is one"
    assert not "another torch"
def test_it_still_holds(): pass
def test_minigrad_alone(): assert False
"""


@pytest.fixture
def torches(monkeypatch):
    """torches(here, reason): the PyTorch that is here, and why no installer brings another."""
    monkeypatch.setattr(beside, "discard_half", lambda: None)

    def are(here, reason=None):
        monkeypatch.setattr(registry, "torch_version", lambda: here)
        monkeypatch.setattr(beside, "whole", lambda wanted: wanted == f"torch=={here}")
        monkeypatch.setattr(beside, "fetched", lambda wanted: reason or are(wanted[7:]) or "")

    return are


# --- which torch ---------------------------------------------------------------------------


def test_the_one_that_is_installed_is_asked_if_none_is_named(torches):
    torches("2.12.0")
    assert truth.torch_of(None) == "2.12.0"


def test_the_one_that_is_named_is_installed(torches):
    torches(None)
    assert truth.torch_of("2.99.1") == "2.99.1"


@pytest.mark.parametrize(
    ("version", "said", "sentence"),
    [
        (None, "", f"name a version, .* truth --torch {golden.VERSION}"),
        ("9.9", "No matching distribution", "torch==9.9 cannot be had here, as there is no build"),
        ("9.9", "Connection refused", "as the package index cannot be reached: put that right"),
    ],
)
def test_where_there_is_none_one_sentence_says_what_to_do(torches, capsys, version, said, sentence):
    torches(None, said)
    with pytest.raises(truth.NoTorch, match=sentence):
        truth.torch_of(version)
    assert cli.main("truth", torch=version) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


# --- what differs --------------------------------------------------------------------------


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of the twin's cases, with one other file of tests: what is listed of it."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    twin = tmp_path / "tests/twin"
    twin.mkdir(parents=True)
    for path in (ROOT / "tests/twin").glob("*.*"):
        if not path.name.startswith(("cases_", "test_")):
            (twin / path.name).write_bytes(path.read_bytes())
    for name in "cases_modes.py", "test_twin.py":
        (twin / name).write_bytes((ROOT / "tests/twin" / name).read_bytes())
    (tmp_path / "tests/test_claims.py").write_text(CLAIMS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")

    def asked(change=lambda cases: cases):
        (twin / "golden.json").write_text(golden.text(change(golden.load())))
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        ask = [sys.executable, "-c", ASK.format(version=registry.torch_version())]
        done = subprocess.run(
            ask, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.splitlines()[1:]  # the first says what is being done

    return asked


def test_a_claim_that_fails_is_listed_with_what_it_recorded_or_says(copy):
    counted = copy()
    assert counted[0] == "('claim', 3)" and counted[1].startswith("('golden case', ")
    assert counted[2:] == [
        "claim test_claims.py::test_it_says: prints | ['one', 'two'] | ['one', 'three']",
        "claim test_claims.py::test_it_holds | holds | AssertionError: assert not 'another torch'",
    ]


def test_a_golden_case_that_was_altered_is_listed_with_both_values(copy):
    def altered(cases):
        cases["c8_no_grad"][0][1] = "another"
        return cases

    label = golden.load()["c8_no_grad"][0][0]
    (row,) = [line for line in copy(altered) if line.startswith("golden case ")]
    what, recorded, now = row.split(" | ")
    assert what == f"golden case c8_no_grad: {label}" and recorded == "another" != now


def test_what_is_planted_here_is_no_claim_of_the_course():
    files = [path.stem for path in (ROOT / "tests").rglob("test_*.py") if truth.asks(path)]
    assert "test_truth" not in files
    assert {"test_twin", "test_programs", "test_on_torch", "test_missing_names"} < {*files}


# --- the table -----------------------------------------------------------------------------


def test_a_row_shows_the_first_line_that_differs_and_the_last_line_counts():
    listing = truth.Listing()
    listing.add("cell", "02.py:9", [("", "text: 1\ntext: " + "x" * 99 + "a", "text: 1\ntext: b")])
    listing.add("golden case", "m1", [("first", [1.0], [2.0]), ("second", "a", "b")])
    listing.add("golden case", "m2", [])
    cell, first, second = listing.rows
    assert cell == ["cell 02.py:9", "text: " + "x" * 54, "text: b"]
    assert (first, second[0]) == (
        ["golden case m1: first", "[1.0]", "[2.0]"],
        "golden case m1: second",
    )
    assert [line.count(" | ") for line in truth.table(listing.rows)] == [2] * 4
    by_kind, last = truth.verdict(listing, "2.99")
    assert by_kind == "PyTorch 2.99: 1 of 1 cells, 1 of 2 golden cases"
    assert last == "2 of 3 differ"


def test_it_says_so_where_nothing_differs():
    listing = truth.Listing()
    listing.add("claim", "test_claims.py", [])
    assert truth.table(listing.rows) == []
    assert truth.verdict(listing, "2.99") == [
        "PyTorch 2.99 says all that is recorded: 0 of 1 differ"
    ]


@pytest.mark.parametrize(("differ", "strict", "code"), [(3, False, 0), (3, True, 1), (0, True, 0)])
def test_a_difference_is_no_failure_unless_it_is_to_be(monkeypatch, differ, strict, code):
    monkeypatch.setattr(truth, "tell", lambda version: differ)
    assert cli.main("truth", strict=strict) == code
