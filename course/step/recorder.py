"""minigrad's recorder, as `%%step` uses it: it also tells who holds what no arrow leads to."""

from __future__ import annotations

from course.step.held import Finder
from course.step.search import RUNNING, written
from minigrad.autograd.graph import Node
from minigrad.packing import Packed
from minigrad.saves import slot_names
from minigrad.storage import Storage
from minigrad.trace.events import Trace
from minigrad.trace.names import inside
from minigrad.trace.recorder import Recorder
from minigrad.trace.seams import living
from minigrad.variable import Variable

DRAWN = {"_array", "_base", "_edge", "_grad", "_storage", "next_functions", "variable"}


class StepRecorder(Recorder):
    """`trace()` has the holders, too."""

    finder: Finder | None = None

    def look(self, frame):
        super().look(frame)
        if self.finder is None:
            self.finder = Finder(self, Objects(self), self.live, self.older)
        self.finder.look(frame.f_globals)

    def trace(self, source="", title="") -> Trace:
        return Trace(self.finder.events(), source, "minigrad", title)


class Objects:
    """The objects behind the cards of a recording."""

    running = RUNNING
    inside = staticmethod(inside)

    def __init__(self, recorder):
        self.recorder, self.serial = recorder, {}

    def objects(self, things, serial) -> dict:
        """{thing: object} of those that can be found."""
        self.serial = serial
        found = {}
        for letter, refs in ("t", self.recorder.tensors), ("n", self.recorder.nodes):
            for address, number in serial[letter].items():
                if (thing := f"{letter}{number}") in things and refs.get(address):
                    found[thing] = refs[address]()
        alone = {a for a, n in serial["s"].items() if things.get(f"s{n}") == set()}
        for storage in living(Storage) if alone else ():
            if id(storage) in alone:
                found[f"s{serial['s'][id(storage)]}"] = storage
        return {thing: value for thing, value in found.items() if value is not None}

    def card(self, value) -> str | None:
        """The thing that has this object's card."""
        if issubclass(type(value), Variable):
            return self._card("t", self.recorder.tensors, value)
        return self._card("n", self.recorder.nodes, value) if issubclass(type(value), Node) else None

    def _card(self, letter, refs, value):
        ref, number = refs.get(id(value)), self.serial[letter].get(id(value))
        return f"{letter}{number}" if number and ref and ref() is value else None

    def unseen(self, holder, attribute, steps):
        """What the picture has no arrow for: an attribute, or what a pack hook has left."""
        if attribute == "saved":
            place = steps[0][1]
            if holder.saved[place].__class__ is Packed:
                yield f"{slot_names(holder)[place]}, as a pack hook left it"
        elif attribute and attribute not in DRAWN:
            yield attribute + written(steps)
