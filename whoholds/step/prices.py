"""What each way out of an error costs, in bytes that the trace itself shows.

A pure function of a Trace; it knows neither engine. Sixty words at most: the view above it shows
the rest.
"""

from __future__ import annotations

import ast

from whoholds.story import Story

TWICE = "Trying to backward through the graph a second time"
IN_PLACE = "modified by an inplace operation"
NO_GRAD = "does not require grad and does not have a grad_fn"


def explain(trace) -> str:
    """The error that ended the trace, its cause by line, and the price of each fix; or ""."""
    story = Story(trace)
    for sign, tell in ((TWICE, second_backward), (IN_PLACE, in_place), (NO_GRAD, no_grad)):
        if sign in trace.error:
            return tell(story)
    return ""


def amount(size: int) -> str:
    return f"{size:,} B"


# -- M1 --


def second_backward(story) -> str:
    node = story.node
    if node not in story.freed:
        return ""
    made, freed = story.nodes[node]["line"], story.freed[node][1]["line"]
    kept = kept_by_retaining(story, node)
    rows = [
        f"{story.nodes[node]['name']}, made by line {made}, lost what it had saved "
        f"to the backward of line {freed}.",
        f"- line {freed}, backward(retain_graph=True): keeps {amount(kept)}"
        + ("" if kept else f" more, {_why_nothing(story, node)}"),
    ]
    operations = story.below(story.walks[-1]["nodes"])
    lines = sorted({story.nodes[n]["line"] for n in operations} - {0})
    rows.append(f"- {_lines(lines)} again before each backward: keeps 0 B, runs "
                f"{len(operations)} op{'s' * (len(operations) != 1)} again")  # fmt: skip
    if story.walks[-1]["nodes"] != story.walks[story.walk_of[node] - 1]["nodes"]:
        rows.append(f"- detach() the result of line {made}: keeps 0 B, no gradient before it")
    return "\n".join(rows)


def _why_nothing(story, node) -> str:
    tensors = [slot for _, slot in story.slots.get(node, ()) if slot["storage"] is not None]
    return "for what it saved lives anyway" if tensors else "for it saved a plain number"


def _lines(lines) -> str:
    if not lines:
        return "the forward"
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {lines[0]} to {lines[-1]}"


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


def in_place(story) -> str:
    for when, slot in story.slots.get(story.node, ()):
        writes = [e for at, e in story.writes if e["storage"] == slot["storage"] and at > when]
        if writes:
            return _in_place(story, slot, writes[-1]["line"])
    return ""


def _in_place(story, slot, line) -> str:
    node, size = story.nodes[story.node], amount(slot["size"])
    return "\n".join(
        [
            f"{node['name']}, made by line {node['line']}, had saved {size} ({slot['slot']}); "
            f"line {line} wrote into them.",
            f"- line {line} out of place: {size} more while both live",
            f"- line {node['line']} with .clone() of what it saves: {size} more until backward",
            f"- backward() before line {line}: 0 B",
        ]
    )


# -- nothing requires grad --


def no_grad(story) -> str:
    name = _subject(story.code(story.line))
    bound = story.names.get(name)
    subject = f"{name}, made by line {bound['line']}," if bound else "The tensor"
    wanting = [n for n, t in _leaves(story) if t["wants"]]
    if wanting:
        return (
            f"{subject} has no grad_fn, though {wanting[0]} requires grad: a no_grad block or a "
            "detach() cut it off.\n- without the cut: 0 B for the graph itself; "
            f"{_gradient(story, wanting[0])}, and what its operations save"
        )
    rows = [f"{subject} has no grad_fn: nothing it was made from requires grad."]
    for other in [n for n, _ in _leaves(story) if n != name][:3]:
        rows.append(
            f"- {other}.requires_grad_() after line {story.names[other]['line']}: "
            f"{_gradient(story, other)}, and what the operations save"
        )
    return "\n".join(rows)


def _gradient(story, name) -> str:
    tensor = dict(_leaves(story))[name]
    return f"{amount(story.sizes.get(tensor['storage'], 0))} for {name}.grad"


def _leaves(story) -> list:
    """(name, tensor) of the leaves that a name of the snippet leads to, in order of binding."""
    found = []
    for name, event in story.names.items():
        numbers = [int(target[1:]) for target in event["targets"] if target[0] == "t"]
        tensors = [story.tensors[n] for n in numbers if n in story.tensors]
        if len(tensors) == 1 and tensors[0]["leaf"]:
            found.append((name, tensors[0]))
    return found


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
