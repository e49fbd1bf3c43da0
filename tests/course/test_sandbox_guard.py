"""What a learner's code does to the engine or the grader is told, by whatever way it does it."""

import os
import random

import guarded
import pytest

SEED = int(os.environ.get("MINIGRAD_GUARD_SEED", random.SystemRandom().randrange(10**6)))
REACH = {  # what is there to be looked into, as an expression
    "a function": "mg.tanh",
    "a method": "mg.Tensor.backward",
    "a bound method": "mg.ones(2).backward.__func__",
    "a property": "mg.Tensor.grad.fget",
    "a given function": "given",
}
LOOKS = ["__globals__", "__closure__", "__code__", "__defaults__"]
WAYS = {  # of asking {thing} for {name}, which is never written as one word
    "getattr": "getattr({thing}, {name})",
    "attrgetter": "operator.attrgetter({name})({thing})",
    "__getattribute__": "object.__getattribute__({thing}, {name})",
    "a descriptor": "type({thing}).__dict__[{name}].__get__({thing})",
    "eval": "eval('({thing}).' + {name})",
    "a subclass's super": "getattr.__call__({thing}, {name})",
    "a match": "exec('match {thing}:\\n case object(' + {name} + '=x): pass')",
    "map": "list(map(getattr, [{thing}], [{name}]))",
}
MODULES = "minigrad.core.observer", "course.trying.plain", "course.cases.planted"
READS = {
    "import": "import {m} as m; m.{n}",
    "from": "from {m} import {n}",
    "sys.modules": "sys.modules['{m}'].{n}",
    "importlib": "getattr(importlib.import_module('{m}'), '{n}')",
    "pickle": "pickle.loads(b'c{m}\\n{n}\\n.')",
    "__import__": "__import__('{m}', fromlist=['x']).{n}",
    "attrgetter": "operator.attrgetter('{n}')(sys.modules['{m}'])",
}
WRITES = {
    "of the engine": "mg.tanh = 3",
    "of the grader": "setattr(sys.modules['course.trying.plain'], 'encode', 3)",
    "of numpy": "np.matmul = 3",
    "of the library": "weakref.ref = 3",
    "of the builtins": "builtins.len = 3",
    "code": "mg.Tensor.backward.__code__ = (lambda self: 0).__code__",
    "how a library works": "os.path.realpath.__code__ = (lambda name, **how: '/').__code__",
    "what a library is given": "os.path.realpath.__kwdefaults__ = {'strict': True}",
    "a storage's class": "type(mg.ones(2).untyped_storage()).bytes = 0",
    "its class, by del": "del type(mg.ones(2).untyped_storage()).__init__",
    "its class by type": "type.__setattr__(type(mg.ones(2).untyped_storage()), 'bytes', 0)",
    "contextlib": "del contextlib._GeneratorContextManager.__enter__",
    "the class of modules": "del type(sys).__setattr__",
    "a tensor's class": "mg.ones(2).__class__ = dict",
}
FOUND = (  # by C code that Python's search calls
    "class Finder(map):\n    find_spec = property([].extend)\n"
    "sys.meta_path.insert(0, Finder(open, *zip([{}])))\nimport nothing_like_it"
)
OTHERS = {
    "referents": "gc.get_referents(mg.tanh)",
    "frames": "while t := globals().get('t', error()[2]).tb_next: t.tb_frame.f_locals",
    "frames of an error": "traceback.TracebackException(*error(), capture_locals=True)",
    "trace": "sys.settrace(print)",
    "ctypes": "ctypes.string_at(id(1), 4)",
    "fork": "os.fork() or os._exit(0)",
    "memory": "open('/proc/self/mem')",
    "classes": "object.__subclasses__()",
    "classes by another name": "type.__dict__['__subclasses__'](mg.autograd.Function)",
    "classes below one of ours": "class A(mg.autograd.Function): 0\nA.__mro__[1].__subclasses__()",
    "C code at the end of a stack": "import threading\nthreading.Thread(target=list, args=(map("
    "operator.attrgetter('__globals__'), [mg.tanh]),)).start()",
    "C code that we call": "with mg.autograd.graph.saved_tensors_hooks(functools.partial("
    "functools.reduce, lambda a, b: b, map(operator.attrgetter('__globals__'), [mg.tanh])), "
    "None): mg.ones(2, requires_grad=True).exp()",
    "an observer of one's own": "class A(mg.memory.count_ops): 0",
    "an observer of one's own, by type": "type('A', (mg.memory.count_ops.__mro__[1],), {})",
    "a node of one's own": "class A(type((-mg.ones(1, requires_grad=True)).grad_fn)): 0",
    "a card of one's own": "class A(mg.cuda.simulate): 0",
    "what a tensor has for the engine": "class A(mg.nn.Parameter):\n    def _new(self, a): 0",
    "profile": "sys.setprofile(print)",
    "a module made anew": "importlib.util.module_from_spec(importlib.util.find_spec('gc'))",
    "inner modules": "import _testcapi",
    "memory beyond an array": "np.lib.stride_tricks.as_strided(np.zeros(2), (9,), (8,))",
    "a process without an event": "import _posixsubprocess\n_posixsubprocess.fork_exec()",
    "hook": "sys.addaudithook(print)",
    # What is looked at before it is opened may lead elsewhere by then, in a thread's hands.
    "a link to what is hidden": "os.symlink('/proc/self', 'link')",
    "a link to all": "os.symlink(b'/', 'all')",
    "a link on the way up": "import pathlib\npathlib.Path('up').symlink_to('a/../..')",
    "the root": "os.chdir('/')",
    "a folder above all": "os.open('/proc', os.O_RDONLY)",
    "a path from a folder": "os.open('../proc/self/mem', os.O_RDONLY)",
    "a file's lines": "import linecache\nlinecache.getlines('/proc/self/cmdline')",
    "memory by a search for a module": FOUND.format("'/proc/self/mem', 'rb'"),
    "a source by a search for a module": FOUND.format("mg.utils.checkpoint.__file__"),
    "a source by a finder": "sys.meta_path.insert(0, type('Finder', (), {'find_spec': staticmethod("
    "lambda name, *more: importlib.util.spec_from_file_location(name, mg.optim.__file__))}))\n"
    "import nothing_like_it",
    "a source anew": "linecache = importlib.import_module('linecache')\nlinecache.clearcache()\n"
    "linecache.getlines(mg.optim.__file__)",
    "a history of lines": "import readline\ndel sys.modules['readline']\nimport readline",
    "a window": "import tkinter\ndel sys.modules['_tkinter']\nimport _tkinter",
    "a module's lines": "import linecache\nlinecache.getlines(given.__code__.co_filename)",
    "lines that no error has": "traceback.FrameSummary('/proc/self/cmdline', 1, 'f').line",
    "an alarm": "import signal\nsignal.signal(signal.SIGALRM, print)",
    "a timer": "import signal\nsignal.setitimer(signal.ITIMER_REAL, 9)",
    "a descriptor's folder": "os.fchdir(os.open('/', os.O_RDONLY))",
}
HONEST = [
    "contextvars.Context().run(print)",
    "import dataclasses\n@dataclasses.dataclass\nclass A:\n    x: int = 1\nA()",
    "import warnings\nwith warnings.catch_warnings():\n    warnings.simplefilter('ignore')",
    "import pydoc\nfor one in (mg, mg.no_grad, mg.Tensor, mg.autograd.Function, dict):\n"
    "    assert 'guard' not in pydoc.render_doc(one)",
    "help(mg.nn.Linear)\nhelp(mg.enable_grad)",
    "class A(mg.nn.Module): 0\nfound = mg.nn.Module.__subclasses__()\n"
    "assert mg.nn.Linear in found and A in found, found",
    "import inspect\nassert 'class Linear' in inspect.getsource(mg.nn.Linear)",
    "import pdb, tkinter, rlcompleter\ntry:\n    tkinter.Tk()\nexcept tkinter.TclError:\n    0",
    "import signal\nwas = signal.signal(signal.SIGUSR1, f := lambda *given: None)\n"
    "assert signal.getsignal(signal.SIGUSR1) is f, signal.getsignal(signal.SIGUSR1)\n"
    "assert signal.signal(signal.SIGUSR1, was) is f",
    "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()):\n    print(1)",
    "import traceback\ntry:\n    mg.ones(2) @ mg.ones(3)\nexcept RuntimeError:\n"
    "    traceback.print_exc()",
    "import logging\nlogging.exception('oh')",
    "import inspect\ninspect.signature(mg.tanh), inspect.signature(lambda x: 1)\n"
    "assert str(inspect.signature(len)) == '(obj, /)', inspect.signature(len)\n"
    "assert list(inspect.signature(dict.get).parameters) == ['self', 'key', 'default']",
    "import asyncio, signal\nsignal.signal(signal.SIGUSR1, print)\n"
    "async def f(): return 1\nasyncio.run(f())",
    "mg.ones_like(mg.ones(2)).to(mg.device('cpu'), mg.float64), mg.device('cuda:1')",
    "import cProfile\ncProfile.Profile().runcall(mg.ones, 2)",
    "import doctest\ndef f():\n    '>>> 1\\n1\\n'\ndoctest.run_docstring_examples(f, {})",
    "x = mg.ones(2)\nheld = [x]\nassert any(one is held for one in gc.get_referrers(x))",
    "import typing\ndef f(x: int): return x\ntyping.get_type_hints(f)",
    "import functools\n@functools.singledispatch\ndef f(x): return x\n"
    "@f.register\ndef _(x: int): 0",
    "import abc\nclass A(abc.ABC):\n    @abc.abstractmethod\n    def f(self): 0\nisinstance(1, A)",
    "import collections.abc, enum\nclass E(enum.Enum):\n    A = 1\nisinstance([], "
    "collections.abc.Sized)",
    "import copy\ncopy.deepcopy(mg.nn.Linear(2, 2))",
    "x = mg.ones(2, requires_grad=True)\ndef step():\n    loss = (x * x).sum()\n"
    "    loss.backward()\n    return loss.detach()\nstep = mg.replay.record(step)\nstep(), step()\n"
    "assert x.grad.tolist() == [4, 4]",
    "class A(mg.nn.Parameter):\n    def shown(self): return self.shape\nA(mg.ones(2)).shown()",
    "class A(mg.nn.Module): 0\nclass B(A): 0\nassert A.__subclasses__() == [B]",
    "import threading\nt = threading.Thread(target=print)\nt.start()\nt.join()",
    "import random, statistics, decimal, fractions, heapq, bisect, string, uuid\nrandom.seed(1)",
    "import unittest.mock, json, csv, time, datetime\ntime.perf_counter()",
    "x = mg.ones(2)\nassert any(one is x for one in gc.get_objects())\n"
    "assert not any(isinstance(one, (dict, list)) for one in gc.get_objects())",
    "dir(mg), vars(object()) if 0 else 0, len(dir(np)), sys.getrefcount(mg), gc.collect()",
    "def f(a):\n    def g(): return a\n    return g\nf(1).__closure__[0].cell_contents, f.__code__",
    "with open('notes', 'w') as file:\n    file.write('1')\nopen('notes').read()",
    "import pathlib, shutil, tempfile\nhere, other = os.getcwd(), tempfile.mkdtemp()\n"
    "os.chdir(other)\nos.mkdir('sub')\nos.symlink('sub', 'link')\n"
    "pathlib.Path('link/a').write_text('x')\nos.chdir('sub')\nos.chdir('..')\n"
    "assert os.listdir('link') == ['a']\nos.chdir(here)\nshutil.rmtree(other)",
    "class F(mg.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
    "        ctx.save_for_backward(x)\n        return x * 2\n    @staticmethod\n"
    "    def backward(ctx, g):\n        return g * 2\n"
    "F.apply(mg.ones(2, requires_grad=True)).sum().backward()",
    "from minigrad.utils.checkpoint import checkpoint\nx = mg.ones(2, requires_grad=True)\n"
    "checkpoint(lambda x: x.tanh(), x, use_reentrant=False).sum().backward()",
]


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    yield from guarded.server(tmp_path_factory.mktemp("guard"))


