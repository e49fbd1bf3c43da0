"""The moment that a view opens on: the error, else what the cell names, else the peak."""

import pytest

from tests.whoholds.test_views_traces import ALL
from whoholds.events import shown
from whoholds.step.magic import step, step_cell
from whoholds.views import show
from whoholds.views.look import size_text
from whoholds.views.telling import NoSuchEvent, failed, named, opening, telling
from whoholds.views.words import sentences

EVERY = pytest.mark.parametrize("name", ALL)
SECOND = "import torch\nw = torch.ones(999, requires_grad=True)\ny = w.exp().sum()\ny.backward()\n"
CAUGHT = SECOND + "try:\n    y.backward()\nexcept RuntimeError:\n    z = w * 2\nz = 1\n"


@EVERY
def test_without_a_name_it_is_the_error_or_the_peak(name):
    trace = ALL[name]()
    at = telling(trace)
    if failed(trace.events) < len(trace):
        assert trace.events[at - 1]["kind"] == "error"
    elif trace.events:
        assert shown(trace.events[at - 1]) == trace.peak
    else:
        assert at == 0


@EVERY
def test_each_sentence_names_its_first_event(name):
    trace = ALL[name]()
    told = sentences(trace)
    for sentence in set(told):
        words = sentence.partition(": ")[2] or sentence
        assert words in told[named(trace, words) - 1]
        assert not any(words in earlier for earlier in told[: named(trace, words) - 1])


def test_at_the_peak_it_is_told_whose_the_new_bytes_are():
    trace = step("import torch\nt = torch.ones(8)\ncopy = t.clone()\ndel copy\n")
    assert opening(trace, telling(trace)).endswith("the peak. 64 B are alive, all inputs")
    assert [event["kind"] for event in trace.events[telling(trace) - 2 :][:3]] == [
        "tensor", "bind", "line",
    ]  # fmt: skip


def test_a_line_of_code_names_the_end_of_its_first_run():
    trace = step("import torch\nx = torch.ones(8)\nfor i in range(2):\n    y = x + i\ndel y\n")
    at = named(trace, "y = x")
    assert trace.events[at - 1]["line"] == 4 and trace.events[at]["kind"] == "line"
    assert at < max(i for i, e in enumerate(trace.events, 1) if e["line"] == 4)
    assert named(trace, "del y") == len(trace)


def test_the_error_that_ended_it_comes_before_a_name_and_a_name_before_a_caught_one():
    ended, caught = step(SECOND + "y.backward()\n"), step(CAUGHT)
    assert telling(ended, "is recorded") == telling(ended) == failed(ended.events) + 1
    assert caught.events[telling(caught) - 1]["kind"] == "error"
    assert telling(caught, "is recorded") == named(caught, "is recorded") != telling(caught)


def test_a_name_that_nothing_has_is_one_sentence_with_the_remedy(capsys):
    trace, shown_views = step(SECOND), []
    with pytest.raises(NoSuchEvent, match="^no event is called 'no such': take words of"):
        show(trace, at="no such")
    step_cell("--at 'no such'", SECOND, {}, display=shown_views.append)
    said = capsys.readouterr().out
    assert said.startswith("--at: no event is called 'no such'") and said.count("\n") == 1
    assert [view.step for view in shown_views] == [telling(trace)]


@EVERY
def test_one_line_says_what_one_sees_and_the_line_of_code(name):
    trace = ALL[name]()
    view = show(trace)
    one = view.trace["traces"][0]
    assert view.step == one["opens"] == telling(trace)
    if not trace.events:
        return
    line, code = trace.events[view.step - 1]["line"], trace.source.splitlines()
    said = one["words"][view.step]
    assert said == opening(trace, view.step) and "\n" not in said
    assert size_text(shown(trace.events[view.step - 1])) in said
    if line:
        assert said.startswith(f"line {line}, `{code[line - 1].strip()}`: ")
    assert repr(view).endswith(f"step {view.step} of {len(trace)}: {said}")


def test_where_a_prediction_is_asked_for_nothing_is_given_away():
    views = []
    for line in ("--hide", "--hide --at 'y names'"):
        step_cell(line, SECOND, {}, display=views.append)
    first, second = (view.trace["traces"][0] for view in views)
    assert [view.step for view in views] == [0, named(step(SECOND), "y names")]
    assert views[0].trace["hide"] and not show(step(SECOND)).trace["hide"]
    assert "the peak" not in " ".join(first["words"] + second["words"])
    assert "peak" not in first["about"]


def test_the_exported_page_opens_where_the_view_does(tmp_path):
    step_cell(f"--at 'y names' --export '{tmp_path}/page.html'", SECOND, {}, display=lambda _: None)
    at = named(step(SECOND), "y names")
    assert f'"opens":{at},' in (tmp_path / "page.html").read_text("utf-8")
