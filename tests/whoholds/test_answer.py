"""What a page and a printed trace begin with: the error, growth or peak, with line and holder."""

import re
from html import unescape

import pytest

import minigrad as mg
import whoholds
from tests.whoholds.test_views_traces import ALL
from whoholds.events import Trace
from whoholds.growth import grows, growth
from whoholds.names_first import ordered
from whoholds.step import step
from whoholds.views.answer import GRAPH, NOTHING, about, answer
from whoholds.views.data import view_data
from whoholds.views.export import export
from whoholds.views.head import READ, head
from whoholds.views.help import HELP
from whoholds.views.look import size_text
from whoholds.views.telling import failed, opening, telling
from whoholds.views.text import report, text

EVERY = pytest.mark.parametrize("name", ALL)
SECOND = "import torch\nw = torch.ones(9, requires_grad=True)\ny = w.exp().sum()\ny.backward()\n"
CAUGHT = SECOND + "try:\n    y.backward()\nexcept RuntimeError:\n    z = w * 2\nz = 1\n"


class Net:
    def __init__(self):
        self.w, self.cache = mg.ones(4, requires_grad=True), []

    def __call__(self, x):
        h = (self.w * x).exp()
        self.cache.append(h)
        return h.sum()


@pytest.fixture(scope="module")
def growing():
    net = Net()
    return grows(lambda: net(mg.ones(4)).backward()).trace


@EVERY
def test_the_answer_is_the_error_or_the_peak_with_its_line(name):
    trace = ALL[name]()
    if not trace.events:
        assert answer(trace) == [NOTHING]
        return
    (said,) = answer(trace)
    ended = failed(trace.events) < len(trace)
    assert said.startswith("error" if ended else f"peak {size_text(trace.peak)}")
    line = trace.events[telling(trace) - 1]["line"]
    assert not line or f" at line {line}, `{trace.source.splitlines()[line - 1].strip()}`" in said


def test_an_error_names_its_node_and_where_that_was_recorded():
    (said,) = answer(step(SECOND + "y.backward()\n"))
    assert said.startswith(
        "error at line 5, `y.backward()`, in ExpBackward0, recorded at line 3, whose saved tensors "
        "were freed at line 4: RuntimeError: Trying"
    )
    assert answer(step(CAUGHT))[0].startswith("error, caught at line 6, `y.backward()`, in Exp")


def test_a_write_in_place_is_told_with_its_line():
    source = "import torch\nw = torch.ones(4, requires_grad=True)\ny = w.exp()\ny += 1\n"
    (said,) = answer(step(source + "y.sum().backward()"))
    assert "recorded at line 3, whose saved result (16 B) was written into at line 4: Run" in said


def layers(w):
    a = w * 2
    b = a.tanh()
    c = b.exp()
    return c.sum()


@pytest.mark.parametrize("engine", ["minigrad", "torch"])
def test_a_node_is_recorded_on_the_line_that_made_its_result(engine):
    """Also in a function, where the names are not looked at after each line."""
    used = pytest.importorskip(engine, reason=f"{engine} is not installed")
    with whoholds.record(engine=engine) as trace:
        layers(used.ones(4, requires_grad=True)).backward()
    born = {e["storage"]: e for e in trace.events if e["kind"] == "born"}
    made = {e["tensor"]: born[e["storage"]] for e in trace.events if e["kind"] == "tensor"}
    nodes = [e for e in trace.events if e["kind"] == "node" and e["name"] != "AccumulateGrad"]
    assert [n["line"] for n in nodes] == [made[n["tensor"]]["line"] for n in nodes]
    first = layers.__code__.co_firstlineno
    assert [n["line"] - first for n in nodes] == [1, 2, 3, 4]


def test_what_grows_comes_before_the_peak_and_after_an_error(growing):
    rows = [f"grows: {row}" for row in str(growth(growing)).splitlines()]
    assert answer(growing) == [*rows, GRAPH]
    assert "held by net.cache, made in test_answer.py:" in answer(growing)[0]
    wrong = dict(growing.events[-1], kind="error", text="ValueError: no", notes=[], node=None)
    ended = Trace([*growing.events, wrong], growing.source, places=growing.places)
    assert answer(ended)[0].startswith("error") and telling(ended) == len(ended)
    assert "grows: " in report(ended), "that is told, too"


def test_a_view_opens_on_the_last_of_what_grows(growing):
    for trace in growing, ordered(growing):
        at = telling(trace)
        event, row = trace.events[at - 1], str(growth(trace)).splitlines()[0]
        assert event["kind"] == "tensor"
        later = [e for e in trace.events[at:] if e["kind"] == "turn"]
        assert len(later) == 1, "it is the last turn's"
        assert f"this grows: {row}. " in opening(trace, at)
    assert telling(growing, "backward is over") != telling(growing), "a cell's own moment wins"


