"""What lessons draw. Each picture says in text what it shows, and keeps numbers, never a tensor."""

from course.pictures.bar import bar
from course.pictures.capstone import images, losses, scaling
from course.pictures.curve import curve
from course.pictures.graph import graph, nodes, state
from course.pictures.wrong import against, bars, verdict, wrongness

__all__ = [
    "against", "bar", "bars", "curve", "graph", "images", "losses", "nodes", "scaling", "state",
    "verdict", "wrongness",
]  # fmt: skip
