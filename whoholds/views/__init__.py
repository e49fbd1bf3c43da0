"""A trace made visible: plot, source, and three lanes of names, storages and nodes.

Knows the events of `whoholds.events` and no engine: minigrad and PyTorch look the same here.
"""

from whoholds.views.export import export
from whoholds.views.widget import View, show

__all__ = ["View", "export", "show"]
