"""The rules of "be the engine": which node is next, what may be dropped, what does not fit.

A game is a trace and a list of moves; everything else follows from these two, so going back is
playing fewer moves. It refuses to know kernels and pages, and takes the errors' texts as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

from course.play.labels import ACCUMULATE, labels
from course.play.walks import Walk, read
from course.play.world import World
from minigrad.errors import BACKWARD_TWICE, OUT_OF_MEMORY
from minigrad.trace.events import shown


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
                f"the run itself needs {trace.peak} bytes; give a capacity of that or more, "
                f"not {self.capacity}"
            )
        self.labels = labels(self.events)
        self.mistakes = 0
        self.moves: list
        self.curve: list
        self.pending: int | None  # the node that has run and not let go yet
        self.failed: int | None  # after an error: how many moves were right
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
    def peak(self) -> int:
        return max(self.curve)

    def label(self, node) -> str:
        name, origin = self.labels[node]
        return f"{name} of {origin}"

    # -- moves --

    def visit(self, node) -> Move:
        """Let `node` run next."""
        reason = self._why_not(node)
        if reason:
            return self._refused(reason)
        lost = [slot["slot"] for slot in self._slots(node) if slot["slot"] not in self._held(node)]
        if lost:
            return self._second_time(node, lost)
        return self._do(("visit", node))

    def drop(self, node, slot) -> Move:
        """Let go of what `node` saved as `slot`."""
        if self.failed or self.over:
            return self._refused(BACK_FIRST if self.failed else OVER, counts=False)
        if slot not in self._held(node):
            return self._refused(f"{self.label(node)} holds no {slot} any more.", counts=False)
        return self._do(("drop", node, slot))

    def back(self) -> Move:
        """To before the mistake, if there was one; else one move back."""
        if not self.moves and not self.failed:
            return Move("back", "This is where backward begins.")
        keep = len(self.moves) - 1 if self.failed is None else self.failed
        self._replay(self.moves[:keep])
        return Move("back", f"Back at a moment with {self.now} bytes alive.")

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
                self._go_to(self.visits[self.ran - 1].stop)
            return
        visit = self.visits[self.ran]
        self._go_to(visit.at)
        self.ran += 1
        self.pending = None if visit.release is None else visit.node
        self._go_to(visit.stop if visit.release is None else visit.release)

    def _go_to(self, stop) -> None:
        """Let the events up to `stop` happen, as far as they fit."""
        if self.at < stop and self.pending is not None:
            self.world.releasing, self.pending = self.pending, None
        while self.at < stop:
            event = self.events[self.at]
            before = self.now if self.at else 0
            self.world.apply(event)
            self.at += 1
            after = self.now
            if event["kind"] == "born" and after > self.capacity:
                raise _DoesNotFit(event["size"], before)
            if event["kind"] in ("free", "visit"):
                self.world.releasing = None
            self.curve.append(after)

    def _replay(self, moves) -> None:
        self.world, self.moves, self.curve = World(), list(moves), []
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
        return Move("refused", reason)

    def _why_not(self, node) -> str:
        """One sentence why `node` is not the next to run, or ""."""
        if self.failed is not None:
            return BACK_FIRST
        if self.ran == len(self.visits):
            return NOTHING_LEFT
        if node == self.visits[self.ran].node:
            return ""
        return self._not_next(node, self.label(node))

    def _not_next(self, node, label) -> str:
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
        self.mistakes += 1
        sentence = f"{self.label(node)} cannot run: you had dropped its {', '.join(lost)}."
        return Move("error", sentence, self._raised("RuntimeError", BACKWARD_TWICE))

    def _out_of_memory(self, move, size, used) -> Move:
        """It did not fit. Nothing of the move has happened, once the learner goes back."""
        self.failed = len(self.moves)
        self.mistakes += 1
        held = [f"{slot} of {self.label(node)}" for node, slot in self._still_held()]
        what = f"you still hold {_listed(held)}" if held else "the GPU is full"
        text = OUT_OF_MEMORY.format(size, used, self.capacity)
        sentence = f"At {self.label(move[1])} {size} bytes do not fit: {what}."
        return Move("error", sentence, self._raised("OutOfMemoryError", text))

    def _still_held(self) -> list:
        """What the learner holds and the engine does not."""
        late, world = self.world.late(), self.world
        return [
            (node, slot["slot"]) for node in world.nodes for slot in self._slots(node)
            if slot["storage"] in late and slot["slot"] in self._held(node)
        ]  # fmt: skip

    def _raised(self, kind, text) -> str:
        """The error as `%%step` prints it."""
        line, rows = self.walk.line, self.trace.source.splitlines()
        where = f"line {line}, `{rows[line - 1].strip()}`: " if 0 < line <= len(rows) else ""
        return f"{where}{kind}: {text}"

    # -- sentences --

    def _after_visit(self, move) -> str:
        said = f"{self.label(move[1])} has run; {self.now} bytes are alive."
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
            return said + f"{back} bytes are given back, {self.now} are alive."
        return said + "nothing is given back, for it is still held elsewhere."

    def _score(self) -> str:
        mine, engine = self.peak, self.trace.peak
        end = f"Backward is over. Your peak is {mine} bytes, the engine's {engine}"
        more = sum(self.curve) > sum(map(shown, self.events))
        late = "; you held some of it for longer" if more else ""
        return f"{end}{late}. {count(self.mistakes, 'mistake')}."


_KIND = {"visit": "ran", "drop": "dropped"}
BACK_FIRST = "The program has stopped with an error; go back to before the mistake."
OVER = "Backward is over."
NOTHING_LEFT = "Every node has run; let go of what is still held."


def count(n, what) -> str:
    return f"{n or 'No'} {what}{'' if n == 1 else 's'}"


def _listed(parts) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
