"""The game's bytes are the real engine's, whatever the player does: random programs, random play.

The engine is made to hold and to drop as the player does, by hooks on its nodes; then both count.
"""

import gc
import random

import pytest

import minigrad as mg
from course.play.game import Game
from minigrad.core.messages import BACKWARD_TWICE
from minigrad.core.node import Freed
from whoholds.events import shown
from whoholds.step.magic import step

OPERATIONS = "{a}.tanh()", "{a}.exp()", "-{a}", "{a} + 1", "{a} * {b}", "{a} + {b}", "{a} @ {b}"
PROGRAMS = range(12)


def program(seed, ending):
    """A forward of a few named results, some of them deleted, and a backward or two."""
    rng = random.Random(seed)
    names, lines = ["w", "v"], []
    for i in range(rng.randint(3, 8)):
        a, b = rng.choice(names), rng.choice(names)
        lines.append(f"r{i} = " + rng.choice(OPERATIONS).format(a=a, b=b))
        names.append(f"r{i}")
    forward = [f"{leaf} = mg.full((4, 4), 0.1, requires_grad=True)" for leaf in "wv"]
    forward += [*lines, f"loss = ({names[-1]} * w).sum()"]
    forward += [f"del {name}" for name in names[2:] if rng.random() < 0.7]
    return "\n".join([*forward, *ending]), len(forward)


def traced(seed, *ending):
    source, forward = program(seed, ending)
    return step(source, namespace={"mg": mg}), "\n".join(source.split("\n")[:forward])


class Real:
    """The same forward on the engine itself; `visits` has the bytes at each node's turn."""

    def __init__(self, forward, game):
        gc.collect()  # the hooks of the test before made a circle
        self.base = mg.memory_allocated()
        self.names = {"mg": mg}
        exec(forward, self.names)
        self.nodes = {game.walk.roots[0]: self.names["loss"].grad_fn}
        edges = {e["node"]: e["edges"] for e in game.events if e["kind"] == "node"}
        for number, node in ((n, self.nodes[n]) for n in [*self.nodes]):
            self._meet(number, node, edges)
        self.visits, self.before = [], lambda number: None
        for number, node in self.nodes.items():
            node.register_prehook(lambda grads, number=number: self._turn(number))

    def _meet(self, number, node, edges):
        for edge, (target, _) in zip(edges[number], node.next_functions, strict=True):
            if edge and edge[0] not in self.nodes:
                self.nodes[edge[0]] = target
                self._meet(edge[0], target, edges)

    @property
    def bytes(self):
        return mg.memory_allocated() - self.base

    def _turn(self, number):
        self.before(number)
        self.visits.append(self.bytes)

    def saved(self, number) -> dict:
        """{slot: its tensors}."""
        node = self.nodes[number]
        entries = node._saved if isinstance(node._saved, list) else ()
        pairs = zip(node.saves, entries, strict=False)
        return {slot: [entry[0]] for slot, entry in pairs if isinstance(entry, tuple)}


def delays(game, rng):
    """{(node, slot): before which visit it is dropped}, some at once, some late, some never."""
    found = {}
    for turn, visit in enumerate(game.visits):
        for e in game.events:
            if e["kind"] == "save" and e["node"] == visit.node:
                found[visit.node, e["slot"]] = turn + rng.choice([1, 1, 2, 3, 99])
    return found


def play(game, due):
    """The whole game, each chip dropped when it is due; the bytes at each node's turn."""
    played = []
    for turn, visit in enumerate(game.visits):
        for chip in [chip for chip in due if due[chip] == turn]:
            assert game.drop(*chip).kind == "dropped"
        assert game.visit(visit.node).kind in ("ran", "done")
        played.append(game.curve[visit.at])
    return played


@pytest.mark.parametrize("seed", PROGRAMS)
def test_a_player_who_drops_late_has_the_bytes_of_an_engine_that_drops_late(seed):
    trace, forward = traced(seed, "loss.backward()")
    game = Game(trace, capacity=10**6)
    due = delays(game, random.Random(seed))
    real, stash, turns = Real(forward, game), {}, iter(range(99))

    def before(number):
        turn = next(turns)
        for chip in [chip for chip in stash if due[chip] == turn]:
            del stash[chip]
        for slot, tensors in real.saved(number).items():
            if due[number, slot] > turn + 1:
                stash[number, slot] = tensors

    real.before = before
    mg.reset_peak_memory_stats()
    real.names["loss"].backward()
    highest = mg.max_memory_allocated() - real.base

    played = play(game, due)
    assert played == real.visits
    assert max(game.curve[game.visits[0].at - 1 :]) == highest
    assert game.now == real.bytes


@pytest.mark.parametrize("seed", PROGRAMS)
def test_a_player_who_drops_what_was_retained_has_fewer_bytes(seed):
    trace, forward = traced(seed, "loss.backward(retain_graph=True)")
    game = Game(trace)
    due = delays(game, random.Random(seed))
    for node, slot in [*due]:  # the real engine lets go of a whole node at once
        due[node, slot] = max(due[n, s] for n, s in due if n == node)
    real, turns = Real(forward, game), iter(range(99))

    def before(number):
        turn = next(turns)
        for node in {node for node, slot in due if due[node, slot] == turn}:
            real.nodes[node]._release(Freed(("", 0)))

    real.before = before
    real.names["loss"].backward(retain_graph=True)
    played = play(game, due)
    assert played == real.visits
    assert min(played) <= min(shown(trace.events[v.at]) for v in game.visits)


@pytest.mark.parametrize("seed", PROGRAMS)
def test_dropping_before_the_use_ends_on_the_engine_as_in_the_game(seed):
    trace, forward = traced(seed, "loss.backward()")
    game = Game(trace)
    rng = random.Random(seed)
    saving = [i for i, v in enumerate(game.visits) if game._slots(v.node)]
    victim = game.visits[rng.choice(saving)].node
    real = Real(forward, game)
    real.nodes[victim]._release(Freed(("", 0)))
    for slot in game.world.held(victim):
        assert game.drop(victim, slot).kind == "dropped"
    with pytest.raises(RuntimeError) as raised:
        real.names["loss"].backward()
    played = []
    for visit in game.visits:
        move = game.visit(visit.node)
        if move.kind == "error":
            break
        played.append(game.curve[visit.at])
        for slot in game.world.held(visit.node) if visit.release else ():
            game.drop(visit.node, slot)
    assert visit.node == victim and played == real.visits[: len(played)] != []
    assert str(raised.value) == BACKWARD_TWICE
    assert move.error.endswith(f"RuntimeError: {raised.value}")
