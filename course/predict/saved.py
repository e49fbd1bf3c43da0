"""A widget dies with its kernel, so a saved notebook keeps what stands in for it instead.

JupyterLab would show "Error displaying widget" where it cannot find one again, and never look at
the page or the picture beside it. A hook for the server (`ContentsManager.pre_save_hook`); knows
notebooks as plain dicts.
"""

from whoholds.unattended import WIDGET

STAND_INS = "text/html", "image/png", "image/svg+xml"


def without_widgets(model, **_):
    """Take the widget out of each output that has a stand-in, and all widget state."""
    if model.get("type") != "notebook" or not isinstance(model.get("content"), dict):
        return
    notebook = model["content"]
    for cell in notebook.get("cells", []):
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if any(kind in data for kind in STAND_INS):
                data.pop(WIDGET, None)
    notebook.get("metadata", {}).pop("widgets", None)
