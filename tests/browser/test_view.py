"""The view on a bare page, without a kernel: every step of its script against Python's State."""

import json
import re
import sys

import pytest

from tests.browser.test_lab import assert_clean
from tests.whoholds.test_views_traces import ALL, chain, long_words, second_backward
from whoholds.events import CATEGORIES, shown
from whoholds.state import State
from whoholds.views.data import GROWING, view_data
from whoholds.views.export import export, page
from whoholds.views.live import Live
from whoholds.views.look import size_text

GO = "n => { model.set('step', n); }"
FACTS = """() => {
  const all = (what) => [...document.querySelectorAll(what)];
  return {
    names: all(".mg-name[data-name]").map((e) => e.dataset.name).sort(),
    storages: all(".mg-storage:not(.dead)").map((e) => [+e.dataset.storage, +e.dataset.category]),
    nodes: all(".mg-node").map((e) => +e.dataset.node).sort((a, b) => a - b),
    held: all(".mg-chip.held").map((e) => e.dataset.chip).sort(),
    freed: all(".mg-chip.freed").map((e) => e.dataset.chip).sort(),
    shared: all(".mg-chip.shared").map((e) => e.dataset.chip).sort(),
    here: all(".mg-node.here").map((e) => +e.dataset.node),
    live: +document.querySelector(".mg-count").dataset.live,
    status: document.querySelector(".mg-status").textContent,
    spoken: document.querySelector(".mg-range").getAttribute("aria-valuetext"),
    error: document.querySelector(".mg-error")?.textContent ?? "",
  };
}"""
REPLAY = """async (events) => {
  const state = new View.State(), out = [];
  for (const e of events) {
    state.apply(e);
    out.push(JSON.stringify([
      Object.fromEntries(state.names), Object.fromEntries(state.tensors),
      Object.fromEntries(state.storages), Object.fromEntries(state.nodes),
      state.totals, state.walking, state.here, state.line]));
  }
  return out;
}"""


def open_view(visit, traces, title="", **how):
    """The page that `export` writes, with the model within the test's reach."""
    text = page(view_data(traces, title, **how))
    within = "window.View = { State, sizeText, render }; window.model = model; window.dispose = "
    text = text.replace("view.render({", within + "view.render({")
    text = text.replace("const heard = {}", "const heard = window.heard = {}")
    visit.page.set_content(text)
    visit.page.wait_for_function("!!window.dispose")
    return visit.page


def expected(state, event, words):
    chips = [(f"{n}:{s['slot']}", node["freed"], s["shared"])
             for n, node in state.nodes.items() for s in node["slots"]]  # fmt: skip
    wrong = [event["text"], *event["notes"]] if event["kind"] == "error" else []
    words = words.replace("`", "")  # code is marked
    return dict(
        names=sorted(state.names),
        storages=[[n, state.category(n)] for n in state.storages],
        nodes=sorted(state.nodes),
        held=sorted(chip for chip, freed, _ in chips if not freed),
        freed=sorted(chip for chip, freed, _ in chips if freed),
        shared=sorted(chip for chip, _, shared in chips if shared),
        here=[state.here] if state.here is not None and state.walking else [],
        live=event["live"], status=words, spoken=words, error="\n".join(wrong),
    )  # fmt: skip


@pytest.mark.parametrize("name", [n for n in ALL if n not in ("chain", "empty")])
def test_every_step_shows_what_state_says(visit, name):
    trace = ALL[name]()
    words = view_data({"": trace})["traces"][0]["words"]
    page = open_view(visit, {"": trace})
    state = State()
    for step, event in enumerate(trace.events, 1):
        state.apply(event)
        page.evaluate(GO, step)
        found = page.evaluate(FACTS)
        found["storages"].sort()
        assert found == expected(state, event, words[step]), f"step {step}: {event}"
    assert_clean(visit)


