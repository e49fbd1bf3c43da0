"""Events in the order in which Python does it: first a name leads elsewhere, then its bytes go.

A recorder hears at once that a tensor has died, and of the name that led to it only when the line
is over. `names_first` moves what was told of the name in front. A pure function of events.
"""

from __future__ import annotations

from collections import defaultdict

from whoholds.events import Trace
from whoholds.state import State

NAMES = {"bind", "unbind"}
MET = {"tensor": "t", "node": "n"}  # kinds that tell of a thing, and its letter


def ordered(trace) -> Trace:
    """The trace, its events in this order."""
    return trace.retold(names_first(trace.events))


def names_first(events) -> list:
    """The events; a name that is told of after the death of what it led to is told of before it."""
    return _Order(events).told()


class _Order:
    def __init__(self, events):
        self.events, self.state, self.found = events, State(), []
        self.done: set = set()  # places of the events that were told already
        self.coming = defaultdict(list)  # name -> places of what is told of it, the last one first
        self.met: dict = {}  # "t3" -> the place of the first event about it
        for place, event in reversed(list(enumerate(events))):
            if event["kind"] in NAMES:
                self.coming[event["name"]].append(place)
            elif letter := MET.get(event["kind"]):
                self.met[f"{letter}{event[event['kind']]}"] = place

    def told(self) -> list:
        heads: list = []  # that had run once more before an event which was told already
        for place, event in enumerate(self.events):
            if place in self.done:
                heads += event.get("again", ())
                continue
            dead = self._dead(event)
            for name in [n for n, to in self.state.names.items() if dead & set(to)]:
                self._before(place, name, dead)
            if heads:
                event = dict(event, again=[*heads, *event.get("again", ())])
                heads = []
            self._tell(place, event)
        return self.found

    def _tell(self, place, event) -> None:
        self.state.apply(event)
        self.found.append(event)
        self.done.add(place)
        if event["kind"] in NAMES and place is not None:
            self.coming[event["name"]].pop()

    def _dead(self, event) -> set:
        """What no name can lead to after this event."""
        if event["kind"] == "forget":
            return {f"t{event['tensor']}"}
        if event["kind"] == "gone":
            return {f"n{event['node']}"}
        return set()

    def _before(self, place, name, dead) -> None:
        """Tell, before the event at `place`, where the name leads from then on."""
        later = self.coming[name][-1:]
        new = [t for at in later for t in self.events[at].get("targets", ())]
        needed = sorted({self.met[t] for t in new if self.met[t] >= place})
        if later and not dead & set(new) and all(map(self._may_come, needed)):
            for at in [*needed, *later]:
                self._tell(at, self._moved(self.events[at], place))
        else:  # it is not known yet, but certainly not to what is dead
            rest = [t for t in self.state.names[name] if t not in dead]
            event = dict(kind="bind", line=self.events[place]["line"], name=name, targets=rest)
            self._tell(None, self._moved(event, place))

    def _may_come(self, place) -> bool:
        """Whether this can be told already: a tensor whose storage is there."""
        event = self.events[place]
        return event["kind"] == "tensor" and event["storage"] in self.state.storages

    def _moved(self, event, place) -> dict:
        """The event where it stands now: on this line, with the bytes of this moment."""
        before, here = self.found[-1], self.events[place]
        told = {k: v for k, v in event.items() if k not in ("calls", "again")}
        told |= {k: here[k] for k in ("line", "calls") if k in here}
        return dict(told, live=before["live"], bytes=list(before["bytes"]))
