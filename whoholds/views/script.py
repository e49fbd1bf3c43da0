"""What a widget of this course draws with: the scripts, put together, and the frame they fill."""

from __future__ import annotations

from pathlib import Path

from whoholds import keys

FOLDER = Path(__file__).parent
FRAME = (FOLDER / "frame.html").read_text("utf-8")
DRAWING = keys.SCRIPT + "".join(
    (FOLDER / name).read_text("utf-8") for name in ("holds.js", "state.js", "folds.js", "view.js")
)
EXPORTED = "export default { render };"


def ending(last) -> str:
    """The script of the view with something else in the place of its last line."""
    return DRAWING.replace(EXPORTED, last)
