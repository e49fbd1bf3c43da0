"""A door as a page's source, in Markdown: its text, its programs, and what each of them did."""

from __future__ import annotations

import re
from pathlib import Path

from course.site import widgets
from course.site.door import ALSO, BESIDE, Door
from course.site.record import told
from whoholds.views.data import view_data
from whoholds.views.look import size_text
from whoholds.views.picture import picture
from whoholds.views.telling import telling

FENCE, RAW = "`" * 6, "`" * 8
HEADS = "way out", "peak", "at the end", "operations recorded", "run by backward"


def page(door: Door, results: dict, lessons: dict, pictures: Path, asked=()) -> str:
    """`lessons` is {number: (title, address)}, `asked` the threads' questions that it answers.

    A view's picture goes to a folder.
    """
    given, parts, heading, rows = iter(results["programs"]), [], "", []
    for cell in door.cells:
        if cell.kind == "[markdown]":
            parts.append(
                linked(_head(door, asked) if cell is door.cells[0] else cell.text, lessons)
            )
            heading = ([heading] + re.findall(r"^#{2,3} (.*)$", cell.text, re.MULTILINE))[-1]
            continue
        result = next(given)
        if cell.kind == "step":
            rows.append(("the program above", result))
            parts += _stepped(door, cell, result, results["torch"], pictures)
            continue
        parts += _ran(cell, result)
        if cell.kind == "way":
            rows.append((heading, result))
    at = next((i for i, part in enumerate(parts) if "## In the course" in part), len(parts))
    if len(rows) > 1:
        parts.insert(at, _table(rows, results["torch"]))
    return "\n\n".join(parts) + "\n"


def _head(door, asked) -> str:
    """The title, each line of the answer as a paragraph, and how else it is asked."""
    lines = [line for line in door.cells[0].text.splitlines()[1:] if line.strip()]
    also = [f"*Also seen as:* {line.removeprefix(ALSO)}" for line in lines if line.startswith(ALSO)]
    if asked:
        words = " ".join(map(plain, asked))
        also.insert(0, f"*Asked in [the five threads](../questions.md):* {words}\n")
    answer = [f"- {line}" for line in lines if not line.startswith(BESIDE)]
    return f"# {plain(door.title)}\n\n" + "\n".join(answer) + "\n\n" + "\n".join(also)


def plain(text) -> str:
    """Words in which nothing is a mark of Markdown but `code`."""
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [re.sub(r"([\[\]_<>*])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def linked(text, lessons) -> str:
    """`{05}` as a link to that lesson."""

    def link(match):
        title, address = lessons[match[1]]
        return f'<a href="{address}">{title}</a>'

    return re.sub(r"\{(\d\d)\}", link, text)


def _stepped(door, cell, result, version, pictures):
    trace = told(result["trace"], "", version)
    opens = telling(trace)
    path = pictures / f"door-{door.name}.png"
    path.write_bytes(picture({"": trace}, step=opens))
    state = {"trace": view_data({"the program": trace}), "step": opens, "which": 0}
    still = widgets.picture(f"../pictures/{path.name}", str(trace))
    view = widgets.live({"kind": "view", "state": state}, still, str(trace))
    yield _code(cell)
    yield from _printed(result)
    yield f"{RAW}{{raw}} html\n{view}\n{RAW}"


def _ran(cell, result):
    if cell.kind == "run":  # what it prints is what the page says
        yield _text(result["printed"].rstrip("\n"))
        yield f"<details><summary>The cell that printed it</summary>\n\n{_code(cell)}\n\n</details>"
        return
    yield _code(cell)
    yield from _printed(result)
    if cell.kind == "way":
        yield f"*Peak {size_text(result['peak'])}, at the end {size_text(result['end'])}.*"


def _code(cell) -> str:
    return f"{FENCE}python\n{cell.text}\n{FENCE}"


def _printed(result):
    """What the program printed, its warnings, and the error that ended it, as PyTorch words it."""
    told = [result["printed"].rstrip("\n"), *result["warnings"], result["error"]]
    if any(told):
        yield _text("\n".join(filter(None, told)), ":class: mg-printed\n")


def _text(text, how="") -> str:
    return f"{FENCE}{{code-block}} text\n{how}\n{text}\n{FENCE}"


def _table(rows, version) -> str:
    cells = []
    for name, r in rows:
        sizes = [size_text(r[one]).replace(" ", "&nbsp;") for one in ("peak", "end")]
        counted = *sizes, r["nodes"], r["walked"]
        cells.append(f"| {name} | {' | '.join(map(str, counted))} |")
    head = f"| {' | '.join(HEADS)} |\n|---|--:|--:|--:|--:|"
    said = (
        f"## What each costs\nMeasured by the programs of this page on PyTorch {version}: bytes of "
        "tensors that are alive, parameters among them, as `whoholds` counts them. Each row is a "
        "program of its own, as it stands above: how large its tensors are is its own choice."
    )
    return f"{said}\n\n{head}\n" + "\n".join(cells)
