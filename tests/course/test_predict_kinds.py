"""Numbers and curves: what may be typed, what is said about the distance, what is drawn."""

import json
import re
from pathlib import Path

import pytest

from course.predict import PredictionError, predict
from course.predict.numbers import compared, hint, read, refusal, said
from course.predict.pictures import picture

ROOT = Path(__file__).parents[2]
NUMBERS = re.compile(r"\d[\d *]*(?:KiB)?")
GROWS, STAYS = [("a", 0), ("b", 8), ("c", 16)], [("a", 0), ("b", 8), ("c", 8)]


def number(run=lambda: 16384, wrong=(8192,), why="`h` and `y`", unit="bytes"):
    reasons = {guess: f"as if {guess}" for guess in wrong}
    return predict("01.n", "How much?", unit=unit, run=run, wrong=reasons, why=why)


def curves(run, options=("up", "flat"), shapes=(GROWS, STAYS)):
    reasons = {option: f"why {option}" for option in options}
    pictures = dict(zip(options, shapes, strict=False))
    return predict("01.c", "Which?", reasons, run=run, curves=pictures)


# --- numbers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, value",
    [
        ("8192", 8192),
        (" 8 192 ", 8192),
        ("8,192 bytes", 8192),
        ("8_192", 8192),
        ("8 KiB", 8192),
        ("1.5 MiB", 1572864),
        ("2 * 4 KiB", 8192),
        ("64 * 32 * 4", 8192),
        ("-(3 - 1) / 4", -0.5),
        ("1e3", 1000),
    ],
)
def test_a_number_may_be_written_as_one_thinks_of_it(text, value):
    assert read(text) == value and type(read(text)) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "many",
        "f()",
        "2 ** 9999",
        "1 / 0",
        "1e999",
        "True",
        "2j",
        "'8'",
        "9 * " * 20 + "9",
        "KiB",
    ],
)
def test_what_is_no_number(text):
    with pytest.raises(ValueError, match="^That is no number of bytes: write 3072, or 3 KiB, or 3"):
        read(text)


@pytest.mark.parametrize("unit", ["bytes", "U", "errors", "blocks", "times"])
def test_what_a_card_proposes_is_a_number_of_its_unit(unit):
    for words in (hint(unit), refusal(unit)):
        for text in NUMBERS.findall(words):
            assert read(text, unit) > 0, text
    assert ("KiB" in hint(unit)) == ("KiB" in refusal(unit)) == (unit == "bytes")
    assert predict("01.n", "?", unit=unit, run=lambda: 5, why="w").asked()["hint"] == hint(unit)


@pytest.mark.parametrize(
    "text, unit", [("37 U", "U"), ("37u", "U"), ("37 errors", "errors"), ("37 Error", "errors")]
)
def test_a_number_may_be_followed_by_its_unit(text, unit):
    assert read(text, unit) == 37


@pytest.mark.parametrize("text, unit", [("8 KiB", "U"), ("8 B", "errors"), ("8 U", "bytes")])
def test_another_unit_is_refused_with_what_may_be_written(text, unit):
    with pytest.raises(ValueError, match=f"^That is no number of {unit}: write "):
        read(text, unit)


def test_no_hint_is_an_answer_or_a_wrong_answer_of_a_lesson():
    cards = [card for path in (ROOT / "notebooks").glob("*.ipynb") for card in asked_in(path)]
    for unit, text in cards:
        taken = re.findall(r"^(?:Answer:| ) ([\d,.]+)(?=:| )", text, re.MULTILINE)
        shown = [f"{read(number, unit):,}" for number in NUMBERS.findall(hint(unit))]
        assert taken and not set(taken) & set(shown), text
    assert {"bytes", "U"} < {unit for unit, _ in cards}


