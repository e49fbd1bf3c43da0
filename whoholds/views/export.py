"""`export(trace, path)`: the view as one HTML file, with the same script and no kernel."""

from __future__ import annotations

import html
import json
from pathlib import Path

from whoholds.names_first import ordered
from whoholds.views.data import view_data
from whoholds.views.head import STYLE, head
from whoholds.views.packed import UNPACK, packed
from whoholds.views.script import FOLDER, ending

MODEL = """
const stored = document.getElementById("trace");
const read = stored.type === "application/gzip" ? unpacked : JSON.parse;
const values = { trace: await read(stored.textContent), which: 0 };
values.step = values.trace.traces[0].opens;
const heard = {};
const model = {
  get: (name) => values[name],
  set: (name, value) => {
    if (values[name] === value) return;
    values[name] = value;
    (heard["change:" + name] ?? []).forEach((f) => f());
  },
  on: (name, f) => (heard[name] ??= []).push(f),
  off: (name, f) => { heard[name] = (heard[name] ?? []).filter((g) => g !== f); },
  save_changes: () => {},
};
"""  # noqa: E501
PLAIN = 1 << 20  # characters: longer data is packed
DARK = """
@media (prefers-color-scheme: dark) { :root { --jp-ui-font-color1: #e6e6e6;
  --jp-ui-font-color2: #b5b5b5; --jp-layout-color1: #16181c; --jp-layout-color2: #24272d;
  --jp-border-color1: #50555e; --jp-brand-color1: #64b5f6; --jp-error-color1: #ef5350; } }
body { margin: 12px auto; max-width: 1280px; background: var(--jp-layout-color1, #fff); }
"""


def export(trace, path, title="", **how):
    """Write the view of a trace, or of {label: trace}, to `path`; gives the path."""
    traces = dict(trace) if isinstance(trace, dict) else {trace.title or "trace": trace}
    traces, path = {label: ordered(one) for label, one in traces.items()}, Path(path)
    data = view_data(traces, title, **how)
    folded = any(one["folds"] for one in data["traces"])
    above = head(traces, title, how.get("hide", False), folded)
    path.write_text(page(data, above), encoding="utf-8")
    return path


def save(trace, path):
    """Write a trace to `path`: the page, or its plain data where the path ends in .json."""
    path = Path(path)
    if path.suffix == ".json":
        path.write_text(json.dumps(trace.to_json()), encoding="utf-8")
        return path
    return export(trace, path)


def page(data, above="") -> str:
    """The view of this data as one HTML file, with the HTML that stands above it."""
    # "<" inside of JSON stands only in strings; escaped, no text can end the script's element.
    text, kind = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"), "json"
    if len(text) > PLAIN:
        text, kind = packed(data), "gzip"
    title = html.escape(data["title"] or data["traces"][0]["title"] or "a trace")
    script = ending("const view = { render };\n")
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>{(FOLDER / "view.css").read_text("utf-8")}{DARK}{STYLE}</style></head>
<body>{above}<script type="application/{kind}" id="trace">{text}</script>
<script type="module">{script}{UNPACK}{MODEL}view.render({{ model, el: document.body }});</script>
</body></html>
"""
