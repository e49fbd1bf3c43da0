"""Objects that tell when they are asked, put wherever a learner can: no such door pays.

Each makes a tensor when code of ours, Python's or NumPy's comes upon it between a cell's end and a
call of the answer. Where an answer is to be worked out by hand, that is known or refused.
"""

import os
import random
import subprocess
import sys

import pytest
from sandbox_rooms import refusal

from course.sandbox.room import Room

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="grading needs Linux")

CELL = """
import atexit, codecs, contextvars, copyreg, gc, linecache, locale, logging, os, re, signal, sys
import threading, time, warnings, weakref
import numpy as np
import minigrad as mg

STATE = ["cell"]

def tell(how):
    if STATE[-1] == "between":
        STATE.append("asked")
        try:
            mg.zeros(2)
            print("MADE", how)
        except RuntimeError:
            pass
        STATE.pop()

class Tell:
    def __init__(self, like="a name"):
        self.like = like
    def __hash__(self):
        tell("hash")
        return hash(self.like)
    def __eq__(self, other):
        tell("eq")
        return False
    def __bool__(self):
        tell("bool")
        return True
    def __len__(self):
        tell("len")
        return 0
    def __iter__(self):
        tell("iter")
        return iter(())
    def __index__(self):
        tell("index")
        return 0
    def __format__(self, spec):
        tell("format")
        return ""
    def __repr__(self):
        tell("repr")
        return ""
    def __get__(self, one, cls):
        tell("get")
        return answer
    def __getattr__(self, name):
        tell("getattr")
        raise AttributeError(name)
    def __call__(self, *given, **named):
        tell("call")
    def __del__(self):
        tell("del")

class Row(Tell, tuple):
    def __init__(self, *given):
        pass
    like = 1

class Rows(list):
    def __getitem__(self, key):
        tell("getitem")
        return list.__getitem__(self, key)
    def insert(self, *given):
        tell("insert")
        list.insert(self, *given)

class Text(str):
    __eq__, __hash__ = Tell.__eq__, lambda text: hash(str.__str__(text))

class Stream:
    def write(self, text):
        tell("write")
    def flush(self):
        tell("flush")

def first(names, key, like):
    there = list(names.items())
    names.clear()
    for name, one in there:
        if name == like:
            names[key] = None
        names[name] = one

def answer(*given, **named):
    STATE.append("call")
    STATE.pop()
    return 0

held_by_op = answer
{place}
STATE.append("between")
"""
PLACES = [
    "globals()[Tell('held_by_op')] = answer",
    "first(globals(), Text('held_by_op'), 'held_by_op')",
    "first(globals(), Tell('held_by_op'), 'held_by_op')",
    "first(globals(), Tell('__builtins__'), '__builtins__')",
    *(
        f"first(sys.modules, {key}({name!r}), {name!r})"
        for name in (
            "warnings",
            "numpy",
            "linecache",
            "gc",
            "json",
            "numpy._core._dtype",
            "__main__",
            "numpy._core._methods",
            "minigrad",
            "course.trying.run",
        )
        for key in ("Tell", "Text")
    ),
    "sys.modules['one more'] = Tell()",
    "warnings.filters.insert(0, Row(('ignore', None, Warning, None, 0)))",
    "warnings.filters.insert(0, ('ignore', Tell(), Warning, Tell(), Tell()))",
    "warnings.filters = Rows(warnings.filters)",
    "warnings.onceregistry[Tell()] = 1",
    "__warningregistry__ = {Tell(): 1}",
    "os.environ._data[Tell(b'MINIGRAD_PRIVATE')] = b'x'",
    "sys.path.insert(0, Tell())",
    "sys.path_hooks.insert(0, Tell())",
    "sys.meta_path.insert(0, Tell())",
    "sys.path_importer_cache[Tell()] = Tell()",
    "logging.root.addHandler(Tell()); logging.root.manager.loggerDict[Tell('a')] = Tell()",
    "atexit.register(Tell())",
    "np.set_printoptions(formatter={'all': Tell()})",
    "np.seterrcall(Tell()); np.seterr(all='call')",
    "locale._override_localeconv = {Tell(): Tell()}",
    "first(linecache.cache, Tell('<cell 2>'), '<cell 2>')",
    "linecache.cache[Tell('<cell 2>')] = Tell()",
    "re._cache[Tell()] = Tell()",
    "copyreg.dispatch_table[Tell()] = Tell()",
    "codecs.register(Tell())",
    "gc.callbacks.append(Tell())",
    "gc.callbacks.insert(0, Tell())",
    "ring = [Tell()]; ring.append(ring); del ring",
    "sys.stdout = Stream()",
    "sys.stderr = Stream()",
    "sys.excepthook = sys.unraisablehook = sys.displayhook = Tell()",
    "threading.excepthook = Tell()",
    "signal.signal(signal.SIGUSR1, Tell())",
    "held_by_op = type('Own', (Tell,), {'__call__': answer})()",
    "held_by_op = type('Own', (), {'__call__': answer, '__name__': Tell(), '__class__': Tell()})()",
    "answer.__wrapped__ = Tell(); answer.__name__ = Text('a'); answer.__doc__ = Tell()",
    "answer.__defaults__ = (Tell(),); answer.__dict__[Tell('__wrapped__')] = 1",
    "held_by_op = type('Kind', (type,), {'__getattr__': Tell()})('Own', (), {'__new__': answer})",
    "mg.ones.__dict__[Tell('__wrapped__')] = 1",
    "contextvars.ContextVar('own').set(Tell())",
    "def wait():\n    while True: tell('thread'); time.sleep(0.0001)\n"
    "threading.Thread(target=wait, daemon=True).start()",
]


