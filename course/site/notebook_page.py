"""A notebook of the course as a page's source: its stored outputs, with live widgets among them.

Nothing is run here. Links between notebooks become links between pages, and every cell that one
leads to gets a place.
"""

from __future__ import annotations

import base64
import copy
import re
from pathlib import Path

from course.site import widgets

TEXT = r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]"
LINK = re.compile(TEXT + r"\(((?:\.\./)?[\w./-]*\.ipynb)(?:#(?:cell-id=)?([^)]*))?\)")
FILE = re.compile(TEXT + r"\(\.\./([\w./-]+\.(?:py|md))\)")
HERE = re.compile(r"\]\(#([^)]*)\)")  # a heading of the same page, as JupyterLab names it
HREF = re.compile(r'href="([\w./-]*)\.ipynb(?:#(?:cell-id=)?([^"]*))?"')
FOLDERS = {"notebooks": "lessons", "exercises": "exercises", "solutions": "solutions"}
# Below the title of each page that was a notebook.
NOTE = """```{note}
This page is a copy to read. Its views, predictions and games work. Its cells do not run; what they
gave stands below them. <a href="../index.html#get-the-course">Get the course</a> to run them.
```"""


class Unlike(ValueError):
    """A cell displayed other things when it was run again than its notebook has stored."""


def page(notebook: dict, states: list, name: str, pictures: Path) -> dict:
    """The notebook that Sphinx gets. `states` is what `live` gives; pictures go to a folder."""
    notebook, given = copy.deepcopy(notebook), iter(states)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = _placed(cell, linked("".join(cell["source"])))
            if cell is notebook["cells"][0]:
                cell["source"] = cell["source"].replace("\n", f"\n\n{NOTE}\n\n", 1)
            continue
        _hide(cell, name.startswith("solutions"))
        shown = [output for output in cell["outputs"] if "data" in output]
        for number, (output, state) in enumerate(_paired(shown, next(given, []), cell)):
            _dress(output, state, f"{name}-{cell['id']}-{number}", pictures)
    return notebook


def linked(text: str) -> str:
    """Markdown whose links lead to pages, and to copies of the course's files."""
    text = LINK.sub(
        lambda m: f'<a href="{_address(m[2])}{"#" + m[3] if m[3] else ""}">{m[1]}</a>', text
    )
    text = FILE.sub(lambda m: f'<a href="../files/{m[2]}.txt">{m[1]}</a>', text)
    return HERE.sub(lambda m: f"](#{m[1].lower()})", text)


def files(notebooks, root: Path) -> list:
    """The files of the course that the notebooks lead to."""
    texts = (text for notebook in notebooks for cell in notebook["cells"] for text in _prose(cell))
    return [root / name for name in sorted({m[2] for text in texts for m in FILE.finditer(text)})]


def _prose(cell):
    if cell["cell_type"] == "markdown":
        yield "".join(cell["source"])
    for output in cell.get("outputs", ()):
        yield "".join(output.get("data", {}).get("text/markdown", ""))


def _address(path) -> str:
    for folder, ours in FOLDERS.items():
        path = path.replace(f"{folder}/", f"{ours}/")
    return path.removesuffix(".ipynb") + ".html"


def _placed(cell, text) -> str:
    """With the cell's id as a place to lead to; a title stays the page's first line."""
    return text if text.startswith("# ") else f'<span id="{cell["id"]}"></span>\n\n{text}'


def _hide(cell, solution):
    """What JupyterLab hides is left out: it would give the answer away. Solutions are folded."""
    tags = cell["metadata"].setdefault("tags", [])
    if cell["metadata"].get("jupyter", {}).get("source_hidden"):
        tags.append("remove-input")
    if solution and cell["metadata"].get("minigrad", {}).get("role") == "answer":
        tags.append("hide-input")


def _paired(shown, states, cell):
    if not states:
        return ((output, None) for output in shown)
    if len(states) != len(shown):
        raise Unlike(f"cell {cell['id']}: {len(states)} outputs, where {len(shown)} are stored")
    return zip(shown, states, strict=True)


def _dress(output, state, name, pictures):
    data = output["data"]
    words = "".join(data.get("text/plain", ""))
    if "text/markdown" in data:
        data["text/markdown"] = linked("".join(data["text/markdown"]))
    if "text/html" in data:
        data["text/html"] = HREF.sub(_link, "".join(data["text/html"]))
    if state is None:
        return
    if "image/png" in data:
        path = pictures / f"{name}.png"
        path.write_bytes(base64.b64decode("".join(data["image/png"])))
        still = widgets.picture(f"../pictures/{path.name}", words)
        html = widgets.live(state, still, words)
    else:
        html = widgets.live(state, "".join(data["text/html"]))
    output["data"] = {"text/html": html, "text/plain": words}
    output["metadata"] = {}


def _link(match) -> str:
    place = f"#{match[2]}" if match[2] else ""
    return f'href="{_address(match[1] + ".ipynb")}{place}"'
