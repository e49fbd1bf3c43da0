"""The learner's bytes so far, over the size of the GPU; at the end, the engine's own as well.

An SVG without colours of its own. It knows numbers; no rules, no browser.
"""

from __future__ import annotations

from html import escape

from whoholds.views.look import size_text
from whoholds.views.plot import phases

WIDTH, HEIGHT, LEFT, RIGHT, UP, DOWN = 1000, 124, 66, 14, 26, 20


class Chart:
    """Events to the right, bytes upward.

    The `capacity` is drawn as the size of a GPU where the player can exceed it (`limits`).
    """

    def __init__(self, trace, capacity, limits=True):
        self.events, self.capacity, self.limits = trace.events, capacity, limits
        self.engine = [e["live"] - e["bytes"][-1] for e in trace.events]

    def x(self, step):
        return round(LEFT + (WIDTH - LEFT - RIGHT) * step / len(self.events), 1)

    def y(self, bytes):
        return round(HEIGHT - DOWN - (HEIGHT - UP - DOWN) * bytes / (self.capacity * 1.04 or 1), 1)

    def svg(self, curve, over) -> str:
        """The inside of an <svg>; the engine's curve is shown only when the game is over."""
        below, above = self.still()
        parts = [*self._mine(curve), *(self._compared(curve) if over else [])]
        return "".join([below, *parts, above])

    def still(self) -> tuple:
        """What no move changes: below the curves, and above them."""
        bands = "".join(self._band(*phase) for phase in phases(self.events))
        return bands + self._capacity(), _text(WIDTH - RIGHT, HEIGHT - 5, "events", "end")

    def _band(self, name, start, end):
        wide = self.x(end) - self.x(start)
        box = f'x="{self.x(start)}" y="0" width="{wide:.1f}" height="{HEIGHT - DOWN}"'
        label = _text(self.x(start) + 4, 11, name) if wide > 58 else ""
        return f'<rect class="mg-band {name}" {box}/>{label}'

    def _capacity(self):
        y = self.y(self.capacity)
        label = _text(LEFT - 6, y + 4, size_text(self.capacity), "end")
        zero = _text(LEFT - 6, self.y(0) + 4, "0 B", "end")
        floor = f'<path class="mg-grid" d="M{LEFT} {self.y(0)}H{WIDTH - RIGHT}"/>'
        kind = "mgg-capacity" if self.limits else "mg-grid"
        line = f'<path class="{kind}" d="M{LEFT} {y}H{WIDTH - RIGHT}"/>'
        name = _text(WIDTH - RIGHT, y - 4, "size of the GPU", "end")  # left stands "forward"
        return label + zero + floor + line + (name if self.limits else "")

    def _mine(self, curve):
        stairs = self._stairs(curve)
        end, floor = self.x(len(curve)), self.y(0)
        yield f'<path class="mgg-area" d="{stairs}V{floor}H{LEFT}Z"/>'
        yield f'<path class="mgg-mine" d="{stairs}"/>'
        yield f'<circle class="mg-dot" r="4" cx="{end}" cy="{self.y(curve[-1])}"/>'

    def _compared(self, curve):
        yield f'<path class="mgg-engine" d="{self._stairs(self.engine)}"/>'
        for who, values in ("you", curve), ("engine", self.engine):
            top = max(values)
            x, y = self.x(values.index(top) + 0.5), self.y(top)
            yield f'<circle class="mg-peak" cx="{x}" cy="{y}" r="3.5"/>'
            if who == "engine" or top != max(self.engine):
                label = who if top != max(curve) else "you and the engine"
                text = f"peak of {label} {size_text(top)}"
                yield _text(x - 8, y - 5, text, "end", "mg-peak-text")

    def _stairs(self, values):
        steps = "".join(f"V{self.y(n)}H{self.x(i)}" for i, n in enumerate(values, 1))
        return f"M{LEFT} {self.y(values[0])}{steps}"


def _text(x, y, text, anchor="start", kind=""):
    return f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'
