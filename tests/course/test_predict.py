"""A card computes its answer, folds it, and refuses what cannot be answered."""

import ast
import re
from pathlib import Path

import pytest

from course.build.names import predictions
from course.predict import Prediction, PredictionError, predict
from course.predict.static import inline

OPTIONS = {"8192 bytes": "`64 * 32` floats", "0 bytes": "a **view** <owns> nothing"}


def card(run=lambda: "0 bytes", options=OPTIONS):
    return predict("01.view", "How many bytes does `x.T` add?", options, run=run)


def test_the_answer_is_what_the_run_gives():
    assert card().answer == "0 bytes"
    assert card(run=lambda: "8192 bytes").answer == "8192 bytes"
    assert predict("n", "?", {"1": "no", "2": "yes"}, run=lambda: 2).answer == "2"


def test_text_hides_the_answer_unless_the_build_asks(monkeypatch):
    monkeypatch.delenv("MINIGRAD_REVEAL", raising=False)
    hidden = "Predict: How many bytes does `x.T` add?\n  A. 8192 bytes\n  B. 0 bytes"
    assert repr(card()) == hidden
    monkeypatch.setenv("MINIGRAD_REVEAL", "1")
    assert repr(card()) == hidden + (
        "\nAnswer: B. 0 bytes\n  A: `64 * 32` floats\n  B: a **view** <owns> nothing"
    )


def test_html_folds_the_answer_and_one_reason_per_option():
    html = card()._repr_html_()
    before, after = html.split("<details")
    assert before.count("</span>") == 2 and "Reveal the answer" not in before
    assert "<details open" not in html and "<strong>B.</strong> 0 bytes" in after
    assert after.count("</span>") == 2 and "&lt;owns&gt; nothing" in after


def test_html_survives_a_sanitiser():
    html = card()._repr_html_()
    assert "<code>x.T</code>" in html and "a <strong>view</strong>" in html
    assert set(re.findall(r"<(\w+)", html)) <= {
        "div",
        "p",
        "span",
        "details",
        "summary",
        "strong",
        "code",
    }
    assert set(re.findall(r" (\w+)=", html)) <= {"style", "type"}


def test_every_colour_follows_the_theme_and_has_a_fallback():
    html = card()._repr_html_()
    variables = re.findall(r"var\((--[\w-]+)(,?)", html)
    assert variables and all(name.startswith("--jp-") and comma for name, comma in variables)


def test_markup_in_a_question_is_text():
    html = predict("x", "<script>alert(1)</script>", OPTIONS, run=lambda: "0 bytes")._repr_html_()
    assert "<script>" not in html


def test_what_the_run_prints_does_not_give_the_answer_away(capsys):
    def run():
        print("0 bytes!")
        return "0 bytes"

    card(run)
    assert capsys.readouterr().out == ""


def test_an_answer_that_is_no_option():
    with pytest.raises(
        PredictionError,
        match=r"prediction '01.view': the run answered '4 bytes', "
        r"which is none of the options '8192 bytes', '0 bytes'; let run\(\) give",
    ):
        card(run=lambda: "4 bytes")


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"0 bytes": "yes"}, "prediction '01.view' needs at least two options"),
        ({"0 bytes": "yes", "1 byte": " "}, "the option '1 byte' has no explanation"),
    ],
)
def test_cards_that_teach_nothing(options, sentence):
    with pytest.raises(PredictionError, match=sentence):
        card(options=options)


def test_a_failing_run_says_which_prediction():
    with pytest.raises(ZeroDivisionError) as caught:
        card(run=lambda: 1 / 0)
    assert caught.value.__notes__ == ["(while computing the answer of prediction '01.view')"]


def test_the_run_runs_once():
    calls = []
    made = card(run=lambda: calls.append(1) or "0 bytes")
    repr(made), made._repr_html_(), repr(made)
    assert calls == [1] and isinstance(made, Prediction)


# --- text of a card -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a *b* **c d**.", "a <em>b</em> <strong>c d</strong>."),
        ("*two words*, (*x*)", "<em>two words</em>, (<em>x</em>)"),
        ("**a `x*y` b** *`f(*a)`*",
         "<strong>a <code>x*y</code> b</strong> <em><code>f(*a)</code></em>"),
        ("64 * 32 * 4 is 2*3*4", "64 * 32 * 4 is 2*3*4"),
        ("`f(*a)` and `g(*b)`, `2**3` and `3**2`",
         "<code>f(*a)</code> and <code>g(*b)</code>, <code>2**3</code> and <code>3**2</code>"),
        ("<b> & *<i>*", "&lt;b&gt; &amp; <em>&lt;i&gt;</em>"),
    ],
)  # fmt: skip
def test_stars_are_emphasis_and_products_are_not(text, shown):
    assert inline(text) == shown


LESSONS = sorted((Path(__file__).parents[2] / "lessons").glob("[0-9]*.py"))


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_no_card_of_a_lesson_shows_a_raw_star(lesson):
    cards = predictions(lesson.read_text("utf-8"))
    assert cards, "every lesson has cards"
    for id, card in cards.items():
        texts = [node.value for node in ast.walk(card) if isinstance(node, ast.Constant)]
        plain = re.sub("<code>.*?</code>", "", "\n".join(inline(text) for text in texts))
        assert not re.search(r"\*\S|\S\*", plain), id
