"""A cell's outputs, cut down to what is stable enough to store and to compare.

Takes and gives nbformat's output dicts; does not care whether a kernel or `runner.py` made them.
"""

import re
from itertools import groupby, zip_longest
from os.path import commonprefix

from nbformat import NotebookNode

from .normal import stable

DROPPED = ("application/vnd.jupyter.widget-view+json", "application/vnd.jupyter.widget-state+json")
ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
SHOWN = 80  # characters of an output in a message
WARNING = re.compile(r"(\w*Warning): (.*)")


def clean(outputs):
    """The outputs as a notebook stores them: streams merged, no widgets, no addresses."""
    kept: list = []
    for is_stream, run in groupby(outputs, key=lambda output: output["output_type"] == "stream"):
        group = list(run)
        kept += _merged(group) if is_stream else [_one(output) for output in group]
    return [NotebookNode(output) for output in kept]


def comparable(outputs, change=lambda text: text):
    """What two runs must share: printed text, the value's text, the error, that there is a picture.

    `change` maps the text of both sides once more, as `normal.uncounted` does.
    """
    seen = []
    for output in clean(outputs):
        if output["output_type"] == "stream":
            seen.append((output["name"], change(output["text"])))
        elif output["output_type"] == "error":
            seen.append(("error", change(said(output))))
        else:
            data = output["data"]
            seen += [("text", change(data["text/plain"]))] if "text/plain" in data else []
            seen += [("html", change(data["text/html"]))] if "text/html" in data else []
            seen += [("picture", kind) for kind in sorted(data) if kind.startswith("image/")]
    return seen


def said(error):
    """An error's last words: class, message and the notes below it."""
    text = ANSI.sub("", "\n".join(error["traceback"]))
    start = text.rfind(f"\n{error['ename']}: {error['evalue'][:40]}")
    return text[start + 1 :].rstrip() if start >= 0 else _line(error)


def message(error):
    """An error's class and message alone, as both engines must say it."""
    return _line(error)


def warnings_in(text):
    """The warnings of a stderr text, one `Class: message` each; files and lines left out."""
    return [f"{match[1]}: {match[2].strip()}" for match in WARNING.finditer(text)]


def first_difference(one, other):
    """One sentence about where two `comparable` lists part, or None."""
    for old, new in zip(one, other, strict=False):
        if old != new:
            return f"{_brief(new, old)} where it was {_brief(old, new)}"
    if len(one) > len(other):
        return f"nothing where it was {_quote(one[len(other)])}"
    if len(other) > len(one):
        return f"{_quote(other[len(one)])} where there was nothing"
    return None


def _brief(shown, against):
    """The first line of `shown` that differs, cut to the place where it does."""
    if shown[0] != against[0]:
        return _quote(shown)
    return _quote((shown[0], parting(shown[1], against[1], SHOWN)))


def parting(text, against, width):
    """The first line of `text` that differs, from half a `width` before the place where it does."""
    pairs = zip_longest(text.splitlines(), against.splitlines(), fillvalue="")
    row, other = next((pair for pair in pairs if pair[0] != pair[1]), ("", ""))
    start = max(0, len(commonprefix([row, other])) - width // 2)
    return ("..." if start else "") + row[start:]


def _quote(item):
    text = item[1].strip().splitlines() or [""]
    return f"{item[0]} `{text[0][:SHOWN]}`"


def _line(error):
    return f"{error['ename']}: {error['evalue']}" if error["evalue"] else error["ename"]


def _merged(streams):
    """One stdout, then one stderr: which of them the kernel flushes first is a matter of luck."""
    texts = {"stdout": "", "stderr": ""}
    for output in streams:
        texts[output["name"]] += output["text"]
    return [
        {"output_type": "stream", "name": name, "text": stable(_carriage(text))}
        for name, text in texts.items()
        if text
    ]


def _carriage(text):
    return re.sub(r"[^\n]*\r(?!\n)", "", text)


def _one(output):
    if output["output_type"] == "error":
        error = {key: stable(output[key]) for key in ("ename", "evalue")}
        error["traceback"] = _short(output)
        return {"output_type": "error", **error}
    kept = {kind: value for kind, value in output["data"].items() if kind not in DROPPED}
    kept = {k: stable(v) if k.startswith("text/") else v for k, v in kept.items()}
    node = {
        "output_type": output["output_type"],
        "data": NotebookNode(kept),
        "metadata": NotebookNode(output.get("metadata", {})),
    }
    if output["output_type"] == "execute_result":
        node["execution_count"] = output.get("execution_count")
    return node


def _short(error):
    """The traceback's own cells and last words; frames of libraries hold this machine's paths."""
    text = ANSI.sub("", "\n".join(error["traceback"]))
    frames = re.findall(r"^(Cell In\[\d+\], line \d+)[^\n]*\n(?:.*\n)*?(-+> \d+ .*)$", text, re.M)
    rows = [row for frame in frames for row in frame]
    return [stable(row) for row in [*rows, "" if rows else None, said(error)] if row is not None]