def asked_in(path):
    """(unit, text) of each number card whose text a notebook stores."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    outputs = [one for cell in cells for one in cell.get("outputs", [])]
    for text in ("".join(one.get("data", {}).get("text/plain", "")) for one in outputs):
        if found := re.search(r"^  \(a number of (\w+)\)$", text, re.MULTILINE):
            yield found[1], text[found.end() :]


@pytest.mark.parametrize(
    "guess, measured, sentence",
    [
        (8192, 16384, "You said 8,192 bytes, measured **16,384 bytes**: twice too few."),
        (24576, 8192, "You said 24,576 bytes, measured **8,192 bytes**: 3 times too many."),
        (3, 2, "You said 3 bytes, measured **2 bytes**: about 1.5 times too many."),
        (1000, 1001, "You said 1,000 bytes, measured **1,001 bytes**: 1 byte too few."),
        (0, 4, "You said 0 bytes, measured **4 bytes**: 4 bytes too few."),
        (4, 0, "You said 4 bytes, measured **0 bytes**: 4 bytes too many."),
        (-4, 4, "You said -4 bytes, measured **4 bytes**: 8 bytes too few."),
        (4, 4, "Right: **4 bytes**, exactly."),
        (40, 81920, "You said 40 bytes, measured **81,920 bytes**: 2,048 times too few."),
        (
            7e8,
            3,
            "You said 700,000,000 bytes, measured **3 bytes**: about 233,333,333 times too many.",
        ),
        (None, 4, "Measured: **4 bytes**."),
    ],
)
def test_the_distance_in_words(guess, measured, sentence):
    assert compared(guess, measured, "bytes") == sentence


def test_one_of_something():
    assert (said(1, "bytes"), said(1, "times"), said(2, "nodes")) == (
        "1 byte",
        "1 times",
        "2 nodes",
    )


def test_a_typical_wrong_value_is_explained_first():
    verdict = number(wrong=(8192, 4096)).judged("8 KiB")
    assert [(row["kind"], row["title"]) for row in verdict["reasons"]] == [
        ("chosen", "8,192 bytes"),
        ("right", "16,384 bytes"),
    ]
    assert [row["text"] for row in verdict["others"]] == ["as if 4096"]
    assert verdict["outcome"] == "wrong" and [bar["part"] for bar in verdict["bars"]] == [0.5, 1]


def test_another_wrong_value_shows_the_measured_one():
    verdict = number().judged("5")
    assert [row["kind"] for row in verdict["reasons"]] == ["right"]
    assert verdict["reasons"][0]["text"] == "<code>h</code> and <code>y</code>"


def test_the_right_number_and_none():
    assert number().judged("16384")["outcome"] == "right" and not number().judged("16384")["bars"]
    assert number().judged(None)["outcome"] == "skipped" and not number().judged(None)["bars"]
    assert number(run=lambda: 0).judged("0")["outcome"] == "right"


def test_the_question_holds_no_number(monkeypatch):
    monkeypatch.delenv("MINIGRAD_REVEAL", raising=False)
    assert "16384" not in f"{number().asked()}{number()!r}"
    assert repr(number()) == "Predict: How much?\n  (a number of bytes)"
    monkeypatch.setenv("MINIGRAD_REVEAL", "1")
    assert repr(number()).endswith("Answer: 16,384 bytes\n  `h` and `y`\n  8,192: as if 8192")
    before, after = number()._repr_html_().split("<details")
    assert "16,384" not in before and "<strong>16,384 bytes.</strong>" in after


@pytest.mark.parametrize(
    "more, sentence",
    [
        ({"why": " "}, "needs why=, the explanation of its number"),
        ({"run": lambda: "16384"}, "the run answered '16384', which is no number"),
        ({"run": lambda: True}, "the run answered 'True', which is no number"),
        ({"run": lambda: 8192}, "8192 stands among the wrong values, and the run measured it"),
        ({"run": None}, "needs run=, a function that gives the answer"),
        ({"unit": None}, "needs either options or a unit"),
    ],
)
def test_number_cards_that_cannot_be_answered(more, sentence):
    with pytest.raises(PredictionError, match=f"^prediction '01.n'.*{re.escape(sentence)}"):
        number(**more)


# --- curves --------------------------------------------------------------------------------


def test_a_measured_curve_finds_its_option():
    renamed = [(label * 2, n) for label, n in STAYS]
    assert curves(lambda: renamed).answer == "flat" and curves(lambda: GROWS).answer == "up"
    assert curves(lambda: "flat").answer == "flat"


def test_a_measured_curve_that_is_no_option():
    with pytest.raises(PredictionError, match=r"measured \[1, 2\], which is none of the curves"):
        curves(lambda: [("a", 1), ("b", 2)])


@pytest.mark.parametrize("shapes", [(GROWS, GROWS), (GROWS, []), (GROWS,)])
def test_curves_one_cannot_tell_apart(shapes):
    with pytest.raises(PredictionError, match="every curve needs points|the same texts"):
        curves(lambda: "up", shapes=shapes)


def test_all_pictures_of_a_card_have_one_scale():
    up, flat = (row["picture"] for row in curves(lambda: "up").asked()["options"])
    heights = [re.search(r'<path d="(M[^"]*)" fill', one)[1] for one in (up, flat)]
    assert heights[0].endswith("V6H162") and heights[1].endswith("V36H162")


def test_a_picture_says_its_bytes_and_follows_the_theme(monkeypatch):
    drawn = picture(GROWS, 16)
    assert 'role="img"' in drawn and 'aria-label="0, 8, 16 bytes"' in drawn
    assert all(name.startswith("--jp-") for name in re.findall(r"var\((--[\w-]+),", drawn))
    monkeypatch.delenv("MINIGRAD_REVEAL", raising=False)
    rows = repr(curves(lambda: "up")).splitlines()[1:]
    assert rows == ["  A. up: 0, 8, 16 bytes", "  B. flat: 0, 8, 8 bytes"]


def test_a_flat_zero_curve_can_be_drawn():
    assert picture([("a", 0)], 0).startswith("<svg")


# --- a curve below the question ------------------------------------------------------------


def shown(points):
    return predict("01.f", "Whose?", {"a": "no", "b": "yes"}, run=lambda: "b", shown=points)


def test_a_curve_below_the_question_has_a_scale_in_kib(monkeypatch):
    monkeypatch.delenv("MINIGRAD_REVEAL", raising=False)
    card = shown([("", 0), ("", 2048), ("", 7168)])
    drawn = card.asked()["figure"]
    assert re.findall(r">([\w ]+)</text>", drawn) == [*"0123456", "7 KiB"]
    assert 'aria-label="0, 2048, 7168 bytes"' in drawn and card._repr_html_().count("<svg") == 1
    assert repr(card).splitlines()[1] == "  shown: 0, 2048, 7168 bytes"
    assert "figure" not in curves(lambda: "up").asked()


@pytest.mark.parametrize("most", [7, 8, 17, 29, 900])
def test_the_scale_has_few_marks(most):
    drawn = shown([("", most * 1024)]).asked()["figure"]
    assert 4 <= drawn.count("<text") <= 8


def test_a_curve_of_nothing_can_be_drawn():
    assert ">0 KiB</text>" in shown([("", 0)]).asked()["figure"]
