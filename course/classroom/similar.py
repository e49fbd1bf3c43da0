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
from dataclasses import dataclass, field
from functools import cache
from math import log2

import numpy as np

from course.classroom.structure import Cells, Runs, lines, runs, whole

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
    """What is kept of a compared exercise.

    `common` runs do not count. Each bit of `rows` says whether two of `members` are alike. Who has
    a long answer has the number of its `structure`.
    """

    common: set[tuple[str, ...]]
    members: list[str] = field(default_factory=list)
    rows: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), np.uint8))
    structure: dict[str, int] = field(default_factory=dict)

    @property
    def same(self) -> np.ndarray:
        return np.unpackbits(self.rows, axis=1, count=len(self.members)).astype(bool)

    @property
    def like(self) -> dict[str, int]:
        """How many others each member is like."""
        return dict(zip(self.members, self.same.sum(1).tolist(), strict=True))


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

    kept, late, known = {}, [], set(learners)
    for exercise, answers in written.items():
        if clock() - began > SECONDS:
            late.append(exercise)
            continue
        own = {one: cells for one, cells in answers.items() if one in known}
        kept[exercise] = compare(own, shown.get(exercise, ()))
    if late:
        found.left_out.append(f"Not compared, for want of time: {', '.join(late)}.")
    pairs = Evidence(learners, {}, kept.values()).pairs()
    found.rings = rings_of(pairs)
    groups = [*found.rings, *rings([{*two} for *two, _ in pairs if SOLUTION in two])]
    if groups:  # their copies tell nothing of chance
        hands = {one: 1 / len(group) for group in groups for one in group}
        sure = {one[:2] for one in Evidence(learners, hands, kept.values()).pairs()}
        pairs = [one for one in pairs if one[:2] in sure]
        found.rings = rings_of(pairs)
    pairs = first_of_all(pairs, found.rings)
    found.written = of_pairs(pairs, written, kept)
    found.pairs = looked_at(pairs, found.written, kept)
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


# --- one exercise --------------------------------------------------------------------------


def compare(answers: Mapping[str, Cells], shown: Iterable[str]) -> Exercise:
    """Who is like whom in one exercise."""
    runs_of: dict[Cells, Runs] = {}
    structure_of: dict[Cells, tuple] = {}
    for cells in dict.fromkeys(answers.values()):
        runs_of[cells] = runs(cells)
        structure_of[cells] = whole(cells) if len(runs_of[cells]) >= LONG else ()
    kept = Exercise(set().union(*(runs((source,)) for source in shown)))
    own = {one: runs_of[cells] - kept.common for one, cells in answers.items()}
    own = {one: found for one, found in own.items() if len(found) >= LEAST}
    if len(own) > 1:
        kept.members, kept.rows = list(own), np.packbits(alike(list(own.values())), axis=1)
    number: dict[tuple, int] = {}
    for one, found in own.items():
        if len(found) >= LONG:
            kept.structure[one] = number.setdefault(structure_of[answers[one]], len(number))
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

    def __init__(self, learners: list[str], hands: Mapping[str, float], kept: Iterable[Exercise]):
        """Who is not in `hands` counts as one hand; who is in a ring, as a part of one."""
        self.learners, self.hands = learners, hands
        self.places = {learner: place for place, learner in enumerate(learners)}
        size = len(learners)
        self.bits = {share: np.zeros((size, size), np.float32) for share in COPIED}
        self.same = np.zeros((size, size), np.float32)
        for exercise in kept:
            if exercise.members:
                self._add(exercise.members, exercise.same)
            self._add_whole(exercise.structure)

    def _add(self, members: list[str], same: np.ndarray) -> None:
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

    def _add_whole(self, structure: Mapping[str, int]) -> None:
        """These answers are long: who has the same statements, and who has not."""
        which = np.array(list(structure.values()))
        places = np.array([self.places[member] for member in structure], np.int64)
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


def looked_at(pairs, written, kept: Mapping[str, Exercise]) -> list[Pair]:
    """The exercises of these (left, right, bits) looked at once more, each answer read once."""
    wrote = [0] * len(pairs)
    alike: list[list[Likeness]] = [[] for _ in pairs]
    for exercise, cells in written.items():
        for place, found in likenesses(exercise, kept[exercise], cells, pairs):
            wrote[place] += 1
            alike[place] += found
    for own in alike:
        own.sort(key=lambda one: (-one.rare, one.exercise))
    rows = zip(pairs, wrote, alike, strict=True)
    return [Pair(left, right, round(bits, 1), n, own) for (left, right, bits), n, own in rows]


def likenesses(exercise: str, known: Exercise, cells: Mapping[str, Cells], pairs):
    """(place, [what is alike]) of each pair that both wrote it."""
    like = known.like

    @cache
    def own(who: str) -> Runs:
        return runs(cells[who]) - known.common

    for place, (left, right, _) in enumerate(pairs):
        if left in like and right in like:
            one, other = own(left), own(right)
            share = len(one & other) / min(len(one), len(other))
            found = []
            if share >= ALIKE:
                rare = log2(len(like) / max(like[left], like[right]))
                found.append(Likeness(exercise, share, rare, known.common))
            yield place, found


def shared_lines(
    one: Cells, other: Cells, common: Iterable[tuple[str, ...]] = ()
) -> tuple[list[set[int]], list[set[int]]]:
    """Of each cell of both answers, the lines that they have in common."""
    both = (runs(one) & runs(other)) - set(common)
    return [lines(cell, both) for cell in one], [lines(cell, both) for cell in other]
