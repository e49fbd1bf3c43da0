"""The views in Python: layout, words, text, plot, picture, widget, export."""

import json
import re
import sys
from pathlib import Path

import pytest

from tests.whoholds.test_views_traces import ALL, Teller, chain, no_backward, second_backward
from whoholds.events import CATEGORIES, Trace, shown
from whoholds.names_first import ordered
from whoholds.state import State
from whoholds.views import View, export, show
from whoholds.views import layout as places
from whoholds.views.data import lines, stops, view_data
from whoholds.views.layout import layout, layouts
from whoholds.views.look import LOOK, cut, size_text
from whoholds.views.picture import picture
from whoholds.views.plot import BINS, ID, phases, svg, thinned
from whoholds.views.text import text
from whoholds.views.words import sentences

WIDGET = "application/vnd.jupyter.widget-view+json"
FOLDER = Path(__file__).parents[2] / "whoholds/views"
EVERY = pytest.mark.parametrize("name", ALL)


def states(trace):
    state = State()
    for event in trace.events:
        state.apply(event)
        yield state


def overlap(a, b):
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


# -- layout --


@EVERY
def test_cards_alive_at_once_never_overlap(name):
    trace = ALL[name]()
    for found in layouts(trace):
        for state in states(trace):
            boxes = [found["names"][n] for n in state.names]
            boxes += [found["storages"][str(n)] for n in state.storages]
            boxes += [found["nodes"][str(n)] for n in state.nodes]
            boxes.sort()
            for i, a in enumerate(boxes):
                assert not any(overlap(a, b) for b in boxes[i + 1 :])
                assert a[0] + a[2] <= found["width"] and a[1] + a[3] <= found["height"]


@EVERY
def test_a_lane_without_cards_is_not_drawn(name):
    trace = ALL[name]()
    kinds = {event["kind"] for event in trace.events}
    wanted = [h for h, k in zip(places.HEADS, ("bind", "born", "node"), strict=True) if k in kinds]
    for found in layouts(trace):
        assert [head for _, head in found["heads"]] == wanted
        assert [x for x, _ in found["heads"][:1]] in ([places.SIDE], []), "and takes no room"


@EVERY
def test_layouts_are_lower_the_wider_they_are(name):
    found = layouts(ALL[name]())
    assert found[0] == layout(ALL[name]())
    sizes = [(one["width"], -one["height"]) for one in found]
    assert sizes == sorted(sizes)


@EVERY
def test_chips_lie_in_their_cards_apart_from_each_other(name):
    found = layout(ALL[name]())
    for number, chips in found["chips"].items():
        width, height = found["nodes"][number][2:]
        boxes = [[x, y, w, 15] for x, y, w, _ in chips]
        for i, box in enumerate(boxes):
            assert box[0] + box[2] <= width and box[1] + box[3] <= height
            assert not any(overlap(box, other) for other in boxes[i + 1 :])


