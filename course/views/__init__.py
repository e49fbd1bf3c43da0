"""A trace made visible: plot, source, and three lanes of names, storages and nodes.

Knows the events of `minigrad.trace` and no engine: minigrad and PyTorch look the same here.
"""

from course import traces  # noqa: F401  (a trace can now be exported)
from course.views.export import export
from course.views.widget import View, show

__all__ = ["View", "export", "show"]
