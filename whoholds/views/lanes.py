"""Names, storages and nodes at one step, with the references between them, drawn on a Page.

The twin of what view.js does with SVG, for the picture; places come from the same layout.
"""

from __future__ import annotations

from whoholds.views.drawing import ACCENT, INK, RED, SOFT, wide_of
from whoholds.views.holds import holds, outside
from whoholds.views.layout import GAP, HEAD, ROW, ROWS, TOP
from whoholds.views.look import LOOK, cut, row_text, shape_text, size_text

CARD, LINE = "#f3f3f3", "#bdbdbd"
SAVED, SAVED_PALE, GRAD = "#d9730d", "#f6e0cb", "#2a9d5c"


def draw(page, state, places, event, top) -> None:
    """The lanes of `state`, from `top` pixels on down."""
    view = Lanes(page, state, places, top)
    now = event[0] if event else {}
    for x, text in places["heads"]:
        view.text(x, 14, text, SOFT, 11, face="bold")
    view.arrows()
    for name in state.names:
        view.name(name, now)
    for number in state.storages:
        view.storage(number, now)
    for number in state.nodes:
        view.node(number, now)


def bottom(places, state) -> int:
    """How far down the cards of `state` reach; those of another moment leave no blank."""
    alive = {"names": state.names, "storages": state.storages, "nodes": state.nodes}
    boxes = [places[lane].get(str(key)) for lane, cards in alive.items() for key in cards]
    return max([TOP + HEAD, *(y + h for _, y, _, h in filter(None, boxes))]) + GAP


WITHOUT = dict(colour=SOFT, face="italic")  # where no tensor is on a storage


