"""A place for every card of a trace, decided once: stepping moves nothing.

A card's slot is used again after its death. The newest card of a lane comes last; a long lane is
wrapped into columns, as text into lines. Plain numbers out, in pixels; knows no way to draw them.
"""

from __future__ import annotations

from collections import Counter
from heapq import heappop, heappush

from whoholds.views.look import chip_text, cut

NAME, STORAGE, NODE = 92, 150, 172  # widths of the cards
HEAD, ROW, CHIP = 20, 16, 18  # heights: of a card's first line, of a tensor's row, of a chip's
GAP, BETWEEN, LANE = 6, 16, 38  # between cards, columns and lanes
TOP, SIDE = 26, 8
COLUMNS, TALL, LOW = 3, 680, 340  # a lane takes another column rather than be taller than this
WORDS = 172  # the width of the last head
ROWS = 4  # rows of tensors a card shows; the rest are counted in the last one
HEADS = "Python names", "tensors and their storages", "nodes and what they saved"
HALF = 10  # characters of a chip that lets another stand beside it


def layout(trace) -> dict:
    """Boxes [x, y, width, height] of names, storages and nodes; [x, y, width, text] of chips.

    A lane that has no card in the whole trace is left out.
    """
    return placed(_seen(trace.events), TALL, TALL)


def layouts(trace) -> list:
    """The layout, and lower ones that are wider for it; the narrowest first."""
    seen = _seen(trace.events)
    found = [placed(seen, a, b) for a in (TALL, LOW) for b in (TALL, LOW)]
    widths = {one["width"]: one for one in reversed(found)}
    return [widths[width] for width in sorted(widths)]


def placed(seen, tall_storages=TALL, tall_nodes=TALL) -> dict:
    heights = {n: HEAD + ROW * max(1, min(k, ROWS)) for n, k in seen.rows.items()}
    left = SIDE + NAME + LANE if seen.names else SIDE
    storages, right = _lane(_slots(seen.storages), heights, left, STORAGE, tall_storages)
    chips = {n: _chips(slots) for n, slots in seen.chips.items()}
    heights = {n: HEAD + CHIP * _lines(chips[n]) + (4 if chips[n] else 0) for n in chips}
    last = right + LANE if storages else left
    nodes, _ = _lane(_slots(seen.nodes), heights, last, NODE, tall_nodes)
    lanes = (SIDE, _names(seen, storages)), (left, storages), (last, nodes)
    heads = [(x, head) for (x, lane), head in zip(lanes, HEADS, strict=True) if lane]
    boxes = [box for _, lane in lanes for box in lane.values()]
    return dict(
        width=max([x + w + BETWEEN for x, _, w, _ in boxes] + [x + WORDS for x, _ in heads[-1:]]
                  or [SIDE + WORDS]),
        height=max([TOP + HEAD, *(y + h for _, y, _, h in boxes)]) + GAP, heads=heads,
        names=lanes[0][1], storages=_text_keys(storages), nodes=_text_keys(nodes),
        chips=_text_keys(chips),
    )  # fmt: skip


def _text_keys(boxes):
    return {str(number): box for number, box in boxes.items()}


def _seen(events):
    seen = Seen(len(events))
    for step, event in enumerate(events):
        seen.see(event, step)
    return seen


class Seen:
    """From when to when each card is needed, and how much it has to hold; `end` events in all."""

    def __init__(self, end):
        self.end = end
        self.names: dict = {}  # name -> [first event, last event]
        self.storages: dict = {}
        self.nodes: dict = {}
        self.rows: dict = {}  # storage -> the most tensors at once
        self.chips: dict = {}  # node -> its saved slots
        self.target: dict = {}  # name -> the storage it led to first
        self._on: dict = {}  # tensor -> its storage
        self._now: Counter = Counter()  # storage -> how many tensors are on it

    def see(self, event, step):
        handle = getattr(self, "_" + event["kind"], None)
        if handle is not None:
            handle(event, step)

    def _open(self, spans, key, step):
        spans.setdefault(key, [step, self.end])

    def _bind(self, e, step):
        self._open(self.names, e["name"], step)
        self.names[e["name"]][1] = self.end
        on = [self._on.get(int(t[1:])) for t in e["targets"] if t[0] == "t"]
        if on and e["name"] not in self.target:
            self.target[e["name"]] = on[0]

    def _unbind(self, e, step):
        if e["name"] in self.names:
            self.names[e["name"]][1] = step

    def _born(self, e, step):
        self._open(self.storages, e["storage"], step)
        self.rows.setdefault(e["storage"], 0)

    def _died(self, e, step):
        if e["storage"] in self.storages:
            self.storages[e["storage"]][1] = step

    def _tensor(self, e, step):
        self._forget(e, step)
        self._on[e["tensor"]] = number = e["storage"]
        self._now[number] += 1
        if number in self.rows:
            self.rows[number] = max(self.rows[number], self._now[number])

    def _forget(self, e, step):
        self._now[self._on.pop(e["tensor"], None)] -= 1

    def _node(self, e, step):
        self._open(self.nodes, e["node"], step)
        self.chips[e["node"]] = []

    def _gone(self, e, step):
        if e["node"] in self.nodes:
            self.nodes[e["node"]][1] = step

    def _save(self, e, step):
        self.chips[e["node"]].append(e)


