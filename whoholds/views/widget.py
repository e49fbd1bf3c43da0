"""`show(trace)`: the view in a notebook, and what stands in for it where no script runs.

Every view also gives a text and a picture (where drawing one would keep the reader waiting, the
text once more, as a page), so that GitHub, nbconvert and a notebook opened again without its
kernel show something. Where nobody waits, as in the build, there is time for every picture.
"""

from __future__ import annotations

import html

import anywidget
import traitlets

from whoholds import unattended
from whoholds.figure import drawn
from whoholds.names_first import ordered
from whoholds.views.data import view_data
from whoholds.views.export import export
from whoholds.views.live import Live
from whoholds.views.script import EXPORTED, FOLDER, ending
from whoholds.views.telling import named, telling
from whoholds.views.text import text

QUICK = 300  # events; a picture of more takes longer than a reader of the live view should wait


def show(trace, title=None, step=None, at="", hide=False):
    """A view of a trace, or of several that share one axis: {label: trace}.

    It opens on the telling moment: the error, else the event called `at` (words of its sentence, or
    of its line of code), else the peak. Text and picture tell of that step. A `step` may be given
    instead; then the text tells of the steps up to it, too. `hide`: the plot shows only what was
    stepped over, and the view opens before the first step, or on `at`.

    Shown inside of its `with whoholds.record() as trace:`, the plot grows while the code runs.
    Raises NoSuchEvent, a ValueError, if no event is called `at`.
    """
    traces = dict(trace) if isinstance(trace, dict) else {trace.title or "trace": trace}
    if not traces:
        raise ValueError("there is no trace to show; give one, or a dict of label: trace")
    return View(traces, title, step, at, hide)


class View(anywidget.AnyWidget):
    """A trace, stepped through in the browser. `step` events are done; `which` trace is shown."""

    _esm = ending(EXPORTED)
    _css = FOLDER / "view.css"
    trace = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    which = traitlets.Int(0).tag(sync=True)

    def __init__(self, traces, title=None, step=None, at="", hide=False):
        traces = {str(label): trace for label, trace in traces.items()}
        self._traces = traces = {n: t if t.recording else ordered(t) for n, t in traces.items()}
        self._title = title or (next(iter(traces.values())).title if len(traces) == 1 else "")
        self._png: bytes | None = None
        self._shown: list = []  # where it was displayed while a trace was growing
        growing = [i for i, trace in enumerate(traces.values()) if trace.recording]
        self._asked = None if growing or step is None else max(0, min(int(step), self._longest()))
        self._at, self._hide = at, hide
        which = growing[-1] if growing else 0
        data = self._data()
        super().__init__(trace=data, step=data["traces"][which]["opens"], which=which)
        if growing:
            self._follow(which)

    def _data(self) -> dict:
        return view_data(self._traces, self._title, self._opens(), self._hide)

    def _opens(self) -> list:
        """The step that each trace is opened on."""
        if self._asked is not None:
            return [min(self._asked, len(trace)) for trace in self._traces.values()]
        if self._hide:
            return [named(t, self._at) if self._at else 0 for t in self._traces.values()]
        return [telling(trace, self._at) for trace in self._traces.values()]

    def _longest(self) -> int:
        return max(map(len, self._traces.values()))

    def _follow(self, which) -> None:
        live, trace = Live(self._traces, which, self.send), list(self._traces.values())[which]
        trace.follow(lambda: live() if trace.recording else self._over())

    def _over(self) -> None:
        """The recording has ended: from now on a view like any other."""
        self._traces = {label: ordered(trace) for label, trace in self._traces.items()}
        with self.hold_sync():
            self.trace = self._data()
            self.step = self.trace["traces"][self.which]["opens"]
        shown, self._shown, self._png = self._shown, [], None
        for handle in shown:
            data, metadata = self._repr_mimebundle_()
            handle.update(data, metadata=metadata, raw=True)

    def __repr__(self):
        told = {
            label: text(trace, self._asked, opens)
            for (label, trace), opens in zip(self._traces.items(), self._opens(), strict=True)
        }
        if len(told) == 1:
            return next(iter(told.values()))
        return "\n\n".join(f"{label}:\n{one}" for label, one in told.items())

    def export(self, path):
        """The view as one HTML file that needs no kernel and no network."""
        return export(self._traces, path, self._title, opens=self._opens(), hide=self._hide)

    def picture(self) -> bytes:
        """The PNG, drawn once."""
        if self._png is None:
            self._png = drawn(self._draw)
        return self._png

    def _draw(self) -> bytes:
        from whoholds.views.picture import picture

        return picture(self._traces, step=self._opens()[0])

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
            except ImportError:  # no Pillow, or no fonts
                pass
        return {"text/html": f"<pre>{html.escape(repr(self))}</pre>"}
