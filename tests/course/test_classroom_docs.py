"""The pages about grading claim what tests show: each part names its tests, and they are there."""

import ast
import re
from dataclasses import fields
from pathlib import Path

from course import trying
from course.classroom import exports, grade, overrides, records
from course.trying import cases
from course.trying.draw import Draw

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs"
PAGE, KEYS, PRIVATE = (
    (DOCS / name).read_text("utf-8") for name in ("grading.md", "class.toml.md", "private.md")
)
PROOF = re.compile(r"<!-- (test_\w+: .*?)-->", re.DOTALL)
SECTION = re.compile(r"^## ", re.MULTILINE)


def named():
    """[(file, test)] of all that the page names."""
    found = []
    for proof in PROOF.findall(PAGE + KEYS + PRIVATE):
        for part in proof.split(";"):
            file, _, tests = part.partition(":")
            found += [(file.strip(), test.strip()) for test in tests.split(",")]
    return found


def known_in(file):
    tree = ast.parse((HERE / f"{file}.py").read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_test_that_the_page_names_is_there():
    assert len(named()) > 30
    assert [(file, test) for file, test in named() if test not in known_in(file)] == []


def test_every_part_of_the_page_names_tests():
    """What stands behind the last comment of a section would be a claim that nothing shows."""
    for section in SECTION.split(PAGE)[1:] + SECTION.split(KEYS)[1:]:
        *proved, rest = PROOF.split(section)
        assert proved and not rest.strip(), section.partition("\n")[0]


def test_the_page_shows_all_that_can_be_drawn_and_said():
    """Each example of a draw gives something; each word for a case and each helper has a row."""
    rows = re.findall(r"^\| `(.*?)` \|", PRIVATE, re.MULTILINE)
    draws = [row for row in rows if row.startswith("draw.")]
    methods = {name for name in vars(Draw) if not name.startswith("_")}
    assert {row[5 : row.index("(")] for row in draws} == methods
    for row in draws:
        drawn = [repr(eval(row, {"draw": Draw(seed, "x", "y")})) for seed in range(30)]
        assert len(set(drawn)) > 1, row
    words = {field.name for field in fields(cases.Case)} - {"exercise", "name", "run"}
    said = {
        row.partition("=")[0]: row.partition("=")[2] for row in rows if "(" not in row.split("=")[0]
    }
    assert words <= said.keys()
    made = {word: eval(said[word]) for word in words}
    assert cases.Case("x", "y", print, **made).points == 3, "each is a value that a case takes"
    helpers = {row.partition("(")[0] for row in rows}
    assert set(trying.__all__) - {"case", "check", "Raised"} <= helpers and "`Raised`" in PRIVATE


def test_what_the_page_says_of_a_measured_call_is_there():
    (row,) = re.findall(r"^\| `measure\(f, 3\)` \| (.*) \|$", PRIVATE, re.MULTILINE)
    found = trying.measure(lambda n: n, 3)
    assert all(hasattr(found, name) for name in re.findall(r"`(\w+)(?:\(\))?`", row))


def test_the_page_names_every_file_that_is_written():
    text = "".join(Path(made.__file__).read_text("utf-8") for made in (grade, exports))
    files = {*re.findall(r'out / "([\w.]+)"', text), "grade.json", overrides.NAME}
    folders = {f"{records.LEARNERS}/NAME.html"}
    folders |= {f"{records.RECORDS}/NAME.{ending}" for ending in ("html", "json")}
    told = set(re.findall(r"`([\w/]+\.(?:html|json|csv|zip))`", PAGE))
    assert told == files | folders
