"""What a trace tells of its backward calls: who ran when, who waits for whom, who let go when.

Plain numbers: nodes and places in the list of events. It refuses to know what is played.
"""

from __future__ import annotations

from dataclasses import dataclass, field

LETTING_GO = {"died", "forget", "gone"}  # what follows from a release is told before it


class PlayError(ValueError):
    """A trace that nobody can play, and what to do about it."""


@dataclass
class Visit:
    """A node's turn: `at` its event, `release` the first event of its letting go, or None."""

    node: int
    at: int
    walk: Walk
    release: int | None = None
    stop: int = 0  # where the next turn begins; for the last one, where the trace ends


@dataclass
class Walk:
    """One backward call. `consumers` has every node it could reach: who hands it gradients."""

    line: int
    roots: list
    consumers: dict = field(default_factory=dict)
    visited: list = field(default_factory=list)


def read(events) -> list:
    """The visits of all walks, in order."""
    graph = {e["node"]: [t[0] for t in e["edges"] if t] for e in events if e["kind"] == "node"}
    visits = _visits(events, graph)
    if not visits:
        raise PlayError("this trace has no backward; record a snippet that calls loss.backward()")
    slots = _slots(events)
    for visit, after in zip(visits, [*visits[1:], None], strict=True):
        visit.stop = after.at if after else len(events)
        visit.release = _release(events, visit, slots.get(visit.node, []))
    return visits


def _visits(events, graph) -> list:
    found, walk, depth = [], None, 0
    for i, e in enumerate(events):
        if e["kind"] == "error":
            raise PlayError(f"this trace ends in an error; play a run that succeeds: {e['text']}")
        depth += {"backward": 1, "end": -1}.get(e["kind"], 0)
        if depth > 1:
            raise PlayError("a backward runs inside another one; play a snippet without that")
        if e["kind"] == "backward":
            walk = Walk(e["line"], e["nodes"], _consumers(e["nodes"], graph))
        elif e["kind"] == "visit" and walk:
            walk.visited.append(e["node"])
            found.append(Visit(e["node"], i, walk))
    return found


def _consumers(roots, graph) -> dict:
    found: dict = {root: [] for root in roots}
    todo = list(found)
    for node in todo:  # the list grows under way
        for target in graph.get(node, ()):
            if target not in found:
                found[target] = []
                todo.append(target)
            found[target].append(node)
    return found


def _slots(events) -> dict:
    found: dict = {}
    for e in events:
        if e["kind"] == "save":
            found.setdefault(e["node"], []).append(e)
    return found


def _release(events, visit, slots) -> int | None:
    """The first event that is there because the node let go, and not for a used gradient."""
    if not slots:
        return None
    inside = range(visit.at + 1, visit.stop)
    frees = (i for i in inside if events[i]["kind"] == "free" and events[i]["node"] == visit.node)
    free = next(frees, None)
    if free is None:
        return None
    first = free
    while events[first - 1]["kind"] in LETTING_GO:
        first -= 1
    while first != free and not _is_of(events[first], slots):
        first += 1
    return first


def survivors(events) -> set:
    """The tensors that were saved and stayed when the last node let go: held by somebody else."""
    found: set = set()
    savers: dict = {}  # tensor -> the nodes that hold it
    for e in events:
        if e["kind"] == "save" and e["tensor"] is not None:
            savers.setdefault(e["tensor"], set()).add(e["node"])
        elif e["kind"] == "forget":
            savers.pop(e["tensor"], None)
        elif e["kind"] == "free":
            for tensor, nodes in savers.items():
                nodes.discard(e["node"])
                found |= set() if nodes else {tensor}
    return found


def _is_of(event, slots) -> bool:
    what = "tensor" if event["kind"] == "forget" else "storage"
    return what in event and event[what] in {slot[what] for slot in slots}
