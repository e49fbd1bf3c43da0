"""The rules of the game, on traces of the real engine; a perfect player's bytes are the trace's."""

import re

import pytest

import minigrad as mg
from course.play import play
from course.play.game import Game
from course.play.static import NO_KERNEL, how
from course.play.static import before as up_to_backward
from course.play.walks import PlayError
from course.play.widget import Play, played
from minigrad.core.messages import BACKWARD_TWICE, OutOfMemoryError
from minigrad.memory.budgets import OUT_OF_MEMORY
from whoholds.events import shown
from whoholds.step.magic import step
from whoholds.views.look import size_text
from whoholds.views.script import FOLDER

DIAMOND = """a = mg.ones(3, requires_grad=True)
c = mg.ones(3, requires_grad=True)
b = a * 2
p = -b
q = b * 5
r = q + c
loss = (p + r).sum()
loss.backward()"""
CHAIN = """x = mg.ones(64, 32)
w = mg.full((32, 32), 0.01, requires_grad=True)
h = x @ w
h = h.tanh()
h = h.tanh()
h = h.tanh()
loss = h.sum()
del h
loss.backward()"""
TWICE = CHAIN.replace("backward()", "backward(retain_graph=True)") + "\nloss.backward()"
HELD = """w = mg.full((8, 8), 0.1, requires_grad=True)
y = w.exp()
z = (y * y).tanh()
z.sum().backward()"""
LOOP = """w = mg.full((8, 8), 0.1, requires_grad=True)
for i in range(3):
    y = w
    for j in range(2):
        y = (y @ w).tanh() * y
    loss = y.sum()
    loss.backward(retain_graph=i == 1)
    w.grad = None"""
ALL = [DIAMOND, CHAIN, TWICE, HELD, LOOP]


def traced(source):
    return step(source, namespace={"mg": mg})


def node(game, name, nth=0):
    """The number of the nth node of that name, in the order of the forward."""
    return [n for n, (title, _) in game.labels.items() if title == name][nth]


def perfect(game, until=None):
    """Play as the engine did, up to the turn of `until`; gives the moves."""
    moves = []
    while not game.over:
        visit = game.visits[game.ran]
        if visit.node == until:
            break
        moves.append(game.visit(visit.node))
        if visit.release is not None:
            moves += [game.drop(visit.node, slot) for slot in game.world.held(visit.node)]
        assert moves[-1].kind in ("ran", "dropped", "done"), moves[-1]
    return moves


# -- bytes --


@pytest.mark.parametrize("source", ALL)
def test_a_perfect_player_has_the_bytes_of_the_trace_at_every_event(source):
    trace = traced(source)
    game = Game(trace)
    kinds = {move.kind for move in perfect(game)}
    assert kinds <= {"ran", "dropped", "done"} and game.over and game.mistakes == 0
    assert game.curve == [shown(event) for event in trace.events]
    assert game.peak == game.capacity == trace.peak


def test_a_perfect_player_of_a_run_of_pytorch_has_its_bytes():
    pytest.importorskip("torch", reason="PyTorch is not installed")
    trace = step("import torch as mg\n" + TWICE, engine="torch")
    game = Game(trace)
    perfect(game)
    assert game.over and game.curve == [shown(event) for event in trace.events]


def test_what_is_still_held_is_on_top_of_the_trace():
    trace = traced(CHAIN)
    game = Game(trace, capacity=10**6)
    for visit in game.visits:
        game.visit(visit.node)
    assert game.over and game.peak == trace.peak + 8192
    assert game.now == shown(trace.events[-1]) + 3 * 8192
    assert "still hold 4 chips that the engine let go of" in game._score()


def test_a_chip_gives_nothing_back_while_a_name_holds_its_bytes():
    game = Game(traced(HELD))
    tanh, mul = node(game, "TanhBackward0"), node(game, "MulBackward0")
    perfect(game, until=mul)
    assert game.visit(mul).kind == "ran"
    said = game.drop(mul, "self").sentence
    assert said.endswith("lets go of self: nothing is given back, for it is still held elsewhere.")
    assert game.world.held(tanh) == [] and game.world.held(mul) == ["other"]


OTHERS = {
    "a closure": "def keep(y):\n    return lambda: y\nkept = keep(y)\ndel y",
    "a leaf's node": "del w",
}


