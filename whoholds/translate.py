"""Notes become events: addresses turn into serial numbers, and each event gets its byte counts.

The notes are one flat list: of each note its kind, then what the method of this name here takes.

An address may be used again, but only after the notes have said that its owner died; read in
order, they are unambiguous. A pure function of plain data.
"""

from __future__ import annotations

from itertools import islice

from whoholds.events import FIELDS
from whoholds.state import SCRATCH, State


def translate(notes, live: int, older: dict) -> list:
    """Events, from the notes of a Recorder that began with `live` bytes, held by `older`."""
    return Translation(live, older).told(notes)


class Translation:
    """The events of notes that may still grow; what was told once is not read again."""

    def __init__(self, live, older):
        self.live, self.older = live, dict(older)
        self.state = State()
        self.serial: dict = {"s": {}, "t": {}, "n": {}}  # address -> number
        self.counts = {"s": 0, "t": 0, "n": 0}
        self.events: list = []
        self.blinks: dict = {}  # storage without a purpose -> (since which event, line, purpose)
        self.early: dict = {}  # node not told of yet -> tensors that it has made
        self.steps: list = []  # (event, which optimizer has stepped)
        self.read = 0  # notes
        self.turns = 0  # that are over
        self.at = 0  # the place that the program is at
        self.now: dict = {}  # `calls` and `again` of the next event
        self.inside = ""  # the path of the module that the next node was recorded in
        if elsewhere := sum(self.older.values()):
            self.emit("elsewhere", 0, size=elsewhere)

    def told(self, notes) -> list:
        unread = iter(notes[self.read :])
        self.read = len(notes)
        for kind in unread:
            handle = getattr(self, kind)
            handle(*islice(unread, handle.__code__.co_argcount - 1))
        return self.events

    def emit(self, kind, line, **fields):
        event = dict(kind=kind, line=line, **fields)
        if self.at:
            event["at"] = self.at
        event |= self.now
        self.now.pop("again", None)
        self.state.apply(event)
        event["live"], event["bytes"] = self.live, list(self.state.totals)
        for change in self.state.changes:
            self.smooth(line, *change)
        self.events.append(event)

    def smooth(self, line, storage, size, before, after):
        """No bytes without a purpose for the blink between two events that belong together.

        A storage is born just before its tensor is told of, and dies just after its last one.
        """
        began, on, purpose = self.blinks.pop(storage, (0, None, None))
        if after == SCRATCH:
            self.blinks[storage] = len(self.events), line, before
        purpose = after if purpose is None else purpose
        for event in self.events[began:] if on == line and purpose is not None else ():
            event["bytes"][SCRATCH] -= size
            event["bytes"][purpose] += size

    def new(self, letter, address):
        self.counts[letter] += 1
        self.serial[letter][address] = self.counts[letter]
        return self.counts[letter]

    # -- storages --

    def born(self, line, address, size):
        self.older.pop(address, None)  # of one without bytes minigrad does not tell that it died
        self.live += size
        self.emit("born", line, storage=self.new("s", address), size=size)

    def died(self, line, address):
        if address in self.older:
            size = self.older.pop(address)
            self.live -= size
            self.emit("elsewhere", line, size=-size)
        elif address in self.serial["s"]:
            number = self.serial["s"].pop(address)
            self.live -= self.state.storages[number]["size"]
            self.emit("died", line, storage=number)

    def known(self, line, address):
        """The number of a storage; one that is older than the recording joins the picture."""
        if address in self.older:
            size = self.older.pop(address)
            walking, self.state.walking = self.state.walking, 0  # it is no gradient in flight
            self.live -= size
            self.emit("elsewhere", line, size=-size)
            self.born(line, address, size)
            self.state.walking = walking
        return self.serial["s"].get(address)

    def role(self, line, address, role, of):
        number = self.known(line, address)
        if number is not None and not self.state.storages[number][role]:
            parameter = self.serial["t"].get(of)
            self.emit("role", line, storage=number, role=role, tensor=parameter)

    def write(self, line, address, version):
        number = self.known(line, address)
        if number is not None:
            self.emit("write", line, storage=number, version=version)

    # -- tensors --

    def tensor(self, line, address, shape, owner, leaf, wants, made, base):
        number = self.serial["t"].get(address) or self.new("t", address)
        self.emit(
            "tensor", line, tensor=number, storage=self.known(line, owner), shape=list(shape),
            leaf=leaf, wants=wants, fn=self.serial["n"].get(made), base=self.serial["t"].get(base),
        )  # fmt: skip
        if not leaf and made not in self.serial["n"]:
            self.early.setdefault(made, []).append(number)

    def forget(self, line, address):
        if address in self.serial["t"]:
            self.emit("forget", line, tensor=self.serial["t"].pop(address))

    def grad(self, line, address, owner):
        self.emit("grad", line, tensor=self.serial["t"][address], storage=self.known(line, owner))

    # -- nodes --

    def node(self, line, address, name, edges, out, saved):
        number = self.new("n", address)
        serial = self.serial["n"]
        edges = [[serial[a], i] if a in serial else None for a, i in rows(edges, 2)]
        tensor = self.serial["t"].get(out)
        more = {"module": self.inside} if self.inside else {}
        self.emit("node", line, node=number, name=name, edges=edges, tensor=tensor, **more)
        self.save(line, address, saved)
        for one in self.early.pop(address, ()):
            if (facts := self.state.tensors.get(one)) is not None and facts["fn"] is None:
                told = {k: facts[k] for k in FIELDS["tensor"][1:] if k != "fn"}
                self.emit("tensor", line, tensor=one, fn=number, **told)

    def gone(self, line, address):
        if address in self.serial["n"]:
            self.emit("gone", line, node=self.serial["n"].pop(address))

    def save(self, line, node, saved):
        for slot, owner, tensor, size in rows(saved, 4):
            storage = self.known(line, owner)
            held = self.state.storages[storage] if storage is not None else {}
            shared = bool(held.get("saves") or held.get("leaves"))
            self.emit(
                "save", line, node=self.serial["n"][node], slot=slot, storage=storage,
                tensor=self.serial["t"].get(tensor), size=size, shared=shared,
            )  # fmt: skip

    def visit(self, line, address):
        if address in self.serial["n"]:
            self.emit("visit", line, node=self.serial["n"][address])

    def free(self, line, address):
        if address in self.serial["n"]:
            self.emit("free", line, node=self.serial["n"][address])

    def backward(self, line, addresses, keep):
        serial = self.serial["n"]
        nodes = [serial[a] for a in addresses if a in serial]
        self.emit("backward", line, nodes=nodes, keep=keep)

    def end(self, line):
        self.emit("end", line)

    # -- the program --

    def line(self, line):
        self.emit("line", line)

    def bind(self, line, name, targets):
        serial = self.serial
        rows = [(f"{kind}{serial[kind][a]}", *path) for kind, a, *path in targets
                if a in serial[kind]]  # fmt: skip
        paths = ["".join(path) for _, *path in rows]
        more = {"paths": paths} if any(paths) else {}
        self.emit("bind", line, name=name, targets=[target for target, *_ in rows], **more)

    def unbind(self, line, name):
        self.emit("unbind", line, name=name)

    def again(self, line):
        self.now.setdefault("again", []).append([line, *self.now.get("calls", ())])

    def within(self, line, calls):
        self.now.pop("calls", None)
        self.now |= {"calls": list(calls)} if calls else {}

    def place(self, line, at):
        self.at = at

    def module(self, line, path):
        self.inside = path

    def turn(self, line):
        self.turns += 1
        self.emit("turn", line)

    def stepped(self, line, by, over):
        self.turns += over
        self.emit("turn" if over else "step", line)
        self.steps.append((self.events[-1], by))

    def chosen(self, line, by, first):
        """From the first on, steps of this optimizer end the turns; of each one, for None."""
        for number, (event, of) in enumerate(self.steps):
            event["kind"] = "turn" if by in (None, of) and number >= first else "step"

    def lost(self, line, text):
        self.emit("lost", line, text=text)

    def held(self, line, target, by):
        self.emit("held", line, target=target, by=by)

    def error(self, line, text, notes, node):
        self.emit("error", line, text=text, notes=list(notes), node=self.serial["n"].get(node))


def rows(values, width: int):
    """The flat tuple, cut into tuples of this width."""
    return zip(*[iter(values)] * width, strict=True)