def test_going_back_shows_what_going_forth_showed(visit):
    trace = second_backward()
    page = open_view(visit, {"": trace})
    steps = range(len(trace.events) + 1)
    forth = {}
    for step in steps:
        page.evaluate(GO, step)
        forth[step] = page.evaluate(FACTS)
    for step in reversed(steps):
        page.evaluate(GO, step)
        back = page.evaluate(FACTS)
        assert sorted(map(str, back.pop("storages"))) == sorted(map(str, forth[step]["storages"]))
        assert back == {k: v for k, v in forth[step].items() if k != "storages"}


@pytest.mark.parametrize("name", ALL)
def test_the_scripts_state_is_the_state(visit, name):
    trace = ALL[name]()
    page = open_view(visit, {"": trace})
    found = page.evaluate(REPLAY, trace.events)
    state = State()
    for event, text in zip(trace.events, found, strict=True):
        state.apply(event)
        mine = [state.names, state.tensors, state.storages, state.nodes, state.totals,
                state.walking, state.here, state.line]  # fmt: skip
        assert json.loads(text) == json.loads(json.dumps(mine, default=int))
    assert_clean(visit)


def test_bytes_are_written_as_in_python(visit):
    page = open_view(visit, {"": ALL["empty"]()})
    sizes = [0, 7, 999, 1000, 28_676, 1 << 20, 3 * (1 << 29), -20_000, 10**10]
    found = page.evaluate("sizes => sizes.map(View.sizeText)", sizes)
    assert found == [size_text(n) for n in sizes]


def test_a_click_on_the_plot_selects_its_event(visit):
    trace = second_backward()
    page = open_view(visit, {"": trace})
    plot = page.locator(".mg-plot")
    box, scale = plot.bounding_box(), view_data({"": trace})["scale"]
    for step in 1, 20, 41, len(trace.events):
        wide = box["width"] - scale["left"] - scale["right"]
        x = scale["left"] + wide * (step - 0.5) / len(trace.events)
        plot.click(position={"x": x, "y": 60})
        assert page.evaluate("model.get('step')") == step
        assert float(page.evaluate(FACTS)["live"]) == trace.events[step - 1]["live"]


def test_dragging_over_the_plot_moves_along(visit):
    page = open_view(visit, {"": second_backward()})
    box = page.locator(".mg-plot").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 3, box["y"] + 60)
    assert page.evaluate("model.get('step')") == len(second_backward().events)
    page.mouse.up()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 60)
    assert page.evaluate("model.get('step')") == len(second_backward().events)


def test_keys_step_while_the_view_has_the_focus(visit):
    trace = second_backward()
    data = view_data({"": trace})["traces"][0]
    page = open_view(visit, {"": trace})
    step = lambda: page.evaluate("model.get('step')")  # noqa: E731
    page.evaluate(GO, 0)
    page.keyboard.press("ArrowRight")
    assert step() == 0, "keys belong to the page until the view is focused"
    page.locator(".mg-view").focus()
    for key, wanted in [
        ("ArrowRight", data["stops"][1]), ("ArrowDown", data["stops"][2]),
        ("ArrowLeft", data["stops"][1]), ("End", len(trace)), ("PageUp", data["lines"][-2]),
        ("Home", 0), ("PageDown", data["lines"][1]), ("ArrowUp", 0),
    ]:  # fmt: skip
        page.keyboard.press(key)
        assert step() == wanted, key
    assert page.locator(".mg-view").get_attribute("data-lm-suppress-shortcuts") == "true"


def test_a_step_is_saved_at_once(visit):
    # Later would be too late: the kernel's echo of the step before would undo this one.
    page = open_view(visit, {"": second_backward()})
    page.evaluate(GO, 0)
    page.evaluate("() => { window.saved = []; }")
    page.evaluate("() => { model.save_changes = () => window.saved.push(model.get('step')); }")
    page.locator(".mg-view").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    saved = page.evaluate("window.saved")
    assert len(saved) == 3 and saved == sorted(set(saved))


