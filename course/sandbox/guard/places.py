"""Objects of ours that a learner has in hand, and the engine or a meter goes by.

Words like a dtype never change. What stands in the others is written by ours alone, by whatever
way: each name is a place of its own, so there is no dict beside it that would hide a method.
"""

from __future__ import annotations

import sys
from types import MemberDescriptorType

from course.sandbox.guard import exact
from course.sandbox.guard.events import CHANGED
from course.sandbox.guard.layout import fix_places, with_all_below
from minigrad.core.dtypes import Word, device

WRITTEN = (
    ("minigrad.ops.generator", "Generator"), ("minigrad.gpu.simulated", "simulate"),
)  # fmt: skip
UNSEEN = {"pool"}  # whose counts are what a card tells


MANY = 16  # cards that may be named


def watch(asker):
    for number in range(MANY):  # no device can be made once its places are fixed
        device("cuda", number)
    for word in with_all_below(Word):
        fix_places(word)
    for module, name in WRITTEN:
        cls = getattr(sys.modules[module], name)
        if vars(cls).get("__dict__") is not None:
            raise RuntimeError(f"{name} has a dict beside its places")
        for key, place in list(vars(cls).items()):
            if type(place) is MemberDescriptorType:
                type.__setattr__(cls, key, _by_ours(asker, place))


def _by_ours(asker, place):
    """The place, which a learner may read at most."""
    name = f"{exact.named(place.__objclass__)}.{place.__name__}"

    def get(thing):
        asker.see(f"looks into {name}", sys._getframe(1), name=place.__name__)
        return place.__get__(thing)

    def require_ours(frame):
        if asker.see(f"changes {name}", frame, name=place.__name__):
            raise AttributeError(CHANGED)

    def put(thing, value):
        require_ours(sys._getframe(1))
        place.__set__(thing, value)

    def delete(thing):
        require_ours(sys._getframe(1))
        place.__delete__(thing)

    return property(get if place.__name__ in UNSEEN else place.__get__, put, delete)