@pytest.mark.parametrize("who", OTHERS)
def test_dropping_early_gives_nothing_back_while_somebody_else_holds_it(who):
    source = "w = mg.full((8, 8), 0.1, requires_grad=True)\ny = w + 1\nz = (w @ y).sum()"
    game = Game(traced(f"{source}\n{OTHERS[who]}\nz.backward()"))
    alive = game.now
    slot = "mat2" if who == "a closure" else "self"
    assert "nothing is given back" in game.drop(node(game, "MmBackward0"), slot).sentence
    assert game.now == alive


def test_after_its_turn_a_node_is_about_to_let_go_and_what_it_has_used_is_gone():
    game = Game(traced(CHAIN), capacity=10**6)
    for name in 2, 1:
        tanh = node(game, "TanhBackward0", name)
        perfect(game, until=tanh)
        game.visit(tanh)
        assert game.events[game.at]["storage"] == game.world.nodes[tanh]["slots"][0]["storage"]


# -- the order --


def refused(game, name, nth=0):
    before = game.now, game.ran, list(game.moves), game.mistakes
    move = game.visit(node(game, name, nth))
    assert move.kind == "refused" and not move.error
    assert (game.now, game.ran, game.moves, game.mistakes - 1) == before
    return move.sentence


def test_a_node_whose_gradient_is_not_there_names_who_has_not_run():
    game = Game(traced(DIAMOND))
    assert refused(game, "NegBackward0") == (
        "NegBackward0 of line 4 has no gradient yet: AddBackward0 of line 7 has not run."
    )
    perfect(game, until=node(game, "NegBackward0"))
    assert refused(game, "MulBackward0", 0) == (
        "MulBackward0 of line 3 has only a part of its gradient: NegBackward0 of line 4 has not "
        "run."
    )


def test_of_the_ready_nodes_the_newest_goes_first_and_a_leaf_before_all():
    game = Game(traced(DIAMOND))
    perfect(game, until=node(game, "AddBackward0", 0))
    assert refused(game, "NegBackward0") == (
        "NegBackward0 of line 4 is ready, but so is a newer node, and the engine takes the newest "
        "first."
    )
    game.visit(node(game, "AddBackward0", 0))
    assert refused(game, "MulBackward0", 1) == (
        "MulBackward0 of line 5 is ready, but a leaf is ready, too, and its AccumulateGrad goes "
        "first."
    )
    assert game.visit(node(game, "AccumulateGrad", 1)).sentence.startswith("AccumulateGrad of c")
    assert game.mistakes == 2


def test_a_node_runs_once_in_each_backward():
    game = Game(traced(TWICE))
    total = node(game, "SumBackward0")
    assert game.visit(total).kind == "ran"
    assert "has run already" in refused(game, "SumBackward0")
    last = perfect(game, until=total)[-1]
    assert last.sentence.endswith("The backward of line 10 begins.")
    assert "has no gradient yet" in refused(game, "MmBackward0")
    assert game.visit(total).kind == "ran"


def test_a_node_of_another_graph_has_no_part():
    game = Game(traced("a = mg.ones(2, requires_grad=True)\nb = -a\n(a * 2).sum().backward()"))
    assert refused(game, "NegBackward0") == "NegBackward0 of line 2 has no part in this backward."


# -- the errors --


@pytest.mark.parametrize("source", [CHAIN, TWICE])
def test_dropped_too_early_ends_in_the_text_of_a_second_backward(source):
    game = Game(traced(source))
    tanh = node(game, "TanhBackward0", 1)
    if source is TWICE:  # a kept graph: the first backward has used it, the second will
        perfect(game, until=node(game, "MmBackward0"))
    before = game.now, list(game.moves), list(game.curve)
    assert game.drop(tanh, "result").kind == "dropped"
    assert game.now == before[0] - 8192
    perfect(game, until=tanh)
    move = game.visit(tanh)
    line = 9 if source is CHAIN else 10
    assert move.kind == "error" and game.mistakes == 1
    assert move.sentence == "TanhBackward0 of line 5 cannot run: you had dropped its result."
    assert move.error == f"line {line}, `loss.backward()`: RuntimeError: {BACKWARD_TWICE}"
    for again in game.visit(tanh), game.drop(tanh, "result"):
        assert (again.kind, again.error, game.mistakes) == ("refused", move.error, 1)
    assert "before result of TanhBackward0 of line 5 was dropped" in game.back().sentence
    assert (game.now, game.moves, game.curve) == before
    perfect(game)
    assert game.over and game.curve == [shown(e) for e in game.events]


