"""A widget as a part of a page: what stands still, and beside it the state that makes it live.

Without scripts the reader sees the first; `static/mount.js` puts the widget in its place.
"""

from __future__ import annotations

import html
import json

from whoholds.views.packed import packed


def live(state: dict, still: str, words: str = "") -> str:
    """HTML: `still` where no script runs, else the widget of `state`; and `words`, folded."""
    kind, data = state["kind"], state
    if kind == "view":
        text, form = packed(state["state"]["trace"]), "gzip"
        where = f' data-step="{state["state"]["step"]}" data-which="{state["state"]["which"]}"'
    else:
        text, form, where = json.dumps(data, separators=(",", ":")), "json", ""
        text = text.replace("<", "\\u003c")  # no text can end the script's element
    told = f"<details><summary>In words</summary><pre>{html.escape(words)}</pre></details>"
    return (
        f'<div class="mg-live" data-kind="{kind}"{where}><div class="mg-still">{still}</div>'
        f'<script type="application/{form}">{text}</script></div>{told if words else ""}'
    )


def picture(address: str, words: str, width: int = 900) -> str:
    """A picture of a view or a game; `words` begins with what it shows."""
    alt = html.escape(words.strip().partition("\n")[0], quote=True)
    return f'<img src="{address}" alt="{alt}" width="{width}" loading="lazy">'
