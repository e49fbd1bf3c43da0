"""Who wrote as if from one hand: pairs of learners whose programs have the same shape.

Of each answer are taken all runs of so many words of its structure. What the stub and the lesson
show does not count. Two answers are alike where most of the shorter one's runs are in the other.
That many of a class are alike in an exercise has its chance, read off the class itself, and a pair
is reported if all its exercises together are far beyond it: the likelihood of "a share of them was
copied" against "each was alike by chance", in bits.

Where most of a class copied, the class does not tell what is chance. So it is also asked whether
two have the same statements in their longer answers, whatever their order and their names: that
has a chance which is assumed, ONE_STRUCTURE.
Pairs that share a learner are one ring.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from math import log2

import numpy as np

from course.classroom.structure import Unreadable, pieces, words

RUN = 6  # words
ALIKE = 0.6  # of the runs
LEAST = 6  # runs of one's own: in less, nobody has a style
LONG = 20  # runs of an answer of which two who work alone have not the same statements
ONE_STRUCTURE = 1 / 2  # the chance that they do: of honest answers that we know it is 1 in 300
COPIED = 0.9, 0.5, 0.2  # shares of the exercises that somebody may have copied
DOUBT = 10  # bits beyond those that so many pairs need: one false pair in a thousand classes
MOST_LEARNERS = 2000
MOST_PAIRS = 100
SECONDS = 100  # of the processor
COLUMNS = 4096  # of the table of runs at once
SOLUTION = ""  # whose answers are the published ones

Cells = tuple[str, ...]  # the sources of an answer
Runs = frozenset[tuple[str, ...]]


@dataclass(frozen=True)
class Likeness:
    """An exercise that two have alike; that others are like them is so many bits `rare`."""

    exercise: str
    share: float
    rare: float
    common: set[tuple[str, ...]] = field(repr=False)  # the runs that do not count


@dataclass(frozen=True)
class Pair:
    """Two learners, the exercises that both wrote, and those alike, the rarest first."""

    left: str
    right: str
    bits: float
    wrote: int
    alike: list[Likeness]


@dataclass
class Found:
    """The pairs, most evidence first; rings of more than two; what was not compared, in words."""

    pairs: list[Pair] = field(default_factory=list)
    rings: list[tuple[str, ...]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    written: dict[str, dict[str, Cells]] = field(default_factory=dict)  # by those of the pairs


@dataclass
class Exercise:
    """What is kept of a compared exercise: the runs that do not count, how many are like whom."""

    common: set[tuple[str, ...]]
    count: int
    like: dict[str, int]


def find(
    written: Mapping[str, Mapping[str, Cells]],
    shown: Mapping[str, Iterable[str]],
    clock=time.process_time,
) -> Found:
    """The pairs in {exercise: {learner: cells}}; `shown` are programs that all have seen.

    The published solutions are the answers of the learner SOLUTION.
    """
    began, found = clock(), Found()
    learners = sorted({learner for exercise in written for learner in written[exercise]})
    if len(learners) > MOST_LEARNERS:
        found.left_out.append(f"Only {MOST_LEARNERS} of {len(learners)} learners were compared.")
        learners = learners[:MOST_LEARNERS]

    def weighed(hands):
        """(pairs, what is kept of each exercise, exercises for which there was no time)."""
        evidence, kept, late = Evidence(learners, hands), {}, []
        for exercise in written:
            if clock() - began > SECONDS:
                late.append(exercise)
                continue
            own = {one: cells for one, cells in written[exercise].items() if one in evidence.places}
            kept[exercise] = compare(own, shown.get(exercise, ()), evidence)
        return evidence.pairs(), kept, late

    pairs, kept, late = weighed({})
    if late:
        found.left_out.append(f"Not compared, for want of time: {', '.join(late)}.")
    found.rings = rings_of(pairs)
    if found.rings and not late:  # their copies tell nothing of chance
        hands = {one: 1 / len(ring) for ring in found.rings for one in ring}
        again, _, late = weighed(hands)
        sure = {(left, right) for left, right, _ in again}
        pairs = pairs if late else [one for one in pairs if one[:2] in sure]
        found.rings = rings_of(pairs)
    pairs = first_of_all(pairs, found.rings)
    found.written = of_pairs(pairs, written, kept)
    found.pairs = [pair(left, right, bits, found.written, kept) for left, right, bits in pairs]
    return found


def of_pairs(pairs, written, kept: Mapping[str, Exercise]) -> dict[str, dict[str, Cells]]:
    """What these learners wrote in the compared exercises: it is looked at once more."""
    who = {one for left, right, _ in pairs for one in (left, right)}
    return {
        exercise: {one: cells for one, cells in written[exercise].items() if one in who}
        for exercise in (kept if who else ())
    }


def rings_of(pairs) -> list[tuple[str, ...]]:
    """The rings of these (left, right, bits); the published solution is in none."""
    return rings([{left, right} for left, right, _ in pairs if SOLUTION not in (left, right)])


def rings(pairs: list[set[str]]) -> list[tuple[str, ...]]:
    """The learners of pairs that hang together, where they are more than two; the largest first."""
    ring_of: dict[str, set[str]] = {}
    for own in pairs:
        joined = set().union(*(ring_of.get(one, {one}) for one in own))
        ring_of |= dict.fromkeys(joined, joined)
    found = {tuple(sorted(ring)) for ring in ring_of.values() if len(ring) > 2}
    return sorted(found, key=lambda ring: (-len(ring), ring))


def first_of_all(pairs, rings: list[tuple[str, ...]]):
    """Not more than a person can read, and the first of each ring before the others of rings."""
    within = {one: ring for ring in rings for one in ring}
    seen: set[tuple[str, ...]] = set()
    first: list = []
    others: list = []
    for one in pairs:
        ring = within.get(one[0]) if within.get(one[0]) == within.get(one[1]) else None
        (others if ring in seen else first).append(one)
        seen |= {ring} if ring else set()
    return [*first, *others][:MOST_PAIRS]


# --- runs of words -------------------------------------------------------------------------


def runs(cells: Cells) -> Runs:
    """All runs of words of an answer; of what cannot be read there are none."""
    found: set[tuple[str, ...]] = set()
    for own in map(read, cells):
        said = [word for word, _ in own]
        found.update(zip(*(said[start:] for start in range(RUN)), strict=False))
    return frozenset(found)


def read(cell: str) -> tuple[tuple[str, int], ...]:
    try:
        return words(cell)
    except Unreadable:
        return ()


def whole(cells: Cells) -> tuple[tuple[str, ...], ...]:
    """The statements of an answer, in whatever order they stand; of what cannot be read, none."""
    found: list[tuple[str, ...]] = []
    for cell in cells:
        with suppress(Unreadable):
            found += pieces(cell)
    return tuple(sorted(found))


def lines(cell: str, shared: Runs | set[tuple[str, ...]]) -> set[int]:
    """The lines of a cell on which a word of these runs stands."""
    own, found = read(cell), set()
    for start in range(len(own) - RUN + 1):
        piece = own[start : start + RUN]
        if tuple(word for word, _ in piece) in shared:
            found |= {line for _, line in piece}
    return found


# --- one exercise --------------------------------------------------------------------------


def compare(answers: Mapping[str, Cells], shown: Iterable[str], evidence: Evidence) -> Exercise:
    """Add what one exercise says of all pairs to the evidence."""
    by_cells: dict[Cells, Runs] = {}
    for cells in answers.values():
        if cells not in by_cells:
            by_cells[cells] = runs(cells)
    common = set().union(*(runs((source,)) for source in shown))
    own = {one: by_cells[cells] - common for one, cells in answers.items()}
    own = {one: found for one, found in own.items() if len(found) >= LEAST}
    kept = Exercise(common, len(own), {})
    if len(own) > 1:
        same = alike(list(own.values()))
        kept.like = dict(zip(own, same.sum(1).tolist(), strict=True))
        evidence.add(list(own), same)
    evidence.add_whole({one: answers[one] for one, found in own.items() if len(found) >= LONG})
    return kept


def alike(own: list[Runs]) -> np.ndarray:
    """Which of these are alike, each with each; nobody with themselves."""
    groups = {found: place for place, found in enumerate(dict.fromkeys(own))}
    shared = overlap(list(groups))
    sizes = np.array([len(found) for found in groups], np.float32)
    same = shared >= ALIKE * np.minimum(sizes[:, None], sizes)
    of = np.array([groups[found] for found in own])
    each = same[np.ix_(of, of)]
    np.fill_diagonal(each, False)
    return each


def overlap(groups: list[Runs]) -> np.ndarray:
    """How many runs each two have in common."""
    often = Counter(run for found in groups for run in found)
    column = {run: place for place, run in enumerate(r for r, n in often.items() if n > 1)}
    cells = [
        (row, column[run]) for row, found in enumerate(groups) for run in found & column.keys()
    ]
    rows, columns = np.array(cells, np.int64).reshape(-1, 2).T
    shared = np.diag([float(len(found)) for found in groups]).astype(np.float32)
    for start in range(0, len(column), COLUMNS):
        here = (columns >= start) & (columns < start + COLUMNS)
        table = np.zeros((len(groups), min(COLUMNS, len(column) - start)), np.float32)
        table[rows[here], columns[here] - start] = 1
        part = table @ table.T
        np.fill_diagonal(part, 0)
        shared += part
    return shared


# --- all exercises -------------------------------------------------------------------------


class Evidence:
    """For each pair and each share of copying, how much likelier it is than chance, in bits."""

    def __init__(self, learners: list[str], hands: Mapping[str, float]):
        """Who is not in `hands` counts as one hand; who is in a ring, as a part of one."""
        self.learners, self.hands = learners, hands
        self.places = {learner: place for place, learner in enumerate(learners)}
        size = len(learners)
        self.bits = {share: np.zeros((size, size), np.float32) for share in COPIED}
        self.same = np.zeros((size, size), np.float32)

    def add(self, members: list[str], same: np.ndarray) -> None:
        """`same` tells which of the members are alike.

        The chance that two are alike is that of the more usual of their answers.
        """
        hands = np.array([self.hands.get(member, 1) for member in members], np.float32)
        like = same @ hands
        chance = np.maximum(like[:, None], like) / hands.sum()
        chance[chance == 0] = 1  # where nobody is alike; it is not looked at
        places = np.array([self.places[member] for member in members])
        for share, bits in self.bits.items():
            gain = np.where(same, np.log2(share / chance + 1 - share), log2(1 - share))
            bits[np.ix_(places, places)] += gain.astype(np.float32)

    def add_whole(self, answers: Mapping[str, Cells]) -> None:
        """These answers are long: who has the same statements, and who has not."""
        known: dict[tuple, int] = {}
        told = {cells: whole(cells) for cells in set(answers.values())}
        said = [told[cells] for cells in answers.values()]
        which = np.array([known.setdefault(one, len(known)) for one in said])
        places = np.array([self.places[member] for member in answers], np.int64)
        share = COPIED[0]
        gain = log2(share / ONE_STRUCTURE + 1 - share), log2(1 - share)
        same = which[:, None] == which
        self.same[np.ix_(places, places)] += np.where(same, *gain).astype(np.float32)

    def pairs(self) -> list[tuple[str, str, float]]:
        """Those far beyond chance, most evidence first.

        Two who are both like the published solution are like each other: that is not said again.
        """
        size = len(self.learners)
        if size < 2:
            return []
        ways = [*self.bits.values(), self.same]
        best = np.maximum.reduce(ways) - log2(len(ways))
        need = log2(size * (size - 1) / 2) + DOUBT
        found = np.argwhere(np.triu(best > need, 1))
        ranked = sorted((-float(best[i, j]), int(i), int(j)) for i, j in found)
        made = [(self.learners[i], self.learners[j], -bits) for bits, i, j in ranked]
        of_all = {right for left, right, _ in made if left == SOLUTION}
        return [one for one in made if not {one[0], one[1]} <= of_all]


def pair(
    left: str,
    right: str,
    bits: float,
    written: Mapping[str, Mapping[str, Cells]],
    kept: Mapping[str, Exercise],
) -> Pair:
    """The exercises of a pair looked at once more."""
    wrote, found = 0, []
    for exercise, known in kept.items():
        if left in known.like and right in known.like:
            wrote += 1
            one, other = (runs(written[exercise][who]) - known.common for who in (left, right))
            share = len(one & other) / min(len(one), len(other))
            if share >= ALIKE:
                like = max(known.like[left], known.like[right])
                found.append(Likeness(exercise, share, log2(known.count / like), known.common))
    found.sort(key=lambda one: (-one.rare, one.exercise))
    return Pair(left, right, round(bits, 1), wrote, found)


def shared_lines(
    one: Cells, other: Cells, common: Iterable[tuple[str, ...]] = ()
) -> tuple[list[set[int]], list[set[int]]]:
    """Of each cell of both answers, the lines that they have in common."""
    both = (runs(one) & runs(other)) - set(common)
    return [lines(cell, both) for cell in one], [lines(cell, both) for cell in other]