@pytest.mark.parametrize("keep, graph", [("h", True), ("h.detach()", False)])
def test_a_graph_that_grows_is_plotted_and_told_with_its_way_out(keep, graph):
    w, kept = mg.ones(4, requires_grad=True), []

    def turn():
        h = w.exp()
        h.sum().backward()
        kept.append(eval(keep, {"h": h}))

    trace = grows(turn).trace
    told, (plot,) = answer(trace), view_data({"": trace})["plots"]
    assert told[0].startswith("grows: +16 B a turn") and (GRAPH in told) == graph
    assert ("mg-nodes" in plot["svg"]) == ("nodes alive" in plot["svg"]) == graph


def test_a_view_opens_on_the_result_of_a_node_that_grows():
    w, last = mg.ones(4, requires_grad=True), [mg.zeros(())]

    def turn():
        last[0] = last[0] + (w * w).sum()  # the sum before is gone, its graph is not

    trace = grows(turn).trace
    found = growth(trace)
    made = trace.events[found.moment]
    opens = trace.events[telling(trace) - 1]
    assert found.nodes and opens["kind"] == "tensor"
    assert opens["fn"] == made["node"] if made["kind"] == "node" else "storage" in made


def test_of_a_sum_the_line_that_adds_is_told():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    w, kept = torch.ones(4, requires_grad=True), {"total": 0}

    def add(loss):
        kept["total"] = kept["total"] + loss

    def turn():
        loss = (w * w).sum()
        loss.backward()
        add(loss)

    line = add.__code__.co_firstlineno + 1
    found = [
        row for row in str(grows(turn)).splitlines() if "nodes a turn" in row or "graph" in row
    ]
    assert found and all(row.endswith(f"test_answer.py:{line}") for row in found)


def test_an_index_is_told_if_it_is_not_that_of_the_turn():
    w, nets, past = mg.ones(4, requires_grad=True), [Net(), Net()], []

    def turn():
        nets[1](mg.ones(4))
        past.append({"m": [w * 2]})

    told = str(grows(turn))
    assert "held by nets[1].cache, made in" in told
    assert "held by past[...]['m'], made in" in told


def test_what_calls_around_hold_does_not_use_up_the_search():
    """As in a test runner, whose calls hold all of its tests."""

    def recorded():
        nets = [Net()]
        return str(grows(lambda: nets[0](mg.ones(4))))

    def around(crowd):
        return recorded()

    assert "held by nets[0].cache, made in" in around([[[i]] for i in range(30_000)])


def test_it_opens_on_the_largest_of_what_the_last_turn_left():
    kept = []

    def turn():
        kept.append([mg.ones(n) for n in (2, 64, 8)])

    trace = grows(turn).trace
    event = trace.events[telling(trace) - 1]
    assert event["kind"] == "tensor" and event["shape"] == [64]


@pytest.mark.parametrize("engine", ["minigrad", "torch"])
def test_the_recorder_says_which_version(engine, tmp_path):
    used = pytest.importorskip(engine, reason=f"{engine} is not installed")
    with whoholds.record(engine=engine) as trace:
        used.ones(4)
    stepped = step("import torch\ntorch.ones(4)", engine=engine)
    wanted = str(used.__version__) if engine == "torch" else trace.version
    assert {trace.version, stepped.version, ordered(trace).version} == {wanted}
    name = f"PyTorch {wanted.partition('+')[0]}, " if engine == "torch" else ", a twin of PyTorch, "
    assert name in about(trace) and name in export(trace, tmp_path / "a.html").read_text("utf-8")


@EVERY
def test_a_printed_trace_begins_with_engine_and_answer(name):
    trace = ALL[name]()
    first, *rest = str(trace).splitlines()
    assert first.endswith(about(trace)) and rest[: len(answer(trace))] == answer(trace)
    table = text(trace).splitlines()[bool(trace.title) : -1]
    assert all(row in rest for row in table if trace.events), "and leaves nothing out"


def test_ways_out_are_told_with_the_answer(growing):
    told = growing.retold(growing.events)
    vars(told)["ways"] = ["line 3: `h.detach()` <is> kept"]
    assert "\nway out: line 3: `h.detach()` <is> kept\n" in str(told)
    above = head({"": ordered(told)})
    assert "<li>line 3: <code>h.detach()</code> &lt;is&gt; kept</li>" in above
    assert "Ways out" not in head({"": growing})


def test_how_to_read_it_is_short_and_in_the_words_of_the_view():
    above = head({"a": ALL["second"]()})
    told = re.findall("<dd>(.*?)</dd>", above)
    assert len(told) == len(READ) <= 7
    assert all(word in HELP for words in READ.values() for word in words)
    rows = head({"a": ALL["second"]()}, folded=True)
    assert HELP["row"] in unescape(rows) and HELP["row"] not in unescape(above)
    assert above.index("mg-answer") < above.index("<details>") and "<details open" not in above


def test_what_a_reader_is_to_say_first_is_not_told(tmp_path):
    page = export(step(SECOND), tmp_path / "a.html", hide=True).read_text("utf-8")
    assert "<h1>trace</h1>" in page and "mg-about" not in page.partition("<body>")[2]


def test_a_trace_of_several_says_whose_answer_it_is():
    both = {"<first>": ALL["second"](), "then": ALL["forward"]()}
    above = head(both)
    assert above.count('class="mg-answer') == 2 and "&lt;first&gt;: minigrad" in above
