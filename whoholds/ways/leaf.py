"""Ways out of "a leaf Variable that requires grad is being used in an in-place operation"."""

from __future__ import annotations

from whoholds.ways.source import Source
from whoholds.ways.way import Way
from whoholds.ways.written import copied, out_of_place


def ways(source: Source, failing: int):
    """Line `failing` writes into a leaf: by hand, as an optimizer does, or to compute with it."""
    _, block, i = source.block(failing)
    if not block:
        return
    lines = "\n".join(f"    {line}" for line in source.code(block[i]).splitlines())
    code = f"with torch.no_grad():\n{lines}"
    first, last, _ = source.without(block[i])
    _, _, text = source.before(block[i], code)
    yield Way(f"line {failing} under `with torch.no_grad():`: the update of a parameter by hand",
              source.edited((first, last, text)), "no_grad")  # fmt: skip
    yield from out_of_place(source, block[i])
    yield from copied(source, block[i])