def test_two_short_chips_share_a_line():
    sizes = dict(a=4, b=1 << 20, c=4, d=4)
    slots = [dict(slot=slot * (1 + 9 * (n > 4)), size=n, shared=False) for slot, n in sizes.items()]
    found = places._chips(slots)
    rows = [(y - places.HEAD) // places.CHIP for _, y, _, _ in found]
    assert rows == [0, 1, 2, 2] and found[2][0] < found[3][0]


@EVERY
def test_a_layout_is_the_same_twice(name):
    assert json.dumps(layout(ALL[name]())) == json.dumps(layout(ALL[name]()))


def test_slots_are_used_again():
    spans = {1: [0, 5], 2: [1, 3], 3: [4, 9], 4: [6, 9]}
    assert places._slots(spans) == {1: 0, 2: 1, 3: 1, 4: 0}


def test_the_newest_comes_last_while_there_is_room():
    spans = {1: [0, 2], 2: [1, 9], 3: [3, 9], 4: [4, 9]}
    assert places._slots(spans) == {1: 0, 2: 1, 3: 2, 4: 0}


def test_a_long_chain_is_wrapped_and_stays_on_a_page():
    found = layout(chain(80))
    columns = {box[0] for box in found["nodes"].values()}
    assert len(columns) == places.COLUMNS
    assert found["width"] <= 1280 and found["height"] <= 1540


def test_a_name_keeps_its_place_when_it_is_bound_again():
    trace = chain(12)
    assert sum(e["kind"] == "bind" and e["name"] == "h" for e in trace.events) > 5
    assert set(layout(trace)["names"]) == {"x", "h"}


def test_a_storage_with_many_tensors_counts_the_rest():
    tell = Teller()
    tell.fresh(1, 1, (2, 2))
    for n in range(2, 10):
        tell("tensor", tensor=n, storage=1, shape=[2], leaf=False, wants=False)
    box = layout(tell.trace())["storages"]["1"]
    assert box[3] == places.HEAD + places.ROW * places.ROWS


# -- words and text --


def test_sentences_say_what_happens():
    said = sentences(second_backward())
    assert "line 3: MmBackward0 saves mat2: 8,192 B, already counted" in said
    assert "line 4: TanhBackward0 saves result: 2,048 B, kept for backward" in said
    assert "line 6: w.grad holds 8,192 B" in said
    assert said[-1] == "line 7: error: Trying to backward through the graph a second time"


@EVERY
def test_each_event_has_a_sentence_of_its_own(name):
    trace = ALL[name]()
    for event, said in zip(trace.events, sentences(trace), strict=True):
        assert said.removeprefix(f"line {event['line']}: ") != event["kind"]


@EVERY
def test_text_is_stable_and_tells_no_numbers_of_objects(name):
    assert text(ALL[name]()) == text(ALL[name]())
    assert "0x" not in text(ALL[name]())


def test_the_text_has_bytes_per_line_saved_freed_peak_and_error():
    rows = text(second_backward()).splitlines()
    assert rows[0] == "a second backward"
    assert rows[5].split() == ["3", "14,336", "B", "+2,048", "B", "h", "=", "x", "@", "w"]
    assert rows[6].strip() == "- MmBackward0 saves self (0 new)"
    assert any("TanhBackward0 frees what it saved" in row for row in rows)
    peak = max(shown(e) for e in second_backward().events)
    assert rows[-3] == f"peak {peak:,} B at line 6"
    assert rows[-2] == "error at line 7: Trying to backward through the graph a second time"
    assert rows[-1].startswith(f"step {len(second_backward())} of {len(second_backward())}: line 7")


def test_a_loop_is_one_row():
    rows = [row for row in text(chain(12)).splitlines() if "h.tanh()" in row]
    assert len(rows) == 1 and rows[0].endswith("(run 11 times)")


def test_an_empty_trace_says_so():
    assert text(Trace([])) == "an empty trace: nothing was recorded"


# -- sizes and categories --


def test_every_category_but_the_last_has_a_look():
    assert len(LOOK) == len(CATEGORIES) - 1 and CATEGORIES[-1] == "elsewhere"
    assert len({mark for _, _, mark in LOOK}) >= 6, "colour is never the only difference"


@pytest.mark.parametrize(
    "size, written",
    [(0, "0 B"), (999, "999 B"), (28_676, "28,676 B"), (1 << 31, "2,147,483,648 B"), (-4, "-4 B")],
)
def test_sizes_are_exact(size, written):
    assert size_text(size) == written


def test_cut_keeps_what_fits():
    assert cut("abc", 3) == "abc" and cut("abcd", 3) == "ab…"


# -- plot --


def test_bins_keep_the_peak():
    trace = chain(400)
    points = thinned(trace.events)
    assert len(points) <= BINS < len(trace)
    assert max(shown(e) for _, _, e in points) == trace.peak
    assert points[0][0] == 0 and points[-1][1] == len(trace)


def test_few_events_are_not_binned():
    assert len(thinned(second_backward().events)) == len(second_backward())


def test_phases_cover_the_trace_by_turns():
    trace = second_backward()
    found = phases(trace.events)
    between = ""  # the two walks nothing runs forward
    assert [name for name, _, _ in found] == ["forward", "backward", between, "backward"]
    assert all(a[2] == b[1] for a, b in zip(found, found[1:], strict=False))
    assert phases(no_backward().events) == []
    turn = [e for e in second_backward().events[: found[1][2]] if e["kind"] != "elsewhere"]
    assert [name for name, _, _ in phases(turn + turn)] == ["forward", "backward"] * 2


def test_the_areas_end_at_the_total():
    trace = no_backward()
    drawn = svg([trace], [""], 0)
    used = {i for i in range(len(LOOK)) if any(e["bytes"][i] for e in trace.events)}
    assert set(map(int, re.findall(r'data-category="(\d)"', drawn))) == used
    assert f"peak {size_text(trace.peak)}" in drawn and ID in drawn


# -- what the browser is given --


@EVERY
def test_the_data_is_plain(name):
    trace = ALL[name]()
    data = view_data({"a": trace})
    assert json.loads(json.dumps(data))["traces"][0]["events"] == trace.events
    assert len(data["traces"][0]["words"]) == len(trace) + 1


def test_stops_are_the_events_with_a_meaning():
    trace = second_backward()
    kinds = {trace.events[s - 1]["kind"] for s in stops(trace.events)[1:]}
    assert {"save", "free", "visit", "bind", "born", "line", "error"} <= kinds
    assert not kinds & {"tensor", "elsewhere"}


def test_lines_of_a_recording_that_was_not_stepped():
    events = [e for e in second_backward().events if e["kind"] != "line"]
    found = [events[s - 1]["line"] for s in lines(events)[1:]]
    assert found == [0, 1, 2, 3, 4, 5, 6, 7]


def test_a_long_source_is_shown_around_what_ran():
    trace = no_backward()
    trace.source = trace.source + "\npass" * 100
    one = view_data({"": trace})["traces"][0]
    assert one["first"] == 1 and len(one["source"].splitlines()) == 8
    for event in trace.events:
        event["line"] += 50
    assert view_data({"": trace})["traces"][0]["first"] == 49


# -- picture --


@pytest.fixture(autouse=True)
def needs_matplotlib(request):
    if "picture" in request.node.name or "png" in request.node.name:
        pytest.importorskip("matplotlib")


@EVERY
def test_a_picture_is_byte_identical_on_repeat(name):
    first = picture({name: ALL[name]()})
    assert first[:8] == b"\x89PNG\r\n\x1a\n"
    assert picture({name: ALL[name]()}) == first


def test_a_picture_shows_the_telling_step_or_another():
    trace = second_backward()
    assert picture({"": trace}) == picture({"": trace}, step=len(trace))
    assert picture({"": trace}, step=5) != picture({"": trace})


@pytest.mark.parametrize("make, beside", [(second_backward, True), (lambda: chain(80), False)])
def test_a_picture_has_the_source_where_the_lanes_leave_room(make, beside, monkeypatch):
    monkeypatch.setattr("whoholds.views.folds.TALL", 10**6)  # rows would have lines of it
    trace = make()
    whole = picture({"": trace}, step=0)
    trace.source = ""
    assert (picture({"": trace}, step=0) != whole) == beside


def test_a_huge_graph_has_a_picture_without_lanes():
    width, height = (int.from_bytes(picture({"": chain(400)})[a : a + 4], "big") for a in (16, 20))
    assert height < width


# -- widget and export --


def test_show_gives_a_view_of_one_or_several():
    assert isinstance(show(second_backward()), View)
    both = show({"retain": chain(4, True), "not": chain(4)})
    assert [one["label"] for one in both.trace["traces"]] == ["retain", "not"]
    assert repr(both).startswith("retain:\n") and "\n\nnot:\n" in repr(both)
    with pytest.raises(ValueError, match="no trace to show"):
        show({})


def test_a_step_out_of_range_is_the_nearest():
    trace = second_backward()
    assert show(trace, step=10**6).step == len(trace)
    assert show(trace, step=-3).step == 0


def test_the_bundle_has_view_text_and_png(monkeypatch):
    view = show(second_backward())
    monkeypatch.delenv("MINIGRAD_REVEAL", raising=False)
    data, metadata = view._repr_mimebundle_()
    assert data["text/plain"] == text(second_backward())
    assert WIDGET in data and "text/html" not in data
    assert data["image/png"] is view.picture(), "drawn once"
    assert metadata["image/png"] == {"width": 900}


def test_a_long_trace_has_a_page_where_the_reader_would_wait_for_a_png(monkeypatch):
    trace = chain(80)
    trace.title = "<b>"
    monkeypatch.delenv("MINIGRAD_REVEAL", raising=False)
    data, metadata = show(trace)._repr_mimebundle_()
    assert data["text/html"].startswith("<pre>&lt;b&gt;\nline") and "image/png" not in data
    monkeypatch.setenv("MINIGRAD_REVEAL", "1")
    data, metadata = show(trace)._repr_mimebundle_()
    assert "image/png" in data and "text/html" not in data


def test_without_matplotlib_a_page_stands_in_for_the_png(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "whoholds.views.picture", None)
    data, _ = show(second_backward())._repr_mimebundle_()
    assert "<pre>a second backward" in data["text/html"] and "image/png" not in data


def test_the_script_is_small():
    assert sum(len((FOLDER / name).read_bytes()) for name in ("state.js", "view.js")) <= 24_000
    assert all(len((FOLDER / name).read_bytes()) <= 5_500 for name in ("folds.js", "holds.js"))


def test_the_script_asks_for_nothing_outside():
    for name in "state.js", "holds.js", "folds.js", "view.js", "view.css", "frame.html":
        code = (FOLDER / name).read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?:|\bimport\b|fetch\(|url\((?!#)", code)


@EVERY
def test_an_exported_page_holds_the_whole_trace(name, tmp_path):
    path = export(ALL[name](), tmp_path / "page.html")
    found = re.search(r'id="trace">(.*?)</script>', path.read_text("utf-8"), re.DOTALL)
    assert found and json.loads(found[1])["traces"][0]["events"] == ordered(ALL[name]()).events
