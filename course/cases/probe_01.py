"""Lesson 01: a probe that says whether a tensor dies, tried on worlds of names."""

import numpy as np

import minigrad as mg
from course.trying import Raised, any_form, case, measure

# --- dies_with: worlds of names, drawn, each with what deletes


def ring(t):
    found = [t]
    found.append(found)
    return found


MADE = {  # what stands under another name than `t`
    "a name": lambda t: t,
    "a list": lambda t: [t],
    "a view": lambda t: t[0],
    "a ring": ring,
    "a copy": lambda t: t.clone(),
}
WORDS = "u v w a b c d other kept rest".split()  # they tell nothing
GONE = {
    "del": lambda names, word: names.pop(word),
    "clear": lambda names, word: names[word].clear(),
    "used again": lambda names, word: names.update({word: mg.zeros(50)}),
}
GIVEN = [  # what leads to the tensor beside `t`, and of these the ones that go; in any world
    ([], ["t"]),
    (["a name"], ["t"]),
    (["a list"], ["t"]),
    (["a list"], ["t", 0]),
    ([], []),
]


class World:
    """Names for one tensor, and what deletes some of them."""

    def __init__(self, draw, kinds, gone, again=False):
        """`gone`: "t", or places in `kinds`; `again`: `t` is not deleted, but used again."""
        words = draw.some(WORDS, len(kinds))
        self.made = list(zip(words, kinds, strict=True))
        named = [one if one == "t" else words[one] for one in gone]
        kind = dict(self.made)
        self.gone = [
            (word, draw.choice(ways(kind.get(word), again))) for word in draw.some(named, len(gone))
        ]

    def __str__(self):
        kept = ", ".join(["t", *(f"{word} = {kind}" for word, kind in self.made)])
        gone = [f"{word} used again" if how == "used again" else word for word, how in self.gone]
        return f"{kept}; gone: {', '.join(gone) or 'nothing'}"

    def names(self, t):
        return {"t": t} | {word: MADE[kind](t) for word, kind in self.made}

    def delete(self, names):
        for word, how in self.gone:
            GONE[how](names, word)


def ways(kind, again):
    if kind is None:
        return ["used again"] if again else ["del"]
    return ["clear", "del"] if kind == "a list" else ["del"]


def drawn(draw, kinds, dies, again=False):
    """A world in which the tensor dies, or does not, with one to three of these beside `t`."""
    chosen = [draw.choice(kinds) for _ in range(draw.int(1, 3))]
    if dies:
        chosen = [kind for kind in chosen if kind != "a ring"]
    holders = ["t", *(i for i, kind in enumerate(chosen) if kind != "a copy")]
    gone = holders if dies else draw.some(holders, draw.int(0, len(holders) - 1))
    gone = gone if dies or len(holders) == 1 or "a ring" not in chosen else holders
    gone = [*gone, *(i for i, kind in enumerate(chosen) if kind == "a copy" and draw.int(0, 1))]
    return World(draw, chosen, gone, again and draw.int(0, 1))


def eight(draw, given, kinds, dying, again=False):
    """The given worlds and others, in any order; three to five of them are such as die."""
    more, dies = 8 - len(given), draw.int(3, 5) - dying
    fates = draw.some([True] * dies + [False] * (more - dies), more)
    worlds = given + [drawn(draw, kinds, fate, again) for fate in fates]
    return draw.some(worlds, len(worlds))


def try_on(f, draw, worlds):
    """What `f` says of each world; or what it did that it should not."""
    found: dict = {}
    for number, world in enumerate(worlds, 1):
        make, delete, calls = instance(world, draw.array(3, 4))
        said = f(make, delete)
        if calls != ["make", "delete"]:
            return " ".join(["called:", *calls])
        if not isinstance(said, bool | np.bool_):
            return said
        found[f"{number}. {world}"] = bool(said)
    return found


def instance(world, array):
    """(make, delete, their calls) of a world, whose tensor nobody else holds."""
    calls = []

    def make():
        calls.append("make")
        return world.names(mg.tensor(array))

    def delete(names):
        calls.append("delete")
        world.delete(names)

    return make, delete, calls


@any_form
def probing(got, want):
    if isinstance(got, str) and got.startswith("called:"):
        return (
            "Call `make` once, then `delete` once with what it gave: a second `make` gives another "
            "tensor."
        )
    if not isinstance(got, dict):
        return None if isinstance(got, Raised) else "Return True or False."
    wrong = [world for world in want if got[world] is not want[world]]
    if all("a ring" in world and got[world] for world in wrong):
        return (
            "A ring whose last name goes is not dead yet: it waits for the collector. At once "
            "means: without a search for it."
        )
    if len(wrong) == len(want):
        return "Each of your answers is the opposite: True stands for a tensor that died."
    if not any(got.values()):
        return (
            "Your probe never sees a tensor die. Is one of its own names an arrow to it? A weak "
            "reference is none."
        )
    if any(want[world] and "used again" in world for world in wrong):
        return "`delete` may bring a tensor, too. Ask after the one that stood under `t` before."
    if any(got[world] and "a ring" not in world for world in wrong):
        return "That the name `t` is gone says nothing: another arrow may lead to the tensor."
    return "The tensor dies when the last arrow to it has gone, and not before."


@case("dies_with", "names and lists", draws=2, hint=probing)
def probe_names(f, draw):
    given = [World(draw, *one) for one in GIVEN]
    return try_on(f, draw, eight(draw, given, ["a name", "a list"], dying=2))


@case("dies_with", "views, copies, a name used again", draws=2, hint=probing)
def probe_views(f, draw):
    given = [
        World(draw, [], ["t"], again=True),
        World(draw, ["a copy"], ["t"]),
        World(draw, ["a view"], ["t"]),
        World(draw, ["a view"], ["t", 0]),
    ]
    kinds = ["a view", "a copy", "a name"]
    return try_on(f, draw, eight(draw, given, kinds, dying=3, again=True))


@case("dies_with", "a ring", draws=2, hint=probing)
def probe_ring(f, draw):
    given = [World(draw, ["a ring"], ["t", 0]), World(draw, ["a name"], ["t"])]
    worlds = eight(draw, given, ["a ring", "a name", "a list"], dying=0)
    return measure(try_on, f, draw, worlds).value


def about_probe(got, want):
    if isinstance(got, Raised):
        return None
    if got["said"] != want["said"]:
        return probing(got["said"], want["said"])
    if got["at the peak"] > want["at the peak"]:
        return (
            "Copy nothing: the probe needs no bytes of its own. The tensor of `make` is there "
            "anyway."
        )
    return "Something outlives your probe and holds bytes." if got["left"] > want["left"] else None


@case("dies_with", "bytes at the peak, and left", needs=("names and lists",), hint=about_probe)
def probe_bytes(f, draw):
    worlds = eight(draw, [World(draw, *one) for one in GIVEN[:3]], ["a name", "a list"], dying=1)
    run = measure(try_on, f, draw, worlds)
    return {"said": run.value, "at the peak": run.peak, "left": run.left()}