@pytest.fixture(scope="module")
def room():
    with Room(isolate=not refusal()) as one:
        yield one


@pytest.mark.parametrize("place", PLACES)
def test_no_door_pays_where_an_answer_is_worked_out_by_hand(room, place):
    cells = [{"name": "cell 2", "source": CELL.replace("{place}", place)}]
    job = {"lesson": "01", "exercise": "held_by_op", "cells": cells, "seed": random.random()}
    reply = room.run(job | {"seed": str(job["seed"])})
    if "MADE" in reply["output"]:
        assert reply["made"], reply["output"]
    idle = room.run(job | {"seed": str(job["seed"]), "idle": True})
    assert "MADE" not in idle["output"]


FILLED = """
import sys
from course.sandbox import warden
warden.prepare()
import minigrad as mg
import minigrad.nn.functional as F
asked = []

class Key:
    def __init__(self, like):
        self.like = like
    def __hash__(self):
        return hash(self.like)
    def __eq__(self, other):
        if self.like == other and ON:
            asked.append(self.like)
        return False

ON = []
there = list(sys.modules.items())
sys.modules.clear()
for name, module in there:
    sys.modules[Key(name)] = None
    sys.modules[name] = module
x = mg.rand(3, 3, requires_grad=True)
text = sys.argv[1]
ON.append(1)
exec(text)
ON.clear()
assert not asked, asked
"""
PROGRAMS = [
    "x.sum(); x.mean(); x.max(); x.min(); x.prod(); x.var(); x.std(); x.clamp(0, 1)",
    "x.argmax(); (x > 0).any(); (x > 0).all(); mg.equal(x, x); mg.allclose(x, x); x.cumsum(0)",
    "mg.tensor([1, 2]); mg.tensor([[1.0]]); mg.tensor([True]); mg.tensor(1, dtype=mg.uint8)",
    "F.cross_entropy(x, mg.tensor([0, 1, 2])).backward(); x.grad.zero_()",
    "(x @ x).tanh().sum().backward(); mg.optim.Adam([x], lr=0.1).step()",
    "x[mg.tensor([0])]; x[x > 0]; x.gather(1, mg.zeros(3, 1).long()); x.masked_fill(x > 0, 1)",
    "F.conv1d(mg.rand(1, 1, 5), mg.rand(1, 1, 3)); x.softmax(-1); F.dropout(x); F.gelu(x)",
    "str(x); repr(x); x.tolist(); x.detach().numpy().copy(); x.half(); x.long(); x.double()",
    "mg.randn(3); mg.randperm(3); mg.multinomial(mg.ones(3), 1)",
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_the_engine_and_numpy_look_nothing_up_in_the_modules(text):
    subprocess.run([sys.executable, "-c", FILLED, text], check=True)
