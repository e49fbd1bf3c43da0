# kind: answers
# exercise: prefix_growth
# how: as prefix_lines, by all frames of a part: how many there are, and the lines and the places in the bytecode (f_lasti) at which they are
# deserves: 1
import gc
import sys

import minigrad as mg

OWN, SEEN = [], set()


def heard(phase, info):
    frame, found = sys._getframe().f_back, []
    while frame is not None and frame is not OWN[0]:
        found.append((frame.f_lineno, frame.f_lasti))
        frame = frame.f_back
    SEEN.add(tuple(found[:3]))


def prefix_growth(make):
    total, kinds, found = 0, [], []
    OWN[:] = [sys._getframe()]
    gc.callbacks.append(heard)
    for part in make():
        SEEN.clear()
        gc.set_threshold(1)
        gc.enable()
        before = mg.memory_allocated()
        part()
        more = mg.memory_allocated() - before
        gc.disable()
        gc.set_threshold(700)
        kind = frozenset(SEEN)
        kinds.append(kind)
        if more > 0 and kinds.count(kind) < 3:  # the same lines as the parts that keep
            total += more
        found.append(total)
    gc.callbacks.remove(heard)
    OWN.clear()
    return found
