"""A card that is run again shows the answer on record; one that no longer fits is asked anew."""

import json

import pytest

from course.predict import live, predict
from course.predict.live import earlier, verdict

OPTIONS = {"8192 bytes": "a copy would", "0 bytes": "a view owns nothing", "4": "one float?"}


def one_of(options=OPTIONS):
    return predict("01.view", "How many bytes?", options, run=lambda: "0 bytes")


def number():
    return predict("01.n", "How much?", unit="U", run=lambda: 2.5, wrong={1: "no"}, why="both")


@pytest.fixture
def my(tmp_path, monkeypatch):
    """The current folder is a learner's, as far as the record asks."""
    monkeypatch.delenv("MINIGRAD_REVEAL", raising=False)
    (tmp_path / "my/.base").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "my")
    return tmp_path / "my"


def without_note(judged):
    return {key: value for key, value in judged.items() if key != "note"}


@pytest.mark.parametrize(
    ("card", "choices"),
    [(one_of, [0, 1, 2]), (number, ["2.5", "1", "7", "1/3", "-4", "8 U", "1/3000000"])],
)
def test_whatever_was_locked_is_shown_again(my, card, choices):
    for message in [{"type": "skip"}, *({"type": "lock", "choice": one} for one in choices)]:
        (my / "progress.json").unlink(missing_ok=True)
        assert earlier(card()) == {}
        locked, problem = verdict(card(), message)
        assert not problem and without_note(earlier(card())) == without_note(locked)
        assert earlier(card())["note"] == live.BEFORE


def test_the_first_answer_is_the_one_that_is_shown(my):
    for choice in 0, 1:
        verdict(one_of(), {"type": "lock", "choice": choice})
    assert earlier(one_of())["chosen"] == 0


@pytest.mark.parametrize(
    "entry",
    [
        {"outcome": "wrong", "choice": "another text"},
        {"outcome": "wrong", "choice": ["0 bytes"]},
        {"outcome": "wrong"},
        {"choice": True},
        {"choice": 12},
    ],
)
def test_what_fits_no_more_is_asked_anew(my, entry):
    record = {"version": 1, "predictions": {"01.view": entry}}
    (my / "progress.json").write_text(json.dumps(record), "utf-8")
    assert earlier(one_of()) == {}


@pytest.mark.parametrize("text", ["", "[1]", '{"predictions": 3}'])
def test_an_unreadable_record_asks_anew(my, text):
    (my / "progress.json").write_text(text, "utf-8")
    assert earlier(one_of()) == {} and earlier(number()) == {}


def test_a_widget_begins_with_the_earlier_answer_and_takes_another_when_told(my, monkeypatch):
    pytest.importorskip("anywidget")
    monkeypatch.setattr(live, "_in_a_kernel", lambda: True)
    verdict(one_of(), {"type": "lock", "choice": 2})
    widget = one_of()._live
    assert (widget.verdict["outcome"], widget.verdict["chosen"]) == ("wrong", 2)
    widget._handle_custom_msg({"type": "lock", "choice": 1}, [])
    assert widget.verdict["chosen"] == 2, "locked"
    widget.set_state({"verdict": {}})  # what the page's "Answer again" does
    widget._handle_custom_msg({"type": "lock", "choice": 1}, [])
    assert widget.verdict["outcome"] == "right"
