"""In a live notebook the answer stays in the kernel until a choice is locked.

The page gets the question; it sends a choice, or that it is skipped, and gets the verdict as state
of the widget, which survives a reload of the page. A card that was answered in an earlier run shows
that answer, and asks again only if told to; the first choice counts. Where there is no kernel, or
no anywidget, there is no live card. Refuses to know what is asked, and of which lesson.
"""

from functools import cache
from pathlib import Path

from whoholds import keys
from whoholds.unattended import WIDGET, unattended

from . import record

HERE = Path(__file__).parent
SILENT = (
    "The kernel has not answered yet. If a cell is running, the answer comes when it ends. "
    "If the kernel was restarted, run this cell again and choose anew."
)
BEFORE = "You answered this in an earlier run, and that answer counts."
SCRIPT = keys.SCRIPT + keys.script(HERE / "card.js")


def card(question):
    """The widget that asks `question`, or None where nobody could answer it."""
    if unattended() or not _in_a_kernel():
        return None
    try:
        widget = _widget()
    except ImportError:
        return None
    return widget(question)


def reference(widget):
    """The part of an output that makes JupyterLab show the widget."""
    return {WIDGET: {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}}


def asked(question):
    """All that the page knows before a choice is locked."""
    return question.asked() | {"silent": SILENT}


def verdict(question, message):
    """(verdict or None, a sentence for the learner or ""): what a message of the page leads to."""
    choice = message.get("choice")
    given = None if message.get("type") == "skip" else "" if choice is None else choice
    try:
        judged = question.judged(given)
    except ValueError as error:
        return None, str(error)
    return judged | {"note": record.prediction(question, judged)}, ""


def earlier(question):
    """The verdict on the choice that is on record; {} where there is none that still fits."""
    noted = record.answer(question.id)
    if not noted:
        return {}
    skipped = noted.get("outcome") == "skipped"
    try:
        judged = question.judged(None if skipped else question.given(noted.get("choice")))
    except ValueError:
        return {}
    return judged | {"note": BEFORE}


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

        _esm = SCRIPT
        _css = (HERE / "card.css").read_text("utf-8")
        asked = traitlets.Dict().tag(sync=True)
        verdict = traitlets.Dict().tag(sync=True)
        problem = traitlets.Unicode().tag(sync=True)

        def __init__(self, question):
            super().__init__(asked=asked(question), verdict=earlier(question))
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
