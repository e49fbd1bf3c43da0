"""A view shown inside of a recording: it tells of the growing plot, then becomes a view."""

import json

import pytest
from IPython.core.interactiveshell import InteractiveShell

import minigrad as mg
import whoholds
from tests.whoholds.test_views_traces import second_backward
from whoholds.views import live, show, widget
from whoholds.views.data import GROWING
from whoholds.views.telling import telling


@pytest.fixture
def sent(monkeypatch):
    """What views send, without any pause between two messages."""
    found = []
    monkeypatch.setattr(live, "PAUSE", 0)
    monkeypatch.setattr(live, "SHARE", 0)
    monkeypatch.setattr(widget.View, "send", lambda view, message: found.append(message))
    return found


def rounds(count):
    x = mg.ones(16, requires_grad=True)
    for _ in range(count):
        (x * 2.0).tanh().sum().backward()


def test_a_plot_is_sent_while_the_code_runs(sent):
    with whoholds.record() as trace:
        view = show(trace)
        assert view.trace["traces"][0]["recording"] and sent == []
        rounds(3)
        during = len(sent)
    assert during > 15
    counts = [int(message["count"].split()[0]) for message in sent]
    assert counts == sorted(counts) and counts[0] < counts[-1] <= len(trace)
    plots = [json.loads(json.dumps(message))["plot"] for message in sent]
    assert all('class="mg-total"' in plot["svg"] for plot in plots)


def test_after_the_block_it_is_a_view_like_any_other(sent):
    with whoholds.record() as trace:
        view = show(trace)
        assert view.trace["traces"][0]["words"][0] == GROWING
        rounds(2)
    assert not trace.recording and not view.trace["traces"][0]["recording"]
    assert view.trace == show(trace).trace and view.step == show(trace).step > 0
    assert view.picture() == show(trace).picture() and repr(view) == repr(show(trace))


def test_an_error_in_the_block_ends_the_view_at_the_error(sent):
    with pytest.raises(ZeroDivisionError), whoholds.record() as trace:
        view = show(trace)
        rounds(1)
        raise ZeroDivisionError("half-way")
    assert view.trace["traces"][0]["events"][-1]["text"] == "ZeroDivisionError: half-way"
    assert view.step == len(trace)


def test_nothing_that_is_measured_changes(sent):
    def measured(follow):
        with whoholds.record() as trace:
            kept = show(trace) if follow else None
            rounds(4)
        return [(e["kind"], e["live"], e["bytes"]) for e in trace.events], kept

    assert measured(True)[0] == measured(False)[0]


def test_messages_take_a_small_part_of_the_time(monkeypatch):
    clock = iter(range(1000))
    monkeypatch.setattr(live.time, "monotonic", lambda: next(clock))
    found = []
    one = live.Live({"": second_backward()}, 0, found.append)
    for _ in range(100):
        one()
    # A message takes one tick of this clock; ten more are waited for, each call takes one.
    assert len(found) == 10


def test_only_the_thread_of_the_view_sends():
    found = []
    one = live.Live({"": second_backward()}, 0, found.append)
    one.thread += 1
    one()
    assert found == []


def test_a_growing_one_beside_a_finished_one(sent):
    done = second_backward()
    with whoholds.record() as trace:
        view = show({"before": done, "now": trace})
        rounds(1)
        assert view.which == 1 and "before" in sent[-1]["plot"]["svg"]
    assert view.step == view.trace["traces"][1]["opens"] == telling(trace)


@pytest.fixture
def shell():
    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()


def test_the_output_is_brought_up_to_date_when_the_recording_is_over(sent, shell):
    with whoholds.record() as trace:
        view = show(trace)
        assert shell.display_formatter.format(view) == ({}, {}), "displayed by itself"
        (handle,) = view._shown
        told = []
        handle.update = lambda data, **more: told.append(data)
        rounds(1)
        assert told == []
    (data,) = told
    assert data["image/png"] == view.picture() and data["text/plain"] == repr(view)
    assert shell.display_formatter.format(view)[0]["image/png"] == view.picture()


def test_what_is_told_in_pieces_is_what_is_told_at_once(sent):
    def run(pieces):
        w = mg.ones(4, 4, requires_grad=True)
        with whoholds.record(names={"w", "y", "h"}) as trace:
            if pieces:
                trace.follow(lambda: trace.events)
            for _ in range(3):
                h = w @ w
                y = h.tanh()
                del h
                y.sum().backward()
        return trace.events, trace.recorder

    told, recorder = run(pieces=True)
    assert told == recorder.trace().events == run(pieces=False)[0] and len(told) > 60


def test_a_recording_of_nothing_ends_as_an_empty_view(sent):
    with whoholds.record(names=set(), engine="minigrad") as trace:
        view = show(trace)
    assert [e["kind"] for e in trace.events if e["kind"] != "elsewhere"] == []
    assert view.step == telling(trace) and not view.trace["traces"][0]["recording"]
    assert view.picture()[:4] == b"\x89PNG"
