"""`ways_out(text, trial)`: what to change in a program, each change tried, with its price.

The candidates come from the program's text and from what one run of it says; those that end in an
error, or after which as much grows as before, are not told.
"""

from __future__ import annotations

import time

from whoholds.ways import growing, leaf, second, unwanted, written
from whoholds.ways.facts import differing
from whoholds.ways.source import Source

HOW = {"twice": second, "written": written, "unwanted": unwanted, "leaf": leaf}
MOST = 3  # ways that are told, or one of each leak that has one
TRIALS = 30  # that are made at most
LESS = 0.99  # of the bytes at the end: what frees a few of many leads nowhere
SECONDS = 90  # for all of them
NONE = "No way out is known that changes this text alone."
FAILED = "{} tried in a copy of the process, and none led out."
UNMENDED = "No change of this text was found after which less is held by {}."


class Tried:
    """A way out and how it went: `peak` and `left` in bytes, `changed` names, `printed` text."""

    def __init__(self, way, before, after):
        self.words, self.source, self.place = way
        self.peak, self.left, self.printed = after["peak"], after["left"], after["printed"]
        failed = bool(before["error"])
        # A program that failed has printed only the beginning, and has trained only so far.
        self.changed = [] if failed else differing(before["numbers"], after["numbers"])
        same = after["printed"] == before["printed"]
        self.prints = same or failed and after["printed"].startswith(before["printed"])
        self.trained = after.get("trained", {})
        self.before = None if failed else before["left"]
        self.still: list = []  # parameters that change otherwise, and no longer do
        was, now = leaks(before), leaks(after)
        self.mends = {who for who in was if now.get(who, (0, 0)) < was[who]}
        self.nodes = before.get("nodes", 0), after.get("nodes", 0)

    @property
    def unchanged(self) -> bool:
        return self.prints and not self.changed and not self.still

    def __str__(self):
        price = f"peak {self.peak:,} B, {self.left:,} B at the end"
        was, now = self.nodes
        if self.before is not None and (self.before != self.left or now >= was):
            price += f" in place of {self.before:,} B"
        if now < was and self.before is not None:
            price += f", {now or 'no'} node{'s' * (now != 1)} a turn in place of {was}"
        return f"{self.words}: {price}{self._numbers()}"

    def _numbers(self) -> str:
        if self.still:
            more = ", ..." * (len(self.still) > MOST)
            return f"; {', '.join(self.still[:MOST])}{more} would no longer be trained"
        if not self.prints:
            return "; it prints other numbers"
        return f"; other numbers in {', '.join(self.changed[:3])}" if self.changed else ""


class Advice:
    """`ways`: those that lead out, three or one of each leak; `failed`: how many of those tried did
    not; `why`: what kept them from being tried, or "".
    """

    def __init__(self, before, ways=(), failed=0, why=""):
        self.before, self.ways, self.failed, self.why = before, list(ways), failed, why

    def rows(self) -> list:
        """Sentences, plain text."""
        if self.why:
            return [f"No way out was tried: {self.why}."]
        if self.ways:
            return [f"{way}." for way in self.ways] + self._unmended()
        changes = f"{self.failed} change{'s were' if self.failed != 1 else ' was'}"
        return [FAILED.format(changes) if self.failed else NONE]

    def _unmended(self) -> list:
        """What else grows, of which no way was found."""
        left = set(leaks(self.before)).difference(*(way.mends for way in self.ways))
        return [UNMENDED.format(who) for who in leaks(self.before) if who in left]


def ways_out(text: str, trial) -> Advice:
    """`trial(text)` runs a program elsewhere and gives its facts, with what it printed."""
    before = trial(text)
    if "numbers" not in before:
        return Advice(before, why=f"run again the program ended otherwise ({before['error']})")
    found: list = []
    failed, seen, until = 0, {text, ""}, time.monotonic() + SECONDS
    for way in candidates(Source(text), before):
        done = [one.place for one in found if one.unchanged]
        if len(found) + failed == TRIALS or time.monotonic() > until:
            break
        if len(done) >= MOST and len(_mending(found, before)) == len(leaks(before)):
            break
        if way.source in seen or way.place and way.place in done:
            continue
        seen.add(way.source)
        after = trial(way.source)
        if leads_out(before, after):
            found.append(Tried(way, before, after))
            _compare(found, before)
        else:
            failed += 1
    told = sorted(found, key=lambda one: (bool(one.still), not one.unchanged))
    whole = [one for one in told if not one.still]
    return Advice(before, _chosen(whole or told, before), failed)


def _mending(found, before) -> dict:
    """{leak: the first of these ways after which less of it grows}."""
    return {who: next(one for one in found if who in one.mends)
            for who in leaks(before) if any(who in one.mends for one in found)}  # fmt: skip


def _chosen(told, before) -> list:
    """One of each leak, then the first; at least as many as are told of one alone."""
    first = {id(one) for one in _mending(told, before).values()}
    for one in told:
        if len(first) < MOST:
            first.add(id(one))
    return [one for one in told if id(one) in first]


def _compare(found, before) -> None:
    """Find out which parameters a way no longer trains: less often than the program did that came
    less far, or not half as often as another way.
    """
    done = before.get("trained", {}) if before["error"] else {}
    most = {name: max(one.trained.get(name, 0) for one in found) for name in found[-1].trained}
    for one in found:
        one.still = [name for name, n in sorted(one.trained.items())
                     if n < done.get(name, 0) or 2 * n < most.get(name, 0)]  # fmt: skip


def candidates(source, before):
    """The ways that could lead out; what a developer would do comes first."""
    if before["wrong"] is None:
        return growing.ways(source, [who for _, who in before["rows"]])
    lines = {key: value for key, value in before["wrong"].items() if key != "how"}
    return HOW[before["wrong"]["how"]].ways(source, **lines)


def leads_out(before, after) -> bool:
    """Does it run to its end now, or, if it did before, does less grow or stay?"""
    if after["error"] or "rows" not in after:
        return False
    if before["error"] or grown(after) < grown(before):
        return True
    return grown(after) == grown(before) and after["left"] <= LESS * before["left"]


def leaks(facts) -> dict:
    """{who holds what grows: (bytes a turn, rows)}; of an error, which is mended first, none."""
    found: dict = {}
    for size, who in () if facts["error"] else facts.get("rows", ()):
        size_before, rows = found.get(who, (0, 0))
        found[who] = size_before + size, rows + 1
    return found


def grown(facts) -> tuple:
    """What grows a turn, in bytes and in nodes."""
    return sum(n for n, _ in facts["rows"]), facts["graph"]
