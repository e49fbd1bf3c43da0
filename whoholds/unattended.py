"""Whether a notebook runs for a file: `nbconvert --execute` and papermill show nobody a widget.

nbclient, which both use, saves the state of every widget, and nbconvert then prefers the widget to
the picture beside it. Its page asks the network for the rest, and stays empty without one. So where
nobody looks, an output has no widget, only what stands in for it. Knows no view and no card.
"""

from __future__ import annotations

import os
import sys
from typing import Any

WIDGET = "application/vnd.jupyter.widget-view+json"


def revealing() -> bool:
    """Whether the build or nbval runs: they show answers, make no widget and record nothing."""
    return os.environ.get("MINIGRAD_REVEAL") == "1"


def unattended() -> bool:
    """Whether what stands in for a widget is all that a reader will see."""
    return revealing() or run_by_nbclient()


def run_by_nbclient() -> bool:
    """nbclient starts a kernel that keeps its history in memory, and names no cell that it runs.

    JupyterLab, Notebook and Visual Studio Code do neither.
    """
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython is not None else None
    kernel = getattr(shell, "kernel", None)
    if kernel is None or str(shell.history_manager.hist_file) != ":memory:":
        return False
    return "cellId" not in kernel.get_parent("shell").get("metadata", {})


def without_widget(data: dict) -> dict:
    """The bundle of an output; without its widget where nobody could use it."""
    if not run_by_nbclient():
        return data
    return {kind: value for kind, value in data.items() if kind != WIDGET}
