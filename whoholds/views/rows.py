"""The rows of a folded trace, drawn on a Page, as the buttons of folds.js are."""

from __future__ import annotations

from whoholds.views.drawing import INK, PAPER, SOFT
from whoholds.views.look import LOOK, cut, size_text

HIGH = 24  # pixels of a row
HEAD, OPEN = "#f3f3f3", "#dbe9f7"


def draw(page, rows, top, width) -> None:
    """Rows of `Folds.rows`, from `top` pixels on down; the lanes of the open one are below."""
    alive = sum(sum(row.bytes) for row in rows if row.group is not None) or 1
    most = max([alive, *(sum(row.bytes) for row in rows)])
    for y, row in enumerate(rows):
        y, head = top + HIGH * y, row.group is None
        face = HEAD if head else OPEN if row.open else PAPER
        page.box(8, y, width - 16, HIGH - 1, face)
        page.text(14 if head else 28, y + 14, cut(row.title, 60), INK, 12, "bold" if head else "")
        page.text(width - 14, y + 14, told(row), SOFT, side="right")
        x = 28.0
        for size, (_, colour, _) in zip(row.bytes, LOOK, strict=True):
            wide = (width - 56) * size / most
            page.box(x, y + 18, wide, 4, colour)
            x += wide


def told(row) -> str:
    """`6,299,648 B · 20 storages · 61 nodes, 5 with saved tensors`"""
    counts = (row.storages, "storage"), (row.nodes, "node")
    parts = [f"{n} {what}{'s' * (n > 1)}" for n, what in counts if n]
    saving = f", {row.saving} with saved tensors" if row.nodes else ""
    return " · ".join([size_text(sum(row.bytes)), *parts]) + saving
