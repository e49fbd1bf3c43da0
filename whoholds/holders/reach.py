"""What the names of a program lead to through objects that have no card in the picture.

From the names, the cards and the calls that are running it goes down: lists in lists, objects,
closures, kept errors. That is quick, and finds nearly all; what it misses, `search` looks for.
"""

from __future__ import annotations

from collections import Counter, deque
from contextvars import copy_context

from whoholds.frames import of_file, ours, variables
from whoholds.holders.modules import of_asked, of_modules
from whoholds.holders.objects import TRACEBACK, calls, ways
from whoholds.holders.threads import of_threads

MOST = 20_000  # objects looked at, from each kind of start
OF = " of "  # what begins so is a start, and the end of the words: `kept[0] of train`
RUNNING = "a statement that is still running"
VAGUE = RUNNING, TRACEBACK  # where in there is the engine's business


class Reach:
    """`found` has {thing: [[holder or None, words], ...]} of {thing: object}.

    `around` goes down from the calls around the program, too, and from the names of its modules: a
    notebook's or a test runner's hold a great deal, so that is for what nobody nearer holds.
    """

    def __init__(self, things: dict, engine, namespace, error=None, around=False):
        self.engine = engine
        self.wanted: dict = {}  # address of an object -> the things that it is, or has the bytes of
        for thing, value in things.items():
            self.wanted.setdefault(id(value), []).append(thing)
        self.found: dict = {thing: [] for thing in things}
        self.seen = {id(namespace), id(things), *map(id, engine.mine())}
        self.looked: Counter = Counter()  # objects, by where the way to them starts
        self.ways: dict = {}  # kind -> how to go down from such an object
        self.todo: deque = deque()
        for name, value in _public(namespace):
            self._arrive(None, f"name {name}", value, "names")
        self._arrive(None, "the error", error, "names")
        for variable, value in copy_context().items():
            self._arrive(None, f"name {variable.name}.get()", value, "names")
        for variable, value in of_threads():
            self._arrive(None, f"name {variable}", value, "names")
        for card, words, value in engine.unseen(things):
            self._arrive(card, words, value, "cards")
        for words, value, start in _running(engine):
            if around or start == "call":
                self._arrive(None, words, value, start)
        self._go_down()
        if around and not all(self.found.values()):
            for words, value, start in self._farther(namespace):
                self._arrive(None, words, value, start)
            self._go_down()

    def _go_down(self):
        while self.todo:
            self._go_on(*self.todo.popleft())

    def _farther(self, here):
        """(words, object, start) of the function that is asked about, and of the names of modules;
        the engine's are asked for by a search.
        """
        asked = self.engine.recorder.asked
        called = getattr(asked, "__name__", "the function").replace("<lambda>", "a lambda")
        yield f"name {called}", asked, "call"
        for module, space in [*of_modules(here), *of_asked(asked, here)]:
            if not self.engine.inside(space.get("__file__") or ""):
                self.seen.add(id(space))
                yield from [(f"name {name}", one, OF + module) for name, one in _public(space)]

    def _go_on(self, holder, words, value, start):
        """Down from an object; what a running call holds must not use up the share of the names."""
        if self.looked[start] < MOST:
            vague = words.endswith(VAGUE)
            for way in self.ways[type(value)]:
                for more, one in way(value, self.engine):
                    self._arrive(holder, words if vague else words + more, one, start)

    def _arrive(self, holder, words, value, start):
        key, kind = id(value), type(value)
        for thing in self.wanted.get(key, ()):
            told = [holder, words + start * start.startswith(OF)]
            if told not in self.found[thing]:
                self.found[thing].append(told)
        if key not in self.wanted and key not in self.seen and self.engine.card(value) is None:
            self.seen.add(key)
            self.looked[start] += 1
            if kind not in self.ways:
                self.ways[kind] = ways(kind, self.engine)
            if self.ways[kind]:
                self.todo.append((holder, words, value, start))


def _public(names) -> list:
    """(name, value) of these names; those that begin with an underscore come last."""
    found = [row for row in list(names.items()) if not row[0].startswith("__")]
    return sorted(found, key=lambda row: (row[0].startswith("_"), row[0]))


def _running(engine):
    """(words, object, start) of the variables of the calls that are running; what those around the
    recorded one hold must not use up its share.
    """
    for frame in calls():
        file = frame.f_code.co_filename
        if not of_file(frame) and not ours(file):
            theirs = engine.inside(file)
            called = frame.f_code.co_name.strip("<>") + "."
            own = frame is engine.recorder.frame
            name = "name " + called * (not own)
            for variable, value in variables(frame):
                yield RUNNING if theirs else name + variable, value, "call" if own else "calls"
