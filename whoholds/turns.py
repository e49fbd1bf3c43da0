"""Where the turns of a program's loops end, for those who ask what one turn leaves behind."""

from __future__ import annotations

import ast

ASKED = 4  # turns: one before, the one that is asked about, and two after


def looks(turn: int) -> bool:
    """Whether a recorder looks for holders at the end of this turn, counted from 1: now and then,
    for it takes a while.
    """
    return turn >= ASKED and turn & (turn - 1) == 0


def turns(trace) -> list:
    """For each loop of a program that was stepped: the events with which its turns begin, and the
    one with which the last of them is over. Of a loop entered again and again, the longest time.
    """
    try:
        blocks = [getattr(node, "body", []) for node in ast.walk(ast.parse(trace.source))]
    except SyntaxError:
        return []
    listed = [block for block in blocks if isinstance(block, list)]
    return [_of(trace.events, block, i) for block in listed for i, statement in enumerate(block)
            if isinstance(statement, ast.For | ast.While)]  # fmt: skip


def _of(events, block, i) -> list:
    loop = block[i]
    first, others = loop.body[0].lineno, {s.lineno for s in block} - {loop.body[0].lineno}
    longest: list = []
    found: list = []
    for at, event in enumerate(events):
        if event["kind"] == "line" and event["line"] == first:
            found.append(at)
        elif event["kind"] == "line" and event["line"] in others and found:
            longest, found = max(longest, [*found, at], key=len), []
    return max(longest, [*found, len(events)] if found else [], key=len)