def test_the_error_is_the_one_of_the_engine():
    trace = traced(CHAIN + "\nloss.backward()")
    with pytest.raises(PlayError, match="ends in an error"):
        Game(trace)
    assert trace.error.endswith(BACKWARD_TWICE)


@pytest.mark.parametrize("source", [CHAIN, TWICE])
def test_dropped_too_late_is_out_of_memory_and_one_click_goes_back(source):
    game = Game(traced(source))
    if source is TWICE:
        perfect(game, until=node(game, "AccumulateGrad"))
        game.visit(node(game, "AccumulateGrad"))
    while True:
        before = game.now, list(game.moves), list(game.curve)
        move = game.visit(game.visits[game.ran].node)
        if move.kind == "error":
            break
    assert "you still hold result of TanhBackward0 of line 6" in move.sentence
    assert move.error.split(": ", 2)[1] == "OutOfMemoryError"
    text = OUT_OF_MEMORY.format(8192, before[0], game.capacity)
    assert move.error.endswith(f"OutOfMemoryError: {text}")
    assert before[0] + 8192 > game.capacity and game.mistakes == 1
    game.back()
    assert (game.now, game.moves, game.curve) == before
    game.drop(node(game, "TanhBackward0", 2), "result")
    assert game.now == before[0] - 8192
    assert game.visit(game.visits[game.ran].node).kind == "ran"


def test_the_text_is_that_of_a_budget():
    with pytest.raises(OutOfMemoryError) as raised, mg.memory.budget(0):
        mg.ones(1)
    size, used, budget = (int(word) for word in str(raised.value).split() if word.isdigit())
    assert str(raised.value).startswith(OUT_OF_MEMORY.format(size, used, budget))


def test_a_gpu_on_which_the_run_itself_does_not_fit_is_refused():
    trace = traced(HELD)
    with pytest.raises(ValueError, match=f"needs {size_text(trace.peak)}; give"):
        Game(trace, capacity=trace.peak - 1)


# -- back --


@pytest.mark.parametrize("source", ALL)
def test_back_undoes_each_move_to_the_byte(source):
    game, seen = Game(traced(source)), []
    while not game.over:
        seen.append((game.now, game.at, game.ran, list(game.curve), game.world.drawn()))
        visit = game.visits[game.ran - 1] if game.pending else game.visits[game.ran]
        if game.pending:
            game.drop(visit.node, game.world.held(visit.node)[0])
        else:
            game.visit(visit.node)
    for then in reversed(seen):
        assert game.back().kind == "back"
        assert (game.now, game.at, game.ran, game.curve, game.world.drawn()) == then
    assert game.back().sentence == "This is where backward begins."


def test_the_first_move_can_be_the_mistake():
    game = Game(traced(HELD))
    tanh = node(game, "TanhBackward0")
    game.drop(tanh, "result")
    game.visit(node(game, "SumBackward0"))
    assert game.visit(tanh).kind == "error"
    game.back()
    assert game.moves == [] and game.failed is None and game.mistakes == 1
    assert game.again().kind == "back" and game.mistakes == 0


def test_back_is_before_the_first_of_two_mistakes():
    game = Game(traced(HELD))
    mul = node(game, "MulBackward0")
    perfect(game, until=node(game, "TanhBackward0"))
    right = len(game.moves)
    game.drop(mul, "other")
    perfect(game, until=mul)
    game.drop(mul, "self")
    assert "had dropped its self, other" in game.visit(mul).sentence
    game.back()
    assert len(game.moves) == right and game.world.held(mul) == ["self", "other"]


def test_no_two_nodes_have_the_same_label():
    game = Game(traced(LOOP))
    names = [game.label(n) for n in game.labels]
    assert len(set(names)) == len(names) and "TanhBackward0 of line 5 (2)" in names
    assert "AccumulateGrad of w" in names


