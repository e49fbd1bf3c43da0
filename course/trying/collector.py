"""When the collector is at work, by what it says itself; and nobody else can say it.

Python calls what stands in `gc.callbacks`, a list that anybody may change, and call from. So what
is told there is believed only where the collector's own count of its runs agrees, and what stands
there is never compared: that would ask a learner's object, which may run any code.
"""

import gc
from contextlib import contextmanager
from gc import disable, get_stats, isenabled

LOST = "gc.callbacks has lost what the course had put there"


class _State:
    """One for this process. deep: blocks of `at_rest`. seen: runs that were told of. at_work: one
    has begun. lost: one was not told of, or told of by somebody else."""

    deep = seen = 0
    at_work = lost = False


_now = _State()


def is_at_rest():
    """Whether a case is at work, or a measured call."""
    return _now.deep > 0


def is_at_work():
    """Whether what dies now dies by the collector."""
    return _now.at_work


@contextmanager
def at_rest():
    """Bytes then die when their last reference goes, never at a moment of the collector's.

    Whoever calls it within is heard.
    """
    was = isenabled()
    disable()
    if not _now.deep:
        _now.seen, _now.at_work, _now.lost = _runs(), False, False
        gc.callbacks.append(_told)
    _now.deep += 1
    try:
        yield
    finally:
        _now.deep -= 1
        if not _now.deep:
            _forget()
        if was:
            gc.enable()


def still():
    """From here to the end of the block it rests again, also if a learner has woken it."""
    disable()


def check():
    """Raise where it has run and nobody was told, or its place in the list is lost.

    Once no block is at work nobody is told, and nothing is lost.
    """
    if not _now.deep:
        return
    if _now.lost or _now.seen != _runs() or not _places():
        raise RuntimeError(LOST)


def _runs():
    """How often it has run to the end: nothing but itself counts that."""
    return sum([kind["collections"] for kind in get_stats()])


def _told(phase, info):
    """The collector says so; or a learner's line, while none of its runs has ended."""
    ended = _runs() - _now.seen
    if phase == "start":
        _now.at_work, _now.lost = True, _now.lost or ended != 0
    elif ended:  # else somebody wants it to have ended
        _now.lost = _now.lost or ended != 1 or not _now.at_work
        _now.seen, _now.at_work = _now.seen + 1, False


def _places():
    """Where it stands in the list, by identity."""
    return [place for place, one in enumerate(gc.callbacks) if one is _told]


def _forget():
    for place in reversed(_places()):
        del gc.callbacks[place]
    _now.at_work = False