def _most(spans) -> int:
    """How many are there at once, at most."""
    changes = sorted(
        [(a, 1) for a, _ in spans.values()] + [(b, -1) for _, b in spans.values()],
        key=lambda change: (change[0], change[1]),
    )
    now = most = 0
    for _, step in changes:
        now += step
        most = max(most, now)
    return most


def _slots(spans) -> dict:
    """The number of a slot for each: the newest last, as long as there is room behind."""
    most = _most(spans)
    taken: set = set()
    ends: list = []  # a heap: when a slot becomes free, and which
    last: list = []  # a heap, the largest first: the slots that are taken, and some that were
    free = [*range(most + 1)]  # a heap of the others, and of some that are taken
    slots = {}
    for key, (start, end) in sorted(spans.items(), key=lambda item: item[1][0]):
        while ends and ends[0][0] <= start:
            taken.discard(slot := heappop(ends)[1])
            heappush(free, slot)
        while last and -last[0] not in taken:
            heappop(last)
        slot = 1 - last[0] if last else 0
        if slot >= most:
            while free[0] in taken:
                heappop(free)
            slot = free[0]
        slots[key] = slot
        taken.add(slot)
        heappush(ends, (end, slot))
        heappush(last, -slot)
    return slots


def _lane(slots, heights, left, width, most=TALL):
    """A box for each card of a lane, and where the lane ends; a column is about `most` high."""
    tall: dict = {}
    for key, slot in slots.items():
        tall[slot] = max(tall.get(slot, 0), heights[key] + GAP)
    columns = max(1, min(COLUMNS, -(-sum(tall.values()) // most)))
    limit = sum(tall.values()) / columns
    places, x, y = {}, left, TOP
    for slot in sorted(tall):
        if columns > 1 and y - TOP + tall[slot] / 2 > limit:
            x, y, columns = x + width + BETWEEN, TOP, columns - 1
        places[slot] = x, y
        y += tall[slot]
    return {k: [*places[slot], width, heights[k]] for k, slot in slots.items()}, x + width


def _chips(slots) -> list:
    """[x, y, width, text] of each chip within its card; two short ones share a line."""
    half = (NODE - 16) // 2
    boxes, x, line = [], 0, 0
    for slot in slots:
        text = cut(chip_text(slot), 21)
        short = len(text) <= HALF
        if x and not short:
            x, line = 0, line + 1
        boxes.append([6 + x, HEAD + CHIP * line, half if short else NODE - 12, text])
        x, line = (half + 4, line) if short and not x else (0, line + 1)
    return boxes


def _lines(chips) -> int:
    return len({y for _, y, _, _ in chips})


def _names(seen, storages) -> dict:
    """Each name as near as possible to what it led to first."""
    busy: dict = {}  # row -> [(start, end)] of the names on it
    boxes = {}
    for name, (start, end) in seen.names.items():
        box = storages.get(seen.target.get(name))
        wanted = round((box[1] - TOP) / (HEAD + GAP)) if box else 0
        rows = sorted(range(wanted + len(seen.names) + 1), key=lambda row: abs(row - wanted))
        row = next(
            row for row in rows
            if all(end <= a or b <= start for a, b in busy.get(row, ()))
        )  # fmt: skip
        busy.setdefault(row, []).append((start, end))
        boxes[name] = [SIDE, TOP + row * (HEAD + GAP), NAME, HEAD]
    return boxes
