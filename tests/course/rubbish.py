"""Answers that work in some calls and give rubbish in others: made of a solution, for any case.

They know everything: which case is being tried, and of what form each call's honest result is. What
a real submission can tell at most, by order or number or size, they can tell too.
"""

import functools
from dataclasses import replace
from types import FunctionType, SimpleNamespace

import numpy as np

import minigrad as mg
from course.trying.run import run_case
from minigrad.autograd import Function

FILLED = {"zeros": 0, "constant": 2}


def zeros(call):
    """Zeros, in the form of what is wanted."""
    return filled(call.form, FILLED["zeros"])


def constant(call):
    """A constant, in that form."""
    return filled(call.form, FILLED["constant"])


def given(call):
    """What it was given: the input that has the form of the result, or else the first."""
    inputs = [one for one in call.arguments if isinstance(one, mg.Tensor)] or [None]
    like = call.form if isinstance(call.form, Form) else None
    return next((one for one in inputs if like and tuple(one.shape) == like.shape), inputs[0])


def cut(call):
    """The right numbers without their history."""
    with mg.no_grad():
        return detached(call.work())


def turned(call):
    """The right numbers in reversed order."""
    return turned_round(call.work())


def unsaved(call):
    """The right values of a Function's forward, which keeps nothing for its backward."""
    with_nothing = dict.fromkeys(("save_for_backward", "mark_dirty"), lambda *tensors: None)
    return call.function(SimpleNamespace(**with_nothing), *call.arguments[1:])


KINDS = {one.__name__: one for one in (zeros, constant, given, cut, turned, unsaved)}


class Form:
    """The shape, dtype, and whether there is a gradient, of a tensor or an array."""

    def __init__(self, one):
        self.shape, self.dtype, self.array = tuple(one.shape), one.dtype, type(one) is np.ndarray
        self.wants = not self.array and one.requires_grad
        self.numbers = np.ravel(one if self.array else one.detach().cpu().numpy()).tolist()
        self.device = None if self.array else one.device

    def filled(self, number):
        if self.array:
            return np.full(self.shape, number, self.dtype)
        floats = self.wants and self.dtype.is_floating_point
        return mg.full(
            self.shape, number, dtype=self.dtype, device=self.device, requires_grad=floats
        )


def tells(kind, form, name):
    """Whether that rubbish is, as far as its form tells, another value than the right one.

    `name` is that of the method that is called, or "" for a function.
    """
    numbers = [n for one in leaves(form) for n in (one.numbers if type(one) is Form else [one])]
    if kind == "unsaved":
        return name == "forward"
    if kind == "cut":  # a method's history may be the engine's affair
        return not name and any(one.wants for one in leaves(form) if type(one) is Form)
    if kind == "turned":  # two methods may turn it back
        whole = len(leaves(form)) in (1, len(numbers))
        return not name and whole and numbers != numbers[::-1]
    if kind == "given":
        return numbers != [None]
    if numbers == [None]:
        return True
    return any(n != type(n)(FILLED[kind]) for n in numbers if n is not None)


def leaves(form):
    if type(form) is dict:
        form = list(form.values())
    return sum(map(leaves, form), []) if type(form) in (list, tuple) else [form]


def form_of(value):
    """A picture of a value, which keeps nothing of it alive."""
    if isinstance(value, mg.Tensor | np.ndarray):
        return Form(value)
    if type(value) in (list, tuple):
        return type(value)(form_of(one) for one in value)
    if type(value) is dict:
        return {key: form_of(one) for key, one in value.items()}
    return value if type(value) in (int, float, bool, str) else None


def filled(form, number):
    if isinstance(form, Form):
        return form.filled(number)
    if type(form) in (list, tuple):
        return type(form)(filled(one, number) for one in form)
    if type(form) is dict:
        return {key: filled(one, number) for key, one in form.items()}
    return None if form is None else type(form)(number)


def detached(value):
    if isinstance(value, mg.Tensor):
        return value.detach()
    if type(value) in (list, tuple):
        return type(value)(detached(one) for one in value)
    return value


def turned_round(value):
    if isinstance(value, mg.Tensor):
        return mg.flip(value, tuple(range(value.ndim)))
    if type(value) is np.ndarray:
        return np.flip(value)
    if type(value) in (list, tuple):
        inside = any(isinstance(one, mg.Tensor | np.ndarray) for one in value)
        return type(value)(turned_round(one) for one in value) if inside else value[::-1]
    return value


class Call:
    """A call that gives rubbish: the honest function, its arguments, its honest result's form."""

    def __init__(self, function, arguments, named, form):
        self.function, self.arguments, self.named = function, arguments, named
        self.form = form

    def work(self):
        return self.function(*self.arguments, **self.named)


class Answer:
    """A solution all of whose calls are seen; those with the numbers in `idle` give rubbish."""

    def __init__(self, solution, kind=None, idle=(), forms=()):
        self.kind, self.idle, self.forms = kind, idle, list(forms)
        self.names: list = []  # of the methods called, "" for a function
        self.function = solution
        if isinstance(solution, type):
            self.function = type(solution.__name__, (solution,), dict(self._methods(solution)))
        else:
            self.function = self._of(solution, "")

    def _methods(self, solution):
        yield "__module__", solution.__module__
        for name, one in vars(solution).items():
            inner = one.__func__ if isinstance(one, staticmethod | classmethod) else one
            if isinstance(inner, FunctionType) and name not in ("__init__", "__getattr__"):
                made = self._of(inner, name if issubclass(solution, Function) else f"its {name}")
                yield name, made if inner is one else type(one)(made)

    def _of(self, function, name):
        @functools.wraps(function)
        def answer(*arguments, **named):
            number = len(self.names)
            self.names.append(name)
            if number in self.idle:
                return self.kind(Call(function, arguments, named, self.forms[number]))
            if self.kind is None:
                self.forms.append(None)  # stays where the call ends in an error
            value = function(*arguments, **named)
            if self.kind is None:
                self.forms[number] = form_of(value)
            return value

        return answer


def honest(case, solution, seed):
    """(the outcome, the forms of what the case's calls gave, their names) of the solution."""
    answer, calls = Answer(solution), []

    def run(f, draw):
        value = case.run(f, draw)
        calls.append(len(answer.names))
        return value

    outcome = run_case(replace(case, run=run, draws=1), answer.function, seed, witnessed=True)
    return outcome, answer.forms[: calls[0]], answer.names


def idle(case, solution, seed, kind, forms, some):
    """The outcome of an answer that gives rubbish in the calls with these numbers."""
    answer = Answer(solution, KINDS[kind], some, forms)
    return run_case(replace(case, draws=1), answer.function, seed, witnessed=True)
