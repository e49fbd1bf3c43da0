"""The table is the figures, the picture can be read on a light and on a dark page, and the
committed results are of one run, without a place or a host."""

import json
import re
from pathlib import Path

import bench_figures
import pytest
from bench_figures import results

from benchmarks import bars, machine, picture, readme, report

ROOT = Path(__file__).parents[1]
COMMITTED = sorted((ROOT / "benchmarks" / "results").glob("*.json"))
README = (ROOT / "README.md").read_text("utf-8")
ONCE = {"first %%step, s": 0.25, "import of minigrad over numpy's, s": "not measured: why."}


@pytest.fixture
def chain():
    return bench_figures.chain()


TABLE = """\
| case  | engine   | over  | ratio |    quartiles |  bar |        | instructions | its us | over us | peak bytes | page faults |
| ----- | -------- | ----- | ----: | -----------: | ---: | -----: | -----------: | -----: | ------: | ---------: | ----------: |
| chain | minigrad | torch |  1.25 | 0.88 to 1.88 | 0.70 | missed |         0.50 |  2,500 |   2,000 |       0.75 |           0 |
| chain | numpy    | torch |  0.50 | 0.50 to 0.50 |      |        |  not counted |  1,000 |   2,000 |            |           0 |"""  # noqa: E501


def test_the_table(chain):
    assert report.table([chain]) == TABLE


def test_the_page_says_what_it_was_taken_on_and_what_is_missing(chain):
    refused = {"case": "conv", "title": "t", "ratios": [], "left out": ["conv is refused."]}
    page = report.page(results(chain, refused))
    assert page.startswith("# Speed, 2026-11-22\n\n- processor: AMD Z-80 (R)\n- cores: 2\n")
    assert page.endswith("\n- mygrad is out.\n- conv is refused.\n")
    assert TABLE in page


def test_what_is_measured_once_has_its_bar_beside_it(chain):
    page = report.page(results(chain) | {"once": ONCE})
    assert "\n- first %%step, s: 0.25 (bar 0.50: met)\n" in page
    assert page.endswith("\n- mygrad is out.\n") and "numpy's, s: not measured: why.\n" in page


def test_a_figure_on_its_bar_is_met():
    assert (bars.verdict(0.7, 0.7), bars.verdict(0.71, 0.7)) == ("met", "missed")


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
    assert {"processor", "cores", "Python", "BLAS of numpy", "instructions"} <= facts.keys()
    assert not any("/" in str(value) for value in facts.values()), facts


# -- what is committed --


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_the_page_is_made_of_the_figures_beside_it(path):
    figures = json.loads(path.read_text("utf-8"))
    assert path.with_suffix(".md").read_text("utf-8") == report.page(figures)
    assert path.with_suffix(".svg").is_file()
    assert not re.search(r"(?<!<)/(tmp|home|root|work|usr)/", path.read_text("utf-8"))


FILE = "benchmarks/results/amd-z-80-r-2026-11-22"
BLOCK = f"""\
minigrad takes 1.25 to 1.25 times PyTorch's CPU time.

| case | engine | over | ratio | quartiles |
|---|---|---|---|---|
| chain | minigrad | torch | 1.25 | 0.88 to 1.88 |
| first %%step, s | | | 0.25 | |

Within [the bars that we set ourselves](benchmarks/bars.py): 1 of 2.

[The whole table]({FILE}.md), of 4 rounds on AMD Z-80 (R), 2026-11-22.

![CPU time over PyTorch's, case by case]({FILE}.svg)
"""


def test_the_readme_has_the_ratios_of_a_whole_run(chain, tmp_path, monkeypatch):
    page = tmp_path / "README.md"
    page.write_text("before\n<!-- speed -->\nold\n<!-- end -->\nafter\n", "utf-8")
    monkeypatch.setattr(readme, "PAGE", page)
    readme.write(results(chain) | {"once": ONCE})
    filled = page.read_text("utf-8")
    assert filled == f"before\n<!-- speed -->\n{BLOCK}<!-- end -->\nafter\n"


def test_the_readme_shows_the_committed_figures():
    (block,) = readme.BLOCK.findall(README)
    committed = {report.name(figures): figures for figures in map(figures_of, COMMITTED)}
    for name in re.findall(r"benchmarks/results/(\S+)\.md", block):
        assert block == readme.block(committed[name])


def figures_of(path):
    return json.loads(path.read_text("utf-8"))
