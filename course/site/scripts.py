"""The site's one script and one style sheet, put together from the widgets' own."""

from __future__ import annotations

import re
from pathlib import Path

from course.play import widget as play
from course.predict import live
from whoholds import keys
from whoholds.views.packed import UNPACK
from whoholds.views.script import EXPORTED, FOLDER, ending

STATIC = Path(__file__).parent / "static"
EXPORT = re.compile(r"^export (?=const|class|function)", re.MULTILINE)


def script() -> str:
    """A classic script: a module would not load from a page that was opened as a file."""
    view = EXPORT.sub("", ending(""))
    card = keys.script(live.HERE / "card.js").replace(EXPORTED, "return render;")
    game = keys.script(play.HERE / "play.js").replace("export default { render: renderPlay };", "")
    own = game + "".join(_own(name) for name in ("game.js", "numbers.js", "mount.js"))
    # A card's file has names of its own that the view's has, too.
    return f"(() => {{\n{view}{UNPACK}const renderCard = (() => {{\n{card}}})();\n{own}}})();\n"


def style() -> str:
    """All style sheets, the site's last."""
    paths = FOLDER / "view.css", play.HERE / "play.css", live.HERE / "card.css", STATIC / "site.css"
    return "".join(path.read_text("utf-8") for path in paths)


def _own(name) -> str:
    return keys.script(STATIC / name)