def split(name, rng):
    """The name as an expression that a search for it does not find."""
    cut = rng.randrange(1, len(name) - 1)
    ways = [
        f"{name[:cut]!r} + {name[cut:]!r}",
        f"{name[::-1]!r}[::-1]",
        f"bytes({list(name.encode())}).decode()",
        f"''.join({list(name)!r})",
    ]
    return rng.choice(ways)


def test_whoever_looks_into_our_functions_is_told(seen):
    rng = random.Random(SEED)
    print(f"MINIGRAD_GUARD_SEED={SEED}")
    for way, text in WAYS.items():
        for _ in range(4):
            thing, look = rng.choice(list(REACH)), rng.choice(LOOKS)
            source = text.format(thing=REACH[thing], name=split(look, rng))
            said, failed = seen(source)
            assert any("looks into a function" in one for one in said), (way, source, failed)
            assert said[0].startswith("cell 1 line 1: "), said


def test_whoever_reads_our_closed_modules_is_told(seen):
    for module in MODULES:
        name = {"minigrad.core.observer": "leave", "course.trying.plain": "encode"}
        for way, text in READS.items():
            source = text.format(m=module, n=name.get(module, "stored"))
            said, failed = seen(source)
            assert any(f"uses {module}" in one for one in said), (way, source, failed)


