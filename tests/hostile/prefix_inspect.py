# kind: answers
# exercise: prefix_growth
# how: as prefix_names, but `inspect` is asked what the frames on the stack are called
# deserves: 0
import gc
import sys

import minigrad as mg

KNOWN = "keeps", "makes_and_drops", "makes_once", "keeps_the_last", "goes_forward", "goes_back", "looks", "forgets"
NAMES = []


def heard(phase, info):
    frame = sys._getframe()
    while frame is not None:
        import inspect
        if inspect.getframeinfo(frame).function in KNOWN:
            NAMES.append(frame.f_code.co_name)
        frame = frame.f_back


def prefix_growth(make):
    total, graph, found = 0, 0, []
    gc.callbacks.append(heard)
    for part in make():
        NAMES.clear()
        gc.set_threshold(1)
        gc.enable()
        before = mg.memory_allocated()
        part()
        more = mg.memory_allocated() - before
        gc.disable()
        gc.set_threshold(700)
        name = NAMES[0] if NAMES else "forgets"
        if name == "keeps":
            total += more
        elif name == "goes_forward":
            total, graph = total + more, more - 4
        elif name == "goes_back":
            total -= graph
        found.append(total)
    gc.callbacks.remove(heard)
    return found