def test_buttons_modes_and_playing(visit):
    trace = second_backward()
    data = view_data({"": trace})["traces"][0]
    page = open_view(visit, {"": trace})
    step = lambda: page.evaluate("model.get('step')")  # noqa: E731
    page.evaluate(GO, 0)
    page.locator(".mg-mode").select_option("line")
    page.get_by_role("button", name="Next step").click()
    page.get_by_role("button", name="Next step").click()
    assert step() == data["lines"][2]
    page.locator(".mg-mode").select_option("all")
    page.get_by_role("button", name="Previous step").click()
    assert step() == data["lines"][2] - 1
    page.get_by_role("button", name="Play").click()
    page.wait_for_function(f"model.get('step') >= {data['lines'][2] + 1}")
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="First step").click()
    assert step() == 0
    page.get_by_role("button", name="Last step").click()
    assert step() == len(trace)
    assert page.get_by_role("button", name="Play").count() == 1


def test_a_storage_says_who_holds_it(visit):
    trace = second_backward()
    page = open_view(visit, {"": trace})
    before = next(i for i, e in enumerate(trace.events) if e["kind"] == "backward")
    page.evaluate(GO, before)
    page.locator("[data-storage='4']").focus()
    held = page.locator(".mg-held")
    assert held.text_content() == "2,048 B held by: name y, node TanhBackward0.result"
    assert page.locator(".mg-arrow.on").count() == 3  # the name, the node, and its grad_fn's row
    page.evaluate(GO, len(trace))
    page.locator("[data-storage='9']").hover()
    assert held.text_content() == "8,192 B held by: .grad of w"


def test_several_traces_share_the_plot(visit):
    traces = {"retain": chain(12, retain=True), "not": chain(12)}
    page = open_view(visit, traces, "two ways")
    assert page.locator(".mg-other").count() == 1
    page.evaluate(GO, len(traces["retain"]))
    assert page.locator(".mg-chip.held").count() > 0
    assert page.locator(".mg-name[text-anchor]").all_text_contents() == ["not"]
    page.locator(".mg-which").select_option(index=1)
    assert page.locator(".mg-name[text-anchor]").all_text_contents() == ["retain"]
    page.evaluate(GO, len(traces["not"]))
    assert page.locator(".mg-chip.held").count() == 0
    assert page.locator(".mg-chip.freed").count() > 0
    assert_clean(visit)


def test_source_lines_carry_their_bytes(visit):
    trace = second_backward()
    page = open_view(visit, {"": trace})
    page.evaluate(GO, len(trace))
    rows = page.locator(".mg-source [data-line]").all()
    last = {e["line"]: shown(e) for e in trace.events}
    for number, row in enumerate(rows, 1):
        assert row.locator("i").first.text_content() == size_text(last[number])
    assert page.locator(".mg-source .now b").text_content() == "7"


def test_disposing_leaves_nothing(visit):
    page = open_view(visit, {"": second_backward()})
    page.get_by_role("button", name="Play").click()
    page.evaluate("dispose()")
    assert page.locator(".mg-view").count() == 0
    page.evaluate(GO, 5)  # heard by nobody
    page.wait_for_timeout(800)
    assert page.evaluate("model.get('step')") == 5, "the player still runs"
    assert_clean(visit)


def test_two_views_of_one_model_go_together(visit):
    page = open_view(visit, {"": second_backward()})
    page.evaluate("void View.render({ model, el: document.body })")
    page.locator(".mg-view").first.focus()
    page.keyboard.press("End")
    counts = page.locator(".mg-count").all_text_contents()
    assert len(counts) == 2 and len(set(counts)) == 1
    ids = page.evaluate("[...document.querySelectorAll('pattern, marker')].map((e) => e.id)")
    assert len(ids) == len(set(ids))


def test_text_from_a_trace_is_never_markup(visit):
    trace = second_backward()
    bad = "<img src=x onerror='window.hacked = 1'></script><script>window.hacked = 1</script>"
    trace.source, trace.title = bad, bad
    trace.events[-1]["text"] = bad
    page = open_view(visit, {bad: trace, "b": trace}, bad)
    page.evaluate(GO, len(trace))
    assert page.evaluate("!window.hacked") and page.locator(".mg-view img").count() == 0
    assert bad in page.locator(".mg-error").text_content()
    assert_clean(visit)


