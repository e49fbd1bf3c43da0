"""`show(trace)`: the view in a notebook, and what stands in for it where no script runs.

Every view also gives a text and a picture (where drawing one would keep the reader waiting, the
text once more, as a page), so that GitHub, nbconvert and a notebook opened again without its
kernel show something. Where nobody waits, as in the build, there is time for every picture.
"""

from __future__ import annotations

import html
from pathlib import Path

import anywidget
import traitlets

from course import keys, unattended
from course.views import holds
from course.views.data import view_data
from course.views.export import export
from course.views.live import Live
from course.views.text import text

FOLDER = Path(__file__).parent
QUICK = 300  # events; a picture of more takes longer than a reader of the live view should wait


def show(trace, title=None, step=None):
    """A view of a trace, or of several that share one axis: {label: trace}.

    It stands at `step`, and its text and picture tell of that step. Without: it begins before the
    first one, its text tells of all and its picture of the last, or of the error.

    Shown inside of its `with memory.record() as trace:`, the plot grows while the code runs.
    """
    traces = dict(trace) if isinstance(trace, dict) else {trace.title or "trace": trace}
    if not traces:
        raise ValueError("there is no trace to show; give one, or a dict of label: trace")
    return View(traces, title, step)


class View(anywidget.AnyWidget):
    """A trace, stepped through in the browser. `step` events are done; `which` trace is shown."""

    _esm = keys.SCRIPT + holds.SCRIPT + (FOLDER / "view.js").read_text("utf-8")
    _css = FOLDER / "view.css"
    trace = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    which = traitlets.Int(0).tag(sync=True)

    def __init__(self, traces, title=None, step=None):
        self._traces = traces = {str(label): trace for label, trace in traces.items()}
        self._title = title or (next(iter(traces.values())).title if len(traces) == 1 else "")
        self._png: bytes | None = None
        self._shown: list = []  # where it was displayed while a trace was growing
        growing = [i for i, trace in enumerate(traces.values()) if trace.recording]
        self._at = None if growing or step is None else max(0, min(int(step), self._longest()))
        which = growing[-1] if growing else 0
        super().__init__(trace=view_data(traces, self._title), step=self._at or 0, which=which)
        if growing:
            self._follow(which)

    def _longest(self) -> int:
        return max(map(len, self._traces.values()))

    def _follow(self, which) -> None:
        live, trace = Live(self._traces, which, self.send), list(self._traces.values())[which]
        trace.follow(lambda: live() if trace.recording else self._over())

    def _over(self) -> None:
        """The recording has ended: from now on a view like any other, at its last step."""
        with self.hold_sync():
            self.trace, self.step = view_data(self._traces, self._title), self._longest()
        shown, self._shown, self._png = self._shown, [], None
        for handle in shown:
            data, metadata = self._repr_mimebundle_()
            handle.update(data, metadata=metadata, raw=True)

    def __repr__(self):
        if len(self._traces) == 1:
            return text(next(iter(self._traces.values())), self._at)
        return "\n\n".join(f"{label}:\n{text(t, self._at)}" for label, t in self._traces.items())

    def export(self, path):
        """The view as one HTML file that needs no kernel and no network."""
        return export(self._traces, path, self._title)

    def picture(self) -> bytes:
        """The PNG, drawn once."""
        if self._png is None:
            from course.views.picture import picture

            self._png = picture(self._traces, step=self._at)
        return self._png

    def _ipython_display_(self, **kwargs):
        """Text and picture of a growing trace are made when it is over, so remember the place."""
        if not any(trace.recording for trace in self._traces.values()):
            raise NotImplementedError  # as usual: IPython goes on to the bundle
        from IPython.display import display

        data, metadata = self._repr_mimebundle_()
        self._shown.append(display(data, metadata=metadata, raw=True, display_id=True))

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        data = {**(data or {}), "text/plain": repr(self), **self._stand_in()}
        if "image/png" in data:
            metadata = {**metadata, "image/png": {"width": 900}}
        return unattended.without_widget(data), metadata

    def _stand_in(self) -> dict:
        if unattended.unattended() or self._longest() <= QUICK:
            try:
                return {"image/png": self.picture()}
            except ImportError:  # no matplotlib
                pass
        return {"text/html": f"<pre>{html.escape(repr(self))}</pre>"}
