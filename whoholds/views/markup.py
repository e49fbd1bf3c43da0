"""What stands still in a view, as HTML: lines of code, the legend, the heads of the lanes."""

from __future__ import annotations

from html import escape

from whoholds.views.look import LOOK, size_text
from whoholds.views.plot import ID
from whoholds.views.script import FRAME

HEAD = 66, 50  # pixels of "bytes after" and of "change"
COLUMNS = (
    '<div class="mg-columns"><i data-word="after" tabindex="0">bytes after</i>'
    '<i data-word="change" tabindex="0">change</i><b></b><code></code></div>'
)


def indent(line) -> int:
    """Characters before the code: the view keeps them, and wraps the code at spaces only."""
    return len(line.expandtabs()) - len(line.expandtabs().lstrip())


def widths(source, peak) -> list:
    """Pixels that the code needs beside the lanes: no word of it is broken, if it is no monster.

    Of a view of up to 800 pixels, where the change stands below the bytes, and of a wide one.
    """
    words = [indent(line) + 2 + len(w) for line in source.split("\n") for w in line.split()]
    code, signed = 68 + 7.25 * min(52, max(words, default=0)), 7 * len(size_text(peak)) + 7
    after, change = (max(head, signed) for head in HEAD)
    return [round(max(280, code + bytes)) for bytes in (after, after + change)]


def rows(source, first) -> str:
    """A row for each line of code, with room for its bytes; "" for no code."""
    found = [
        f'<div data-line="{n}"><i data-word="after"></i><i data-word="change"></i><b>{n}</b>'
        f'<code style="--in:{indent(line)}ch">{escape(line.strip()) or " "}</code></div>'
        for n, line in enumerate(source.split("\n"), first)
    ]
    return COLUMNS + "".join(found) if source else ""


def legend(trace) -> str:
    """What bytes are for, of the categories that the trace has any of."""
    return "".join(
        f'<span data-word="{label}"><svg viewBox="0 0 18 12"><rect width="18" '
        f'height="12" rx="2" fill="url(#{ID}{i})"/></svg>{label}</span>'
        for i, (label, _, _) in enumerate(LOOK)
        if any(event["bytes"][i] for event in trace.events)
    )


def heads(places) -> str:
    ground = f'<rect width="{places["width"]}" height="20"/>'
    return ground + "".join(
        f'<text x="{x}" y="14" tabindex="0" data-word="{text}">{text}</text>'
        for x, text in places["heads"]
    )


def frame(title, labels) -> str:
    """All that a view consists of; the browser fills it."""
    options = "".join(f"<option>{escape(label)}</option>" for label in labels)
    hidden = "" if len(labels) > 1 else " hidden"
    text = FRAME.replace('class="mg-pick"', f'class="mg-pick"{hidden}')
    return text.replace("%TITLE%", escape(title)).replace("%LABELS%", options)
