"""`show(trace)`: the view in a notebook, and what stands in for it where no script runs.

Every view also gives a PNG and a text, so that GitHub, nbconvert and an untrusted notebook show
something. The PNG is drawn only while MINIGRAD_REVEAL=1, as in the build: it takes longer than a
reader who has the live view should wait.
"""

from __future__ import annotations

import os
from pathlib import Path

import anywidget
import traitlets

from course.views.data import view_data
from course.views.export import export
from course.views.text import text

FOLDER = Path(__file__).parent


def show(trace, title=None, step=0):
    """A view of a trace, or of several that share one axis: {label: trace}."""
    traces = dict(trace) if isinstance(trace, dict) else {trace.title or "trace": trace}
    if not traces:
        raise ValueError("there is no trace to show; give one, or a dict of label: trace")
    return View(traces, title, step)


class View(anywidget.AnyWidget):
    """A trace, stepped through in the browser. `step` events are done; `which` trace is shown."""

    _esm = FOLDER / "view.js"
    _css = FOLDER / "view.css"
    trace = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    which = traitlets.Int(0).tag(sync=True)

    def __init__(self, traces, title=None, step=0):
        self._traces = traces = {str(label): trace for label, trace in traces.items()}
        self._title = title or (next(iter(traces.values())).title if len(traces) == 1 else "")
        self._png: bytes | None = None
        longest = max(map(len, traces.values()))
        super().__init__(trace=view_data(traces, self._title), step=max(0, min(int(step), longest)))

    def __repr__(self):
        if len(self._traces) == 1:
            return text(*self._traces.values())
        return "\n\n".join(f"{label}:\n{text(trace)}" for label, trace in self._traces.items())

    def export(self, path):
        """The view as one HTML file that needs no kernel and no network."""
        return export(self._traces, path, self._title)

    def picture(self) -> bytes:
        """The PNG, drawn once."""
        if self._png is None:
            from course.views.picture import picture

            self._png = picture(self._traces)
        return self._png

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        data = {**(data or {}), "text/plain": repr(self)}
        if os.environ.get("MINIGRAD_REVEAL") == "1":
            data["image/png"] = self.picture()
            metadata = {**metadata, "image/png": {"width": 900}}
        return data, metadata
