"""`grows(step)`: the bytes that each turn of a loop leaves behind, by holder and by line."""

from __future__ import annotations

import gc
import os
import re
from collections import Counter

from whoholds.events import Trace
from whoholds.holders.paths import NAME, Paths
from whoholds.recording import record

ITEM = re.compile(r"(\[\d+\])+$")  # which one of a list grows is no answer; the list is
STEADY = "steady: no bytes of a turn are left two turns later"


class Growth:
    """`bytes` a turn; `rows` of (bytes, holder, place), the largest first. False if nothing grows.

    It prints `+8,192 B a turn, held by net.cache, made in train.py:41`, a line for each row.
    """

    def __init__(self, rows, trace: Trace):
        self.rows, self.trace = rows, trace
        self.bytes = sum(row[0] for row in rows)

    def __bool__(self):
        return self.bytes > 0

    def __str__(self):
        if not self.rows:
            return STEADY
        told = (f"+{size:,} B a turn, held by {who}, made in {at}" for size, who, at in self.rows)
        return "\n".join(told)

    __repr__ = __str__


def grows(step, turns=3, engine=None) -> Growth:
    """Call `step()` once to warm up and `turns` times more, and tell what stays of each turn.

    What the first of these turns has made and what still lives after the last one is growth, for
    optimizer state is made in the warm-up, and the last output is gone two turns later.
    """
    if turns < 3:
        raise ValueError(f"growth needs 3 turns or more, but got {turns}: what the last two leave "
                         "may be gone one turn later")  # fmt: skip
    recording, marks = record(engine=engine).of(step), []
    with recording as trace:
        for _ in range(turns + 1):
            step()
            gc.collect()  # what only a dead cycle holds is not held
            marks.append(len(trace.events))
    return Growth(_rows(trace, marks[0], marks[1]), trace)


def assert_steady(step, turns=3, engine=None) -> None:
    """Raise AssertionError, with what grows and who holds it, if `grows(step)` finds anything."""
    growth = grows(step, turns, engine)
    if growth:
        raise AssertionError(str(growth))


def _rows(trace, first, last) -> list:
    """What the events from `first` to `last` have made and what lives at the end."""
    paths, made = Paths(), {}
    for number, event in enumerate(trace.events):
        paths.apply(event)
        if event["kind"] == "born" and first <= number < last:
            made[event["storage"]] = _place(trace, event)
    sizes: Counter = Counter()
    for storage, place in made.items():
        if storage in paths.storages:
            sizes[_holder(paths, f"s{storage}"), place] += paths.storages[storage]["size"]
    return [(size, who, place) for (who, place), size in sizes.most_common() if size]


def _place(trace, event) -> str:
    """`train.py:41`"""
    if at := event.get("at"):
        file, line, _ = trace.places[at]
    else:
        file, line = trace.places[0][0], event["line"]
    return f"{os.path.basename(file)}:{line}"


def _holder(paths, start) -> str:
    """The first name on the way up from a storage; through which node, if through any."""
    seen, level, node = {start}, [(start, "")], ""
    while level:
        above = []
        for thing, node in level:
            if thing.startswith(NAME):
                return thing.removeprefix(NAME) + node
            if thing[0] == "n" and not node:
                node = f", by its graph ({paths.facts(thing)['name']})"
            for holder, words in paths.facts(thing).get("held", ()):
                if holder is None:
                    return ITEM.sub("", words.removeprefix(NAME)) + node
            above += [(one, node) for one in sorted(paths._above(thing)) if one not in seen]
            seen |= {one for one, _ in above}
        level = above
    return "somebody that was not found"
