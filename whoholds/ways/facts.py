"""What one run of a program says, as plain data: its error, what grows, its numbers."""

from __future__ import annotations

import re

from whoholds.events import shown
from whoholds.growth import growth
from whoholds.story import Story
from whoholds.turns import ASKED, turns

SIGNS = {
    "twice": "Trying to backward through the graph a second time",
    "written": "modified by an inplace operation",
    "leaf": "a leaf Variable that requires grad is being used in an in-place operation",
    "unwanted": "does not require grad and does not have a grad_fn",
}
CLOSE = 1e-5  # relative: more than rounding, less than another training


def facts(trace, names, error=None) -> dict:
    """Of one run: `error` is what ended it, as a text, and `wrong` how it failed, by lines; `rows`
    are [bytes a turn, who holds them] of what grows, and `graph` is the nodes a turn, `nodes` those
    of the loop that leaves most; `numbers` are those that the names lead to.
    """
    grown = [growth(trace), *(growth(trace, one) for one in turns(trace) if len(one) >= ASKED)]
    return {
        "error": trace.error if error is None else f"{type(error).__name__}: {error}",
        "wrong": wrong(trace),
        "rows": [[n, who] for one in grown for n, who, _ in one.rows + _nodes(one)],
        "graph": sum(one.graph for one in grown),
        "nodes": max(one.graph for one in grown),
        "peak": trace.peak,
        "left": shown(trace.events[-1]) if trace.events else 0,
        "numbers": numbers(names),
        "trained": trained(names),
    }


def _nodes(found) -> list:
    return [(0, who, place) for _, who, place in found.nodes]


def wrong(trace) -> dict | None:
    """How it failed, by the lines of the source; None where no way out is known."""
    for how, sign in SIGNS.items():
        if sign in trace.error:
            return TOLD[how](Story(trace))
    return None


def _twice(story):
    node = story.node
    if node not in story.freed:
        return None
    below = story.below(story.walks[-1]["nodes"])
    return {
        "how": "twice",
        "failing": story.line,
        "first": story.freed[node][1]["line"],
        "made": story.nodes[node]["line"],
        "operations": sorted({story.nodes[n]["line"] for n in below} - {0}),
    }


def _written(story):
    found = story.written()
    if found is None:
        return None
    _, at, write = found
    walks = [event["line"] for n, event in story.walked if n < at]
    return {
        "how": "written",
        "failing": story.line,
        "write": write["line"],
        "made": story.nodes[story.node]["line"],
        "first": (walks or [0])[-1],
    }


def _unwanted(story):
    leaves = dict(story.leaves())
    cut = any(tensor["wants"] for tensor in leaves.values())
    walked = set(re.findall(r"\w+", story.code(story.line)))
    found = [] if cut else [name for name in leaves if name not in walked]
    return {"how": "unwanted", "leaves": [[name, story.names[name]["line"]] for name in found]}


def _leaf(story):
    return {"how": "leaf", "failing": story.line}


TOLD = {"twice": _twice, "written": _written, "leaf": _leaf, "unwanted": _unwanted}


def numbers(names) -> dict:
    """A few numbers of each name that leads to a tensor, a number or a module."""
    found: dict = {}
    for name, value in list(names.items()):
        if name.startswith("_"):
            continue
        if isinstance(value, int | float) and not isinstance(value, bool):
            found[name] = [float(value)]
        elif hasattr(type(value), "requires_grad"):
            found[name] = _of(value)
        elif hasattr(value, "named_parameters") and not isinstance(value, type):
            found[name] = [n for _, p in value.named_parameters() for n in _of(p)]
    return found


def trained(names) -> dict:
    """How often something has written into each parameter: an optimizer, as a rule."""
    found: dict = {}
    for name, value in list(names.items()):
        if name.startswith("_") or isinstance(value, type):
            continue
        if hasattr(value, "named_parameters"):
            found |= {f"{name}.{key}": one for key, one in value.named_parameters()}
        elif hasattr(type(value), "requires_grad") and value.is_leaf and value.requires_grad:
            found[name] = value
    return {name: getattr(one, "_version", 0) for name, one in found.items()}


def _of(tensor) -> list:
    """The sum and the sum of magnitudes of a tensor and of its gradient."""
    grad = tensor.grad if tensor.is_leaf else None
    plain = [one.detach() for one in (tensor, grad) if one is not None]
    return [float(n) for one in plain for n in (one.sum(), abs(one).sum())]


def differing(before, after) -> list:
    """The names of both whose numbers differ."""
    return [name for name in sorted(before.keys() & after.keys())
            if not _alike(before[name], after[name])]  # fmt: skip


def _alike(one, other) -> bool:
    """Equal but for rounding; not a number is like itself."""
    pairs = zip(one, other, strict=False)
    return len(one) == len(other) and all(
        a == b or (a != a and b != b) or abs(a - b) <= CLOSE * max(abs(a), abs(b)) for a, b in pairs
    )