@pytest.mark.parametrize("name", ALL)
def test_a_packed_page_has_the_same_data(visit, name, monkeypatch):
    data = view_data({"": ALL[name](), "once more": ALL["second"]()})
    monkeypatch.setattr(sys.modules[export.__module__], "PLAIN", 0)
    assert '<script type="application/gzip"' in page(data)
    opened = open_view(visit, {"": ALL[name](), "once more": ALL["second"]()})
    assert opened.evaluate("model.get('trace')") == json.loads(json.dumps(data))


@pytest.mark.parametrize("most", [0, 1 << 20], ids=["packed", "plain"])
def test_the_exported_file_stands_alone(visit, tmp_path, monkeypatch, most):
    monkeypatch.setattr(sys.modules[export.__module__], "PLAIN", most)
    path = export(second_backward(), tmp_path / "answer.html")
    visit.page.unroute("**/*")
    asked = []
    visit.page.on("request", lambda request: asked.append(request.url))
    visit.page.goto(path.as_uri())
    visit.page.get_by_role("button", name="Last step").click()
    assert "Trying to backward" in visit.page.locator(".mg-error").text_content()
    assert asked == [path.as_uri()]
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", path.read_text("utf-8"))


def test_a_recording_shows_its_growing_plot_and_then_the_view(visit):
    trace = chain(12)
    trace.recording, whole, trace._events = True, trace.events, trace.events[:9]
    page = open_view(visit, {"": trace})
    assert page.locator(".mg-status").text_content() == GROWING
    trace._events = whole[:70]
    page.evaluate("told => heard['msg:custom'][0](told)", Live({"": trace}, 0, None).message())
    assert page.locator(".mg-count").text_content().startswith("70 events so far")
    legend = page.locator(".mg-legend span").all_text_contents()
    assert legend == ["parameter", "saved", "result", "scratch"]
    assert (
        not page.locator(".mg-body").is_visible() and not page.locator("button").first.is_visible()
    )
    trace.recording, trace._events = False, whole
    page.evaluate("t => { model.set('trace', t); }", view_data({"": trace}))
    page.locator(".mg-view").focus()
    page.keyboard.press("End")
    assert (
        page.evaluate(FACTS)["live"] == whole[-1]["live"] and page.locator(".mg-body").is_visible()
    )
    page.evaluate(
        "told => heard['msg:custom'][0](told)",
        dict(plot=dict(svg="<p>too late", legend=""), count="too late"),
    )
    assert "too late" not in page.content()
    assert_clean(visit)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [900, 1280])
def test_nothing_is_wider_than_the_page(visit, screenshots, scheme, width):
    visit.page.set_viewport_size({"width": width, "height": 900})
    visit.page.emulate_media(color_scheme=scheme)
    trace = second_backward()
    page = open_view(visit, {"": trace})
    page.evaluate(GO, len(trace))
    page.screenshot(path=screenshots / f"view_{scheme}_{width}.png", full_page=True)
    wide = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert page.evaluate(wide)
    over = """() => [...document.querySelectorAll(".mg-card")].filter((card) => {
      const box = card.querySelector(".mg-box").getBoundingClientRect();
      return [...card.querySelectorAll("text")].some((text) =>
        text.getBoundingClientRect().right > box.right + 1);
    }).map((card) => card.textContent)"""
    assert page.evaluate(over) == []
    page.evaluate("t => { model.set('trace', t); }", view_data({"": long_words()}))
    page.evaluate(GO, len(long_words()))
    assert page.locator(".mg-card").count() == 3
    assert page.evaluate(over) == []


def test_long_traces_are_still_one_view(visit):
    trace = chain(400)
    page = open_view(visit, {"": trace})
    assert len(trace) > 5000 and len(CATEGORIES) == 10
    page.evaluate(GO, len(trace) // 2)
    assert page.locator(".mg-node").count() > 100
    assert page.evaluate(FACTS)["live"] == trace.events[len(trace) // 2 - 1]["live"]
    assert_clean(visit)
