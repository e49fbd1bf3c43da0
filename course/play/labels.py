"""What the game calls a node: by its line, or by its leaf; two nodes never share a label."""

from __future__ import annotations

from collections import Counter

ACCUMULATE = "AccumulateGrad"


def labels(events) -> dict:
    """{node: (name, where it comes from)}, as in "TanhBackward0" and "line 4"."""
    leaves = _leaves(events)
    found: dict = {}
    for e in events:
        if e["kind"] == "node":
            leaf = leaves.get(e["tensor"]) if e["name"] == ACCUMULATE else None
            found[e["node"]] = e["name"], leaf or (f"line {e['line']}" if e["line"] else "before")
    total = Counter(found.values())
    seen: Counter = Counter()
    for node, label in found.items():
        seen[label] += 1
        if total[label] > 1:
            found[node] = label[0], f"{label[1]} ({seen[label]})"
    return found


def _leaves(events) -> dict:
    """{tensor: its first name}."""
    found: dict = {}
    for e in events:
        if e["kind"] == "bind":
            for target in e["targets"]:
                if target[0] == "t":
                    found.setdefault(int(target[1:]), e["name"])
    return found
