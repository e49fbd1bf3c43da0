"""`grows(step)`: the bytes that each turn of a loop leaves behind, by holder and by line."""

from __future__ import annotations

import functools
import gc
import re
from bisect import bisect
from collections import Counter
from typing import NamedTuple

from whoholds.bounds import Bounds, Windows
from whoholds.events import LEFT_OUT, STOPPED, Trace
from whoholds.growing import Growing
from whoholds.held_by import GRAPH, holder
from whoholds.holders.held import RING
from whoholds.holders.paths import Paths
from whoholds.items import in_one_form
from whoholds.places import file_name
from whoholds.recording import record
from whoholds.remade import ENDS, at_ends, more
from whoholds.turns import ASKED, looks

BEHIND = re.compile(r"\[\.\.\.\][^ ,]*")  # what stands behind a list that grows
MADE = {"born": "storage", "node": "node"}
LATEST = ", all from the last turns"
WINDOW = 3  # times as many turns
LOST = "not known to be steady"
STEADY = "steady: no tensor's bytes of a turn are left two turns later"
LASTING = "a ring of references that gc.collect() does not end"


class Growth:
    """`rows` of (bytes, holder, place) and `nodes` of (number, holder, place), the largest first.

    `seldom` has what only some turns leave: (bytes, turns, of how many turns, holder, place). A
    graph whose tensors are freed still has nodes. False if nothing grows. It prints `+8,192 B a
    turn, held by net.cache, made in train.py:41`, a line for each row. `moment` is the place of the
    event that made what the first row tells of, in the last turn that is held; None without rows.
    `graph` is the number of nodes a turn, whether bytes of theirs are in a row or not. `gone`: at
    the end all of it was let go of, as where a function returns. `lost` has what was not followed;
    where that ended the recording, or may grow itself, nothing is called steady, and it is True.
    """

    gone = False
    more: tuple | list = ()  # lines: what more turns would show

    def __init__(self, rows, nodes, trace: Trace, moment=None, graph=0, seldom=()):
        self.graph, self.seldom = graph, seldom
        self.rows, self.nodes, self.trace, self.moment = rows, nodes, trace, moment
        self.bytes = sum(row[0] for row in rows)
        self.lost = trace.lost
        self.bounds = Bounds(trace.bounds)
        self.unknown = [text for text in self.lost if text.startswith((STOPPED, LEFT_OUT))]

    def __bool__(self):
        return self.grew or bool(self.unknown)

    @property
    def grew(self) -> bool:
        """Whether anything was seen to grow."""
        return bool(self.rows or self.nodes or self.seldom)

    def told(self) -> list:
        """A line for each row."""
        by = self.bounds.words
        told = [f"+{n:,} B a turn, held by {by(who)}, made in {at}" for n, who, at in self.rows]
        told += [
            f"+{n} node{'s' * (n > 1)} a turn, held by {by(who)}, made in {at}"
            for n, who, at in self.nodes
        ]
        told += [
            f"+{n:,} B in {some} of {turns} turns, held by {who}, made in {at}"
            for n, some, turns, who, at in self.seldom
        ]
        end = ", let go of at the end" if self.gone else ""
        return [row + end for row in told]

    def __str__(self):
        told = self.told() or [LOST if self.unknown else STEADY]
        return "\n".join([*told, *self.more, *self.lost])

    __repr__ = __str__


def grows(step, turns=3, engine=None) -> Growth:
    """Call `step()` once to warm up and `turns` times more, and tell what stays of each turn.

    Growth is what a turn has made that still lives two turns later: optimizer state is made in the
    warm-up, and the last output is gone by then. It is also what is made anew in each turn and by
    the same number of bytes larger; one turn more is taken where only the last ones say so. More
    turns also find what stays of some alone, as of those in which something failed: of two at
    least.
    """
    if turns < 3:
        raise ValueError(f"growth needs 3 turns or more, but got {turns}: what the last two leave "
                         "may be gone one turn later")  # fmt: skip
    with record(engine=engine).of(step) as trace:
        for _ in range(turns + 1):
            _turn(step, trace)
        if _in_doubt(trace):
            _turn(step, trace)
        for _ in range(_until_full(trace)):
            _turn(step, trace)
    found = _growth(trace, _ends(trace), len(trace.events))
    calls = len(_ends(trace))
    found.more = found.bounds.hints([who for _, who, _ in found.rows + found.nodes], calls)
    told = found.rows, found.nodes, found.seldom
    found.rows, found.nodes, found.seldom = map(_after_the_collector, told)
    return found


