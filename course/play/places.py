"""A place for every card of a game: as in a view, but with the nodes in one column.

So each edge can have a path of its own. Plain numbers out, in pixels.
"""

from __future__ import annotations

from course.play import arcs
from whoholds.views.layout import BETWEEN, GAP, TOP, layout


def places(trace) -> dict:
    """What a view's layout has, and {key of an edge: its path} as `arcs`."""
    found, ways = layout(trace), arcs.edges(trace.events)
    boxes = in_a_column({int(node): box for node, box in found["nodes"].items()}, ways)
    routes = arcs.routes(ways, boxes)
    right = max((x for corners in routes.values() for x, _ in corners), default=0)
    low = max((y + h for _, y, _, h in boxes.values()), default=0)
    others = (box for lane in ("names", "storages") for box in found[lane].values())
    return found | dict(
        nodes={str(node): box for node, box in boxes.items()},
        arcs={key: arcs.path(corners) for key, corners in routes.items()},
        width=max(_width(found, boxes), right + BETWEEN),
        height=max([low, *(y + h for _, y, _, h in others)]) + GAP,
    )  # fmt: skip


def in_a_column(boxes, ways) -> dict:
    """The nodes one below the other, each with room for the arcs of `ways` that it has."""
    boxes = _column(boxes, {})
    return _column(boxes, arcs.room(ways, boxes))


def _column(boxes, room) -> dict:
    """The cards one below the other, in the order they had, each as high as its room asks."""
    if not boxes:
        return {}
    left, y = min(x for x, _, _, _ in boxes.values()), TOP
    found: dict = {}
    for slot in sorted({(x, y) for x, y, _, _ in boxes.values()}):
        here = {node: box for node, box in boxes.items() if tuple(box[:2]) == slot}
        high = {node: max(box[3], room.get(node, 0)) for node, box in here.items()}
        found |= {node: [left, y, box[2], high[node]] for node, box in here.items()}
        y += max(high.values()) + GAP
    return found


def _width(found, boxes) -> int:
    """That of the names, the storages and one column of nodes under its heading."""
    left = found["heads"][-1][0]
    return max([left + 196, *(x + w + BETWEEN for x, _, w, _ in boxes.values())])
