"""Who holds a thing of a trace: the names on the way up from it, in words that tell of a row.

It knows events, and no engine.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from whoholds.holders.held import RING
from whoholds.holders.paths import ITEM, NAME, WALK

GRAD = ".grad"
NOBODY = RING, "something that"  # no name, so nothing stands behind it
GRAPH = ", by its graph ("
NOT_FOUND = "somebody that was not found", None


class Step(NamedTuple):
    """Where the way up from a thing is: the words from there on, the node that comes first on the
    way down, and the first one on the way up.
    """

    thing: str
    words: str = ""
    top: str | None = None
    node: str | None = None


def holders(paths, start, most=math.inf):
    """(who, node) of the names on the way up from a thing, the nearest first: through which node of
    it, if through any, and the node that the name leads to first. Of the way up only so much is
    looked at as holds `most` things.
    """
    seen, level = {start, WALK}, [Step(start)]  # a walk under way holds nothing for long
    told: list = []
    above: list
    while level and len(seen) <= most:
        above, told, before = [], [], told
        for step in level:
            if step.thing.startswith(NAME):
                name = step.thing.removeprefix(NAME)
                yield _with(name, step.words, len(paths.names[name]) > 1), step.top
                continue
            step = _through(paths, step, start)
            held = paths.facts(step.thing).get("held", ())
            told += [(_told(words, step), step.top) for one, words in held if one is None]
            above += [step._replace(thing=one, words=_grad(paths, one, step.thing) + step.words)
                      for one in sorted(paths._above(step.thing)) if one not in seen]  # fmt: skip
            above += [step._replace(thing=one, words=words + step.words)
                      for one, words in held if one is not None and one not in seen]  # fmt: skip
            seen |= {one.thing for one in above}
        yield from before  # later than the names that are as near
        level = above
    yield from told


def holder(paths, start):
    """The first of them."""
    return next(holders(paths, start), NOT_FOUND)


def _told(words, step) -> str:
    """Who it is that holds what the step is at, as the recorder has said it."""
    if words.startswith(NOBODY):
        return words + "".join(step.words.partition(GRAPH)[1:])
    name = words.removeprefix(NAME)
    return _with(ITEM.sub("", name), _of_node(step), ITEM.search(name) is not None)


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
