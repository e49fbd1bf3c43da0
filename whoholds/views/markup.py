"""What stands still in a view, as HTML: lines of code, the legend, the heads of the lanes."""

from __future__ import annotations

from html import escape

from whoholds.views.look import LOOK
from whoholds.views.plot import ID
from whoholds.views.script import FRAME

COLUMNS = (
    '<div class="mg-columns"><i data-word="after" tabindex="0">bytes after</i>'
    '<i data-word="change" tabindex="0">change</i><b></b><code></code></div>'
)


def rows(source, first) -> str:
    """A row for each line of code, with room for its bytes; "" for no code."""
    found = [
        f'<div data-line="{n}"><i data-word="after"></i><i data-word="change"></i><b>{n}</b>'
        f"<code>{escape(line) or ' '}</code></div>"
        for n, line in enumerate(source.split("\n"), first)
    ]
    return COLUMNS + "".join(found) if source else ""


def legend(trace) -> str:
    """What bytes are for, of the categories that the trace has any of."""
    return "".join(
        f'<span data-word="{label}" tabindex="0"><svg viewBox="0 0 18 12"><rect width="18" '
        f'height="12" rx="2" fill="url(#{ID}{i})"/></svg>{label}</span>'
        for i, (label, _, _) in enumerate(LOOK)
        if any(event["bytes"][i] for event in trace.events)
    )


def heads(places) -> str:
    return "".join(
        f'<text x="{x}" y="14" tabindex="0" data-word="{text}">{text}</text>'
        for x, text in places["heads"]
    )


def frame(title, labels) -> str:
    """All that a view consists of; the browser fills it."""
    options = "".join(f"<option>{escape(label)}</option>" for label in labels)
    hidden = "" if len(labels) > 1 else " hidden"
    text = FRAME.replace('class="mg-pick"', f'class="mg-pick"{hidden}')
    return text.replace("%TITLE%", escape(title)).replace("%LABELS%", options)
