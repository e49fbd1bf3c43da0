"""A live card holds no answer the page could see, locks once, and needs a kernel that answers."""

import gc
import json
import re
import weakref

import nbformat
import pytest

from course.predict import live, predict
from course.predict.live import WIDGET
from course.predict.saved import without_widgets
from whoholds import keys

OPTIONS = {"8192 bytes": "a copy would", "0 bytes": "a view owns nothing", "4": "one float?"}


def card(run=lambda: "0 bytes", **more):
    return predict("01.view", "How many bytes does `x.T` add?", OPTIONS, run=run, **more)


@pytest.fixture
def kernel(monkeypatch):
    """As in a notebook: a kernel answers, and nobody asked to reveal."""
    pytest.importorskip("anywidget")
    monkeypatch.delenv("MINIGRAD_REVEAL", raising=False)
    monkeypatch.setattr(live, "_in_a_kernel", lambda: True)


def hear(widget, **message):
    widget._handle_custom_msg(message, [])


def test_the_synced_state_holds_no_answer(kernel):
    state = json.dumps({k: v for k, v in card()._live.get_state().items() if k[:4] != "_esm"})
    assert "How many bytes" in state and "8192 bytes" in state
    assert not any(why in state for why in OPTIONS.values())


def test_the_first_choice_is_locked(kernel):
    widget = card()._live
    hear(widget, type="lock", choice=0)
    verdict = widget.verdict
    assert (verdict["outcome"], verdict["chosen"], verdict["right"]) == ("wrong", 0, 1)
    hear(widget, type="lock", choice=1)
    hear(widget, type="skip")
    assert widget.verdict is verdict


@pytest.mark.parametrize("message", [{"type": "lock", "choice": 7}, {"type": "lock"}, {}])
def test_what_is_no_choice_opens_nothing(kernel, message):
    widget = card()._live
    hear(widget, **message)
    assert widget.verdict == {} and bool(widget.problem) == bool(message)


def test_reasons_of_a_verdict():
    wrong, right, skipped = (card().judged(given) for given in (0, 1, None))
    assert [row["text"] for row in wrong["reasons"]] == ["a copy would", "a view owns nothing"]
    assert [row["text"] for row in wrong["others"]] == ["one float?"]
    assert [row["kind"] for row in right["reasons"]] == ["right"] and len(right["others"]) == 2
    assert [row["kind"] for row in skipped["reasons"]] == ["right"]
    assert [one["outcome"] for one in (wrong, right, skipped)] == ["wrong", "right", "skipped"]
    assert skipped["choice"] is None and wrong["choice"] == "8192 bytes"


def test_an_output_has_the_widget_and_what_stands_in_for_it(kernel):
    made = card()
    bundle = made._repr_mimebundle_()
    assert bundle["text/html"] == made._repr_html_() and bundle["text/plain"] == repr(made)
    assert bundle[WIDGET]["model_id"] == made._live.model_id
    assert made._repr_mimebundle_()[WIDGET] == bundle[WIDGET], "shown twice it is one card"


def test_the_build_makes_no_widget(kernel, monkeypatch):
    monkeypatch.setenv("MINIGRAD_REVEAL", "1")
    assert set(card()._repr_mimebundle_()) == {"text/plain", "text/html"}


def test_without_a_kernel_there_is_no_widget(monkeypatch):
    monkeypatch.delenv("MINIGRAD_REVEAL", raising=False)
    assert set(card()._repr_mimebundle_()) == {"text/plain", "text/html"}


def test_without_anywidget_the_page_remains(kernel, monkeypatch):
    def absent():
        raise ImportError("No module named 'anywidget'")

    monkeypatch.setattr(live, "_widget", absent)
    assert set(card()._repr_mimebundle_()) == {"text/plain", "text/html"}


def test_a_card_keeps_nothing_of_its_run_alive(kernel):
    class Tensor:
        pass

    held = Tensor()
    watch = weakref.ref(held)
    made = card(run=lambda held=held: "0 bytes")
    made._repr_mimebundle_()
    del held
    gc.collect()
    assert watch() is None


def test_the_script_is_small_and_asks_nobody():
    script = keys.script(live.HERE / "card.js")  # as it travels
    style = (live.HERE / "card.css").read_text("utf-8")
    assert len(script.encode()) <= 8000 and len(keys.SCRIPT.encode()) <= 2000
    assert live.SCRIPT == keys.SCRIPT + script
    assert not re.search(r"https?:|\bimport\b|@import|url\(", live.SCRIPT + style)
    assert all(
        not line.startswith("let ") and not line.startswith("var ") for line in script.split("\n")
    )


# --- what a notebook keeps -----------------------------------------------------------------


def output(**data):
    return nbformat.v4.new_output("display_data", {k.replace("_", "/"): v for k, v in data.items()})


def saved(*outputs):
    cell = nbformat.v4.new_code_cell("x", outputs=list(outputs))
    content = nbformat.v4.new_notebook(cells=[cell], metadata={"widgets": {"state": 1}})
    model = {"type": "notebook", "content": content}
    without_widgets(model, path="a.ipynb")
    return content


def test_a_saved_notebook_keeps_the_page_of_a_card():
    both = output(text_plain="t", text_html="<p>")
    both["data"][WIDGET] = {"model_id": "1"}
    kept = saved(both)
    assert set(kept.cells[0].outputs[0].data) == {"text/plain", "text/html"}
    assert "widgets" not in kept.metadata


def test_a_widget_nothing_stands_in_for_is_kept():
    alone = output(text_plain="t")
    alone["data"][WIDGET] = {"model_id": "1"}
    assert WIDGET in saved(alone).cells[0].outputs[0].data


def test_other_files_are_left_alone():
    without_widgets({"type": "file", "content": "text"}, path="a.txt")
    without_widgets({"type": "notebook", "content": None}, path="a.ipynb")
