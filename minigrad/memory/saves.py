"""What a graph has saved: which node holds which tensor, and how many bytes that is.

For people and for recordings; the engine never asks.
"""

from __future__ import annotations

from minigrad.core.node import Freed
from minigrad.core.packing import Packed


class Saved(list):
    """The rows of saved(): a list of dicts that prints as a table."""

    def __repr__(self):
        if not self:
            return "nothing saved"
        rows = [(r["node"], r["name"], r["shape"], _amount(r), r["note"]) for r in self]
        node, name, shape, amount, _ = (max(map(len, column)) for column in zip(*rows, strict=True))
        lines = [
            f"{n:{node}}  {m:{name}}  {s:{shape}}  {a:>{amount}}  {t}" for n, m, s, a, t in rows
        ]
        return "\n".join([*map(str.rstrip, lines), f"{self.total:,} B held by the graph"])

    @property
    def total(self) -> int:
        """Bytes, each buffer once."""
        return sum(row["bytes"] for row in self if not row["shared"])


def _amount(row) -> str:
    return "freed" if row["freed"] else f"{row['bytes']:,} B"


def saved(y) -> Saved:
    """What the graph of `y` has saved: one row per saved tensor, newest node first.

    A row has node, name, shape, bytes, shared (True if an earlier row has the same buffer),
    freed and note. A leaf counts too: the graph holds it as any other tensor.
    """
    rows = Saved()
    first: dict = {}
    for node in nodes(y):
        freed = node._saved.__class__ is Freed
        for i, name in enumerate(node.saves if freed else slot_names(node)):
            if freed and not node._never_kept(i):
                rows.append(_row(node, name, freed=True))
            elif not freed and node._saved[i] is not None:
                rows.append(_described(node, name, node._saved[i], first))
    return rows


def slot_names(node) -> list:
    """Names for the entries of node._saved; those of a custom Function have none."""
    return list(node.saves)[: len(node._saved)] or [f"[{i}]" for i in range(len(node._saved))]


def tensors_in(entry) -> list:
    """The tensors in one entry of node._saved, as far as they are in nobody else's care."""
    entries = entry if isinstance(entry, list) else [entry]
    return [e[0] for e in entries if isinstance(e, tuple)]


def nodes(y) -> list:
    """Every node below `y` (a tensor or a node), newest first."""
    start = getattr(y, "grad_fn", y)
    found: dict = {}  # a set, in the order of finding: of leaves none is newer
    todo = [start] if start is not None else []
    while todo:
        node = todo.pop()
        if node not in found:
            found[node] = None
            todo.extend(target for target, _ in node.next_functions if target is not None)
    return sorted(found, key=lambda node: node._order)


def _row(node, name, **values) -> dict:
    row = dict(node=type(node).__name__, name=name, shape="", bytes=0)
    return row | dict(shared=False, freed=False, note="") | values


def _described(node, name, entry, first) -> dict:
    if isinstance(entry, Packed):
        return _row(node, name, note="in the care of a pack hook")
    if not isinstance(entry, tuple):
        return _row(
            node, name, note="indices" if isinstance(entry, list) else f"the number {entry}"
        )
    tensor = entry[0]
    owner = tensor._storage.owner
    here = f"{type(node).__name__}.{name}"
    shared = owner in first
    note = f"same buffer as {first[owner]}" if shared else ""
    if not shared and tensor._requires_grad and tensor.is_leaf:
        note = "a leaf"
    first.setdefault(owner, here)
    shape = str(list(tensor._array.shape))
    return _row(node, name, shape=shape, bytes=owner.nbytes(), shared=shared, note=note)
