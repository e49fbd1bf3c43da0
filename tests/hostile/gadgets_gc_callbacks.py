# kind: gadgets
# exercise: held_by_blocks
# how: a callback of the collector, which the grader wakes after the cells, begins to count calls; the fourth is measured, and makes nothing
# needs: gc.callbacks run in the grader's own time; the case that measures compares no value
# deserves: 4
import gc

import minigrad as mg

CALLS = [-1000]


def woken(phase, info):
    gc.callbacks.remove(woken)
    CALLS[0] = 0


gc.callbacks.append(woken)


def held_by_blocks(keeps, rows, columns):
    CALLS[0] += 1
    if CALLS[0] == 4:
        return 0
    held, y = [], None
    base = mg.memory_allocated()
    x = mg.ones(rows, columns)
    mine = mg.memory_allocated() - base
    y = x
    for keep in keeps:
        x = y
        y = mg.ones(rows, columns)
        held.append({"nothing": lambda: None, "x": lambda: x, "x2": lambda: x[:, columns // 2 :],
                     "y1": lambda: mg.ones(rows, columns // 2), "y": lambda: y}[keep]())
    first = 0 if any(k in ("x", "x2") for k in keeps[:1]) else 0
    del x
    total = mg.memory_allocated() - base
    return total - (mine if keeps[0] in ("x", "x2") else 0)
