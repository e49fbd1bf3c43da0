"""A function written in C that runs in a frame of ours asks for the learner who handed it on."""

import guarded
import pytest

SET_UP = """
found = []
frame = error()[2].tb_next.tb_frame
steps = map(found.append, map(operator.attrgetter({name!r}), [{thing}] * 9))
looks = functools.partial(next, steps)
class Odd:
    {hook} = {kind}(looks)
{source}
"""
LOOKS = {
    "__globals__": "mg.tanh", "__closure__": "mg.Tensor.grad.fget", "__code__": "mg.tanh",
    "f_globals": "frame", "f_locals": "frame",
}  # fmt: skip
PLACES = {  # what is asked there of a thing of the learner's: how one has it asked
    "Context.run": ("x", "contextvars.copy_context().run(looks)"),
    "Context.run, at the end of a stack": (
        "x",
        "import _thread, time\n"
        "_thread.start_new_thread(contextvars.copy_context().run, (looks,))\ntime.sleep(0.1)",
    ),
    "a class is made": ("__set_name__", "type.__new__(type, 'A', (), {'x': Odd()})"),
    "a class is derived": ("__init_subclass__", "type.__new__(type, 'A', (Odd,), {})"),
    "resize": ("__index__", "np.zeros(1).resize(Odd(), refcheck=True)"),
    "an array is made": ("__index__", "np.ndarray.__new__(np.ndarray, Odd())"),
    "as_strided": ("__array__", "np.lib.stride_tricks.as_strided(Odd())"),
    "as_strided's shape": ("__iter__", "np.lib.stride_tricks.as_strided(np.zeros(1), Odd())"),
    "a card is set": (
        "__set__",
        "class Has: x = Odd()\nmg.cuda.simulate.__setattr__(Has(), 'x', 3)",
    ),
    "a card's place": ("pool", "mg.cuda.simulate.used(Odd())"),
    "a module's name": ("name", "sys.modules['_imp'].create_builtin(Odd())"),
    "a proxy is compared": ("__eq__", "vars(int) == Odd()"),
    "a proxy is joined": ("__ror__", "vars(int) | Odd()"),
    "vars": ("__dict__", "vars(Odd())"),
    "notes": ("keys", "mg.ones(2).__dict__ = Odd()"),
    "notes are joined": ("keys", "mg.ones(2).__dict__.update(Odd())"),
    "the collector": ("__index__", "gc.get_objects(Odd())"),
    "a gradient": ("grad", "mg.nn.utils.clip_grad_norm_([Odd()], 1.0)"),
}
REFUSED = {"the collector"}  # it takes nothing but a number


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    yield from guarded.server(tmp_path_factory.mktemp("below"))


@pytest.mark.parametrize("place", PLACES)
def test_c_code_in_a_frame_of_ours_is_told(place, seen):
    hook, source = PLACES[place]
    for name, thing in LOOKS.items():
        kind = "staticmethod" if hook == "__init_subclass__" else "property"
        text = SET_UP.format(name=name, thing=thing, hook=hook, source=source, kind=kind)
        said, failed = seen(text)
        if place in REFUSED:
            assert "TypeError" in failed and not said, (name, said, failed)
        else:
            assert any("looks into a f" in one for one in said), (name, said, failed)


