"""The cards of a large trace in groups: of one turn, and of one module or line of code.

A node belongs to the module that recorded it, a storage to that of the node that saved it first, or
made what lies in it; what no module ran, to its line. What outlives its turn by its nature, a
parameter, its `.grad` and what an optimizer keeps, belongs to no turn: 0.
"""

from __future__ import annotations

import re

from whoholds.places import said
from whoholds.turns import turns

ITEM = re.compile(r"\.(\d+)(?![^.])")  # `net.blocks.7` is typed `net.blocks[7]`
MOST = 24  # groups of one turn; with more, modules are taken together with those around them


class Groups:
    """Of each storage and node its group, (turn, title): `storages`, `nodes`."""

    def __init__(self, trace):
        self.trace, self.lines = trace, trace.source.splitlines()
        self.unit, begins = _begins(trace)
        self.begins = set(begins)
        self.titles: dict = {"s": {}, "n": {}}
        self.turns: dict = {"s": {}, "n": {}}
        self.claimed: set = set()  # storages that a node has made or saved
        self.on: dict = {}  # tensor -> its storage
        self.leads: dict = {}  # AccumulateGrad -> the tensor whose gradient it takes
        self.turn, self.visited = 1 if self.begins else 0, None
        for step, event in enumerate(trace.events):
            self.turn += step in self.begins
            handle = getattr(self, "_" + event["kind"], None)
            if handle is not None:
                handle(event)
        short = _shortened([*self.titles["s"].values(), *self.titles["n"].values()])
        self.storages, self.nodes = (
            {n: (self.turns[kind][n], short(title)) for n, title in found.items()}
            for kind, found in self.titles.items()
        )

    def place(self, event) -> tuple:
        """(the path of a module or "", else the line of code)."""
        if "module" in event:
            return event["module"], ""
        if at := event.get("at"):
            return "", said(self.trace.places[at])
        line = event["line"]
        code = self.lines[line - 1].strip() if 0 < line <= len(self.lines) else ""
        return "", f"line {line}: {code}" if code else f"line {line}"

    def _born(self, e):
        self.turns["s"][e["storage"]] = self.turn
        self.titles["s"][e["storage"]] = self.titles["n"].get(self.visited) or self.place(e)

    def _node(self, e):
        self.turns["n"][e["node"]] = self.turn
        self.titles["n"][e["node"]] = title = self.place(e)
        for edge in e["edges"]:
            if edge and edge[0] in self.leads:
                tensor = self.leads.pop(edge[0])
                self.titles["n"][edge[0]] = title
                self._claim(self.on.get(tensor), title)
        if e["name"] == "AccumulateGrad":
            self.leads[e["node"]] = e["tensor"]

    def _save(self, e):
        self._claim(e["storage"], self.titles["n"][e["node"]])

    def _tensor(self, e):
        self.on[e["tensor"]] = e["storage"]
        if e["fn"] is not None:
            self._claim(e["storage"], self.titles["n"].get(e["fn"]))
        if e["leaf"] and e["wants"]:
            self.turns["s"][e["storage"]] = 0

    def _claim(self, storage, title):
        if title and storage in self.titles["s"] and storage not in self.claimed:
            self.claimed.add(storage)
            self.titles["s"][storage] = title

    def _grad(self, e):
        if e["storage"] is not None:
            self._claim(e["storage"], self.titles["s"].get(self.on.get(e["tensor"])))
            self.turns["s"][e["storage"]] = 0

    def _role(self, e):
        self.turns["s"][e["storage"]] = 0
        self._claim(e["storage"], self.titles["s"].get(self.on.get(e["tensor"])))

    def _visit(self, e):
        self.visited = e["node"]

    def _end(self, e):
        self.visited = None


def _begins(trace) -> tuple:
    """What a turn is called, and the events with which all but the first begin.

    Where nobody told of turns and no loop was stepped, they begin with the first operation that is
    recorded after a backward.
    """
    told = [i + 1 for i, event in enumerate(trace.events) if event["kind"] == "turn"]
    begins = told or max(turns(trace), key=len, default=[])[1:]
    return ("turn", begins) if begins else ("backward", [*_after_walks(trace.events)])


def _after_walks(events):
    """Where what a node has made or saved was born before the node was told of, there."""
    walks, begin = 0, None
    born: dict | None = None  # storage -> when, since the last walk was over
    for i, e in enumerate(events):
        if e["kind"] == "backward":
            if begin is not None and not walks:
                yield begin
            walks, begin = walks + 1, None
        elif e["kind"] == "end":
            walks, born = walks - 1, {}
        elif born is not None and not walks:
            if e["kind"] == "born":
                born[e["storage"]] = i
            elif e["kind"] in ("node", "save") or e["kind"] == "tensor" and e["fn"] is not None:
                begin = min(i if begin is None else begin, born.get(e.get("storage"), i))
    if begin is not None:
        yield begin


def _shortened(titles):
    """What shortens a module's path so far that there are few groups."""
    paths = [path.split(".") for path, _ in set(titles)]
    depths = range(max(map(len, paths), default=1), 1, -1)
    depth = next((d for d in depths if len({tuple(p[:d]) for p in paths}) <= MOST), 1)
    return lambda title: ITEM.sub(r"[\1]", ".".join(title[0].split(".")[:depth])) + title[1]
