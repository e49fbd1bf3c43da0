"""`ways_out(text, trial)`: what to change in a program, tried, with its price.

The candidates come from the program's text and from what one run of it says; those that end in an
error, or that still grow, are not told.
"""

from __future__ import annotations

from whoholds.views.look import size_text
from whoholds.ways import growing, second, written
from whoholds.ways.facts import differing
from whoholds.ways.source import Source

MOST = 3  # ways that are told
TRIALS = 40  # that are made at most


class Tried:
    """A way out and how it went: `peak` and `left` in bytes, `changed` names, `printed` text."""

    def __init__(self, way, before, after):
        self.words, self.source = way
        self.peak, self.left, self.printed = after["peak"], after["left"], after["printed"]
        self.changed = differing(before["numbers"], after["numbers"]) if not before["error"] else []
        # A program that failed has printed only the beginning.
        same = after["printed"] == before["printed"]
        self.prints = (
            same or bool(before["error"]) and after["printed"].startswith(before["printed"])
        )

    @property
    def unchanged(self) -> bool:
        return self.prints and not self.changed

    def __str__(self):
        price = f"peak {size_text(self.peak)}, {size_text(self.left)} at the end"
        return f"{self.words}: {price}{self._numbers()}"

    def _numbers(self) -> str:
        if not self.prints:
            return "; it prints other numbers"
        return f"; other numbers in {', '.join(self.changed[:3])}" if self.changed else ""


class Advice:
    """`ways`: those that lead out, at most three; `failed`: how many of those tried did not."""

    def __init__(self, before, ways=(), failed=0, why=""):
        self.before, self.ways, self.failed, self.why = before, list(ways), failed, why

    def rows(self) -> list:
        """Sentences, plain text."""
        if self.why:
            return [f"No way out was tried: {self.why}."]
        return [f"{way}." for way in self.ways]


def ways_out(text: str, trial) -> Advice:
    """`trial(text)` runs a program elsewhere and gives its facts, with what it printed."""
    before = trial(text)
    if "numbers" not in before:
        return Advice(before, why=f"run again the program ended otherwise ({before['error']})")
    tried, failed = [], 0
    for way in candidates(Source(text), before):
        after = trial(way.source)
        if leads_out(before, after):
            tried.append(Tried(way, before, after))
        else:
            failed += 1
        if len([one for one in tried if one.unchanged]) == MOST or len(tried) + failed == TRIALS:
            break
    best = sorted(tried, key=lambda one: not one.unchanged)
    return Advice(before, best[:MOST], failed)


def candidates(source, before):
    """The ways that could lead out, each text once; what a developer would do comes first."""
    seen = {source.text, ""}
    for way in _candidates(source, before["wrong"], before["rows"]):
        if way.source not in seen:
            seen.add(way.source)
            yield way


def _candidates(source, wrong, rows):
    if wrong is not None:
        lines = {key: value for key, value in wrong.items() if key != "how"}
        yield from {"twice": second, "written": written}[wrong["how"]].ways(source, **lines)
    yield from growing.ways(source, [who for _, who in rows])


def leads_out(before, after) -> bool:
    """Does it run to its end now, and does less grow?"""
    if after["error"] or "rows" not in after:
        return False
    return bool(before["error"]) or grown(after) < grown(before)


def grown(facts) -> tuple:
    """What grows: bytes a turn, and in how many ways."""
    return sum(n for n, _ in facts["rows"]), len(facts["rows"])
