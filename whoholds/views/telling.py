"""The moment that a view opens on, and the one line that says what one sees there.

It is the error, else the event that the cell names, else what grows from turn to turn, else the
peak.
"""

from __future__ import annotations

from whoholds.events import shown
from whoholds.growth import growth
from whoholds.state import State
from whoholds.views.look import LOOK, cut, size_text
from whoholds.views.plot import peak_at
from whoholds.views.words import said, sentences, titled

CODE = 60  # characters of a line of code
GOES_ON = {"line", "born", "node", "backward", "visit", "write"}  # not after the last error
NEW = {"born", "tensor", "node", "save", "bind", "grad"}  # what tells of a storage that is new
LARGEST = dict(
    zip(
        (label for label, _, _ in LOOK),
        ("parameters", "in a .grad", "kept by an optimizer", "buffers", "saved for backward",
         "gradients in flight", "inputs", "results", "without a tensor"), strict=True,
    )
)  # fmt: skip


class NoSuchEvent(ValueError):
    """No event of the trace is described by the words that a cell gives."""


def failed(events) -> int:
    """Where the error stands that ended it all: nothing but clearing away follows. Or the end."""
    for i in range(len(events) - 1, -1, -1):
        if events[i]["kind"] == "error":
            return i
        if events[i]["kind"] in GOES_ON:
            break
    return len(events)


def telling(trace, at="") -> int:
    """The step to open on: the error that ended it, else the event called `at`, else growth, else
    another error, else the peak.

    Raises NoSuchEvent if no event is called so. A trace that still grows is not stepped: 0.
    """
    if trace.recording:
        return 0
    events = trace.events
    caught = [step for step, event in enumerate(events, 1) if event["kind"] == "error"]
    called = named(trace, at) if at else 0
    if failed(events) < len(events):
        return failed(events) + 1
    grown = called or grows_at(trace, growth(trace))
    return grown or (caught[-1] if caught else _settled(events, peak_at(events)))


def grows_at(trace, growth) -> int:
    """The step at which the last of what grows has been made and is a tensor; 0 if nothing does."""
    if growth.moment is None:
        return 0
    made = trace.events[growth.moment]
    what, key = ("fn", made["node"]) if made["kind"] == "node" else ("storage", made["storage"])
    later = enumerate(trace.events[growth.moment :], growth.moment + 1)
    found = (step for step, e in later if e["kind"] == "tensor" and e[what] == key)
    return next(found, growth.moment + 1)


def named(trace, at) -> int:
    """The step of the first event whose sentence has these words; else the end of such a line."""
    for step, sentence in enumerate(sentences(trace), 1):
        if at in sentence:
            return step
    lines = {n for n, code in enumerate(trace.source.splitlines(), 1) if at in code}
    steps = [step for step, event in enumerate(trace.events, 1) if event["line"] in lines]
    if not steps:
        raise NoSuchEvent(
            f"no event is called {at!r}: take words of a sentence that stands below the plot, or "
            "of a line of code that runs; the view opens elsewhere"
        )
    return _end_of_run(trace.events, steps[0])


def _end_of_run(events, step) -> int:
    """The last step of the run of a line that this step begins."""
    while step < len(events) and events[step]["line"] == events[step - 1]["line"]:
        if events[step]["kind"] == "line":
            break
        step += 1
    return step


def _settled(events, step) -> int:
    """The step, or the one after it at which all that belongs to its new storage has been told."""
    while step < len(events) and events[step]["kind"] in NEW:
        if shown(events[step]) != shown(events[step - 1]):
            break
        step += 1
    return step


def opening(trace, step, plain=False) -> str:
    """What one sees at the step that a view opens on, and the line of code it belongs to.

    `plain`: nothing that only a look at later steps can tell, as that it is the peak.
    """
    if not 0 < step <= len(trace):
        return ""
    line, code = line_of(trace, step)
    sentence = said(trace, step).removeprefix(f"line {line}: ")
    where = f"line {line}, {code}: " if code else f"line {line}: " if line else ""
    what = "" if plain else _what(trace, step)
    return where + (what or f"{sentence}. {_alive(trace, step)}")


def line_of(trace, step):
    """The number of the line that a step belongs to, and its code."""
    line, source = trace.events[step - 1]["line"], trace.source.splitlines()
    code = source[line - 1].strip() if 0 < line <= len(source) else ""
    return line, f"`{cut(code, CODE)}`" if code else ""


def _what(trace, step) -> str:
    """What is worth seeing: an error, the peak, an end; "" where the event itself is."""
    event, wrong = trace.events[step - 1], failed(trace.events)
    if event["kind"] == "error" or step > wrong:
        after = "the end, after the error" if step > wrong + 1 else "the error"
        return f"{after}{_stop(trace, min(step, wrong + 1))}. {_alive(trace, step)}"
    grown = growth(trace)
    if step == grows_at(trace, grown):
        return f"this grows: {str(grown).splitlines()[0]}. {_alive(trace, step)}"
    if shown(event) == trace.peak:
        return f"the peak. {_alive(trace, step)}"
    if event["kind"] in ("bind", "unbind"):
        return ""
    if step == len(trace):
        return f"the end. {_alive(trace, step)}"
    over = trace.events[step]["kind"] == "line"
    return f"the line is over. {_alive(trace, step)}" if over else ""


def _stop(trace, step) -> str:
    state, node = State(), trace.events[step - 1]["node"]
    for event in trace.events[:step]:
        state.apply(event)
    return f", at {titled(state, node)}" if node in state.nodes else ""


def _alive(trace, step) -> str:
    """How many bytes are alive, and what most of them are for."""
    event = trace.events[step - 1]
    sizes = dict(zip(LARGEST, event["bytes"], strict=False))
    most = max(sizes, key=lambda label: sizes[label])
    every = f"{size_text(shown(event))} are alive"
    if sizes[most] in (0, shown(event)):
        return every + (f", all {LARGEST[most]}" if sizes[most] else "")
    return f"{every}, {size_text(sizes[most])} of them {LARGEST[most]}"
