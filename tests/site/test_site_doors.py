"""Every door says what PyTorch says: its title is the message, its figures are recorded, fresh."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from course.site import asked, door, record
from course.site.door import FOLDER, Door, DoorError, doors
from tests.test_environment import EXTRAS

DOORS = {one.name: one for one in doors()}
MESSAGES = (Path(__file__).parent / "messages.md").read_text("utf-8")
NUMBERS = [f"M{n}" for n in range(1, 23)]
THREADS = [f"00{n}" for n in range(5)]
SHORT = 40  # characters that tell a message from the others
TORCH = next(line.partition("==")[2] for line in EXTRAS["bench"] if line.startswith("torch=="))
QUOTES = re.compile(r"(\w+(?:Error|Warning)): (.*)")


def each(test):
    return pytest.mark.parametrize("name", DOORS)(test)


def programs(name):
    return list(zip(DOORS[name].programs, record.stored(DOORS[name])["programs"], strict=True))


def said(result):
    return [result["error"], *result["warnings"]]


def plain(text):
    return re.sub(r"[`\s]+", " ", text)


def test_there_are_thirty_at_least():
    assert len(DOORS) >= 30


@each
def test_its_results_are_those_of_the_pytorch_that_the_course_is_about(name):
    assert record.stored(DOORS[name])["torch"] == TORCH
    assert programs(name)


@each
def test_the_title_is_what_the_stepped_program_ends_in(name):
    quoted = QUOTES.fullmatch(DOORS[name].title)
    stepped = [result for cell, result in programs(name) if cell.kind == "step"]
    assert len(stepped) == (name != "cheat-sheet")
    if quoted:
        kind, words = quoted.groups()
        (found,) = [text for text in said(stepped[0]) if text.startswith(kind + ":")]
        assert plain(words).rstrip(".") in plain(found)


@each
def test_every_way_out_leads_out(name):
    ways = [result for cell, result in programs(name) if cell.kind == "way"]
    assert len(ways) >= 2 or name == "cheat-sheet"
    assert [way["error"] for way in ways] == [""] * len(ways)


@each
def test_it_leads_to_a_lesson(name):
    assert re.search(r"## In the course\n.*\{\d\d\}", DOORS[name].cells[-1].text, re.DOTALL)


@pytest.mark.parametrize("number", NUMBERS)
def test_each_message_has_a_door(number):
    part = re.search(rf"^### {number}\n(.*?)^(?:##|\Z)", MESSAGES, re.DOTALL | re.MULTILINE)[1]
    texts = re.findall(r"```text\n(.*?)\n```", part, re.DOTALL)
    shown = " ".join(
        plain(
            f"{one.title} {one.also} {' '.join(t for _, r in programs(one.name) for t in said(r))}"
        )
        for one in DOORS.values()
    )
    assert any(plain(text)[:SHORT] in shown for text in texts), texts


def test_each_question_of_the_threads_has_one_door():
    answered = sorted(name for one in DOORS.values() for name in one.asked)
    assert answered == sorted(asked.questions(FOLDER.parent))


def test_the_list_of_questions_leads_to_door_and_lesson():
    known = asked.questions(FOLDER.parent)
    page = asked.page(DOORS.values(), known, {"05_x": "Five"}, dict.fromkeys(THREADS, "A thread"))
    row = next(line for line in page.splitlines() if known["003.loops"].text in line)
    assert row.endswith("(doors/which-loops-pass.md) | [05](lessons/05_x.ipynb) |")


def test_a_question_without_a_door_and_a_door_without_a_question_are_said(tmp_path):
    known = asked.questions(FOLDER.parent)
    with pytest.raises(DoorError, match="no door answers '000.1'"):
        asked.page([], known, {}, dict.fromkeys(THREADS, "A thread"))
    stray = door.read(written(tmp_path, HEAD.replace("Also: four", "Asked: 009.x")))
    with pytest.raises(DoorError, match="has no question '009.x'"):
        asked.texts(stray, known)


def test_the_stored_results_are_small():
    assert sum(path.stat().st_size for path in record.RESULTS.iterdir()) < 1_000_000
    assert {path.stem for path in record.RESULTS.iterdir()} == DOORS.keys()


@each
def test_a_trace_comes_back_as_it_was(name):
    for cell, result in programs(name):
        if cell.kind == "step":
            trace = record.told(result["trace"], "", TORCH)
            assert record.price(trace) == {k: result[k] for k in ("peak", "end", "nodes", "walked")}


def test_the_results_are_fresh(tmp_path):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    if torch.__version__.partition("+")[0] != TORCH:
        pytest.skip(f"the doors tell of PyTorch {TORCH}, this is {torch.__version__}")
    code = (
        "import pathlib, sys; from course.site import record; "
        "sys.exit(record.main([], pathlib.Path(sys.argv[1])))"
    )
    subprocess.run([sys.executable, "-c", code, tmp_path], check=True, stdout=subprocess.DEVNULL)
    for name in DOORS:
        new, old = (
            json.loads((f / f"{name}.json").read_text()) for f in (tmp_path, record.RESULTS)
        )
        assert new == old, name


# -- what is no door --


def written(tmp_path, text):
    path = tmp_path / "a_b.py"
    path.write_text(text)
    return path


HEAD = "# %% [markdown]\n# # A title\n# one\n# two\n# three\n# Also: four\n"


def test_a_door_is_read(tmp_path):
    found = door.read(
        written(tmp_path, HEAD + "\n# %% way\nimport torch\n\n# %% [markdown]\n# end\n")
    )
    kinds = [cell.kind for cell in found.cells]
    assert isinstance(found, Door) and (found.name, found.title) == ("a-b", "A title")
    assert kinds == ["[markdown]", "way", "[markdown]"] and found.also == "four"
    assert [cell.text for cell in found.programs] == ["import torch"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "must be prose that begins with"),
        ("# %% step\nimport torch\n", "must be prose that begins with"),
        ("# %% [markdown]\n# # A title\n# one\n", "1 lines of answer"),
        (HEAD + "# %% walk\n", "is none of"),
    ],
)
def test_what_is_no_door_is_said(tmp_path, text, why):
    with pytest.raises(DoorError, match=why):
        door.read(written(tmp_path, text))
