"""The site replaces an older one, and nothing else that somebody has."""

import pytest

from course.site import build
from course.site.__main__ import main


@pytest.mark.parametrize("kind", ["a folder with a file", "a file"])
def test_what_is_somebody_else_s_stays_and_the_sentence_has_the_remedy(kind, tmp_path, capsys):
    out = tmp_path / "out"
    mine = out if kind == "a file" else out / "thesis.txt"
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("mine")
    assert main(out=str(out)) == 1
    said = capsys.readouterr().err
    assert str(out) in said and "--out" in said and "Traceback" not in said
    assert mine.read_text() == "mine"


@pytest.mark.parametrize("kind", ["not there", "empty", "an older site"])
def test_an_older_site_is_replaced(kind, tmp_path):
    out = tmp_path / "out"
    if kind != "not there":
        out.mkdir()
    if kind == "an older site":
        (out / build.MARK).write_text("of these sources")
    build.require_own(out)
