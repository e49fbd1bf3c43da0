"""The table is the figures, the picture can be read on a light and on a dark page, and the
committed results are of one run, without a place or a host."""

import json
import re
from pathlib import Path

import pytest
from bench_figures import TIMES, answers, results

from benchmarks import machine, picture, report, rounds
from benchmarks.cases import CASES

ROOT = Path(__file__).parents[1]
COMMITTED = sorted((ROOT / "benchmarks" / "results").glob("*.json"))
README = (ROOT / "README.md").read_text("utf-8")


@pytest.fixture
def chain():
    peaks = {"minigrad": 30, "torch": 40}
    return rounds.result(CASES["chain"], answers(TIMES), peaks) | {"left out": ["mygrad is out."]}


TABLE = """\
| case  | engine   | over  | ratio |    quartiles | its microseconds | peak bytes | page faults |
| ----- | -------- | ----- | ----: | -----------: | ---------------: | ---------: | ----------: |
| chain | torch    |       |       |              |            2,000 |            |           0 |
| chain | minigrad | torch |  1.25 | 0.88 to 1.88 |            2,500 |       0.75 |           0 |
| chain | numpy    | torch |  0.50 | 0.50 to 0.50 |            1,000 |            |           0 |"""


def test_the_table(chain):
    assert report.table([chain]) == TABLE


def test_the_page_says_what_it_was_taken_on_and_what_is_missing(chain):
    refused = {"case": "conv", "title": "t", "refused": "conv is refused, and why."}
    page = report.page(results(chain, refused))
    assert page.startswith("# Speed, 2026-11-22\n\n- processor: AMD Z-80 (R)\n- cores: 2\n")
    assert page.endswith("\n- conv is refused, and why.\n- mygrad is out.\n")
    assert TABLE in page


def test_three_files_are_written(chain, tmp_path):
    whole = results(chain) | {"once": {}}
    paths = report.save(whole, tmp_path / "a" / "b")
    assert [path.name for path in paths] == [
        f"amd-z-80-r-2026-11-22.{kind}" for kind in ("json", "md", "svg")
    ]
    assert json.loads(paths[0].read_text()) == whole


def test_a_part_does_not_overwrite_the_whole(chain, tmp_path):
    whole = report.save(results(chain) | {"once": {}}, tmp_path)
    assert not set(report.save(results(chain), tmp_path)) & set(whole)


def test_the_ink_is_the_pages(chain):
    svg = picture.draw(results(chain))
    assert "currentColor" in svg and "prefers-color-scheme:dark" in svg
    assert picture.INK not in svg and "#000000" not in svg
    assert re.findall(r">(chain|minigrad|numpy|1\.25|0\.50)<", svg).count("1.25") == 1


def test_without_pytorch_there_is_no_picture(chain, tmp_path):
    chain["ratios"] = [row | {"over": "numpy"} for row in chain["ratios"]]
    assert picture.draw(results(chain)) is None
    assert len(report.save(results(chain), tmp_path)) == 2


def test_the_facts_name_no_place_and_no_host():
    facts = machine.facts()
    assert {"processor", "cores", "Python", "numpy", "OPENBLAS_CORETYPE"} <= facts.keys()
    assert not any("/" in str(value) for value in facts.values()), facts


# -- what is committed --


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_the_page_is_made_of_the_figures_beside_it(path):
    figures = json.loads(path.read_text("utf-8"))
    assert path.with_suffix(".md").read_text("utf-8") == report.page(figures)
    assert path.with_suffix(".svg").is_file()
    assert not re.search(r"(?<!<)/(tmp|home|root|work|usr)/", path.read_text("utf-8"))


def cells(line):
    return tuple(cell.strip() for cell in line.strip("|").split("|"))


def test_the_readme_shows_rows_of_the_committed_table():
    shown = re.search(r"^## Speed\n(.*?)^## ", README, re.DOTALL | re.MULTILINE).group(1)
    (path,) = re.findall(r"\]\((benchmarks/results/\S+\.md)\)", shown)
    table = [cells(line) for line in (ROOT / path).read_text("utf-8").splitlines()]
    rows = [cells(line) for line in re.findall(r"^\| [a-z].*\|$", shown, re.MULTILINE)]
    assert len(rows) > 3
    for row in rows:
        assert row in [full[: len(row)] for full in table], row
