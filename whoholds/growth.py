"""`grows(step)`: the bytes that each turn of a loop leaves behind, by holder and by line."""

from __future__ import annotations

import gc
import os
import re
from collections import Counter

from whoholds.events import Trace
from whoholds.holders.paths import NAME, Paths
from whoholds.recording import record

ITEM = re.compile(r"(\[\d+\])+(?= of |$)")  # which one of a list grows is no answer; the list is
INDEX = re.compile(r"\[\d+\]")
MADE = {"born": "storage", "node": "node"}
ASKED = 4  # turns: one before, the one that is asked about, and two after
STEADY = "steady: no bytes of a turn are left two turns later"


class Growth:
    """`rows` of (bytes, holder, place) and `nodes` of (number, holder, place), the largest first.

    A graph whose tensors are freed still has nodes. False if nothing grows. It prints `+8,192 B a
    turn, held by net.cache, made in train.py:41`, a line for each row. `moment` is the place of the
    event that made what the first row tells of, in the last turn that is held; None without rows.
    """

    def __init__(self, rows, nodes, trace: Trace, moment=None):
        self.rows, self.nodes, self.trace, self.moment = rows, nodes, trace, moment
        self.bytes = sum(row[0] for row in rows)

    def __bool__(self):
        return bool(self.rows or self.nodes)

    def __str__(self):
        told = [f"+{n:,} B a turn, held by {who}, made in {at}" for n, who, at in self.rows]
        told += [
            f"+{n} node{'s' * (n > 1)} a turn, held by {who}, made in {at}"
            for n, who, at in self.nodes
        ]
        return "\n".join(told) or STEADY

    __repr__ = __str__


def grows(step, turns=3, engine=None) -> Growth:
    """Call `step()` once to warm up and `turns` times more, and tell what stays of each turn.

    What a turn has made and what still lives two turns later is growth: optimizer state is made in
    the warm-up, and the last output is gone by then.
    """
    if turns < 3:
        raise ValueError(f"growth needs 3 turns or more, but got {turns}: what the last two leave "
                         "may be gone one turn later")  # fmt: skip
    with record(engine=engine).of(step) as trace:
        for _ in range(turns + 1):
            step()
            gc.collect()  # what only a dead cycle holds is not held
            trace.recorder.note("turn")
    return growth(trace)


def assert_steady(step, turns=3, engine=None) -> None:
    """Raise AssertionError, with what grows and who holds it, if `grows(step)` finds anything."""
    growth = grows(step, turns, engine)
    if growth:
        raise AssertionError(str(growth))


def growth(trace) -> Growth:
    """What the third last turn of a trace has made and what lives at its end."""
    turns = [i for i, event in enumerate(trace.events) if event["kind"] == "turn"][-ASKED:]
    if len(turns) < ASKED:
        return Growth([], [], trace)
    paths, made = _made(trace, turns[0])
    asked = [thing for thing, (number, _) in made.items() if number < turns[1]]
    sizes, nodes = _left(paths, made, asked)
    return Growth(sizes, nodes, trace, _moment(paths, made, sizes, nodes))


def _made(trace, first):
    """The state at the end, and {thing: (event, place)} of what lives of all made from `first`."""
    paths, made = Paths(), {}
    for number, event in enumerate(trace.events):
        paths.apply(event)
        if first <= number and (kind := MADE.get(event["kind"])):
            made[f"{kind[0]}{event[kind]}"] = number, place_of(trace, event)
    return paths, {thing: told for thing, told in made.items() if paths.facts(thing)}


def _left(paths, made, asked):
    """Rows of the bytes, and of the nodes, that are left of what was asked about."""
    sizes: Counter = Counter()
    nodes: dict = {}  # holder -> places of what it leads to
    for thing in asked:
        who, top = _holder(paths, thing)
        if thing[0] == "s":
            sizes[who, made[thing][1]] += paths.facts(thing)["size"]
        else:
            nodes.setdefault(who, Counter())[made.get(top, made[thing])[1]] += 1
    rows = [(n, who, place) for (who, place), n in sizes.most_common() if n]
    for _, who, _ in rows:
        nodes.pop(who.partition(",")[0], None)  # the bytes say it
    graphs = [(at.total(), who, at.most_common(1)[0][0]) for who, at in nodes.items()]
    return rows, sorted(graphs, reverse=True)


def _moment(paths, made, sizes, nodes):
    """The last event that made what the first row tells of; an index may be that of the turn."""
    for _, who, place in (sizes or nodes)[:1]:
        letter, whose = "s" if sizes else "n", INDEX.sub("[]", who)
        alike = [(n, thing) for thing, (n, at) in made.items() if at == place]
        return max(
            number for number, thing in alike
            if thing[0] == letter and INDEX.sub("[]", _holder(paths, thing)[0]) == whose
        )  # fmt: skip
    return None


def place_of(trace, event) -> str:
    """`train.py:41`"""
    if at := event.get("at"):
        file, line, _ = trace.places[at]
    else:
        file, line = trace.places[0][0], event["line"]
    return f"{os.path.basename(file)}:{line}"


def _holder(paths, start):
    """The first name on the way up from a thing, through which node of it, if through any; and the
    node that the name leads to first.
    """
    seen, level = {start}, [(start, "", None)]
    while level:
        above = []
        for thing, node, top in level:
            if thing.startswith(NAME):
                return thing.removeprefix(NAME) + node, top
            if thing[0] == "n":
                top = thing
                if not node and start[0] == "s":
                    node = f", by its graph ({paths.facts(thing)['name']})"
            for holder, words in paths.facts(thing).get("held", ()):
                if holder is None:
                    return ITEM.sub("", words.removeprefix(NAME)) + node, top
            above += [(one, node, top) for one in sorted(paths._above(thing)) if one not in seen]
            seen |= {one for one, _, _ in above}
        level = above
    return "somebody that was not found", None
