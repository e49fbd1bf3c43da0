"""What happens at an event, said in one sentence; the same for screen reader, text and picture."""

from itertools import islice

from whoholds.state import LEAF_HOLDER, State
from whoholds.views.look import shape_text, size_text


def sentences(trace) -> list:
    """One sentence for each event."""
    return [*_sentences(trace)]


def _sentences(trace, names=globals()):  # noqa: B008, ours for ever
    state = State()
    for event in trace.events:
        say = names.get("_" + event["kind"])
        before = say(event, state) if say and event["kind"] in BEFORE else None
        state.apply(event)
        text = before or (say(event, state) if say else event["kind"])
        yield f"line {event['line']}: {text}" if event["line"] else text


def said(trace, step) -> str:
    """The sentence of one step."""
    return next(islice(_sentences(trace), step - 1, None)) if step else START


START = "before the first step"
BEFORE = {"died", "forget", "gone", "free"}  # what can be told only while it is there


def called(state, number) -> str:
    """What the program calls a tensor."""
    for name, targets in state.names.items():
        if f"t{number}" in targets:
            return state.typed(name, f"t{number}")
    mine = state.tensors.get(number, {}).get("storage")
    for other, tensor in state.tensors.items() if _is_gradient(state, mine) else ():
        if tensor["grad"] == mine and other != number:
            return f"{called(state, other)}.grad"
    return "a tensor"


def _is_gradient(state, storage) -> bool:
    """Whether some tensor's .grad is on these bytes."""
    return state.storages.get(storage, {}).get("grads", 0) > 0


def titled(state, number) -> str:
    node = state.nodes.get(number)
    return node["name"] if node else "a node"


def _line(e, state):
    return "about to run"


def _bind(e, state):
    tensors = [state.tensors.get(int(t[1:])) for t in e["targets"] if t[0] == "t"]
    shapes = [shape_text(t["shape"]) for t in tensors if t]
    if len(shapes) == 1:
        return f"{e['name']} names a tensor of shape {shapes[0]}"
    if not e["targets"]:
        return f"{e['name']} leads to it no more"
    if shapes:
        return f"{e['name']} leads to {len(shapes)} tensors"
    nodes = [titled(state, int(t[1:])) for t in e["targets"] if t[0] == "n"]
    return f"{e['name']} names {', '.join(nodes)}" if nodes else f"{e['name']} is bound"


def _unbind(e, state):
    return f"the name {e['name']} is gone"


def _born(e, state):
    return f"{size_text(e['size'])} are allocated"


def _died(e, state):
    storage = state.storages.get(e["storage"])
    if storage is None:
        return "a storage is given back"
    return f"{size_text(storage['size'])} are given back: nothing refers to them any more"


def _tensor(e, state):
    kind = "leaf" if e["leaf"] else "result"
    return f"a {kind} of shape {shape_text(e['shape'])}" + (", requires grad" if e["wants"] else "")


def _forget(e, state):
    return f"{called(state, e['tensor'])} is no longer a Python object"


def _node(e, state):
    if e["name"] == LEAF_HOLDER:
        return f"{e['name']} is recorded, its variable is {called(state, e['tensor'])}"
    return f"{e['name']} is recorded"


def _held(e, state):
    letter, number = e["target"][0], int(e["target"][1:])
    what = "bytes" if letter == "s" else (called if letter == "t" else titled)(state, number)
    who = [(titled(state, int(h[1:])) if h else "") + words for h, words in e["by"]]
    return f"{what}: held by {' and by '.join(who)}" if who else f"an arrow leads to {what} again"


def _gone(e, state):
    return f"{titled(state, e['node'])} is gone"


def _save(e, state):
    counted = "already counted" if e["shared"] else "kept for backward"
    return f"{titled(state, e['node'])} saves {e['slot']}: {size_text(e['size'])}, {counted}"


def _backward(e, state):
    start = ", ".join(titled(state, n) for n in e["nodes"])
    return f"backward begins at {start}" + (", what is saved is retained" if e["keep"] else "")


def _visit(e, state):
    return f"backward is at {titled(state, e['node'])}"


def _free(e, state):
    return f"{titled(state, e['node'])} lets go of all it saved"


def _grad(e, state):
    name = called(state, e["tensor"])
    if e["storage"] is None:
        return f"{name}.grad is None"
    size = state.storages.get(e["storage"], {}).get("size", 0)
    return f"{name}.grad holds {size_text(size)}"


def _role(e, state):
    size = size_text(state.storages.get(e["storage"], {}).get("size", 0))
    kept = "an optimizer keeps them" if e["role"] == "state" else "a module has them as a buffer"
    return f"{size}: {kept} from now on"


def _end(e, state):
    return "backward is over"


def _write(e, state):
    return f"bytes are changed in place: version {e['version']}"


def _elsewhere(e, state):
    return f"{e['size']:+,} B outside of this picture"


def _step(e, state):
    return "an optimizer has stepped"


def _lost(e, state):
    return e["text"]


def _error(e, state):
    return f"error: {e['text']}"
