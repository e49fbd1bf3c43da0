"""What the guard decides by is what is done, whatever class a learner's text or number is of.

Each deed is tried with objects that lie to whoever asks them first, or raise an error: it is told,
or it is not done.
"""

import random

import guarded
import pytest
from test_sandbox_guard import SEED

EVIL = """
import _imp, io, types
class Quiet(Exception): pass
ASKED = [{times}]
def lies(name, honest, bait):
    def method(one, *given, **named):
        if ASKED[0] <= 0:
            return honest(one, *given, **named)
        ASKED[0] -= 1
        if {raises}:
            raise Quiet
        return honest(bait, *given, **named)
    return method
KEPT = ("__new__", "__init__", "__getattribute__", "__class__", "__init_subclass__", "__doc__",
        "__setattr__", "__delattr__", "__subclasshook__", "__dir__", "__getstate__", "__sizeof__")
def evil(thing, bait):
    base = type(thing)
    names = [name for name in dir(base) if callable(getattr(base, name)) and name not in KEPT]
    ways = {{name: lies(name, getattr(base, name), bait) for name in names}}
    ways |= {{"__fspath__": lies("", lambda one: one, bait)}} if base is not tuple else {{}}
    return type("Evil", (base,), ways)(thing)
def X(thing, bait="_"):
    return evil(thing, bait)
def renamed(code, name):
    return code.replace(co_filename=name)
class Lies:
    @property
    def __class__(self):
        raise Quiet
class Mine(mg.nn.Parameter): pass
made = []
try:
    {act}
except BaseException as error:
    pass
if {effect}:
    raise SystemExit("done")
"""
DEEDS = {  # a deed, and how one sees that it was done
    "of the engine": ("setattr(mg, X('tanh'), 3)", "mg.tanh == 3"),
    "of the grader": (
        "setattr(sys.modules['course.trying.plain'], X('encode'), 3)",
        "sys.modules['course.trying.plain'].encode == 3",
    ),
    "of a library": ("setattr(np, X('matmul'), 3)", "np.matmul == 3"),
    "out of a library": ("delattr(np, X('matmul'))", "not hasattr(np, 'matmul')"),
    "of a module by its class": ("type(mg).__setattr__(mg, X('tanh'), 3)", "mg.tanh == 3"),
    "a module's own name": ("type(np).__init__(np, X('', 'numpy')); np.matmul = 3",
                            "np.matmul == 3"),
    "a closed name": (
        "made.append(getattr(sys.modules['minigrad.core.observer'], X('leave', '__spec__')))",
        "made",
    ),
    "a closed name by its class": (
        "made.append(type(mg).__getattribute__(sys.modules['minigrad.core.observer'], "
        "X('leave', '__spec__')))", "made",
    ),
    "a function's globals": ("made.append(getattr(mg.tanh, X('__globals__')))", "made"),
    "a function's code": ("made.append(getattr(mg.tanh, X('__code__')))", "made"),
    "a storage's class": (
        "type.__setattr__(type(mg.ones(2).untyped_storage()), X('bytes'), 0)",
        "type(mg.ones(2).untyped_storage()).bytes == 0",
    ),
    "a storage's array": (
        "made.append(getattr(mg.ones(2).untyped_storage(), X('array')))", "made",
    ),
    "a hidden file": ("made.append(open(X('/proc/self/maps', '/dev/null')).read())", "made[0]"),
    "a hidden file, opened below": (
        "made.append(os.read(os.open(X('/proc/self/maps', '/dev/null'), 0), 9))", "made[0]",
    ),
    "a hidden file in bytes": (
        "made.append(open(X(b'/proc/self/maps', b'/dev/null')).read())", "made[0]",
    ),
    "a hidden file by its class": (
        "made.append(io.FileIO(X('/proc/self/maps', '/dev/null')).read())", "made[0]",
    ),
    "an inner module": ("made.append(__import__(X('_testcapi', 'math')))",
                        "made[0].__name__ == '_testcapi'"),
    "an inner module by importlib": ("made.append(importlib.import_module(X('_testcapi', 'math')))",
                                     "made[0].__name__ == '_testcapi'"),
    "a module made anew": (
        "made.append(_imp.create_builtin(types.SimpleNamespace(name=X('gc', 'x'))))",
        "made[0].__name__ == 'gc'",
    ),
    "a tensor's method": ("made.append(type('A', (mg.nn.Parameter,), {X('_new'): 3}))", "made"),
    "a tensor's __setattr__": (
        "made.append(type('A', (mg.nn.Parameter,), {X('__setattr__'): 3}))", "made",
    ),
    "a tensor's property, later": ("setattr(Mine, X('is_leaf'), 3)", "Mine.is_leaf == 3"),
    "a tensor's property, by type": ("type.__setattr__(Mine, X('_array'), 3)",
                                     "Mine.__dict__.get('_array')"),
    "a tensor's places": ("made.append(type('A', (mg.nn.Parameter,), {'__slots__': "
                          "X(('_new',), ())}))", "made"),
    "bases in a tuple": ("made.append(type('A', X((mg.memory.count_ops,), (object,)), {}))",
                         "made"),
    "a card's method": (
        "made.append(mg.cuda.simulate(1 << 20)); setattr(made[0], X('used'), 3)",
        "vars(made[0]).get('used') == 3",
    ),
    "a code's file": (
        "types.FunctionType(renamed((lambda: setattr(np, 'matmul', 3)).__code__, X('<cell 1>')), "
        "globals())()", "np.matmul == 3",
    ),
    "a code's name": (
        "types.FunctionType((lambda: setattr(np, 'matmul', 3)).__code__.replace("
        "co_name=X('_find_and_load')), globals())()", "np.matmul == 3",
    ),
    "a thing without a class": ("setattr(np, 'matmul', Lies())", "type(np.matmul) is Lies"),
    "fields beyond an item": (
        "made.append(np.dtype([('v', '<i8')])); made[0].__setstate__(X((3, '|', None, ('v',), "
        "{'v': X((np.dtype('<i8'), X(800, 0)), (np.dtype('<i8'), 0))}, X(8, 8), 1, 0), ()))",
        "made[0].fields['v'][1] == 800",
    ),
}  # fmt: skip
HOW = [(times, raises) for times in (1, 2, 3, 5, 10**6) for raises in (False, True)]


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    yield from guarded.server(tmp_path_factory.mktemp("texts"))


@pytest.mark.parametrize("name", DEEDS)
def test_each_deed_is_told_of_an_honest_text(name, seen):
    act, effect = DEEDS[name]
    source = EVIL.format(times=0, raises=False, act=act, effect=effect)
    source = source.replace("    return evil(thing, bait)", "    return thing")
    said, failed = seen(source)
    assert said, failed


@pytest.mark.parametrize("name", DEEDS)
def test_what_is_decided_is_what_is_done(name, seen):
    act, effect = DEEDS[name]
    print(f"MINIGRAD_GUARD_SEED={SEED}")
    rng = random.Random(f"{SEED} {name}")
    for times, raises in (*HOW, (rng.randrange(1, 40), False), (rng.randrange(1, 40), True)):
        source = EVIL.format(times=times, raises=raises, act=act, effect=effect)
        said, failed = seen(source)
        assert said or "done" not in failed, (act, times, raises, failed)
