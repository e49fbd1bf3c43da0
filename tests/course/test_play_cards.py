"""Where a game's cards stand: no two edges run together, a reason stands at its card, all fits."""

import itertools
import random
import re

import pytest

from course.play import arcs
from course.play.game import Game, Move
from course.play.places import in_a_column, places
from course.play.reason import SAID, WIDE, beside
from course.play.static import how
from tests.course.play_lessons import lesson_games
from tests.course.test_play import ALL, traced
from tests.course.test_play_engine import PROGRAMS, program
from whoholds.views.layout import GAP, NODE

GAMES = lesson_games()
SOURCES = [source for source, _, _ in GAMES.values()] + ALL
LANES, PAGE = 440, 826  # pixels: the most of the lanes that is seen; an output in a small window
NUMBER = r"-?\d+(?:\.\d+)?"


def drawn(d):
    """The corners of a path, read back from its text: a bend counts as its corner."""
    found, x, y = [], 0.0, 0.0
    for command, numbers in re.findall(r"([MHVQ])([^MHVQ]*)", d):
        values = [float(n) for n in re.findall(NUMBER, numbers)]
        found += [tuple(values[:2])] if command in "MQ" else []
        x, y = {"H": [values[0], y], "V": [x, values[0]]}.get(command, values[-2:])
    return [*found, (x, y)]


def strokes(corners):
    return list(itertools.pairwise(corners))


def together(one, other, near=4):
    """Whether two strokes lie side by side, or on each other, for a stretch."""
    (a, b), (c, d) = one
    (e, f), (g, h) = other
    if a == c and e == g:  # both upright
        return abs(a - e) < near and min(max(b, d), max(f, h)) - max(min(b, d), min(f, h)) > 0
    if b == d and f == h:
        return abs(b - f) < near and min(max(a, c), max(e, g)) - max(min(a, c), min(e, g)) > 0
    return False


def at_once(one, other, boxes):
    """Whether two edges can be seen at the same time: no node of one stands in another's place."""
    pairs = itertools.product(one, other)
    return all(a == b or boxes[a][:2] != boxes[b][:2] for a, b in pairs)


def assert_apart(routes, ways, boxes):
    """No two edges run together, none runs over a card, and each ends at its cards."""
    for one, other in itertools.combinations(routes, 2):
        if not at_once(ways[one], ways[other], boxes):
            continue
        for first, second in itertools.product(strokes(routes[one]), strokes(routes[other])):
            assert not together(first, second), (one, first, other, second)
    right = max(x + w for x, _, w, _ in boxes.values())
    for corners in routes.values():
        if len(corners) > 2:
            assert all(x >= right + 8 for x, _ in corners[1:3])
            assert corners[0][0] == right and corners[3][0] == right + arcs.TIP


def random_graph(seed):
    """{key: (from, to)} and a box for each node: some edges twice, some nodes used by many."""
    rng = random.Random(seed)
    ways, boxes = {}, {}
    for node in range(rng.randint(2, 30)):
        chips = rng.randint(0, 3)
        boxes[node] = [300, 28 * node, NODE, 20 + 18 * chips + 4 * bool(chips)]
        older = [rng.randrange(node) for _ in range(rng.randint(1, 4))] if node else []
        hub = [0] * (node > 0 and seed % 3 == 0)
        ways |= {f"edge{node}.{i}": (node, to) for i, to in enumerate(older + hub)}
    return ways, in_a_column(boxes, ways)


@pytest.mark.parametrize("seed", range(60))
def test_no_two_edges_of_a_random_graph_run_together(seed):
    ways, boxes = random_graph(seed)
    assert_apart(arcs.routes(ways, boxes), ways, boxes)
    for (_, y, _, h), (_, below, _, _) in itertools.pairwise(sorted(boxes.values())):
        assert y + h + GAP <= below


def assert_game_is_apart(trace):
    found, ways = places(trace), arcs.edges(trace.events)
    boxes = {int(node): box for node, box in found["nodes"].items()}
    routes = arcs.routes(ways, boxes)
    assert_apart(routes, ways, boxes)
    for key, corners in routes.items():
        assert drawn(found["arcs"][key]) == [pytest.approx(corner, abs=0.1) for corner in corners]
    assert all(x < found["width"] for corners in routes.values() for x, _ in corners)


@pytest.mark.parametrize("source", SOURCES)
def test_no_two_edges_of_a_game_run_together(source):
    assert_game_is_apart(traced(source))


@pytest.mark.parametrize("seed", PROGRAMS)
def test_no_two_edges_of_a_random_program_run_together(seed):
    assert_game_is_apart(traced(program(seed, ["loss.backward()"])[0]))


def test_arcs_on_one_track_are_seen_by_this_test(monkeypatch):
    """As they ran before: all bulge out as far."""
    monkeypatch.setattr(arcs, "_tracks", lambda found, boxes: dict.fromkeys(found, 0))
    with pytest.raises(AssertionError):
        assert_game_is_apart(traced(ALL[0]))


@pytest.mark.parametrize("kind", SAID)
@pytest.mark.parametrize("source", SOURCES)
def test_a_reason_stands_at_its_card_and_hides_no_node(source, kind):
    game = Game(traced(source))
    cards = places(game.trace)
    for node in game.labels:
        x, y, _, _ = cards["nodes"][str(node)]
        svg = beside(Move(kind, f"{game.label(node)} " + "has no gradient yet: " * 4), node, cards)
        left, top, wide, high = map(int, re.search(
            r'x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"', svg).groups())  # fmt: skip
        assert 0 <= left and left + wide < x and x - left - wide < 20, "beside it, over no node"
        assert 0 < top <= y + 10 <= top + high < cards["height"], "at its height"
        assert wide == WIDE and f"L{x - 1} {y + 10}" in svg, "with a point to it"
        rows = [float(at) for at in re.findall(r'<text x="\d+" y="([\d.]+)"', svg)]
        assert len(rows) > 2 and top < rows[0] and rows[-1] < top + high


def test_a_move_that_was_made_has_no_reason():
    game = Game(traced(ALL[0]))
    cards = places(game.trace)
    assert beside(Move("ran", "has run"), game.visits[0].node, cards) == ""
    assert beside(Move("refused", "no"), None, cards) == ""


@pytest.mark.parametrize("lesson", GAMES)
def test_a_lesson_s_game_fits_into_a_small_window(lesson):
    """The lanes without a scroll bar, the program beside them; the browser measures the rest."""
    found = places(traced(GAMES[lesson][0]))
    assert found["height"] <= LANES and found["width"] + 12 + 220 <= PAGE


@pytest.mark.parametrize("lesson", GAMES)
def test_a_game_s_words_are_introduced_before_it(lesson):
    source, title, prose = GAMES[lesson]
    game = Game(traced(source))
    words = {"node", "backward"} | ({"chip", "GPU"} if game.drops else set())
    shown = f"{title} {how(game)}"
    assert ("chip" in shown) == game.drops and ("GPU" in shown) <= game.drops
    assert {word for word in words if not re.search(rf"\b{word}s?\b", prose)} == set()


def test_where_nothing_can_be_let_go_of_there_are_no_chips_and_no_gpu():
    from course.play import play

    order = play("a = mg.ones(3, requires_grad=True)\n(-a).sum().backward()", "Order")
    board = [repr(order), order.now["plot"], order.now["meter"], order.board["how"]]
    assert not re.search(r"GPU|chip|mgg-capacity", "".join(board))
    both = play(ALL[1], "Both")
    assert "GPU" in repr(both) and "chip" in both.board["how"] and "GPU" in both.now["plot"]
