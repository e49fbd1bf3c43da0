"""What the names of a program lead to through objects that have no card in the picture.

From the names, the cards and the calls that are running it goes down: lists in lists, objects,
closures, kept errors. That is quick, and finds nearly all; what it misses, `search` looks for.
"""

from __future__ import annotations

from collections import Counter, deque

from whoholds.frames import ours
from whoholds.holders.edges import variables
from whoholds.holders.objects import TRACEBACK, below, calls

MOST = 20_000  # objects looked at, from each kind of start
RUNNING = "a statement that is still running"
VAGUE = RUNNING, TRACEBACK  # where in there is the engine's business


class Reach:
    """`found` has {thing: [[holder or None, words], ...]} of {thing: object}."""

    def __init__(self, things: dict, engine, namespace, error=None):
        self.engine = engine
        self.wanted = {id(value): thing for thing, value in things.items()}
        self.found: dict = {thing: [] for thing in things}
        self.seen = {id(namespace), id(things), *map(id, engine.mine())}
        self.looked: Counter = Counter()  # objects, by where the way to them starts
        self.todo: deque = deque()
        for name in sorted(namespace, key=lambda name: (name.startswith("_"), name)):
            if not name.startswith("__"):
                self._arrive(None, f"name {name}", namespace[name], "names")
        self._arrive(None, "the error", error, "names")
        for card, words, value in engine.unseen():
            self._arrive(card, words, value, "cards")
        for words, value, start in _running(engine):
            self._arrive(None, words, value, start)
        while self.todo:
            self._go_on(*self.todo.popleft())

    def _go_on(self, holder, words, value, start):
        """Down from an object; what a running call holds must not use up the share of the names."""
        for more, one in below(value, self.engine) if self.looked[start] < MOST else ():
            self._arrive(holder, words if words.endswith(VAGUE) else words + more, one, start)

    def _arrive(self, holder, words, value, start):
        thing = self.wanted.get(id(value))
        if thing is not None and [holder, words] not in self.found[thing]:
            self.found[thing].append([holder, words])
        elif id(value) not in self.seen and self.engine.card(value) is None:
            self.seen.add(id(value))
            self.looked[start] += 1
            self.todo.append((holder, words, value, start))


def _running(engine):
    """(words, object, start) of the variables of the calls that are running; what those around the
    recorded one hold must not use up its share.
    """
    for frame in calls():
        file = frame.f_code.co_filename
        if frame.f_locals is not frame.f_globals and not ours(file):
            theirs = engine.inside(file)
            called = frame.f_code.co_name.strip("<>") + "."
            own = frame is engine.recorder.frame
            name = "name " + called * (not own)
            for variable, value in variables(frame):
                yield RUNNING if theirs else name + variable, value, "call" if own else "calls"