OURS = {
    "a hook": "take = functools.partial(next, iter({}, 0))\n"
    "with mg.autograd.graph.saved_tensors_hooks(take, None):\n"
    "    mg.ones(2, requires_grad=True).exp()",
    "an iterator": "from itertools import islice\nmg.autograd.backward(islice(iter({}, 0), 1))",
    "a map": "mg.autograd.backward(map(operator.methodcaller('__call__'), [{}]))",
}
LIBRARYS = """
found = []
with contextlib.ExitStack() as stack:
    stack.callback(functools.partial(next, map(found.append, iter({}, 0))))
found[0]['nullcontext'] = 3
assert contextlib.nullcontext != 3
"""
HONEST = [
    "globals()['one'] = 1\nassert one == 1 and globals() is globals() and vars() is locals()",
    "def f(a):\n    b = 2\n    return locals(), vars(), '{a} {b}'.format(**locals())\n"
    "assert f(1) == ({'a': 1, 'b': 2}, {'a': 1, 'b': 2}, '1 2')",
    "class A:\n    locals()['x'] = 1\n    vars().update(y=2)\nassert (A.x, A.y) == (1, 2)",
    "own = {}\nexec('a = 1; locals()[\"b\"] = a; globals()[\"c\"] = a', own)\nassert own['c'] == 1",
    "class A: 0\none = A()\nvars(one)['x'] = 1\nassert one.x == 1 and 'x' in dir(one)\n"
    "try: vars(1)\nexcept TypeError: pass",
    "assert globals.__name__ == 'globals' and pickle.loads(pickle.dumps(locals)) is locals",
    "exec('a = eval(\"1\")')\nimport collections\ncollections.namedtuple('A', 'x')\n"
    "list(map(eval, ['1', '2'])), eval('1', {})",
    "with mg.memory.count_ops():\n    pass",
    "import cProfile, pstats, timeit\np = cProfile.Profile()\np.runcall(mg.ones, 2)\n"
    "pstats.Stats(p).print_stats()\ncProfile.run('1')\ntimeit.timeit('1', number=1)",
    "import types\n@types.coroutine\ndef f(): yield\n"
    "types.FunctionType(f.__code__.replace(co_name='g'), {})\nsys.settrace(sys.gettrace())",
    "import inspect\nprint(inspect.stack(), inspect.signature(mg.nn.Linear.forward))\n"
    "assert 'class Linear' in inspect.getsource(mg.nn.Linear)\ntraceback.print_stack()",
    "import doctest\ndef f():\n    '>>> 1\\n2\\n'\ndoctest.run_docstring_examples(f, {})",
    "import colorsys, runpy\nopen('m.py', 'w').write('x = 1')\nsys.path.insert(0, os.getcwd())\n"
    "import m\nassert runpy.run_path('m.py')['x'] == m.x == 1",
]


@pytest.mark.parametrize("call", ["globals", "locals", "vars"])
@pytest.mark.parametrize("place", OURS)
def test_the_names_of_a_frame_of_ours_are_told(place, call, seen):
    said, failed = seen(OURS[place].format(call))
    assert any("looks into a frame" in one for one in said), (said, failed)


@pytest.mark.parametrize("call", ["eval", "exec"])
def test_a_text_that_runs_in_a_frame_of_ours_is_told(call, seen):
    text = "code = compile('1', '<minigrad 1>', {!r})\nmg.autograd.backward(map({}, [code]))"
    said, failed = seen(text.format(call, call))
    assert any("runs a text" in one for one in said), (said, failed)


def test_the_names_of_a_librarys_frame_are_a_copy(seen):
    for call in "globals", "locals", "vars":
        assert seen(LIBRARYS.format(call)) == [[], ""]