# -- what cannot be played --


def test_a_trace_without_backward_says_what_to_record():
    with pytest.raises(PlayError, match="call"):
        play("a = mg.ones(2)")


def test_what_is_dropped_already_is_no_mistake():
    game = Game(traced(CHAIN))
    tanh = node(game, "TanhBackward0")
    game.drop(tanh, "result")
    assert game.drop(tanh, "result").kind == "refused" and game.mistakes == 0


# -- the widget, without a page --


def test_the_start_shows_nothing_of_the_solution():
    widget = play(TWICE, "Twice")
    trace = widget._game.trace
    assert isinstance(widget, Play) and widget.now["moves"] == 0
    text = repr(widget)
    assert text == repr(play(TWICE, "Twice")) and text.startswith("Twice\n" + how(widget._game))
    assert NO_KERNEL in text and f"The GPU has {size_text(trace.peak)}." in text
    assert f"TanhBackward0 of line 5: result {size_text(8192)}" in text
    kinds = {event["kind"] for event in up_to_backward(trace).events}
    assert kinds.isdisjoint({"backward", "visit", "free", "grad"})
    assert "mgg-engine" not in widget.now["plot"]


def test_the_picture_is_stable_and_comes_with_the_build(monkeypatch):
    monkeypatch.delenv("MINIGRAD_REVEAL", raising=False)
    assert "image/png" not in play(DIAMOND)._repr_mimebundle_()[0]
    monkeypatch.setenv("MINIGRAD_REVEAL", "1")
    trace = traced(DIAMOND)  # once: it also counts what earlier tests have left
    one, two = (play(trace)._repr_mimebundle_()[0] for _ in range(2))
    assert one["image/png"] == two["image/png"] and one["image/png"][:4] == b"\x89PNG"
    assert one["text/plain"] == two["text/plain"]


def test_messages_of_the_page_are_moves_and_nonsense_is_none():
    widget = play(CHAIN)
    game = widget._game
    for message in {}, {"type": "visit"}, {"type": "visit", "node": 99}, {"type": "drop"}:
        assert played(game, message) is None
    widget._heard(None, {"type": "visit", "node": game.visits[0].node}, [])
    assert widget.now["kind"] == "ran" and widget.now["moves"] == 1
    widget._heard(None, {"type": "back"}, [])
    assert widget.now["kind"] == "back" and widget.now["moves"] == 0


def test_the_same_answer_twice_is_told_twice():
    widget, heard = play(CHAIN), []
    widget.observe(lambda change: heard.append(change.new["sentence"]), "now")
    for _ in range(2):
        widget._heard(None, {"type": "visit", "node": 1}, [])
    assert len(heard) == 2 and heard[0] == heard[1]


def test_the_engine_is_shown_at_the_end_only():
    widget = play(DIAMOND)
    perfect(widget._game)
    widget._heard(None, {"type": "back"}, [])
    assert "mgg-engine" not in widget.now["plot"]
    widget._heard(None, {"type": "visit", "node": node(widget._game, "AccumulateGrad")}, [])
    assert widget.now["kind"] == "done" and "mgg-engine" in widget.now["plot"]
    assert "peak of you and the engine" in widget.now["plot"]


def test_the_script_is_small():
    from course.play.widget import HERE

    assert len((HERE / "play.js").read_bytes()) <= 8000
    assert Play._esm.count("export default") == 1


def test_its_style_and_that_of_a_prediction_leave_each_other_alone():
    """Both are on the page of a lesson, and no style there is anybody's own."""
    from course.play.widget import HERE

    def classes(path):
        return set(re.findall(r"\.(mg[a-z]*-[a-z-]+)", path.read_text("utf-8")))

    mine = {name for name in classes(HERE / "play.css") if name.startswith("mgg-")}
    assert len(mine) > 8 and mine.isdisjoint(classes(HERE.parent / "predict/card.css"))
    assert mine.isdisjoint(classes(FOLDER / "view.css"))
    rules = re.sub(r"{[^}]*}", "", (HERE / "play.css").read_text("utf-8"))
    for selector in re.split(r"[,\n]", rules.split("@media")[0]):
        assert not selector.strip() or "mgg-" in selector or ".mg-play" in selector, selector
