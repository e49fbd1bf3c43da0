"""Why a click was refused, written beside the card that was clicked: there the player looks.

The inside of an SVG group, over the storages to the left of the nodes: what may be clicked next
stays in sight. It knows places and words; no rules.
"""

from __future__ import annotations

import textwrap
from html import escape

SAID = {"refused": "No: ", "error": "Stop: "}  # kind of move -> how its reason begins
WIDE, LINE, PAD, AWAY = 244, 15, 7, 12  # pixels: of the box; of its lines; within; beside the card
LETTERS = 36  # in a line of that width


def beside(move, node, places) -> str:
    """The reason of a refused `move` at the card of `node`; nothing for a move that was made."""
    if move.kind not in SAID or str(node) not in places["nodes"]:
        return ""
    x, y, _, _ = places["nodes"][str(node)]
    lines = textwrap.wrap(SAID[move.kind] + move.sentence, LETTERS)
    high = LINE * len(lines) + 2 * PAD
    left, top = box(x, y, high, places["height"])
    rows = "".join(
        f'<text x="{left + PAD + 2}" y="{top + PAD + 11 + LINE * i}">{escape(line)}</text>'
        for i, line in enumerate(lines)
    )
    arrow = f"M{left + WIDE} {y + 4}L{x - 1} {y + 10}L{left + WIDE} {y + 16}"
    size = f'x="{left}" y="{top}" width="{WIDE}" height="{high}" rx="4"'
    return f'<rect {size}/><path d="{arrow}"/>{rows}'


def box(x, y, high, floor) -> tuple:
    """Its upper left corner: at the height of the card's first line, within the picture."""
    return max(0, x - AWAY - WIDE), max(1, min(y + 10 - high // 2, floor - high - 1))
