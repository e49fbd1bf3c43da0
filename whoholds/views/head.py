"""The head of a saved page, above its view: what ran, the answer, ways out, how to read it."""

from __future__ import annotations

import re
from html import escape

from whoholds.views.answer import ERROR, about, answer, program
from whoholds.views.help import HELP
from whoholds.views.layout import HEADS
from whoholds.views.script import FOLDER

STYLE = (FOLDER / "head.css").read_text("utf-8")
CODE = re.compile(r"`([^`]*)`")
READ = {  # what the page shows, from top to bottom: the words of HELP that tell of it
    "the answer": ["turn"],
    "the plot": ["events", "scale"],
    "the slider": ["step"],
    "the source": ["after", "change"],
    HEADS[0]: [HEADS[0]],
    HEADS[1]: [HEADS[1]],
    HEADS[2]: [HEADS[2]],
}
FOLDED = {"the rows" if part == HEADS[0] else part: words for part, words in READ.items()}
FOLDED["the rows"] = ["row"]


def head(traces, title="", hide=False, folded=False) -> str:
    """HTML of {label: trace}. `hide`: nothing that a reader is to say first. `folded`: the view has
    rows to open, above the lanes.
    """
    name = title or ", ".join(program(trace, label) for label, trace in traces.items())
    several = len(traces) > 1
    told = "" if hide else "".join(
        _told(trace, f"{label}: " if several else "") for label, trace in traces.items()
    )  # fmt: skip
    return f'<header class="mg-head"><h1>{escape(name)}</h1>{told}{_reading(folded)}</header>'


def _told(trace, label) -> str:
    """The engine and the numbers of one trace, its answer and its ways out."""
    told = answer(trace)
    rows = "".join(f"<p>{_marked(row)}</p>" for row in [*told, *trace.lost])
    wrong = " mg-wrong" if told[0].startswith(ERROR) else ""
    ways = "".join(f"<li>{_marked(way)}</li>" for way in getattr(trace, "ways", ()))
    about_it = f'<p class="mg-about">{escape(label + about(trace))}</p>'
    ways = f"<h2>Ways out</h2><ul>{ways}</ul>" if ways else ""
    return f'{about_it}<div class="mg-answer{wrong}">{rows}</div>{ways}'


def _reading(folded) -> str:
    read = FOLDED if folded else READ
    parts = "".join(
        f"<dt>{part}</dt><dd>{escape(' '.join(HELP[word] for word in words))}</dd>"
        for part, words in read.items()
    )
    return f"<details><summary>How to read this page</summary><dl>{parts}</dl></details>"


def _marked(text) -> str:
    """Plain text as HTML, what stands between backquotes as code."""
    return CODE.sub(r"<code>\1</code>", escape(text))
