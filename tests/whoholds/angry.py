"""Objects that tell when a watcher asks them: whatever Python asks a class for is an error here."""

import threading
from collections import deque
from random import Random

ASKED = """class getattribute getattr setattr iter len eq hash bool repr str contains getitem
keys values items call instancecheck subclasscheck index float""".split()
KINDS = object, list, tuple, dict, set, deque, str, int, Exception, threading.local, type


class Asked(AssertionError):
    """Somebody asked an object of the program's."""


def angry(kind, random):
    """An instance of a new class of this kind, of which nothing may be asked; of `type` a class, or
    an instance of it.
    """

    def refuse(self, *args, **options):
        raise Asked(f"a {kind.__name__} was asked: {args}")

    space = {f"__{name}__": refuse for name in ASKED} | {"__class__": property(refuse)}
    if kind is type:  # dicts by class, of Python's own too, ask for its hash
        meta = type("Meta", (type,), space | {"__hash__": type.__hash__, "__eq__": type.__eq__})
        made = meta("Angry", (), space)
        return random.choice([made, object.__new__(made)])
    return type("Angry", (kind,), space)()


def surroundings(random: Random) -> dict:
    """A few names that lead to such objects, some of them over others."""
    found = {}
    for i in range(random.randint(1, 6)):
        value = angry(random.choice(KINDS), random)
        for _ in range(random.randint(0, 3)):
            value = random.choice(WRAPS)(value)
        found[f"name_{i}"] = value
    return found


class Box:
    def __init__(self, value):
        self.value = value


WRAPS = (
    lambda value: [value],
    lambda value: (value, 1),
    lambda value: {"key": value},
    lambda value: deque([value]),
    lambda value: lambda: value,
    lambda value: lambda x=value: x,
    Box,
)
