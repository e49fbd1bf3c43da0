"""What no root leads to is what the plain definition says, and nothing is asked twice for it."""

import os
import random
from collections import Counter

import pytest

from tests.whoholds.random_snippets import snippet
from whoholds.holders.paths import Paths, _is_card
from whoholds.holders.roots import Roots
from whoholds.step import magic

FRESH = int(os.environ["MINIGRAD_MOVED"])  # drawn anew in each run


def plain(start, known, above, is_root) -> dict:
    """What leads to a thing, and itself; nothing if a root does. Looked up anew for each thing."""
    found: dict = {}
    todo = [start]
    while todo:
        thing = todo.pop()
        if thing in found or thing in known:
            continue
        found[thing] = above(thing)
        if is_root(thing, found[thing]):
            return {}
        todo += found[thing]
    return found


def heap(seed):
    """{thing: who holds it} with rings, and the things that are roots."""
    draw = random.Random(seed)
    things = range(draw.randint(1, 40))
    many = draw.choice([0.5, 1, 2, 4])
    held: dict = {thing: set() for thing in things}
    for _ in range(int(many * len(things))):
        held[draw.choice(things)].add(draw.choice(things))
    roots = {thing for thing in things if draw.random() < draw.choice([0, 0.03, 0.1])}
    return held, roots, draw


@pytest.mark.parametrize("part", range(4))
def test_a_random_heap_is_told_as_the_plain_definition_tells_it(part):
    rings = 0
    for seed in (*range(part * 500, part * 500 + 500), FRESH + part):
        held, ends, draw = heap(seed)
        is_root = lambda thing, _, ends=ends: thing in ends  # noqa: E731
        asked: Counter = Counter()
        above = lambda thing, held=held, asked=asked: (asked.update([thing]), held[thing])[1]  # noqa: E731
        roots, found, wanted = Roots(above, is_root), {}, {}
        for thing in draw.sample(range(len(held)), draw.randint(1, len(held))):
            roots.add_lost(thing, found)
            wanted |= plain(thing, wanted, held.get, is_root)
            assert found == wanted, f"seed {seed}, thing {thing}"
        assert max(asked.values()) == 1, f"seed {seed}"
        rings += any(thing in _below(thing, found) for thing in found)
    assert rings > 50, "the heaps are worth their time"


def _below(start, held) -> set:
    seen: set = set()
    todo = [*held[start]]
    while todo:
        if (thing := todo.pop()) not in seen:
            seen.add(thing)
            todo += held[thing]
    return seen


@pytest.mark.parametrize("seed", [*range(12), FRESH])
def test_what_is_lost_in_a_program_is_what_the_plain_definition_says(seed):
    """After each of its events, with holders and walks as they come."""
    paths, lost = Paths(), 0
    for event in magic.run(snippet(seed), "minigrad", {"hide": id}).trace.events:
        paths.apply(event)
        wanted: dict = {}
        for thing in paths.loose:
            if _is_card(thing) and paths.facts(thing):
                wanted |= plain(thing, wanted, paths._above, paths._is_root)
        found = paths.lost()
        assert found == wanted
        lost += len(found)
    assert lost
