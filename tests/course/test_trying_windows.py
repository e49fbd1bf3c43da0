"""No code of a learner's runs between the end of the meters and the last number that is read.

Hooks of all kinds are planted in what an answer gives, what it is given, and where the collector
looks. Each may run while everything is counted; none may afterwards. And what a case reads later,
to judge, the answer has never had.
"""

import gc
import sys
import threading
import weakref

import numpy as np
import pytest
from references import EXERCISES, reference

import minigrad as mg
from course.sandbox.guard.calls import Handler
from course.trying import calls, cases, collector, measure
from course.trying.run import run_case
from course.trying.witness import Outside, Witness

FILE = "<planted>"
HOOKS = """
NAMES = ("eq ne lt le gt ge hash len iter getitem contains bool call enter exit next repr str "
         "format bytes int float index abs neg add radd mul rmul sub rsub array instancecheck "
         "subclasscheck get set del_item missing reversed length_hint fspath sizeof dir").split()

def hook(name, real=None):
    def ran(self, *given, **named):
        return real(self, *given, **named) if real else NotImplemented
    return ran

def hooked(*bases, real=()):
    def method(name):
        for base in bases:
            if name in real and hasattr(base, name):
                return hook(name, getattr(base, name))
        return hook(name)
    made = {f"__{name}__": method(f"__{name}__") for name in NAMES}
    made |= {name: hook(name, getattr(base, name)) for base in bases for name in real
             if hasattr(base, name)}
    made["__hash__"] = lambda self: 7
    made["__eq__"] = lambda self, other: self is other
    for name in ("__iter__", "__getitem__", "__len__", "__bool__", "__contains__", "__array__"):
        if name not in real:
            made.pop(name, None)
    made["__del__"] = lambda self: None
    made["__str__"] = made["__repr__"] = lambda self: "text"
    for name in ("is_leaf", "host", "nbytes", "shape", "dtype", "_own"):
        made.setdefault(name, property(lambda self: None))
    return type("Hooked", bases, made)

class Asked:
    def __getattribute__(self, name):
        return object.__getattribute__(self, name)

class Disguised:
    __class__ = property(lambda self: Asked)
    __array_interface__ = property(lambda self: None)

class Leaf(mg.nn.Parameter):
    is_leaf = property(lambda self: True)
    def __del__(self):
        pass

class Net(mg.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = Leaf(mg.ones(2))
    def parameters(self, recurse=True):
        yield from super().parameters()

def generator():
    yield 1
    yield 2

def called_back(phase, info):
    pass

Any = hooked(object)
LISTED = ("__iter__", "__getitem__", "__len__")
List, Dict = hooked(list, real=LISTED), hooked(dict, real=(*LISTED, "values", "items", "keys"))
Text = type("Text", (str,), {"__hash__": lambda self: str.__hash__(self),
    "__eq__": lambda self, other: str.__eq__(self, other), "__str__": lambda self: "x"})
Number = type("Number", (float,), {"__float__": lambda self: 1.0, "__abs__": lambda self: 1.0})
Numpys = type("Numpys", (np.float64,), {"__float__": lambda self: 1.0,
    "__abs__": lambda self: 1.0})

def things():
    return [Any(), [Any()], (Any(), 1), {Any(): Any(), Text("key"): 2}, {Any(), Text("a")},
            List([1, 2]), Dict(a=1), Text("text"), Number(2), Numpys(2), Asked(), Disguised(),
            Leaf(mg.ones(2)), Net(), generator(), [generator(), Leaf(mg.ones(3))]]
"""


@pytest.fixture
def planted():
    names: dict = {"mg": mg, "np": np, "__name__": "planted"}
    exec(compile(HOOKS, FILE, "exec"), names)
    return names


class Watch:
    """A profiler: the planted functions that run while all is counted, and those afterwards."""

    def __init__(self):
        self.after, self.inside, self.open = [], [], False

    def __enter__(self):
        self._before = sys.getprofile()
        sys.setprofile(self)
        return self

    def __exit__(self, *error):
        sys.setprofile(self._before)

    def __call__(self, frame, event, argument):
        code = frame.f_code
        if event == "call" and code is Outside.__exit__.__code__:
            self.open = True
        if event == "return" and code is measure.__code__:
            self.open = False
        if event == "call" and code.co_filename == FILE:
            (self.after if self.open else self.inside).append((code.co_name, code.co_firstlineno))


def watched(function, *arguments):
    with Witness(), Watch() as watch:
        found = measure(function, *arguments)
    return found, watch


def test_the_profiler_sees_what_runs_after_the_meters(planted, monkeypatch):
    still = Outside.note
    monkeypatch.setattr(Outside, "note", lambda self, *given: (THING[0] == 1, still(self, *given)))
    THING = [planted["Any"]()]
    assert watched(lambda: 1)[1].after


@pytest.mark.parametrize("number", range(16))
def test_no_hook_runs_after_the_meters(planted, number):
    thing = planted["things"]()[number]
    inner = weakref.ref(thing, planted["called_back"]) if number == 0 else None
    holder = [thing]

    def bound():
        return holder[0]

    for function, given in (
        (lambda: thing, ()),
        (lambda *given: None, (thing, [thing], {"key": thing})),
        (lambda *given: [thing, {"a": thing}], ([thing],)),
        (bound, ()),
    ):
        _, watch = watched(function, *given)
        assert watch.after == [], (number, watch.after)
    del inner


def test_the_hooks_run_while_all_is_counted(planted):
    ran = set()
    for thing in planted["things"]():
        _, watch = watched(lambda *given, thing=thing: [thing], thing)
        ran |= {*watch.inside}
    assert len(ran) > 4  # of those that are still asked: exact classes are asked for nothing


