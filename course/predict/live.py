"""In a live notebook the answer stays in the kernel until a choice is locked.

The page gets the question; it sends a choice, or that it is skipped, and gets the verdict as state
of the widget, which survives a reload of the page. The first choice counts. Where there is no
kernel, or no anywidget, there is no live card. Refuses to know what is asked, and of which lesson.
"""

from functools import cache
from pathlib import Path

from . import record, static

WIDGET = "application/vnd.jupyter.widget-view+json"
HERE = Path(__file__).parent


def card(question):
    """The widget that asks `question`, or None where nobody could answer it."""
    if static.revealing() or not _in_a_kernel():
        return None
    try:
        widget = _widget()
    except ImportError:
        return None
    return widget(question)


def reference(widget):
    """The part of an output that makes JupyterLab show the widget."""
    return {WIDGET: {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}}


def verdict(question, message):
    """(verdict or None, a sentence for the learner or ""): what a message of the page leads to."""
    choice = message.get("choice")
    given = None if message.get("type") == "skip" else "" if choice is None else choice
    try:
        judged = question.judged(given)
    except ValueError as error:
        return None, str(error)
    return judged | {"note": record.prediction(question, judged)}, ""


def _in_a_kernel():
    from IPython import get_ipython

    return getattr(get_ipython(), "kernel", None) is not None


@cache
def _widget():
    """The class is made on first use: a lesson without kernel needs no anywidget."""
    import anywidget
    import traitlets

    class LiveCard(anywidget.AnyWidget):
        """Synced: the question, then the verdict. The card behind it, with the answer, is not."""

        _esm = (HERE / "card.js").read_text("utf-8")
        _css = (HERE / "card.css").read_text("utf-8")
        asked = traitlets.Dict().tag(sync=True)
        verdict = traitlets.Dict().tag(sync=True)
        problem = traitlets.Unicode().tag(sync=True)

        def __init__(self, question):
            super().__init__(asked=question.asked())
            self._question = question
            self.on_msg(self._heard)

        def _heard(self, _, message, buffers):
            if self.verdict or message.get("type") not in ("lock", "skip"):
                return
            judged, self.problem = verdict(self._question, message)
            self.verdict = judged or {}
            if self.problem:
                self.send({"type": "refused"})

    return LiveCard
