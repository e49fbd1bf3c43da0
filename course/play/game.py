"""The rules of "be the engine": which node is next, what may be dropped, what does not fit.

A game is a trace and a list of moves; everything else follows from these two, so going back is
playing fewer moves. It refuses to know kernels and pages, and takes the errors' texts as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

from course.play.labels import ACCUMULATE, labels
from course.play.walks import Walk, read, survivors
from course.play.world import World
from minigrad.core.messages import BACKWARD_TWICE
from minigrad.memory.budgets import OUT_OF_MEMORY
from whoholds.views.look import size_text


@dataclass(frozen=True)
class Move:
    """What a move led to: its kind, a sentence, and the error's text if it ended in one."""

    kind: str  # "ran" "dropped" "refused" "error" "back" "done"
    sentence: str
    error: str = ""


class _DoesNotFit(Exception):
    """So many bytes were asked for while so many were in use."""


class Game:
    """`visit(node)`, `drop(node, slot)` and `back()` each give a Move.

    `capacity` is the size of the GPU in bytes; by default the trace's own peak, so that it is just
    enough for an engine that frees as it goes. `curve` has the bytes after each event so far.
    """

    def __init__(self, trace, capacity=None):
        self.trace, self.events = trace, trace.events
        self.visits = read(self.events)
        self.capacity = trace.peak if capacity is None else capacity
        if self.capacity < trace.peak:
            raise ValueError(
                f"the run itself needs {size_text(trace.peak)}; give a capacity of that or more, "
                f"not {size_text(self.capacity)}"
            )
        self.labels = labels(self.events)
        self.drops = any(event["kind"] == "save" for event in self.events)  # else: order alone
        self.mistakes = 0
        self.moves: list
        self.curve: list
        self.pending: int | None  # the node that has run and not let go yet
        self.failed: int | None  # after an error: how many moves were right
        self.refused: tuple = ()  # the move that ended in it
        self.raised = ""  # its text
        self._replay([])

    # -- what is so --

    @property
    def walk(self) -> Walk:
        """The backward call that is under way, or the last one."""
        return self.visits[min(self.ran, len(self.visits) - 1)].walk

    @property
    def over(self) -> bool:
        return self.at == len(self.events)

    @property
    def now(self) -> int:
        """The bytes alive."""
        return self.world.bytes(self.events[self.at - 1])

    @property
    def _alive(self) -> str:
        return f"{size_text(self.now)} are alive"

    @property
    def peak(self) -> int:
        return max(self.curve)

    def label(self, node) -> str:
        name, origin = self.labels[node]
        return f"{name} of {origin}"

    # -- moves --

    def visit(self, node) -> Move:
        """Let `node` run next."""
        if self.failed is not None or self.ran == len(self.visits):
            return self._refused(BACK_FIRST if self.failed is not None else NOTHING_LEFT, False)
        if node != self.visits[self.ran].node:
            return self._refused(self._why_not(node, self.label(node)))
        lost = [slot["slot"] for slot in self._slots(node) if slot["slot"] not in self._held(node)]
        if lost:
            return self._second_time(node, lost)
        return self._do(("visit", node))

    def drop(self, node, slot) -> Move:
        """Let go of what `node` saved as `slot`."""
        if self.failed is not None or self.over:
            return self._refused(OVER if self.over else BACK_FIRST, False)
        if slot not in self._held(node):
            return self._refused(f"{self.label(node)} holds no {slot} any more.", False)
        return self._do(("drop", node, slot))

    def back(self) -> Move:
        """To before the mistake, if there was one; else one move back."""
        if not self.moves and self.failed is None:
            return Move("back", "This is where backward begins.")
        keep = len(self.moves) - 1 if self.failed is None else self.failed
        undone = (*self.moves, self.refused)[keep]
        self._replay(self.moves[:keep])
        return Move("back", f"Back to before {self._told(undone)}; {self._alive}.")

    def _told(self, move) -> str:
        what = f"{move[2]} of {self.label(move[1])} was dropped" if move[2:] else ""
        return what or f"{self.label(move[1])} ran"

    def again(self) -> Move:
        """From the start, with no mistakes."""
        self.mistakes = 0
        self._replay([])
        return Move("back", "From the start.")

    def _do(self, move) -> Move:
        before = self.now
        try:
            self._apply(move)
        except _DoesNotFit as error:
            return self._out_of_memory(move, *error.args)
        self.moves.append(move)
        said = self._after_visit(move) if move[0] == "visit" else self._after_drop(move, before)
        return Move("done", f"{said} {self._score()}") if self.over else Move(_KIND[move[0]], said)

    def _apply(self, move) -> None:
        if move[0] == "drop":
            self.world.dropped.add(move[1:])
            self.freed = self.now  # before anything else happens
            if self.pending == move[1] and not self._held(move[1]):
                self._go_on(self.visits[self.ran - 1].stop)
            return
        visit = self.visits[self.ran]
        self._go_on(visit.at)
        self.ran += 1
        self._go_to(visit.stop if visit.release is None else visit.release)
        self.pending = None if visit.release is None else visit.node

    def _go_on(self, stop) -> None:
        """The engine's letting go comes first, as far as the learner has let go."""
        self.world.releasing, self.pending = self.pending, None
        self._go_to(stop)

    def _go_to(self, stop) -> None:
        """Let the events up to `stop` happen, as far as they fit."""
        while self.at < stop:
            event = self.events[self.at]
            before = self.now if self.at else 0
            self.world.apply(event)
            self.at += 1
            after = self.now
            if event["kind"] == "born" and after > self.capacity:
                raise _DoesNotFit(event["size"], before)
            self.curve.append(after)

    def _replay(self, moves) -> None:
        self.world, self.moves, self.curve = World(survivors(self.events)), list(moves), []
        self.at = self.ran = 0
        self.pending = self.failed = None
        self._go_to(self.visits[0].at)
        for move in moves:
            self._apply(move)

    def _slots(self, node) -> list:
        return self.world.nodes[node]["slots"] if node in self.world.nodes else []

    def _held(self, node) -> list:
        return self.world.held(node)

    # -- refusals and errors --

    def _refused(self, reason, counts=True) -> Move:
        self.mistakes += counts
        return Move("refused", reason, self.raised if self.failed is not None else "")

    def _why_not(self, node, label) -> str:
        """One sentence why `node` is not the next to run."""
        walk = self.walk
        done = {v.node for v in self.visits[: self.ran] if v.walk is walk}
        if node not in walk.visited:
            return f"{label} has no part in this backward."
        if node in done:
            return f"{label} has run already; in one backward each node runs once."
        waits = [c for c in walk.consumers[node] if c not in done]
        if waits:
            some = len(waits) < len(walk.consumers[node])
            state = "has only a part of its gradient" if some else "has no gradient yet"
            return f"{label} {state}: {self.label(max(waits))} has not run."
        if self.labels[self.visits[self.ran].node][0] == ACCUMULATE:
            return f"{label} is ready, but a leaf is ready, too, and its {ACCUMULATE} goes first."
        return f"{label} is ready, but so is a newer node, and the engine takes the newest first."

    def _second_time(self, node, lost) -> Move:
        """M1, and where it went wrong."""
        culprits = {("drop", node, slot) for slot in lost}
        self.failed = min(i for i, move in enumerate(self.moves) if move in culprits)
        self.refused = "visit", node
        sentence = f"{self.label(node)} cannot run: you had dropped its {', '.join(lost)}."
        return self._stopped(sentence, f"RuntimeError: {BACKWARD_TWICE}")

    def _out_of_memory(self, move, size, used) -> Move:
        """It did not fit. Nothing of the move has happened, once the learner goes back."""
        self.failed, self.refused = len(self.moves), move
        held = [f"{slot} of {self.label(node)}" for node, slot in self._still_held()]
        what = f"you still hold {_listed(held)}" if held else "the GPU is full"
        text = OUT_OF_MEMORY.format(size, used, self.capacity)
        sentence = f"At {self.label(move[1])} {size_text(size)} do not fit: {what}."
        return self._stopped(sentence, f"OutOfMemoryError: {text}")

    def _still_held(self) -> list:
        """What the learner holds and the engine does not."""
        late, world = self.world.late(), self.world
        return [
            (node, slot["slot"]) for node in world.nodes for slot in self._slots(node)
            if slot["storage"] in late and slot["slot"] in self._held(node)
        ]  # fmt: skip

    def _stopped(self, sentence, error) -> Move:
        """The error as `%%step` prints it."""
        line, rows = self.walk.line, self.trace.source.splitlines()
        where = f"line {line}, `{rows[line - 1].strip()}`: " if 0 < line <= len(rows) else ""
        self.raised = where + error
        self.mistakes += 1
        return Move("error", sentence, self.raised)

    # -- sentences --

    def _after_visit(self, move) -> str:
        said = f"{self.label(move[1])} has run; {self._alive}."
        if not self.over and self.ran < len(self.visits) and self.pending is None:
            here, before = self.walk, self.visits[self.ran - 1].walk
            said += f" The backward of line {here.line} begins." if here is not before else ""
        if self.ran == len(self.visits) and self.pending:
            said += " It was the last one: what does it still hold?"
        return said

    def _after_drop(self, move, before) -> str:
        _, node, slot = move
        back = before - self.freed
        said = f"{self.label(node)} lets go of {slot}: "
        if back:
            return said + f"{size_text(back)} are given back, {self._alive}."
        return said + "nothing is given back, for it is still held elsewhere."

    def _score(self) -> str:
        world = self.world
        left = sum(len(self._held(n)) for n, node in world.nodes.items() if node["freed"])
        more = f" You still hold {count(left, 'chip')} that the engine let go of." if left else ""
        peaks = f"Your peak is {size_text(self.peak)}, the engine's {size_text(self.trace.peak)}."
        return f"Backward is over. {peaks}{more} {count(self.mistakes, 'mistake')}."


_KIND = {"visit": "ran", "drop": "dropped"}
BACK_FIRST = "The program has stopped with an error; go back to before the mistake."
OVER = "Backward is over."
NOTHING_LEFT = "Every node has run; let go of what is still held."


def count(n, what) -> str:
    return f"{n or 'No'} {what}{'' if n == 1 else 's'}"


def _listed(parts) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
