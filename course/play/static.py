"""Where no kernel answers there is no game: the start as a picture and as text, and how to play.

Nothing of the solution is in either; both are the same on every machine.
"""

from __future__ import annotations

import io
import textwrap

from PIL import Image

from whoholds.events import Trace, shown
from whoholds.views.drawing import DPI, INK, PAPER, SOFT, Page, png
from whoholds.views.look import size_text
from whoholds.views.picture import picture as drawn

HOW = "The forward has run, backward is called: click the node that runs next."
CHIPS = " Click a saved chip to let go of it: not before its last use, and not long after it."
NO_KERNEL = "This is a game for a live notebook: run the cell in JupyterLab to play it."
LINE, WIDE = 20, 120  # of the picture's text: pixels between lines, characters in one


def how(game) -> str:
    return HOW + (CHIPS if game.drops else "")


def gpu(game) -> str:
    """Its size, where the player can do something about the bytes."""
    return f"The GPU has {size_text(game.capacity)}." if game.drops else ""


def before(trace) -> Trace:
    """The trace up to its first backward, and nothing of what lived elsewhere."""
    events = trace.events
    end = next(i for i, e in enumerate(events) if e["kind"] == "backward")
    own = [dict(e, live=shown(e), bytes=[*e["bytes"][:-1], 0]) for e in events[:end]]
    return Trace(own, trace.source, trace.engine, trace.title)


def text(game, title="") -> str:
    """The rules, the nodes and what they saved."""
    rows = [title] if title else []
    rows += [how(game), *filter(None, [gpu(game)]), NO_KERNEL, ""]
    saved: dict = {}
    for e in before(game.trace).events:
        if e["kind"] == "node":
            saved[e["node"]] = []
        elif e["kind"] == "save":
            saved[e["node"]].append(f"{e['slot']} {size_text(e['size'])}")
    for node, slots in saved.items():
        rows.append(f"  {game.label(node)}" + (f": {', '.join(slots)}" if slots else ""))
    return "\n".join(rows)


def picture(game, title="") -> bytes:
    """The view at the start, under the rules, as a PNG."""
    start = before(game.trace)
    view = Image.open(io.BytesIO(drawn({title: start}, step=len(start))))
    rules = f"{how(game)} {gpu(game)}".strip()
    words = [title, *textwrap.wrap(rules, WIDE), NO_KERNEL]
    head = Page(view.width * 100 / DPI, (len(words) + 1) * LINE)
    for i, line in enumerate(words):
        look = dict(colour=SOFT) if i else dict(colour=INK, face="bold")
        head.text(12, (i + 1) * LINE, line, size=12, **look)
    above = head.image()
    whole = Image.new("RGB", (view.width, above.height + view.height), PAPER)
    whole.paste(above)
    whole.paste(view.convert("RGB"), (0, above.height))
    return png(whole)
