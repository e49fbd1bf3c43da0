"""Ways out of "element 0 of tensors does not require grad": a leaf is made to require it."""

from __future__ import annotations

from whoholds.ways.source import Source
from whoholds.ways.way import Way


def ways(source: Source, leaves):
    """`leaves`: (name, line that made it) of the tensors without a graph that names lead to."""
    for name, line in leaves:
        _, block, i = source.block(line)
        if block:
            yield Way(f"`{name}.requires_grad_()` after line {line}",
                      source.edited(source.after(block[i], f"{name}.requires_grad_()")),
                      name)  # fmt: skip