# What stands in `frame` is the engine's, and `ready.checkpoint` one of its functions.
FRAMES = """
import inspect, linecache, logging, types
import minigrad.utils.checkpoint as ready
from minigrad.utils import interrupts
from whoholds import frames
from whoholds.holders import edges, objects
from whoholds.on_minigrad.names import Scope
frame, found, more = error()[2].tb_next.tb_frame, [], []
names = frame.f_code.co_varnames
class Fake(map):
    __class__ = types.FrameType
    f_lineno, f_lasti = 1, -1
    {name} = filter = level = property(found.extend)
fake = Fake(operator.attrgetter({name!r}), [frame])
class Of:
    def __init__(self, **named): vars(self).update(named)
code = Of(co_name='__del__', co_filename=mg.__file__, co_firstlineno=1)
with contextlib.suppress(TypeError, AttributeError, LookupError):
    {source}
found += more
assert found, 'nothing was asked for'
for one in found:
    assert not one or {{*one}} == {{'__name__'}}, one
"""
VARIABLES = {  # of the engine's frame: how a learner has them asked for
    "whoholds": ("f_locals", "more += [dict(frames.variables(frame))]"),
    "whoholds, of what is no frame": ("f_locals", "frames.variables(fake)"),
    "whoholds, what a call holds": ("f_locals", "more += [{*objects.of_call(frame)}]"),
    "whoholds, of a recording": (
        "f_locals",
        "more += [{*filter(None, Scope(frame, names, 'f')._values(frame))}]",
    ),
    "the engine, of an error's way": (
        "f_locals",
        "found.clear(); more += [[]]\n    fake.f_code = code\n    "
        "interrupts._mended(Of(tb_frame=fake, tb_lineno=2))",
    ),
    "linecache": (
        "f_globals",
        "linecache.cache['x'] = (functools.partial(found.extend, map("
        "operator.attrgetter('f_globals'), [frame])),)\n    linecache.getline('x', 1)",
    ),
    "logging": ("f_globals", "o = logging.Filterer(); o.addFilter(fake); o.filter(None)"),
    "logging's levels": (
        "f_globals",
        "o = logging.Logger('o'); o.handlers.append(fake); o.error('x')",
    ),
    "whoholds, a closure": ("f_locals", "more += [{*objects.of_function(gc.get_referrers, None)}]"),
    "whoholds, a closure's edges": ("f_locals", "more += [{*edges.of_function(gc.get_referrers)}]"),
}


@pytest.mark.parametrize("way", VARIABLES)
def test_the_variables_of_what_is_ours_are_shown_to_nobody(way, seen):
    name, source = VARIABLES[way]
    said, failed = seen(FRAMES.format(name=name, source=source))
    assert not failed, (said, failed)


OWN = """
found = []
class Fake(map):
    __dict__ = property(found.extend)
with contextlib.suppress(AttributeError):
    {}(Fake(operator.attrgetter('__dict__'), [{}]){})
for one in found:
    assert '_array' not in one and 'encode' not in one, one
    if type(one) is dict:
        one['own'] = one['add'] = 1
assert operator.add != 1
"""


@pytest.mark.parametrize("thing", ["mg.ones(2)", "operator", "sys.modules['course.trying.plain']"])
@pytest.mark.parametrize(
    "call, more",
    [("mg.optim.Optimizer.__setstate__", ", {}"), ("mg.Tensor.__setstate__", ", {}"), ("vars", "")],
)
def test_what_a_thing_has_is_no_learners_where_the_engine_asks_for_it(call, more, thing, seen):
    said, failed = seen(OWN.format(call, thing, more))
    assert not failed or said, (said, failed)


CODES = """
import inspect, logging, types
import _lsprof
from whoholds import frames
frame, found = error()[2].tb_next.tb_frame, []
class Fake(map):
    __class__ = types.FrameType
    f_lineno, f_lasti = 1, -1
    f_code = filter = level = property(found.extend)
fake = Fake(operator.attrgetter('f_code'), [frame])
with contextlib.suppress(TypeError, AttributeError):
    {}
shown = [one for one in found if one.co_filename.startswith(os.path.dirname(mg.__file__))]
assert shown, found
for one in shown:
    assert not (one.co_names or one.co_freevars or {{*one.co_consts}} - {{None}}), one
function = types.FunctionType(shown[0], {{}})
given = shown[0].co_varnames[: shown[0].co_argcount + shown[0].co_kwonlyargcount]
assert function(**dict.fromkeys(given)) is None
"""
ASKED = {  # for the code of the engine's frame
    "itself": "found.append(frame.f_code)",
    "its name": "fake.f_code.co_name",
    "inspect": "inspect.getframeinfo(fake, 0)",
    "traceback": "traceback.StackSummary.extract([(fake, 1)])",
    "logging": "o = logging.Filterer(); o.addFilter(fake); o.filter(None)",
    "whoholds": "found += frames.chain(frame).values()",
    "a profile": "p = _lsprof.Profiler(); p.enable(); mg.ones(2) @ mg.ones(2); p.disable()\n    "
    "found += [e.code for e in p.getstats() if type(e.code) is type(frame.f_code)]",
    "what was called in a profile": "p = _lsprof.Profiler(); p.enable(); mg.ones(2) @ mg.ones(2)\n"
    "    p.disable()\n    found += [e.code for f in p.getstats() for e in f.calls or () "
    "if type(e.code) is type(frame.f_code)]",
}


