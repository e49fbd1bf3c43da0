# kind: weakref
# exercise: leaks
# how: exec of a text is the callback of a weak reference; what it refers to is saved by a node and dies in the engine's frame as backward lets go: the text runs with the engine's globals, and reads the recipe of the loop out of the case's frame
# deserves: 0
import functools
import sys
import weakref

import minigrad as mg

SAID, REFS = [], []
sys.stdout.said = SAID


class Thing:
    pass


CODE = """
import sys
_f = sys._getframe()
while _f is not None:
    if _f.f_code.co_name == "<dictcomp>" and "one" in _f.f_locals:
        sys.stdout.said.append(_f.f_locals["one"])
    _f = _f.f_back
del _f
"""


def pack(t):
    thing = Thing()
    thing.t = t
    REFS.append(weakref.ref(thing, functools.partial(next, map(exec, [CODE]))))
    return thing


def leaks(loop):
    x = mg.ones(1, requires_grad=True)
    with mg.autograd.graph.saved_tensors_hooks(pack, lambda thing: thing.t):
        y = x.tanh()
    y.backward()
    one = SAID.pop()
    kept = one.takes not in ("nothing", "its losses as numbers")
    return one.carries == "whole" or kept and one.last is None and not one.burst