@pytest.mark.parametrize("name", WRITES)
def test_a_change_is_told_and_one_of_ours_refused(name, seen):
    said, failed = seen(WRITES[name])
    if "immutable" in failed:
        return
    assert any("replaces" in one or "changes" in one for one in said), (said, failed)
    assert ("cannot be changed" in failed) is any(w in name for w in ("engine", "grader", "code",
                                                                     "class"))  # fmt: skip


def test_a_change_of_a_modules_names_is_lost(seen):
    source = "vars(weakref)['ref'] = 3\nmg.__dict__['tanh'] = 3\nassert weakref.ref != 3 != mg.tanh"
    assert seen(source) == [[], ""]
    source = "weakref.finalize.__init__.__globals__['ref'] = 3\nassert weakref.ref != 3"
    assert seen(source) == [[], ""]
    source = "(lambda: 0).__builtins__['len'] = sys._getframe().f_builtins['len'] = 3\nlen('')"
    assert seen(source) == [[], ""]


@pytest.mark.parametrize("name", OTHERS)
def test_what_python_tells_is_told(name, seen):
    said, failed = seen(OTHERS[name])
    assert said, failed
    if name != "C code at the end of a stack":
        assert said[0].startswith("cell 1 line "), said


@pytest.mark.parametrize("look", ["whoholds.who(x)", "whoholds.grows(lambda: x * 2, 3)"])
def test_of_what_whoholds_looks_at_one_sentence_is_told(look, seen):
    said, failed = seen(f"import whoholds\nx = mg.ones(3)\n{look}")
    assert not failed and any("uses whoholds" in one for one in said)
    assert not any("minigrad.core" in one or "collector" in one for one in said), said


COUNTED = """
import contextvars
from course.trying.numpy_bytes import NumpyBytes
with NumpyBytes():
    contextvars.{}.run(print)
"""


@pytest.mark.parametrize("context, told", [("Context()", True), ("copy_context()", False)])
def test_another_context_is_told_where_arrays_would_not_be_counted(seen, context, told):
    said, failed = seen(COUNTED.format(context))
    assert any("where nobody counts them" in one for one in said) == told, (said, failed)


@pytest.mark.parametrize("source", HONEST)
def test_honest_code_is_not_told(source, seen):
    assert seen(source) == [[], ""]
