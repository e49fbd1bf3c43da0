"""The cause of an error, and what each way out of it costs in bytes that the trace itself shows.

A pure function of a Trace; it knows neither engine. Sixty words at most: the view above it shows
the rest.
"""

from __future__ import annotations

import ast

from whoholds.story import Story
from whoholds.ways.way import named

TWICE = "Trying to backward through the graph a second time"
IN_PLACE = "modified by an inplace operation"
LEAF = "a leaf Variable that requires grad is being used in an in-place operation"
NO_GRAD = "does not require grad and does not have a grad_fn"


def told(trace) -> tuple | None:
    """The cause of the error that ended the trace, by line, and {which way out: its price}; None
    for an error of another kind.
    """
    story = Story(trace)
    for sign, tell in TELLING.items():
        if sign in trace.error:
            return tell(story)
    return None


def amount(size: int) -> str:
    return f"{size:,} B"


# -- M1 --


def second_backward(story) -> tuple | None:
    node = story.node
    if node not in story.freed:
        return None
    made, freed = story.nodes[node]["line"], story.freed[node][1]["line"]
    kept = kept_by_retaining(story, node)
    cause = (f"{story.nodes[node]['name']}, made by line {made}, lost what it had saved "
             f"to the backward of line {freed}.")  # fmt: skip
    more = "" if kept else f" more, {_why_nothing(story, node)}"
    operations = story.below(story.walks[-1]["nodes"])
    lines = sorted({story.nodes[n]["line"] for n in operations} - {0})
    rows = {
        "again": f"{named(lines) if lines else 'the forward'} again before each backward: "
        f"keeps 0 B, runs {len(operations)} op{'s' * (len(operations) != 1)} again",
        "retained": f"line {freed}, backward(retain_graph=True): keeps {amount(kept)}{more}",
    }
    if story.walks[-1]["nodes"] != story.walks[story.walk_of[node] - 1]["nodes"]:
        row = f"detach() the result of line {made}: keeps 0 B, no gradient before it"
        rows = {"cut": row} | rows
    return cause, rows


def _why_nothing(story, node) -> str:
    tensors = [slot for _, slot in story.slots.get(node, ()) if slot["storage"] is not None]
    return "for what it saved lives anyway" if tensors else "for it saved a plain number"


def kept_by_retaining(story, node) -> int:
    """Bytes that died because that walk freed its nodes, of the nodes that still live."""
    walk = story.walk_of[node]
    storages = {
        slot["storage"]
        for other, (when, _) in story.freed.items()
        if story.walk_of[other] == walk and other not in story.gone
        for _, slot in story.slots.get(other, ())
        if slot["storage"] in story.died
    }
    return sum(story.sizes[s] for s in storages)


# -- M2 --


def in_place(story) -> tuple | None:
    found = story.written()
    if found is None:
        return None
    slot, _, write = found
    line = write["line"]
    node, size = story.nodes[story.node], amount(slot["size"])
    cause = (f"{node['name']}, made by line {node['line']}, had saved {size} ({slot['slot']}); "
             f"line {line} wrote into them.")  # fmt: skip
    return cause, {
        "out": f"line {line} out of place: {size} more while both live",
        "cloned": f"line {node['line']} with .clone() of what it saves: {size} more until backward",
        "earlier": f"backward() before line {line}: 0 B",
    }


# -- a leaf is written into --


def leaf(story) -> tuple:
    return (
        f"line {story.line} writes into a leaf, which has no node that could remember the write.",
        {
            "no_grad": f"line {story.line} under `with torch.no_grad():`, to update a parameter by "
            "hand: 0 B",
            "out": f"line {story.line} out of place, to compute with the result: its bytes more",
        },
    )


# -- nothing requires grad --


def no_grad(story) -> tuple:
    name = _subject(story.code(story.line))
    bound = story.names.get(name)
    subject = f"{name}, made by line {bound['line']}," if bound else "The tensor"
    wanting = [n for n, t in story.leaves() if t["wants"]]
    if wanting:
        return (
            f"{subject} has no grad_fn, though {wanting[0]} requires grad: a no_grad block or a "
            "detach() cut it off.",
            {"uncut": "without the cut: 0 B for the graph itself; "
             f"{_gradient(story, wanting[0])}, and what its operations save"},
        )  # fmt: skip
    return f"{subject} has no grad_fn: nothing it was made from requires grad.", {
        other: f"{other}.requires_grad_() after line {story.names[other]['line']}: "
        f"{_gradient(story, other)}, and what the operations save"
        for other in [n for n, _ in story.leaves() if n != name][:3]
    }


def _gradient(story, name) -> str:
    tensor = dict(story.leaves())[name]
    return f"{amount(story.sizes.get(tensor['storage'], 0))} for {name}.grad"


def _subject(code: str) -> str:
    """The variable that `loss.sum().backward()` begins with."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return ""
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
    for call in calls:
        if isinstance(call.func, ast.Attribute) and call.func.attr == "backward":
            names = [n.id for n in ast.walk(call.func.value) if isinstance(n, ast.Name)]
            return names[0] if names else ""
    return ""


TELLING = {TWICE: second_backward, IN_PLACE: in_place, LEAF: leaf, NO_GRAD: no_grad}