def _turn(step, trace) -> None:
    step()
    gc.collect()  # what only a dead cycle holds is not held
    trace.recorder.turn()


def _in_doubt(trace) -> bool:
    """Whether one turn more tells if something is larger after each of them."""
    found = at_ends(trace.so_far(), _ends(trace), functools.partial(place_of, trace))
    return any(more(one.sizes, ENDS - 1) and not more(one.sizes) for one in found)


def _until_full(trace) -> int:
    """How many turns more tell whether something that holds the last few is all that grows."""
    trace.recorder.look_around()
    ends = _ends(trace)
    if not trace.bounds:
        return 0
    found = _growth(trace, ends, len(trace.events))
    whos = [row[-2].removesuffix(LATEST) for row in found.rows + found.nodes + found.seldom]
    return found.bounds.wanted(whos, len(ends))


def _after_the_collector(rows) -> list:
    """A ring of references that is still there now is one that lasts."""
    return [(*more, who.replace(RING, LASTING), at) for *more, who, at in rows]


def assert_steady(step, turns=3, engine=None) -> None:
    """Raise AssertionError, with what grows and who holds it, if `grows(step)` finds anything."""
    growth = grows(step, turns, engine)
    if growth:
        raise AssertionError(str(growth))


def growth(trace, marks=None) -> Growth:
    """What the third last turn of a trace has made and what lives at its end.

    If that is nothing, for a function has returned, it is what lived when holders were last looked
    for. `marks`: the events with which turns end, by default those that are marked so; with marks
    of one's own the trace ends at the last of them.
    """
    if marks is not None:
        return _growth(trace, marks, marks[-1], ASKED)
    marks = _ends(trace)
    found = _growth(trace, marks, len(trace.events), ASKED)
    looked = [n for n in range(1, len(marks) + 1) if looks(n)]
    if not found.grew and looked:
        marks = marks[: looked[-1]]
        found = _growth(trace, marks, marks[-1], ASKED)
        found.gone = True
    return found


def _ends(trace) -> list:
    """The events with which turns end."""
    return [i for i, event in enumerate(trace.events) if event["kind"] == "turn"]


def _growth(trace, ends, end, last=0) -> Growth:
    """Of the third last turn that ends with a mark; it tells of those before it what is seldom, of
    the last ones alone if so many are given.
    """
    marks = ends[-last:]
    if len(marks) < ASKED:
        return Growth([], [], trace)
    events = trace.events[:end]
    paths, born = _followed(trace, events)
    growing = Growing(paths, born, ends)
    made = _made(paths, born, marks, growing)
    turns = len(marks) - ASKED + 1
    asked = [one for one in made if one.turn == turns]
    sizes, nodes = _left(asked)
    by_place = _by_place(made, turns)
    sizes = [row for row in sizes if len(by_place[row[2]]) == turns]
    again = at_ends(events, marks, functools.partial(place_of, trace))
    sizes = _joined(sizes + [
        (n, holder(paths, one.last)[0], one.place)
        for one in again
        if (n := more(one.sizes) - (not one.alone) * more(_sizes(by_place.get(one.place, {})))) > 0
    ])  # fmt: skip
    graph = sum(one.node for one in asked)
    windows = Windows(Bounds(trace.bounds), paths, born, ends, growing)
    sizes = [row for row in sizes if not windows.moved(*row[1:])]
    nodes = [row for row in nodes if not windows.moved(row[1])]
    moment, seldom = _moment(made, sizes or nodes), _seldom(by_place, turns)
    seldom = [row for row in seldom if not windows.moved(row[-2].removesuffix(LATEST), row[-1])]
    return Growth(sizes, nodes, trace, moment, graph, seldom)