@pytest.mark.parametrize("way", ASKED)
def test_the_code_of_what_is_ours_does_nothing_and_is_told_once_it_is_made_a_function(way, seen):
    said, failed = seen(CODES.format(ASKED[way]))
    assert not failed and any("looks into a function" in one for one in said), (said, failed)


def test_the_code_of_the_graders_frames_has_no_name(seen):
    source = """
names = []
class Odd:
    @property
    def __module__(self): names.extend(one.name for one in traceback.extract_stack())
with contextlib.suppress(AttributeError):
    given('an exercise', 'a case')(Odd())
assert '<grader>' in names and 'add' not in names, names
"""
    assert seen(source) == [[], ""]


IN_LIBRARIES = {  # a text that a library's function runs in its own names, as it was handed exec
    "linecache": "import linecache\nlinecache.cache['x'] = (functools.partial(exec, '1'),)\n"
    "linecache.getline('x', 1)",
    "inspect": "import inspect, types\nclass Fake(str):\n    __class__ = types.FrameType\n"
    "    f_lineno, f_lasti, f_code = 1, -1, property(exec)\ninspect.getframeinfo(Fake('1'), 0)",
    "numpy": "np.vectorize(eval, otypes=[object])('1')",
    "an import": "import importlib.machinery\nclass Loader:\n    create_module = exec\n"
    "class Spec(str): loader, name, parent = Loader, 'x', ''\nLoader.exec_module = print\n"
    "importlib._bootstrap.module_from_spec(Spec('1'))",
}


@pytest.mark.parametrize("library", IN_LIBRARIES)
def test_a_text_that_runs_in_a_librarys_names_is_told(library, seen):
    said, failed = seen(IN_LIBRARIES[library])
    assert any("runs a text in the names of" in one for one in said), (said, failed)


def test_what_a_library_was_handed_changes_it_for_a_learner(seen):
    put = "np.vectorize(functools.partial(setattr, np, 'empty'), otypes=[object])(1)"
    assert any("replaces numpy.empty" in one for one in seen(put)[0])
    in_doctest = """
import doctest
found = []
class Checker(map):
    check_output = property(found.extend)
test = doctest.DocTestParser().get_doctest('>>> 1\\n1\\n', {{}}, 't', None, 0)
doctest.DocTestRunner(Checker({})).run(test, out=print)
"""
    told = {
        "setattr, [operator], ['add'], [3]": "replaces operator.add",
        "setattr, [sys.modules['course.trying.plain']], ['encode'], [3]": "replaces course.trying",
        "sys.settrace, [print]": "traces the grader",
    }
    for given, what in told.items():
        said, failed = seen(in_doctest.format(given))
        assert any(what in one for one in said), (given, said, failed)


def test_a_name_of_ones_own_on_the_engine_leads_to_nothing_of_the_guards(seen):
    source = """
mg.Tensor.mb = 1
own = vars(mg.Tensor)['mb']
for name in {*dir(own)} - {*dir(object())}:
    assert name in ('_name', '_value') or name[:2] == '__', name
assert (own._name, own._value) == ('mb', 1)
"""
    assert seen(source) == [[], ""]
    said, failed = seen(source + "assert own.__get__.__func__.__closure__ is None")
    assert said and not failed


@pytest.mark.parametrize("source", HONEST)
def test_ones_own_names_are_not_told(source, seen):
    assert seen(source) == [[], ""]
