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
    "f_globals": "frame", "f_locals": "frame", "f_code": "frame",
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


@pytest.mark.parametrize("source", HONEST)
def test_ones_own_names_are_not_told(source, seen):
    assert seen(source) == [[], ""]
