"""A folded trace: every card is in one group, and what its rows say adds up to the bytes alive."""

import secrets
from collections import Counter

import pytest

import whoholds
from tests.whoholds.looped import loop
from tests.whoholds.random_snippets import snippet
from tests.whoholds.test_views import overlap
from tests.whoholds.test_views_traces import ALL, chain, second_backward
from whoholds.events import Trace
from whoholds.state import ELSEWHERE, State, replay
from whoholds.step import step
from whoholds.views import folds as module
from whoholds.views.data import view_data
from whoholds.views.folds import KEPT, Folds
from whoholds.views.groups import MOST, Groups
from whoholds.views.picture import picture
from whoholds.views.rows import told

FRESH = secrets.randbelow(10**6)
BOTH = pytest.mark.parametrize("engine", ["minigrad", "torch"])
SEEDS = pytest.mark.parametrize("seed", [*range(4), pytest.param(FRESH, id="fresh")])


@pytest.fixture
def low(monkeypatch):
    """However small a trace is, it is folded."""
    monkeypatch.setattr(module, "TALL", 0)


def recorded(kind, seed, engine):
    pytest.importorskip(engine, reason=f"{engine} is not installed")
    return loop(seed, engine) if kind == "loop" else step(snippet(seed), engine=engine)


@BOTH
@SEEDS
@pytest.mark.parametrize("kind", ["loop", "snippet"])
def test_the_rows_add_up_to_what_is_alive(low, kind, seed, engine):
    trace = recorded(kind, seed, engine)
    folds, turns = Folds(trace), None
    assert folds.groups
    for number, state in enumerate(replay(trace.events)):
        if number % 7 and number != len(trace) - 1:
            continue
        found = Counter()
        for group in {one["turn"]: i for i, one in enumerate(folds.groups)}.values():
            rows = folds.rows(state, group)
            own = [row for row in rows if row.group is not None]
            assert {row.turn for row in own} <= {folds.groups[group]["turn"]}
            assert [row.group for row in own if row.open] == [group]
            head = [row for row in rows if row.group is None and row.turn == own[0].turn]
            for one in head:
                assert _sum([one]) == _sum(own), (FRESH, number)
            found.update(_sum(own))
        wanted = Counter({i: n for i, n in enumerate(state.totals[:ELSEWHERE])})
        wanted["storages"], wanted["nodes"] = len(state.storages), len(state.nodes)
        assert +found == +wanted, (FRESH, number)
        turns = {one["turn"] for one in folds.groups}
    assert kind == "snippet" or len(turns - {0}) == 3, "one for each turn of the loop"


def _sum(rows):
    found = Counter()
    for row in rows:
        found.update({i: n for i, n in enumerate(row.bytes) if n})
        found["storages"] += row.storages
        found["nodes"] += row.nodes
    return found


@BOTH
@SEEDS
def test_each_group_has_room_for_its_cards_and_their_names(low, seed, engine):
    trace = recorded("loop", seed, engine)
    folds = Folds(trace)
    lanes = [group["layouts"][0] for group in folds.groups]
    for what in "storages", "nodes":
        numbers = [int(n) for one in lanes for n in one[what]]
        assert sorted(numbers) == sorted({e[what[:-1]] for e in trace.events if e["kind"]
                                          in ("born", "node") and what[:-1] in e})  # fmt: skip
    for number, state in enumerate(replay(trace.events)):
        for group, one in enumerate(lanes if number % 11 == 0 else ()):
            part = folds.part(state, group)
            boxes = [one["storages"][str(n)] for n in part.storages]
            boxes += [one["nodes"][str(n)] for n in part.nodes]
            boxes += [one["names"][name] for name in part.names]
            for i, box in enumerate(boxes):
                assert not any(overlap(box, other) for other in boxes[i + 1 :]), (FRESH, number)


