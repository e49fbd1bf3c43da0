"""A path for each edge between a game's nodes, such that no two edges run together.

The nodes stand in one column. An edge to the card right above is a short stroke. Every other edge
is an arc at the right of the column: it has a track of its own wherever another arc runs beside
it, and a place of its own at either card. Plain numbers; knows no way to draw them.
"""

from __future__ import annotations

NEAR = 12  # pixels between two cards that a stroke connects
FIRST, TRACK, PORT, ASIDE = 14, 9, 5, 8  # to the first track; between tracks, ports, twin strokes
BEND, TIP = 5, 2  # of a corner; in front of an arrow's head


def edges(events) -> dict:
    """{key: (from, to)} of all edges, as the view's script calls them: each leads to a node."""
    nodes = {e["node"]: e["edges"] for e in events if e["kind"] == "node"}
    return {
        f"edge{node}.{i}": (node, target[0])
        for node, targets in nodes.items() for i, target in enumerate(targets)
        if target and target[0] in nodes
    }  # fmt: skip


def room(ways, boxes) -> dict:
    """{node: the height it needs} for a place on its right side for each arc."""
    ends: dict = {}
    for start, end in _arcs(ways, boxes).values():
        for node in (start, end):
            ends[node] = ends.get(node, 0) + 1
    return {node: PORT * (count + 1) for node, count in ends.items()}


def routes(ways, boxes) -> dict:
    """{key: its corners [(x, y), ...]}; `boxes` has [x, y, width, height] of each node."""
    arcs = _arcs(ways, boxes)
    tracks = _tracks(arcs, boxes)
    ports = _ports(arcs, tracks, boxes)
    right = max((x + w for x, _, w, _ in boxes.values()), default=0)
    found = {key: _stroke(key, ways, boxes) for key in ways if key not in arcs}
    for key, (start, end) in arcs.items():
        x = right + FIRST + TRACK * tracks[key]
        (a, b), (c, d) = ports[key, start], ports[key, end]
        found[key] = [(a, b), (x, b), (x, d), (c + TIP, d)]
    return found


def path(corners) -> str:
    """The `d` of an SVG path with round corners."""
    (x, y), *rest = corners
    if len(rest) == 1:
        return f"M{x} {y}V{rest[0][1]}"
    (along, _), (_, to), (end, _) = rest
    bend = min(BEND, abs(to - y) / 2) * (1 if to > y else -1)
    return (
        f"M{x} {y}H{along - abs(bend)}Q{along} {y} {along} {y + bend}"
        f"V{to - bend}Q{along} {to} {along - abs(bend)} {to}H{end}"
    )


def _arcs(ways, boxes) -> dict:
    """Those that are no short stroke."""
    return {key: way for key, way in ways.items() if not _near(*(boxes[node] for node in way))}


def _near(box, above) -> bool:
    foot = above[1] + above[3]
    return above[1] < box[1] and box[1] - foot < NEAR


def _stroke(key, ways, boxes):
    """Straight up; if two lead the same way, as those of `y * y` do, one beside the other."""
    (x, y, w, _), above = (boxes[node] for node in ways[key])
    same = [other for other, way in ways.items() if way == ways[key]]
    x += w / 2 + ASIDE * (2 * same.index(key) - len(same) + 1)
    return [(x, y), (x, above[1] + above[3] + TIP)]


def _tracks(arcs, boxes) -> dict:
    """{key: number of its track}, 0 next to the cards: short arcs inside, long ones outside."""
    spans = {key: sorted(boxes[node][1] for node in way) for key, way in arcs.items()}
    taken: list = []  # spans of each track
    tracks = {}
    for key, (low, high) in sorted(spans.items(), key=lambda item: item[1][1] - item[1][0]):
        free = (n for n, spans in enumerate(taken) if all(high <= a or b <= low for a, b in spans))
        tracks[key] = next(free, len(taken))
        taken += [[]] * (tracks[key] == len(taken))
        taken[tracks[key]] = [*taken[tracks[key]], (low, high)]
    return tracks


def _ports(arcs, tracks, boxes) -> dict:
    """{(key, node): (x, y)} where an arc touches a card: in an order in which few arcs cross."""
    at: dict = {}
    for key, (start, end) in arcs.items():
        for node, other in ((start, end), (end, start)):
            upward = boxes[other][1] < boxes[node][1]
            order = (0, tracks[key]) if upward else (1, -tracks[key])
            at.setdefault(node, []).append((order, key))
    found = {}
    for node, ends in at.items():
        x, y, w, h = boxes[node]
        for i, (_, key) in enumerate(sorted(ends), 1):
            found[key, node] = x + w, y + round(h * i / (len(ends) + 1), 1)
    return found