def test_what_an_attribute_does_as_it_is_asked_is_counted():
    class Late(mg.nn.Parameter):
        @property
        def is_leaf(self):
            self.grad = mg.ones(100) * 2.0
            return True

    late = Late(mg.ones(100))
    with Witness():
        found = measure(lambda given: None, late)
    assert found.peak >= 400


def test_whoever_stands_beside_the_case_in_the_collectors_list_is_not_asked(planted):
    gc.callbacks.extend([planted["Any"](), planted["called_back"]])
    try:
        assert watched(lambda: mg.ones(3))[1].after == []
    finally:
        del gc.callbacks[-2:]


@pytest.mark.parametrize("while_it_runs", [True, False])
def test_what_a_thread_lets_go_after_the_call_was_left(while_it_runs):
    kept, let_go = [], threading.Event()

    def wait():
        let_go.wait()
        kept.clear()

    def call():
        kept.append(mg.ones(10))
        thread.start()
        if while_it_runs:
            let_go.set()
            thread.join()

    thread = threading.Thread(target=wait)
    with collector.at_rest():
        found = measure(call)
        let_go.set()
        thread.join()
        assert not kept and found.left() == (0 if while_it_runs else 40)


def test_what_a_thread_lets_go_in_a_later_call_was_let_go():
    kept: list = []

    def call(thread=None):
        if thread:
            thread.start()
            thread.join()
        else:
            kept.append(mg.ones(10))

    answer = calls.Answer(call, "call", calls.Calls())
    with collector.at_rest():
        found = measure(answer)
        answer(threading.Thread(target=kept.clear))
        assert found.left() == 0


def test_a_handler_runs_in_a_call_and_not_between():
    ran: list = []
    handler = Handler(lambda number, frame: ran.append(number))
    answer = calls.Answer(lambda: handler(1, None), "call", calls.Calls())
    with collector.at_rest():
        answer()
        handler(2, None)
    handler(3, None)
    assert ran == [1, 3]


def ring():
    made = [mg.ones(10)]
    made.append(made)


def test_nobody_but_the_collector_says_that_it_is_done():
    def hush(phase, info):
        for other in list(gc.callbacks):
            if phase == "start" and other is not hush:
                other("stop", {})

    def call():
        ring()
        gc.callbacks.append(hush)
        gc.collect()
        gc.callbacks.remove(hush)

    assert measure(call).kept == 40


def told(phase):
    next(one for one in gc.callbacks if getattr(one, "__name__", "") == "_told")(phase, {})


def unheard(before=(), after=()):
    def call():
        ring()
        for phase in before:
            told(phase)
        there = gc.callbacks[:]
        gc.callbacks.clear()
        gc.collect()
        gc.callbacks[:] = there
        for phase in after:
            told(phase)

    return call


@pytest.mark.parametrize("before", [(), ("stop",), ("start",), ("start", "stop")])
@pytest.mark.parametrize("after", [(), ("stop",), ("start", "stop")])
def test_a_run_of_the_collector_that_nobody_was_told_of_takes_nothing_off(before, after):
    try:
        found = measure(unheard(before, after))
    except RuntimeError as error:
        assert "gc.callbacks has lost" in str(error)
    else:
        assert before[0] == "start" and found.kept == 40  # it passed for a run that was told of


def test_what_the_collector_frees_later_in_a_case_was_left_too():
    with collector.at_rest():
        found = measure(ring)
        gc.collect()
        assert found.left() == 40


def test_the_collector_rests_again_where_a_learner_has_woken_it():
    def call():
        gc.enable()
        ring()

    threshold = gc.get_threshold()
    gc.set_threshold(1)
    try:
        with Witness():
            assert measure(call).kept == 40
    finally:
        gc.set_threshold(*threshold)


# --- what a case reads, to judge ----------------------------------------------------------------


def test_lists_and_dicts_are_copied_and_tensors_are_not():
    t, inner = mg.ones(1), [1]
    one = calls.copied(([t, inner, inner], {"a": inner}, (t, 2)), {})
    assert one[0][0] is t and one[0][1] == inner and one[0][1] is not inner
    assert one[0][1] is one[0][2] is one[1]["a"]
    pair = (t, 2)
    assert calls.copied(pair, {}) is pair


# Their answer itself works on with the list once the call is over.
LATER = {"memory_golf", "FlatChain", "SwapChain", "reversible_golf"}


def spoiled(thing):
    """Empties all lists and dicts in it."""
    for one in thing if type(thing) in (list, tuple) else ():
        spoiled(one)
    for one in thing.values() if type(thing) is dict else ():
        spoiled(one)
    if type(thing) in (list, dict):
        thing.clear()


@pytest.mark.parametrize(("lesson", "exercise"), EXERCISES)
def test_what_an_answer_writes_into_its_arguments_changes_no_outcome(lesson, exercise, monkeypatch):
    tried = [one for one in cases.of(exercise) if exercise not in LATER and not one.shared]
    solution = reference(lesson, exercise)
    plain = [run_case(one, solution, "arguments") for one in tried]
    with monkeypatch.context() as patch:
        patch.setattr(calls.Answer, "_called", called_and_spoiled)
        for case, want in zip(tried, plain, strict=True):
            got = run_case(case, solution, "arguments")
            assert got.get("value") == want["value"], case.name


def called_and_spoiled(answer, arguments, named):
    given = calls.copied((arguments, named), {})
    try:
        return answer._real(*given[0], **given[1])
    finally:
        spoiled(given)
