"""Any bytes give a notebook or one sentence with a remedy: no crash, no traceback, no guess."""

import json
import random

import pytest

from course.classroom import notebook
from course.classroom.notebook import Unreadable, read

MARK = {"minigrad": {"exercise": "freed", "role": "answer"}}


def cell(source="x = 1", kind="code", metadata=None, **more):
    return {"cell_type": kind, "source": source, "metadata": metadata or {}, **more}


def dumped(*cells, **more):
    return json.dumps({"nbformat": 4, "metadata": {}, "cells": list(cells), **more}).encode()


def why(data, name="04.ipynb"):
    with pytest.raises(Unreadable) as refused:
        read(data, name)
    sentence = str(refused.value)
    assert sentence.startswith(name) and "\n" not in sentence and len(sentence) < 250
    return sentence


# --- what is read --------------------------------------------------------------------------


def test_a_cell_is_its_source_and_its_marks():
    found = read(dumped(cell("# title", "markdown"), cell(["a = 1\n", "b"], metadata=MARK)), "n")
    assert found.notes == ()
    assert found.cells[0] == notebook.Cell("markdown", "# title")
    assert found.cells[1] == notebook.Cell("code", "a = 1\nb", "freed", "answer", 1)


def test_numbers_are_those_of_restart_and_run_all():
    cells = [cell("1"), cell(" \n"), cell("text", "markdown"), cell("2"), cell("%raw", "raw")]
    found = read(dumped(*cells), "n")
    assert [c.number for c in found.cells] == [1, 0, 0, 2, 0]
    assert [c.name for c in found.code] == ["cell 1", "cell 2"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le"])
def test_any_unicode_is_read(encoding):
    data = dumped(cell("s = 'é'")).decode().encode(encoding)
    assert read(data, "n").cells[0].source == "s = 'é'"


def test_line_ends_become_one_kind():
    assert read(dumped(cell(["a\r\n", "b\r", "c\n"])), "n").cells[0].source == "a\nb\nc\n"


def test_half_a_character_can_still_be_written_down():
    data = b'{"cells": [{"cell_type": "code", "source": "s = \'\\ud800\'"}]}'
    assert read(data, "n").cells[0].source == "s = '?'"


def test_outputs_are_left_behind():
    data = dumped(cell(outputs=[{"output_type": "stream", "text": "x" * 10**6}]))
    assert "xx" not in repr(read(data, "n"))


@pytest.mark.parametrize("version", [4, 5, "4", None])
def test_the_format_number_is_not_looked_at(version):
    assert len(read(dumped(cell(), nbformat=version), "n").cells) == 1


@pytest.mark.parametrize("junk", [None, 7, "text", ["a"], {}, True, [[]], {"a": {}}, -0.5])
@pytest.mark.parametrize("place", ["cell_type", "source", "metadata", "minigrad", "both"])
def test_a_wrong_type_anywhere_is_no_crash(junk, place):
    value = cell()
    if place == "minigrad":
        value["metadata"] = {"minigrad": junk}
    elif place == "both":
        value["metadata"] = {"minigrad": {"exercise": junk, "role": junk}}
    else:
        value[place] = junk
    found = read(dumped(value, cell("y = 2")), "n")
    assert found.cells[1].source == "y = 2"
    assert all(type(part) is str for part in (found.cells[0].source, found.cells[0].exercise))


def test_a_broken_cell_is_left_out_aloud():
    found = read(dumped(cell(), "not a cell", None), "04.ipynb")
    assert [c.number for c in found.cells] == [1]
    assert found.notes == ("04.ipynb: 2 broken cells left out",)


@pytest.mark.parametrize("name", ["../x", "a b", "<script>", "x" * 100, "", "1a"])
def test_a_mark_is_an_identifier_or_nothing(name):
    data = dumped(cell(metadata={"minigrad": {"exercise": name, "role": name}}))
    assert (read(data, "n").cells[0].exercise, read(data, "n").cells[0].role) == ("", "")


# --- what is refused, and with which words -------------------------------------------------


@pytest.mark.parametrize("data", [b"", b" \n\t", b"\xef\xbb\xbf", b"\0" * 4096])
def test_an_empty_file_is_called_empty(data):
    assert "the file is empty" in why(data)


def test_every_cut_says_so():
    data = dumped(cell("x = 'a'", metadata=MARK), cell("y"))
    for at in range(1, len(data)):
        assert "not valid JSON" in why(data[:at])
    cuts = [why(data[:at]) for at in range(1, len(data))]
    assert sum("cut off while saving" in sentence for sentence in cuts) > 0.9 * len(cuts)


def test_a_merge_conflict_is_named_with_its_line():
    text = json.dumps(json.loads(dumped(cell())), indent=1).splitlines()
    text[3:3] = ["<<<<<<< HEAD", '"a": 1,', "=======", ">>>>>>> theirs"]
    assert "line 4 is the mark of a git merge conflict" in why("\n".join(text).encode())


def test_conflict_marks_in_a_cell_are_the_cells_business():
    assert read(dumped(cell("<<<<<<< HEAD\nx\n=======")), "n").cells[0].number == 1


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"<!DOCTYPE html><html>", "it is a web page"),
        (b"def freed(x):\n    return 0\n", "does not begin with a brace"),
        (b"PK\x03\x04\x14\0\0\0", "does not begin with a brace"),
        (b"\x89PNG\r\n\x1a\n\xff\xfe", "not text in UTF-8"),
        (b'{"cells": [' + b"\xff" + b"]}", "not text in UTF-8"),
        (b"{'cells': []}", "line 1: "),
        (b'{"cells": [],}', "line 1: Expecting property name"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"cells": ' + b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b', "b": 1}', "integer string conversion"),
        (b'{"worksheets": [{"cells": []}], "nbformat": 3}', "old format 3"),
        (b"[]", "not a notebook"),
        (b"null", "not a notebook"),
        (b'"text"', "not a notebook"),
        (b"{}", "not a notebook"),
        (b'{"cells": {}}', "not a notebook"),
        (b'{"cells": "text"}', "not a notebook"),
    ],
)
def test_garbage_is_one_sentence(data, words):
    assert words in why(data)


def test_what_is_too_much_is_refused_with_the_way_out():
    assert "is larger than 32 MB" in why(b" " * (notebook.LARGEST + 1))
    assert "2001 cells, more than 2000" in why(dumped(*[cell("")] * 2001))
    assert "cell 2 has 100001 characters" in why(dumped(cell(), cell("#" * 100_001)))
    assert "more than 200000 characters" in why(dumped(*[cell("#" * 90_000)] * 6))


def test_long_text_beside_the_code_is_no_matter():
    data = dumped(cell("a" * 600_000, "markdown"), cell())
    assert [c.number for c in read(data, "n").cells] == [0, 1]


def test_flipped_bytes_are_a_notebook_or_a_sentence():
    draw, data = (
        random.Random(4),
        dumped(cell("def f():\n    return 'é'"), cell("y", metadata=MARK)),
    )
    for _ in range(3000):
        broken = bytearray(data)
        for _ in range(draw.randint(1, 6)):
            broken[draw.randrange(len(broken))] = draw.randrange(256)
        try:
            read(bytes(broken), "04.ipynb")
        except Unreadable as refused:
            assert str(refused).startswith("04.ipynb") and "\n" not in str(refused)
