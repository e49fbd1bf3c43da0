"""What a trace says up to its error, by node and by storage."""

from __future__ import annotations


class Story:
    """The events up to the error, by node and by storage."""

    def __init__(self, trace):
        self.source = trace.source.splitlines()
        self.nodes: dict = {}  # node -> its event
        self.slots: dict = {}  # node -> its save events
        self.sizes: dict = {}  # storage -> bytes
        self.died: dict = {}  # storage -> when
        self.freed: dict = {}  # node -> (when, the event)
        self.walk_of: dict = {}  # node -> the last walk that freed it
        self.walks: list = []  # the backward events
        self.walked: list = []  # (when, the event) of each
        self.writes: list = []  # (when, the event)
        self.names: dict = {}  # name -> the event of its last binding
        self.tensors: dict = {}  # tensor -> the last event about it
        self.gone: set = set()
        self.node = self.line = None  # where it went wrong
        for when, event in enumerate(trace.events):
            handle = getattr(self, "_" + event["kind"], None)
            if handle is not None:
                handle(when, event)

    def _node(self, _, e):
        self.nodes[e["node"]] = e

    def _save(self, when, e):
        self.slots.setdefault(e["node"], []).append((when, e))

    def _born(self, _, e):
        self.sizes[e["storage"]] = e["size"]

    def _died(self, when, e):
        self.died[e["storage"]] = when

    def _backward(self, when, e):
        self.walks.append(e)
        self.walked.append((when, e))

    def _visit(self, _, e):
        self.visited = e["node"]

    def _free(self, when, e):
        self.freed[e["node"]] = when, e
        self.walk_of[e["node"]] = len(self.walks)

    def _gone(self, _, e):
        self.gone.add(e["node"])

    def _write(self, when, e):
        self.writes.append((when, e))

    def _bind(self, _, e):
        self.names[e["name"]] = e

    def _unbind(self, _, e):
        self.names.pop(e["name"], None)

    def _tensor(self, _, e):
        self.tensors[e["tensor"]] = e

    def _error(self, _, e):
        self.line = e["line"]
        self.node = e["node"] or getattr(self, "visited", None)

    def below(self, roots) -> list:
        """The operations that can be reached from these nodes."""
        found, todo = set(), list(roots)
        while todo:
            number = todo.pop()
            if number in self.nodes and number not in found:
                found.add(number)
                todo += [e[0] for e in self.nodes[number]["edges"] if e is not None]
        return [n for n in sorted(found) if self.nodes[n]["name"] != "AccumulateGrad"]

    def written(self) -> tuple | None:
        """(the slot that the failing node had saved, when it was last written into, that event)."""
        for when, slot in self.slots.get(self.node, ()):
            for at, write in reversed(self.writes):
                if at > when and write["storage"] == slot["storage"]:
                    return slot, at, write
        return None

    def leaves(self) -> list:
        """(name, tensor) of the leaves that a name of the program leads to, in order of binding."""
        found = []
        for name, event in self.names.items():
            numbers = [int(target[1:]) for target in event["targets"] if target[0] == "t"]
            tensors = [self.tensors[n] for n in numbers if n in self.tensors]
            if len(tensors) == 1 and tensors[0]["leaf"]:
                found.append((name, tensors[0]))
        return found

    def code(self, line) -> str:
        return self.source[line - 1].strip() if line and line <= len(self.source) else ""
