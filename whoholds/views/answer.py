"""What a trace answers, before all detail: one sentence with the line and the holder.

It is the error that ended the program, else what grows from turn to turn, else an error that was
caught, else the peak and what is still held at the end.
"""

from __future__ import annotations

from whoholds.growth import growth, place_of
from whoholds.places import file_name, is_cell
from whoholds.state import State
from whoholds.story import Story
from whoholds.views.holds import holders
from whoholds.views.look import size_text
from whoholds.views.plot import peak_at
from whoholds.views.telling import failed, line_of

ENGINES = {"torch": "PyTorch{}", "minigrad": "minigrad{}, a twin of PyTorch"}
MOST = 3  # holders told of at the end
GROWS, ERROR = "grows: ", "error"
GRAPH = (
    "Through what is kept, the graph of each turn lives on. What `.detach()` gives is the same "
    "tensor without its graph."
)
NOTHING = "an empty trace: nothing was recorded"


def program(trace, otherwise="") -> str:
    """What a trace is called: its title, else the file that it was recorded in."""
    file = trace.places[0][0] if trace.places else ""
    nameless = file.startswith("<") or is_cell(file)
    return file_name(trace.title or ("" if nameless else file) or otherwise)


def about(trace) -> str:
    """`PyTorch 2.13.0, 372 events, 4 turns, peak 14,348 B`"""
    version = trace.version.partition("+")[0]
    name = ENGINES.get(trace.engine, trace.engine).format(f" {version}" if version else "")
    turns = sum(event["kind"] == "turn" for event in trace.events)
    counted = [f"{len(trace):,} events"] + ([f"{turns} turn{'s' * (turns > 1)}"] if turns else [])
    return ", ".join([name, *counted, f"peak {size_text(trace.peak)}"])


def answer(trace) -> list:
    """The sentence; for growth one for each row."""
    events = trace.events
    if not events:
        return [NOTHING]
    if failed(events) < len(events):
        return [_error(trace, failed(events), "")]
    if grown := growing(trace):
        return grown
    caught = [i for i, event in enumerate(events) if event["kind"] == "error"]
    return [_error(trace, caught[-1], ", caught")] if caught else [_peak(trace)]


def growing(trace) -> list:
    """A row for all that grows, the largest first; what follows where it is a graph alone."""
    grown = growth(trace)
    rows = [GROWS + row for row in grown.told()]
    return [*rows, GRAPH] if grown.graph else rows


def _error(trace, number, how) -> str:
    """`error at line 14, `y.backward()`, in ExpBackward0, recorded at line 12, whose saved tensors
    were freed at line 13: RuntimeError...`
    """
    event = trace.events[number]
    recorded = {e["node"]: e for e in trace.events[:number] if e["kind"] == "node"}
    node = recorded.get(event["node"])
    what = f", in {node['name']}, recorded {_where(trace, node)}{_why(trace)}" if node else ""
    said = event["text"].strip().partition("\n")[0].partition(". ")[0]
    return f"{ERROR}{how}{_at(trace, number + 1)}{what}: {said.rstrip('.')}"


def _why(trace) -> str:
    """What has happened to what the node had saved."""
    story = Story(trace)
    if story.node in story.freed:
        return f", whose saved tensors were freed {_where(trace, story.freed[story.node][1])}"
    if found := story.written():
        slot, _, write = found
        saved = f"{slot['slot']} ({size_text(slot['size'])})"
        return f", whose saved {saved} was written into {_where(trace, write)}"
    return ""


def _peak(trace) -> str:
    at = _at(trace, peak_at(trace.events))
    return f"peak {size_text(trace.peak)}{at}; at the end {kept(trace)}"


def _at(trace, step) -> str:
    """` at line 14, `loss = step(x)`, in train.py:31`"""
    line, code = line_of(trace, step)
    event = trace.events[step - 1]
    inner = f"in {place_of(trace, event)}" if event.get("at") else ""
    parts = [f"line {line}" if line else "", code, inner]
    return f" at {', '.join(filter(None, parts))}" if any(parts) else ""


def _where(trace, event) -> str:
    return f"in {place_of(trace, event)}" if event.get("at") else f"at line {event['line']}"


def kept(trace) -> str:
    """`3,212 B are alive: 1,284 B held by net, 512 B held by x and 64 B by others`"""
    state = State()
    for event in trace.events:
        state.apply(event)
    sizes: dict = {}
    for number, by in holders(state).items():
        if number in state.storages:
            who = by[0].removeprefix("name ") if by else "nobody that has a name"
            sizes[who] = sizes.get(who, 0) + state.storages[number]["size"]
    ordered = sorted(sizes.items(), key=lambda row: -row[1])
    told = [f"{size_text(n)} held by {who}" for who, n in ordered[:MOST]]
    if rest := sum(n for _, n in ordered[MOST:]):
        told.append(f"{size_text(rest)} by others")
    return f"{size_text(sum(sizes.values()))} are alive" + (f": {', '.join(told)}" if told else "")