def _joined(rows) -> list:
    """One row for each holder and place."""
    sizes: Counter = Counter()
    for n, who, place in rows:
        sizes[who, place] += n
    return [(n, who, place) for (who, place), n in sizes.most_common()]


class Made(NamedTuple):
    """What a turn has made and what lives at the end. A storage is its bytes, a node has none."""

    turn: int
    size: int
    number: int  # of the event
    node: bool
    own: str  # where it was made
    place: str  # where its cause was: of a node, what the holder leads to first
    who: str  # holds it


def _followed(trace, events):
    """What these events lead to, and {thing: (event, place)} of what they have made."""
    paths, born = Paths(), {}
    for number, event in enumerate(events):
        paths.apply(event)
        if kind := MADE.get(event["kind"]):
            born[f"{kind[0]}{event[kind]}"] = number, place_of(trace, event)
    return paths, born


def _made(paths, born, turns, growing) -> list:
    """All that was made since the first of these turns and lives."""
    found = []
    for thing, (number, own) in born.items():
        if turns[0] <= number and (facts := paths.facts(thing)):
            who, top = growing.holder(thing)
            node, size = thing[0] == "n", facts.get("size", 0)
            place = born.get(top, (0, own))[1] if node else own
            found.append(Made(bisect(turns, number), size, number, node, own, place, who))
    names = in_one_form((one.place, one.turn, one.who) for one in found)
    return [one._replace(who=names[one.place, one.who]) for one in found]


def _left(asked):
    """Rows of the bytes, and of the nodes, that are left of what was asked about."""
    sizes: Counter = Counter()
    nodes: dict = {}  # holder -> places
    for one in asked:
        if one.node:
            nodes.setdefault(one.who, Counter())[one.place] += 1
        else:
            sizes[one.who, one.place] += one.size
    rows = [(n, who, place) for (who, place), n in sizes.most_common() if n]
    for _, who, _ in rows:
        for said in who.partition(GRAPH)[0], BEHIND.sub("", who):
            nodes.pop(said, None)  # the bytes say it
    graphs = [(at.total(), who, at.most_common(1)[0][0]) for who, at in nodes.items()]
    return rows, sorted(graphs, reverse=True)


def _by_place(made, turns) -> dict:
    """{place: {turn: the bytes of it that were made there}} of these turns, the first ones."""
    found: dict = {}
    for one in made:
        if one.turn <= turns and not one.node:
            found.setdefault(one.own, {}).setdefault(one.turn, []).append(one)
    return found


def _sizes(of) -> list:
    """The bytes of each turn."""
    return [sum(one.size for one in ones) for ones in of.values()]


def _seldom(by_place, turns) -> list:
    """Rows of what some turns have left and others have not, two at least."""
    some = [(at, of) for at, of in by_place.items() if 1 < len(of) < turns]
    rows = [(sum(one.size for ones in of.values() for one in ones), len(of), turns,
             of[max(of)][-1].who + LATEST * _latest(of, turns), at)
            for at, of in some if not _window(of, turns)]  # fmt: skip
    return sorted(rows, reverse=True)


def _latest(of, turns) -> bool:
    """Whether it is the last turns that have left something."""
    return min(of) == turns - len(of) + 1


def _window(of, turns) -> bool:
    """Whether so many turns before the last ones have left nothing that something keeps just the
    last ones: `deque(maxlen=5)`.
    """
    return _latest(of, turns) and turns - len(of) >= WINDOW * len(of)


def _moment(made, rows):
    """The event of the last turn that made the most of what the first row tells of, if any row."""
    alike = [one for one in made if rows and (one.who, one.own) == rows[0][1:]]
    return max(alike).number if alike else None


def place_of(trace, event) -> str:
    """`train.py:41`"""
    if at := event.get("at"):
        file, line, _ = trace.places[at]
    else:
        file, line = trace.places[0][0], event["line"]
    return f"{file_name(file)}:{line}"
