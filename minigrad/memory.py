"""How many bytes live, how many have lived at once, and what a graph has saved.

Every number is the sum over the Storages that exist: exact, in bytes, always on.
"""

from __future__ import annotations

from minigrad import storage
from minigrad.autograd.saved import Freed, Packed
from minigrad.holders import holders

__all__ = ["holders", "max_memory_allocated", "memory_allocated", "reset_peak_memory_stats", "saved"]


def memory_allocated(device=None) -> int:
    """Bytes of all living storages."""
    return storage.live


def max_memory_allocated(device=None) -> int:
    """The most bytes that have lived at once since reset_peak_memory_stats()."""
    return storage.peak


def reset_peak_memory_stats(device=None) -> None:
    """Let max_memory_allocated() start again from what lives now."""
    storage.reset_peak()


class Saved(list):
    """The rows of saved(): a list of dicts that prints as a table."""

    def __repr__(self):
        if not self:
            return "nothing saved"
        rows = [(r["node"], r["name"], r["shape"], _bytes(r), r["note"]) for r in self]
        widths = [max(len(row[i]) for row in rows) for i in range(5)]
        lines = [
            "  ".join((n.ljust(a), m.ljust(b), s.ljust(c), y.rjust(d), t)).rstrip()
            for (n, m, s, y, t) in rows
            for a, b, c, d in [widths[:4]]
        ]
        return "\n".join([*lines, f"{self.total} bytes held by the graph"])

    @property
    def total(self) -> int:
        """Bytes, each buffer once."""
        return sum(row["bytes"] for row in self if not row["shared"])


def _bytes(row) -> str:
    return "freed" if row["freed"] else f"{row['bytes']} B"


def saved(y) -> Saved:
    """What the graph of `y` has saved, one row per saved tensor, newest node first.

    A row has node, name, shape, bytes, shared (with an earlier row), freed, note.
    """
    rows, seen = Saved(), {}
    for label, node in _labelled(y):
        for name, entry in zip(node.saves, node.saved, strict=False):
            if entry is not None:
                rows.append(_row(label, name, entry, seen))
    return rows


def _labelled(y):
    """Every node below `y`, newest first, with its name; the second AddBackward0 is AddBackward0'2."""
    start = y.grad_fn if hasattr(y, "grad_fn") else y
    nodes, todo = set(), [start] if start is not None else []
    while todo:
        node = todo.pop()
        if node not in nodes:
            nodes.add(node)
            todo.extend(target for target, _ in node.next_functions if target is not None)
    for node in sorted(nodes, key=lambda n: n.order):
        yield type(node).__name__, node


def _row(label, name, entry, seen) -> dict:
    row = dict(node=label, name=name, shape="", bytes=0, shared=False, freed=False, note="")
    if isinstance(entry, Freed):
        return row | dict(freed=True)
    if isinstance(entry, Packed):
        return row | dict(note="packed by a hook")
    if not isinstance(entry, tuple):
        return row | dict(note=f"the number {entry}")
    tensor = entry[0]
    owner = getattr(tensor._storage, "owner", tensor._storage)
    first = seen.setdefault(owner, f"{label}.{name}")
    shared = first != f"{label}.{name}"
    note = f"same bytes as {first}" if shared else "a leaf's" if tensor._requires_grad and tensor.is_leaf else ""
    return row | dict(
        shape=str(list(tensor.shape)), bytes=owner.nbytes(), shared=shared, note=note
    )
