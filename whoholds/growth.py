"""`grows(step)`: the bytes that each turn of a loop leaves behind, by holder and by line."""

from __future__ import annotations

import functools
import gc
import re
from bisect import bisect
from collections import Counter
from typing import NamedTuple

from whoholds.events import LEFT_OUT, STOPPED, Trace
from whoholds.holders.held import RING
from whoholds.holders.paths import NAME, Paths
from whoholds.places import file_name
from whoholds.recording import record
from whoholds.remade import ENDS, at_ends, more
from whoholds.turns import ASKED, looks

ITEM = re.compile(r"(\[\d+\])+(?= of |$)")  # which one of a list grows is no answer; the list is
BEHIND = re.compile(r"\[\.\.\.\][^ ,]*")  # what stands behind a list that grows
INDEX = re.compile(r"\[\d+\]")
MADE = {"born": "storage", "node": "node"}
GRAD = ".grad"
NOBODY = RING, "something that"  # no name, so nothing stands behind it
GRAPH = ", by its graph ("
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

    def __init__(self, rows, nodes, trace: Trace, moment=None, graph=0, seldom=()):
        self.graph, self.seldom = graph, seldom
        self.rows, self.nodes, self.trace, self.moment = rows, nodes, trace, moment
        self.bytes = sum(row[0] for row in rows)
        self.lost = trace.lost
        self.unknown = [text for text in self.lost if text.startswith((STOPPED, LEFT_OUT))]

    def __bool__(self):
        return self.grew or bool(self.unknown)

    @property
    def grew(self) -> bool:
        """Whether anything was seen to grow."""
        return bool(self.rows or self.nodes or self.seldom)

    def told(self) -> list:
        """A line for each row."""
        told = [f"+{n:,} B a turn, held by {who}, made in {at}" for n, who, at in self.rows]
        told += [
            f"+{n} node{'s' * (n > 1)} a turn, held by {who}, made in {at}"
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
        return "\n".join([*told, *self.lost])

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
    found = _growth(trace, _ends(trace), len(trace.events))
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
    return any(more(sizes, ENDS - 1) and not more(sizes) for sizes, _ in found.values())


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
        return _growth(trace, marks[-ASKED:], marks[-1])
    marks = _ends(trace)
    found = _growth(trace, marks[-ASKED:], len(trace.events))
    looked = [n for n in range(1, len(marks) + 1) if looks(n)]
    if not found.grew and looked:
        marks = marks[: looked[-1]]
        found = _growth(trace, marks[-ASKED:], marks[-1])
        found.gone = True
    return found


def _ends(trace) -> list:
    """The events with which turns end."""
    return [i for i, event in enumerate(trace.events) if event["kind"] == "turn"]


def _growth(trace, marks, end) -> Growth:
    """Of the third last turn that ends with a mark; it tells of those before it what is seldom."""
    if len(marks) < ASKED:
        return Growth([], [], trace)
    events = trace.events[:end]
    paths, born = _followed(trace, events, marks[0])
    made = _made(paths, born, marks)
    turns = len(marks) - ASKED + 1
    asked = [one for one in made if one.turn == turns]
    sizes, nodes = _left(asked)
    by_place = _by_place(made, turns)
    sizes = [row for row in sizes if len(by_place[row[2]]) == turns]
    again = at_ends(events, marks, functools.partial(place_of, trace))
    sizes += [
        (n, _holder(paths, last)[0], at)
        for at, (of, last) in again.items()
        if (n := more(of) - more(_sizes(by_place.get(at, {})))) > 0
    ]
    sizes.sort(key=lambda row: -row[0])
    graph = sum(one.node for one in asked)
    moment, seldom = _moment(made, sizes or nodes), _seldom(by_place, turns)
    return Growth(sizes, nodes, trace, moment, graph, seldom)


class Made(NamedTuple):
    """What a turn has made and what lives at the end. A storage is its bytes, a node has none."""

    turn: int
    size: int
    number: int  # of the event
    node: bool
    own: str  # where it was made
    place: str  # where its cause was: of a node, what the holder leads to first
    who: str  # holds it


def _followed(trace, events, first):
    """What these events lead to, and {thing: (event, place)} of what was made since the first."""
    paths, born = Paths(), {}
    for number, event in enumerate(events):
        paths.apply(event)
        if first <= number and (kind := MADE.get(event["kind"])):
            born[f"{kind[0]}{event[kind]}"] = number, place_of(trace, event)
    return paths, born


def _made(paths, born, turns) -> list:
    """All that was made since the first of these turns and lives."""
    found = []
    for thing, (number, own) in born.items():
        if facts := paths.facts(thing):
            who, top = _holder(paths, thing)
            node, size = thing[0] == "n", facts.get("size", 0)
            place = born.get(top, (0, own))[1] if node else own
            found.append(Made(bisect(turns, number), size, number, node, own, place, who))
    return [one._replace(who=_of_all(one, found)) for one in found]


def _of_all(one, others) -> str:
    """`plans[...].state` for `plans[1].state`, if that of another turn is `plans[2].state`."""
    words, numbers = INDEX.split(one.who), INDEX.findall(one.who)
    alike = {other.who for other in others if other.place == one.place} if numbers else ()
    for who in alike:
        if INDEX.split(who) == words:
            pairs = zip(numbers, INDEX.findall(who), strict=True)
            numbers = [a if a == b else "[...]" for a, b in pairs]
    return "".join(part for pair in zip(words, [*numbers, ""], strict=True) for part in pair)


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


class Step(NamedTuple):
    """Where the way up from a thing is: the words from there on, the node that comes first on the
    way down, and the first one on the way up.
    """

    thing: str
    words: str = ""
    top: str | None = None
    node: str | None = None


def _holder(paths, start):
    """The first name on the way up from a thing, through which node of it, if through any; and the
    node that the name leads to first.
    """
    seen, level = {start}, [Step(start)]
    while level:
        above = []
        for step in level:
            if step.thing.startswith(NAME):
                name = step.thing.removeprefix(NAME)
                return _with(name, step.words, len(paths.names[name]) > 1), step.top
            step = _through(paths, step, start)
            held = paths.facts(step.thing).get("held", ())
            for holder, words in held:
                if holder is None and words.startswith(NOBODY):
                    return words + "".join(step.words.partition(GRAPH)[1:]), step.top
                if holder is None:
                    name = words.removeprefix(NAME)
                    several = ITEM.search(name) is not None
                    return _with(ITEM.sub("", name), _of_node(step), several), step.top
            above += [step._replace(thing=one, words=_grad(paths, one, step.thing) + step.words)
                      for one in sorted(paths._above(step.thing)) if one not in seen]  # fmt: skip
            above += [step._replace(thing=one, words=words + step.words)
                      for one, words in held if one not in seen]  # fmt: skip
            seen |= {one.thing for one in above}
        level = above
    return "somebody that was not found", None


def _through(paths, step, start) -> Step:
    """The step, which tells of the first node that it goes through."""
    if step.thing[0] != "n":
        return step
    step = step._replace(top=step.thing)
    if step.node is None and start[0] == "s":
        words = f"{GRAPH}{paths.facts(step.thing)['name']}){step.words}"
        step = step._replace(node=step.thing, words=words)
    return step


def _of_node(step) -> str:
    """The words from a thing on that a name leads to; of a node that it leads to itself, as of a
    kept `ctx`, the attribute.
    """
    attribute = step.words.partition(")")[2]
    alone = step.thing == step.node and step.words.startswith(GRAPH) and attribute[:1] == "."
    return attribute if alone else step.words


def _grad(paths, owner, thing) -> str:
    """The words for a gradient, if the thing is on that of `owner`."""
    if owner[1:].isdigit() and owner[0] == "t" and thing[0] != "n":
        facts = paths.facts(thing)
        on = facts["storage"] if thing[0] == "t" else int(thing[1:])
        return GRAD * (paths.facts(owner)["grad"] == on)
    return ""


def _with(name, more, one_of_several) -> str:
    """`kept[...].note` for `kept` and `.note`; what is typed stands before ` of train`."""
    if one_of_several and more.startswith(GRAD):
        return f"{GRAD} of {name}{more.removeprefix(GRAD)}"
    name, of, module = name.partition(" of ")
    if more[:1] in (".", "["):
        return name + "[...]" * one_of_several + more + of + module
    return name + of + module + more
