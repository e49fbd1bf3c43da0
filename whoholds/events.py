"""What a trace says: one small dict per event, of plain numbers and strings, never an array.

Every event has `kind`, `line` (of the source, 0 if unknown), `live` (bytes of the ledger after
it) and `bytes` (the same, by category). Tensors, storages and nodes are numbers, given in the
order in which they were first seen; in `targets` and `by` they carry a letter: t3, n5, s4.

    line                                            the statement on `line` begins
    bind      name targets                          the name now leads to these tensors and nodes
    unbind    name
    born      storage size                          bytes were allocated
    died      storage                               the last reference went
    tensor    tensor storage shape leaf wants       first seen, or changed; wants: requires_grad
              fn base                               the node, the tensor it is a view of, or null
    forget    tensor                                the object died; its storage may live
    node      node name edges tensor                an op was recorded; edges: [node, output]s; the
                                                    tensor it made, or which AccumulateGrad holds
    gone      node                                  the node died
    save      node slot storage tensor size shared  shared: held by the graph before
    backward  nodes keep                            a walk begins at these nodes; keep: retain_graph
    visit     node                                  the walk is at this node
    free      node                                  it let go of all that it had saved
    grad      tensor storage                        .grad of the tensor, null for None
    role      storage role tensor                   the bytes are an optimizer's "state" of this
                                                    parameter, or a module's "buffer"
    end                                             the walk is over
    write     storage version                       the bytes were changed in place
    held      target by                             who else holds it: [t3, n5 or null, words]s, all
    elsewhere size                                  so many bytes more have no part in this
    error     text notes node                       it went wrong here
    turn                                            the optimizer has stepped, or a turn is over
    step                                            an optimizer has stepped, and the turn goes on
    lost      text                                  what the recorder does not follow, and why

What runs in a function or file of its own has also `at`, a row of `Trace.places`: [file, line,
function]; a node that was recorded in a module has also `module`, its path, and a
name of a module `paths`, those of its parameters, target by target. Of a program that was
stepped, what happens in its functions has `calls`, numbers of the calls, the innermost last; the
first event after the head of a loop or a `with` has run once more has `again`, of each such head
its line and its calls. minigrad and real
PyTorch are recorded into the same events; a view knows no engine.
"""

from __future__ import annotations

FIELDS = {
    "line": (),
    "bind": ("name", "targets"),
    "unbind": ("name",),
    "born": ("storage", "size"),
    "died": ("storage",),
    "tensor": ("tensor", "storage", "shape", "leaf", "wants", "fn", "base"),
    "forget": ("tensor",),
    "node": ("node", "name", "edges", "tensor"),
    "gone": ("node",),
    "save": ("node", "slot", "storage", "tensor", "size", "shared"),
    "backward": ("nodes", "keep"),
    "visit": ("node",),
    "free": ("node",),
    "grad": ("tensor", "storage"),
    "role": ("storage", "role", "tensor"),
    "end": (),
    "write": ("storage", "version"),
    "held": ("target", "by"),
    "elsewhere": ("size",),
    "error": ("text", "notes", "node"),
    "turn": (),
    "step": (),
    "lost": ("text",),
}

STOPPED = "not followed from here on"  # how a text begins of a recorder that has failed
LEFT_OUT = "not followed, and perhaps growing"  # of what it leaves out, turn after turn

CATEGORIES = (
    "parameter",  # a leaf that requires grad
    "grad",  # the .grad of a tensor
    "state",  # an optimizer keeps it from step to step: momentum, for example
    "buffer",  # registered as a module's buffer: a running mean, for example
    "saved",  # a node saved it for backward
    "flight",  # a gradient on its way through backward
    "input",  # any other leaf
    "named",  # an op's result that no node saved
    "scratch",  # no tensor of the program is on it
    "elsewhere",  # lived before the recording and has nothing to do with it
)


class Trace:
    """What happened, and the source it happened in.

    `source` is the text of the program, `events` the list of dicts, `engine` "minigrad" or
    "torch", `version` that of the engine, `error` the text of the exception that ended the
    program, or "".
    """

    recording = False  # whether it still grows

    _workspace = 0
    bounds: dict = {}  # name -> (held, most) of what holds a number of things at most

    def __init__(self, events, source="", engine="minigrad", title="", places=(), version=""):
        self.source, self.engine, self.title, self.version = source, engine, title, version
        self.places = places  # rows [file, line, function]; the first is the file of `source`
        self._events = list(events)

    @property
    def workspace(self) -> int:
        """Bytes that minigrad's rules needed for NumPy at a moment, at most: in no event."""
        return self._workspace

    def so_far(self) -> list:
        """The events; a trace that is still being recorded catches up first."""
        return self._events

    @property
    def events(self) -> list:
        return self.so_far()

    def retold(self, events) -> Trace:
        """The same recording, told in these events."""
        told = Trace(events)
        own = {"_events", "recorder"}
        vars(told).update({name: value for name, value in vars(self).items() if name not in own})
        return told

    def __len__(self):
        return len(self.events)

    @property
    def error(self) -> str:
        return next((e["text"] for e in reversed(self.events) if e["kind"] == "error"), "")

    @property
    def lost(self) -> list:
        """What the recorder did not follow, and why: a sentence for each."""
        texts = [e["text"] for e in self.events if e["kind"] == "lost"]
        return list(dict.fromkeys(texts))

    @property
    def peak(self) -> int:
        """The most bytes alive at once, without what lived elsewhere."""
        return max((shown(e) for e in self.events), default=0)

    def __str__(self):
        """The answer; then bytes for each line, the peak, what is still held and by whom."""
        from whoholds.views.text import report

        return report(self)

    def save(self, path):
        """Write the view to `path`, one HTML file that needs no kernel; gives the path.

        A path that ends in ".json" gets the plain data instead.
        """
        from whoholds.views.export import save

        return save(self, path)

    export = save  # the word that a view has for it

    def to_json(self) -> dict:
        """Plain data, as a view wants it."""
        return dict(
            engine=self.engine, version=self.version, title=self.title, source=self.source,
            events=list(self.events), categories=CATEGORIES, places=list(self.places),
        )  # fmt: skip


def shown(event) -> int:
    """The bytes of an event that belong to the picture."""
    return event["live"] - event["bytes"][CATEGORIES.index("elsewhere")]