@BOTH
@SEEDS
def test_what_is_kept_from_turn_to_turn_belongs_to_no_turn(low, seed, engine):
    """Parameters, their gradients, an optimizer's state; all else belongs to the turn it is of."""
    trace = recorded("loop", seed, engine)
    groups, state, born = Groups(trace), State(), {}
    for event in trace.events:
        state.apply(event)
        for number in state.storages:
            born.setdefault(number, set()).add(state.category(number))
    for number, categories in born.items():
        kept = bool(categories & {0, 1, 2, 3})
        assert (groups.storages[number][0] == 0) == kept, (FRESH, number, categories)
    assert {turn for turn, _ in groups.nodes.values()} == {1, 2, 3}


@SEEDS
def test_a_node_is_of_the_module_that_recorded_it(seed):
    """Told by the frames; here hooks on every module say the same."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from tests.whoholds.test_modules import Case

    case, marks, open_ = Case(seed), [], []
    names = {module: f"case.net.{name}".rstrip(".") for name, module in case.net.named_modules()}
    number = torch._C._autograd._get_sequence_nr
    found = {}

    def switch():
        marks.append((number(), open_[-1] if open_ else ""))

    def begins(module, _):
        open_.append(names[module])
        switch()

    def ends(module, *_):
        open_.pop()
        switch()

    handles = [one.register_forward_pre_hook(begins) for one in case.net.modules()]
    handles += [one.register_forward_hook(ends) for one in case.net.modules()]
    with whoholds.record(engine="torch") as trace:
        loss = case.loss()
        todo, seen = [loss.grad_fn], set()
        while todo:
            node = todo.pop()
            if node is not None and node not in seen:
                seen.add(node)
                todo += [below for below, _ in node.next_functions]
        for node in seen:
            if not hasattr(node, "variable"):
                within = [path for mark, path in marks if mark <= node._sequence_nr()]
                found[type(node).__name__, within[-1] if within else ""] = None
        loss.backward()
    for handle in handles:
        handle.remove()
    told = {(e["name"], e.get("module", "")) for e in trace.events
            if e["kind"] == "node" and e["name"] != "AccumulateGrad"}  # fmt: skip
    assert told == set(found) and any(path for _, path in told)


def test_many_modules_are_taken_together_with_those_around_them(low):
    def event(path):
        return dict(kind="node", line=1, node=len(events) + 1, name="MulBackward0", edges=[],
                    tensor=None, module=path, live=0, bytes=[0] * 10)  # fmt: skip

    for blocks, depth in (MOST, 3), (MOST // 3, 4), (MOST + 1, 2):
        events = []
        for i in range(2 * blocks):
            events.append(event(f"net.blocks.{i // 2}.{('up', 'down')[i % 2]}"))
        titles = {title for _, title in Groups(Trace(events)).nodes.values()}
        parts = {len(title.replace("[", ".").split(".")) for title in titles}
        assert parts == {depth}, blocks
        assert all(title.startswith("net.blocks") for title in titles)
        assert depth < 3 or "net.blocks[1]" in {title[:13] for title in titles}


def test_lanes_that_are_low_enough_are_not_folded():
    for make in ALL.values():
        trace = make()
        data = view_data({"": trace})["traces"][0]
        tall = min((one["height"] for one in data["layouts"]), default=module.TALL + 1)
        assert bool(data["folds"]) == (tall > module.TALL) != bool(data["layouts"])
    assert view_data({"": chain(80)})["traces"][0]["folds"]
    assert view_data({"": second_backward()})["traces"][0]["layouts"]


def test_a_large_trace_has_a_picture_and_its_rows_are_told():
    trace = chain(80)
    assert picture({"": trace}).startswith(b"\x89PNG")
    folds, state = Folds(trace), State()
    for event in trace.events:
        state.apply(event)
    rows = folds.rows(state, 0)
    assert told(rows[0]).startswith(f"{sum(rows[0].bytes):,} B · ")
    if len({one["turn"] for one in folds.groups}) > 1:
        assert KEPT in {row.title for row in rows}
