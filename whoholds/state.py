"""The state of the machine after some events: who refers to what, and what each byte is for.

`State` is the one place that decides the category of a storage; the recorder uses it to count,
and the views' script is tested against it, step by step. It knows events, and no engine.
"""

from __future__ import annotations

from typing import Any

from whoholds.events import CATEGORIES

PARAMETER, GRAD, STATE, BUFFER, SAVED, FLIGHT, INPUT, NAMED, SCRATCH, ELSEWHERE = range(
    len(CATEGORIES)
)

NOBODY = dict(grad=None, storage=None, leaf=True, wants=True)  # a tensor that is not told of yet
LEAF_HOLDER = "AccumulateGrad"  # the node that holds a tensor without having saved it: `variable`


class State:
    """Dicts that a view draws: names, tensors, storages, nodes. `apply(event)` moves one on."""

    def __init__(self):
        self.names: dict = {}  # name -> ["t1", "n4"]
        self.paths: dict = {}  # name of a module -> {"t1": path of this parameter}
        self.tensors: dict = {}  # tensor -> {storage, shape, leaf, wants, fn, base, grad}
        self.storages: dict = {}  # storage -> {size, saves, grads, leaves, results, flight, ...}
        self.nodes: dict = {}  # node -> {name, edges, tensor, slots, freed, visited}
        self.totals = [0] * len(CATEGORIES)
        self.walking = 0  # how many walks are under way
        self.here: Any = None  # the node the walk is at
        self.line = 0
        self.changes: list = []  # by the last event: (storage, size, category before, and after)

    def apply(self, event) -> None:
        self.line, self.changes = event["line"], []
        handle = getattr(self, "_" + event["kind"], None)
        if handle is not None:
            handle(event)

    # -- names and tensors --

    def typed(self, name, target) -> str:
        """What one types to get this target of the name: `net.fc1.weight`."""
        return ".".join(filter(None, (name, self.paths.get(name, {}).get(target))))

    def _bind(self, e):
        self.names[e["name"]] = e["targets"]
        self.paths[e["name"]] = dict(zip(e["targets"], e.get("paths", ()), strict=False))

    def _unbind(self, e):
        self.names.pop(e["name"], None)

    def _tensor(self, e):
        known = self.tensors.setdefault(e["tensor"], dict(NOBODY))
        self._count(known, -1)
        known.update({k: e[k] for k in ("storage", "shape", "leaf", "wants", "fn", "base")})
        self._count(known, 1)

    def _forget(self, e):
        tensor = self.tensors.get(e["tensor"])
        if tensor is None:
            return
        self._move(tensor["grad"], grads=-1)
        self._count(tensor, -1)
        del self.tensors[e["tensor"]]

    def _count(self, tensor, step):
        kind = "results" if not tensor["leaf"] else "leaves" if tensor["wants"] else "inputs"
        self._move(tensor["storage"], **{kind: step})

    def _grad(self, e):
        tensor = self.tensors.get(e["tensor"])
        if tensor is None:
            return
        self._move(tensor["grad"], grads=-1)
        tensor["grad"] = e["storage"]
        self._move(e["storage"], grads=1)

    def _held(self, e):
        things = {"t": self.tensors, "n": self.nodes, "s": self.storages}[e["target"][0]]
        if (thing := things.get(int(e["target"][1:]))) is not None:
            thing["held"] = e["by"]

    # -- storages --

    def _born(self, e):
        self.storages[e["storage"]] = dict(
            size=e["size"], leaves=0, grads=0, state=0, buffer=0, saves=0, inputs=0, results=0,
            version=0, flight=self.walking > 0,
        )  # fmt: skip
        self._book(e["storage"], e["size"], None)

    def _died(self, e):
        if e["storage"] in self.storages:
            before, gone = self._unbook(e["storage"]), self.storages.pop(e["storage"])
            self.changes.append((e["storage"], gone["size"], before, None))

    def _role(self, e):
        self._move(e["storage"], **{e["role"]: 1})

    def _elsewhere(self, e):
        self.totals[ELSEWHERE] += e["size"]

    def _write(self, e):
        if e["storage"] in self.storages:
            self.storages[e["storage"]]["version"] = e["version"]

    def _move(self, number, **steps):
        """Change the counts of who refers to a storage, if there is one, and the totals."""
        storage = self.storages.get(number)
        if storage is None:
            return
        before = self._unbook(number)
        for name, step in steps.items():
            storage[name] += step
        self._book(number, storage["size"], before)

    def _unbook(self, number) -> int:
        category = self.category(number)
        self.totals[category] -= self.storages[number]["size"]
        return category

    def _book(self, number, size, before):
        category = self.category(number)
        self.totals[category] += size
        if category != before:
            self.changes.append((number, size, before, category))

    def category(self, number) -> int:
        """The first that fits."""
        s = self.storages[number]
        if s["leaves"]:
            return PARAMETER
        if s["grads"]:
            return GRAD
        if s["state"] or s["buffer"]:
            return STATE if s["state"] else BUFFER
        if s["saves"]:
            return SAVED
        if s["flight"] and not s["results"]:  # a checkpoint computes results in a walk, too
            return FLIGHT
        if s["inputs"]:
            return INPUT
        return NAMED if s["results"] else SCRATCH

    def passing(self, tensor) -> bool:
        """Whether its bytes are no module's, no optimizer's and no gradient's."""
        return tensor["storage"] in self.storages and self.category(tensor["storage"]) > BUFFER

    # -- nodes --

    def _node(self, e):
        facts = {k: e[k] for k in ("name", "edges", "tensor")}
        self.nodes[e["node"]] = dict(facts, slots=[], freed=False, visited=False)
        if e["tensor"] in self.tensors and e["name"] != LEAF_HOLDER:
            self.tensors[e["tensor"]]["fn"] = e["node"]

    def _save(self, e):
        slot = {k: e[k] for k in ("slot", "storage", "tensor", "size", "shared")}
        self.nodes[e["node"]]["slots"].append(slot)
        self._move(e["storage"], saves=1)

    def _visit(self, e):
        self.here = e["node"]
        self.nodes[e["node"]]["visited"] = True

    def _free(self, e):
        node = self.nodes[e["node"]]
        self._drop(node)
        node["freed"] = True

    def _gone(self, e):
        node = self.nodes.pop(e["node"], None)
        if node is not None:
            self._drop(node)

    def _drop(self, node):
        if not node["freed"]:
            for slot in node["slots"]:
                self._move(slot["storage"], saves=-1)

    def _backward(self, e):
        self.walking += 1
        for node in self.nodes.values() if self.walking == 1 else ():  # the outermost one
            node["visited"] = False

    def _end(self, e):
        self.walking -= 1
        self.here = None
        for number, storage in self.storages.items():
            if storage["flight"] and not self.walking:
                self._move(number, flight=-1)


def replay(events):
    """The State after each event, one after the other (the same object, moved on)."""
    state = State()
    for event in events:
        state.apply(event)
        yield state
