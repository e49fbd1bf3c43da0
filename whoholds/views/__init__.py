"""A trace made visible: plot, source, and three lanes of names, storages and nodes.

Knows the events of `whoholds.events` and no engine: minigrad and PyTorch look the same here. Only
`View` and `show` need anywidget; a page and a text need nothing.
"""

from typing import Any

from whoholds.views.export import export

__all__ = ["View", "export", "show"]


def __getattr__(name: str) -> Any:
    if name in ("View", "show"):
        from whoholds.views import widget

        return getattr(widget, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