class Lanes:
    """Draws cards and arrows on a page of pixels, `top` pixels below its edge."""

    def __init__(self, page, state, places, top):
        self.page, self.state, self.places, self.top = page, state, places, top
        self.on: dict = {}  # storage -> its tensors
        for number, tensor in state.tensors.items():
            self.on.setdefault(tensor["storage"], []).append(number)
        self.called: dict = {}
        for name, targets in state.names.items():
            for target in targets:
                self.called.setdefault(target, name)
        self.holds = holds(state)

    # -- strokes --

    def text(self, x, y, text, colour=INK, size=11.0, **more):
        self.page.text(x, y + self.top, text, colour, size, **more)

    def box(self, x, y, w, h, face=CARD, edge=LINE, width=1.0, style="-"):
        self.page.card(x, y + self.top, w, h, face, edge, width, style)

    def curve(self, points, colour, style="-", width=1.2):
        """A cubic curve with an arrow's head."""
        self.page.arrow([(x, y + self.top) for x, y in points], colour, width, style)

    def bend(self, a, b, c, d, by, colour, style="-", width=1.2):
        self.curve([(a, b), (a + by, b), (c - by, d), (c, d)], colour, style, width)

    # -- cards --

    def name(self, name, now):
        x, y, w, h = self.places["names"][name]
        self.box(x, y, w, h, edge=ACCENT if now.get("name") == name else LINE)
        self.text(x + 8, y + 14, cut(name, 12), face="mono")

    def storage(self, number, now):
        if str(number) not in self.places["storages"]:
            return
        x, y, w, h = self.places["storages"][str(number)]
        storage = self.state.storages[number]
        label, colour, mark = LOOK[self.state.category(number)]
        edge = ACCENT if now.get("storage") == number else LINE
        self.box(x, y, w, h, edge=edge, style="--" if storage["flight"] else "-")
        self.page.box(x + 1, y + 1 + self.top, 9, h - 2, colour, mark)
        self.text(x + 16, y + 14, size_text(storage["size"]), face="bold")
        self.text(x + w - 6, y + 14, label, side="right")
        rows = self._rows(number)
        for i, row in enumerate(rows or [self._without(storage)]):
            words = " " in row.partition(" (")[0] and not row.startswith("and ")
            look = dict(face="italic" if words else "mono") if rows else WITHOUT
            self.text(x + 16, y + HEAD + ROW * i + 11, cut(row, 24), **look)

    def _without(self, storage):
        if storage["flight"]:
            return "a gradient"
        return "only saved" if storage["saves"] else outside(storage) or "no tensor"

    def _rows(self, number):
        tensors, owner = self.on.get(number, []), None
        for other, tensor in self.state.tensors.items():
            if tensor["grad"] == number:
                owner = self.called.get(f"t{other}")
        names = [self.called.get(f"t{t}") or self._unnamed(t, owner) for t in tensors]
        shapes = [shape_text(self.state.tensors[t]["shape"]) for t in tensors]
        rows = [row_text(n, s) for n, s in zip(names, shapes, strict=True)]
        if len(rows) > ROWS:
            rows[ROWS - 1 :] = [f"and {len(rows) - ROWS + 1} more"]
        return rows

    def _unnamed(self, tensor, owner):
        return f"{owner}.grad" if owner else outside(self.state.tensors[tensor])

    def node(self, number, now):
        x, y, w, h = self.places["nodes"][str(number)]
        node, here = self.state.nodes[number], self.state.here == number
        edge = ACCENT if here or now.get("node") == number else INK if node["visited"] else LINE
        wrong = now.get("kind") == "error" and now["node"] == number
        self.box(x, y, w, h, edge=RED if wrong else edge, width=4 if here or wrong else 1)
        self.text(x + 8, y + 14, cut(node["name"], 20), face="bold")
        own = [words.lstrip("., ") for _, holder, words in self.holds if holder == f"n{number}"]
        label = ", ".join(dict.fromkeys(own))
        if 5.6 * len(label) < w - 18 - 7.3 * len(node["name"]):
            self.text(x + w - 6, y + 14, label, SOFT, face="italic", side="right")
        chips = zip(node["slots"], self.places["chips"][str(number)], strict=False)
        for slot, (dx, dy, wide, text) in chips:
            self.chip(slot, text, x + dx, y + dy, wide, node["freed"])

    def chip(self, slot, text, x, y, wide, freed):
        pale = freed or slot["shared"]
        self.box(x, y, wide, 15, "#ffffff" if pale else SAVED_PALE, LINE if freed else SAVED,
                 style="--" if slot["shared"] else "-")  # fmt: skip
        self.text(x + 5, y + 11.5, text, SOFT if freed else INK, 10.5)
        if freed:
            end = x + min(wide - 5, 5 + 10.5 * wide_of(text))
            self.page.line([(x + 4, y + 8 + self.top), (end, y + 8 + self.top)], SOFT)

    # -- references --

    def row(self, tensor):
        """(left, right, y) of a tensor's row, or None."""
        number = self.state.tensors.get(tensor, {}).get("storage")
        box = self.places["storages"].get(str(number))
        if box is None or number not in self.state.storages:
            return None
        i = min(self.on[number].index(tensor), ROWS - 1)
        return box[0], box[0] + box[2], box[1] + HEAD + ROW * i + 7

    def arrows(self):
        for name, targets in self.state.names.items():
            x, y, w, h = self.places["names"][name]
            for target in targets:
                self._reference(x + w, y + h / 2, target)
        for number, tensor in self.state.tensors.items():
            self._tensor(number, tensor)
        for number, node in self.state.nodes.items():
            self._saved(number, node)
            self._edges(number, node)
        for target, holder, _ in self.holds:
            self._hold(target, holder)

    def _reference(self, x, y, target):
        row = self.row(int(target[1:])) if target[0] == "t" else None
        if row:
            self.bend(x, y, row[0] - 2, row[2], 28, SOFT)
        elif target[0] == "n" and int(target[1:]) in self.state.nodes:
            box = self.places["nodes"][target[1:]]
            self.bend(x, y, box[0] - 2, box[1] + 10, 40, SOFT)

    def _tensor(self, number, tensor):
        row = self.row(number)
        if row is None:
            return
        if tensor["fn"] in self.state.nodes:
            box = self.places["nodes"][str(tensor["fn"])]
            self.bend(row[1], row[2], box[0] - 2, box[1] + 10, 26, SOFT)
        box = self.places["storages"].get(str(tensor["grad"]))
        if box and tensor["grad"] in self.state.storages:
            x, y = box[0] - 2, box[1] + 10
            points = [(row[0], row[2]), (row[0] - 34, row[2]), (box[0] - 34, y), (x, y)]
            self.curve(points, GRAD, ":", 1.6)

    def _hold(self, target, holder):
        """What a card holds without having saved it, AccumulateGrad its leaf for example."""
        start, end = holder and self._place(holder), self._place(target)
        if not start or not end or start[:2] == end[:2]:
            return
        (left, right, y), (a, b, c) = start, end
        if left > b:
            self.bend(left, y, b + 2, c, -26, SOFT)
        elif right < a:
            self.bend(right, y, a - 2, c, 26, SOFT)
        else:
            self.curve([(left, y), (left - 34, y), (a - 36, c), (a - 2, c)], SOFT)

    def _place(self, thing):
        """(left, right, y) of a card, or of a tensor's row in one."""
        if thing[0] == "t":
            return self.row(int(thing[1:]))
        box = self.places["nodes" if thing[0] == "n" else "storages"].get(thing[1:])
        return box and (box[0], box[0] + box[2], box[1] + 10)

    def _saved(self, number, node):
        x, y, _, _ = self.places["nodes"][str(number)]
        chips = zip(node["slots"], self.places["chips"][str(number)], strict=False)
        for slot, (dx, dy, _, _) in chips:
            box = self.places["storages"].get(str(slot["storage"]))
            if box and not node["freed"] and slot["storage"] in self.state.storages:
                style = "--" if slot["shared"] else "-"
                end = box[0] + box[2] + 2, box[1] + 10
                self.bend(x + dx, y + dy + 7, *end, -26, SAVED, style)

    def _edges(self, number, node):
        x, y, w, _ = self.places["nodes"][str(number)]
        for edge in node["edges"]:
            if not edge or edge[0] not in self.state.nodes:
                continue
            a, b, c, d = self.places["nodes"][str(edge[0])]
            if a == x and b < y and y - b - d < 12:
                heights = (y, (2 * y + b + d) / 3, (y + 2 * b + 2 * d) / 3, b + d + 1)
                self.curve([(x + w / 2, height) for height in heights], INK)
            elif a == x:
                end = x + w + 2
                self.curve(
                    [(x + w, y + 10), (end + 18, y + 10), (end + 18, b + 10), (end, b + 10)], INK
                )
            elif a < x:
                self.bend(x, y + 10, a + c + 2, b + 10, -16, INK)
            else:
                self.bend(x + w, y + 10, a - 2, b + 10, 16, INK)
