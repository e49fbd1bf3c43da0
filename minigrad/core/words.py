"""Whoever gives a thing of the wrong kind reads PyTorch's sentence, not Python's about our insides.

Nothing is asked before a call: that would cost each of them. It is when a call has failed that
`refused` looks at what it was given. PyTorch looks first, so an argument that had to be a tensor is
what is wrong, whatever the error says. Of other arguments the error is told anew only if it came
about by accident: none of minigrad's lines raised it.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
import types
from typing import Any, NamedTuple

import numpy

from minigrad.core.dtypes import Size, bool_, device, dtype, float64, int64
from minigrad.core.frames import code_of, entries_of, inside, variables_of
from minigrad.core.modes import state
from minigrad.core.node import LOST, edge
from minigrad.core.tensor import Tensor
from minigrad.missing import INSTRUCTIONS
from minigrad.missing.parameters import NAMES, NUMBERS_TOO, as_ours, must_be_tensor, renamed

# Files of numpy's, which are ours too: what is compiled says of its frames only the last of these.
OTHERS = os.path.dirname(numpy.__file__), "<__array_function__", "numpy/"
MAY_BE_NONE = set("weight weights bias running_mean running_var attn_mask pos_weight src".split())
EITHER = set("add sub mul div multiply divide subtract remainder floor_divide".split())
# Of these PyTorch asks more than two for an attribute.
ASKS_ALL = {"binary_cross_entropy", "margin_ranking_loss"}
CALLED = {  # PyTorch's own names of some functions
    "cross_entropy": "cross_entropy_loss", "nll_loss": "nll_loss_nd", "logsigmoid": "log_sigmoid",
    "unique": "_unique2", "dropout1d": "feature_dropout", "dropout2d": "feature_dropout",
}  # fmt: skip
# Functions whose weight or source may not be None.
NEEDED = set(
    "linear prelu embedding conv_transpose1d conv_transpose2d scatter_add_ scatter_add".split()
)
ORDER = {  # in which PyTorch looks, where it is another
    "embedding": ("weight", "x"),
    "batch_norm": ("x", "weight", "bias", "running_mean", "running_var"),
    "instance_norm": ("x", "weight", "bias", "running_mean", "running_var"),
}
COMPOSED = set(  # functions that look at what they are given before an operation of theirs does
    "flatten narrow chunk outer mse_loss nll_loss conv1d conv2d dropout argmax argmin".split()
)
BY_NAME = {"unique"}  # PyTorch gives its arguments on by name, so it tells no place
# Functions of which PyTorch lists all that it would take.
LONG = set("where clamp conv1d conv2d scatter scatter_ masked_fill lerp lerp_".split())
DTYPES = {float: float64, int: int64, bool: bool_}  # what Python's own types stand for
TAKES_DTYPE = "dtype", "target"  # parameters
UNNAMED = "dim"  # what an axis is called where nobody knows the parameter's name
ANY = "__class__"  # an attribute that everything has


class Asked(NamedTuple):
    """What a program called: its name, how many of its parameters come before the brackets, and
    the attribute that PyTorch asks the first for, where it is Python that finds it is no tensor."""

    name: str
    before: int = 0
    attribute: str = ANY


WRITTEN_IN_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE
NO_SUCH = "'{}' object has no attribute '{}'"
OPERATOR = Asked("operator", 1)


def refused(error, asked, given: dict, rest: tuple = (), named=()):
    """The error to be raised in place of `error`; None where it says itself what is wrong.

    `given` has each parameter's value; those in `named` were given by name. `rest` are others.
    Of an operator NotImplemented, where the other operand is nothing that minigrad knows.
    """
    if asked is None or not _ours(error) or hasattr(error, "__notes__"):
        return None
    text = str(error) if isinstance(error, TypeError) else ""
    operand = text.startswith("unsupported operand")
    if asked is OPERATOR:
        return NotImplemented if operand else None
    _has_failed(error, asked, given)
    given = dict([*given.items()][asked.before :])
    if asked.attribute != ANY and "() missing " in text:
        return None
    if wrong := _no_tensor(asked, given, rest, named):
        return wrong
    if text.startswith(("argument '", "missing ")):
        return _of_argument(error, asked, given, rest, named)
    return _invalid(asked, given, rest) if operand else _told_anew(error, asked, given, rest)


def _no_tensor(asked, given, rest, named):
    """The error of the first argument that must be a tensor and is none; or None."""
    for number, name in enumerate(ORDER.get(asked.name, [*given]), 1):
        value, shown = given.get(name), must_be_tensor(asked.name, name)
        if name in given and shown and not _will_do(asked.name, name, value):
            if asked.name in LONG:
                return _invalid(asked, given, rest)
            place = "" if name in named else f" (position {number})"
            function = CALLED.get(asked.name, asked.name)
            if not hasattr(value, asked.attribute) and (number < 3 or asked.name in ASKS_ALL):
                return AttributeError(NO_SUCH.format(kind_of(value), asked.attribute))
            return TypeError(
                f"{function}(): argument '{shown}'{place} must be Tensor, not {kind_of(value)}"
            )


def _has_failed(error, asked, given) -> None:
    """Ask for nodes, unless a write, PyTorch's parser or a composed function finds the fault."""
    if asked.name not in COMPOSED and asked.name[-1] != "_" and not isinstance(error, TypeError):
        for value in given.values():
            ask_for_nodes(*(value if isinstance(value, (list, tuple)) else [value]))


def ask_for_nodes(*given) -> None:
    """PyTorch asks a view for its node before it computes, and so also where that fails."""
    for value in given if state.grad_enabled else ():
        if isinstance(value, Tensor) and value._edge is LOST and not value._view_kind:
            edge(value)


def wrong_kind(name: str, wanted: str, value, place: str = "") -> TypeError:
    """The error of an argument that is no such thing: `refused` says of which function."""
    error: Any = TypeError(f"argument '{name}'{place} must be {wanted}, not {kind_of(value)}")
    error.value = value
    return error


def expected(value, kinds, name: str, wanted: str):
    """The value, if it is of these kinds; else the error of an argument that is no such thing."""
    if not isinstance(value, kinds):
        raise wrong_kind(name, wanted, value)
    return value


def _placed(error, given, rest, named) -> str:
    """The sentence, with the argument's place in the call if it was not given by name."""
    text, value = str(error), getattr(error, "value", None)
    name, given = text.split("'")[1], {one.rstrip("_"): given[one] for one in given}
    by_place = [one for one in given if one not in named]
    known = name in given or any(one is value for one in rest)
    found = name if known else next((one for one in given if given[one] is value), name)
    if name in (UNNAMED, "number") and found != "other":
        text = text.replace(f"'{name}'", f"'{found}'", 1)
    if found in named or (found not in by_place and not rest):
        return text
    place = [*by_place, found].index(found) + 1
    return text.replace("' must", f"' (position {place}) must", 1)


def _of_argument(error, asked, given, rest, named) -> TypeError:
    function = CALLED.get(asked.name, asked.name)
    if str(error).startswith("missing "):
        return TypeError(f"{function}() {error}")
    named = given if asked.name in BY_NAME else named
    return TypeError(f"{function}(): {_placed(error, given, rest, named)}")


def _will_do(function, name, value) -> bool:
    number = function in (EITHER if name in ("x", "self") else NUMBERS_TOO)
    left_out = name in MAY_BE_NONE - ({"weight", "src"} if function in NEEDED else set())
    return isinstance(value, (Tensor, int, float, numpy.generic) if number else Tensor) or (
        value is None and left_out
    )


def kind_of(value) -> str:
    """The name of its class as PyTorch writes it: whole if the class is written in C."""
    kind = type(value)
    if kind in (dtype, device, Size):
        return f"torch.{kind.__name__}"
    inner = kind.__flags__ & WRITTEN_IN_PYTHON or kind.__module__ == "builtins"
    return kind.__name__ if inner else f"{kind.__module__}.{kind.__qualname__}"


def _told_anew(error, asked, given, rest):
    """An accident in words of the call; None for an error that was raised on purpose."""
    numpys = isinstance(error, (ValueError, IndexError)) and NUMPYS.match(str(error))
    known = numpys or isinstance(error, (AttributeError, TypeError, KeyError))
    if not (known and _by_accident(error)):
        return None
    if error.__traceback__.tb_next is None:  # Python's own, of too many arguments or too few
        return TypeError(re.sub(r"^[\w.<>]+\(\)", f"{asked.name}()", str(error)))
    return _invalid(asked, given, rest)


def _invalid(asked, given, rest) -> TypeError:
    if not isinstance(wrong := given.get("dtype"), dtype | None):
        return TypeError(f"{asked.name}(): {wrong_kind('dtype', 'torch.dtype', wrong)}")
    kinds = [f"{kind_of(value)} {NAMES.get(name, name)}" for name, value in given.items()]
    got = ", ".join([*kinds, *map(kind_of, rest)])
    return TypeError(
        f"{asked.name}() received an invalid combination of arguments - got ({got}); its help() "
        "says what each is to be"
    )


def _ours(error) -> bool:
    """Is all the code that it passed through minigrad's or numpy's? A hook's errors are its own."""
    files = [entry.tb_frame.f_code.co_filename for entry in entries_of(error)]
    return all(inside(file) or file.startswith(OTHERS) for file in files)


def _by_accident(error) -> bool:
    """Did it come about without a `raise` of minigrad's?"""
    last = entries_of(error)[-1]
    code = code_of(last.tb_frame)
    doing = INSTRUCTIONS[code.co_code[last.tb_lasti]]
    return not inside(code.co_filename) or doing != "RAISE_VARARGS"


# -- numbers, at the border --

# Classes of what most calls are given, none of them a program's own; the engine's own numbers join.
USUAL = {Tensor, int, float, bool, str, type(None), tuple, list, *numpy.sctypeDict.values()}
EXACT: dict = {float: float.__float__, int: int.__int__, numpy.generic: numpy.generic.item}


def exact(value):
    """A number of a class of a program's own as the plain one that PyTorch's parser reads.

    Numpy asks such a class to compute in its place, and would hand it our arrays.
    """
    if type(value) in USUAL:
        return value
    return next((EXACT[kind](value) for kind in EXACT if issubclass(type(value), kind)), value)


# -- the names that programs call --

SAID = re.compile(r"\w+\(\)(: argument | received an invalid combination)")
NUMPYS = re.compile(
    r"The truth value of an array|only integers, slices|(not enough|too many) values"
)
CALL = re.compile(r"\S+\(\) (takes|missing|got) |'.*' object is not callable|\S+ expected ")
ASKED: dict = {}  # {the code of a function: its name}, for errors that pass through a module


def spoken(function, asked: Asked):
    """The function, telling its errors under this name."""
    if hasattr(function, "generated"):  # which does so itself
        return _with_its_name(function, asked)
    (code, depth), usual = _unwrapped(function), USUAL.issuperset
    names = getattr(function, "inputs", None) or code.co_varnames[: code.co_argcount]

    @functools.wraps(function)
    def call(*args, **kwargs):
        if not (usual(map(type, args)) and (not kwargs or usual(map(type, kwargs.values())))):
            args, kwargs = (*map(exact, args),), {name: exact(one) for name, one in kwargs.items()}
        try:
            return function(*args, **kwargs)
        except Exception as error:
            began = len(entries_of(error)) > depth
            again: Any = None if began else as_ours(error, function, code, asked, args, kwargs)
            again = again or with_dtypes(asked, names, args, kwargs)
            given = dict(zip(names, args, strict=False)) | kwargs
            told = again or [refused(error, asked, given, args[len(names) :], kwargs)]
            if told == [None]:
                raise
        if again:
            return call(*again[0], **again[1])
        if told == [NotImplemented]:
            return NotImplemented
        raise told.pop()  # a name for it would hold, by its traceback, what the call was given

    return call


def with_dtypes(asked, names, args, kwargs):
    """(args, kwargs) of the call with dtypes in place of Python's types; None if it has none."""
    by_place = [place for place, name in enumerate(names[: len(args)]) if name in TAKES_DTYPE]
    found = [as_dtype(one) if place in by_place else one for place, one in enumerate(args)]
    named = {name: as_dtype(one) if name == "dtype" else one for name, one in kwargs.items()}
    same = [*found, *named.values()] == [*args, *kwargs.values()]
    return None if same or asked.name == "type" else (found, named)  # which takes a name, too


def as_dtype(value):
    """The dtype that one of Python's types stands for; any other value as it is."""
    return DTYPES.get(value, value) if type(value) is type else value


def _with_its_name(function, asked):
    code = function.__code__ if asked.before else renamed(function.__code__)
    told = types.FunctionType(code, {**function.__globals__, "asked": asked}, asked.name)
    vars(told)["generated"] = True
    return told


def _unwrapped(function) -> tuple:
    """(the code of what is inside of its wrappers, how many frames there are up to its call)."""
    depth = 1
    while hasattr(function, "__wrapped__"):
        function, depth = function.__wrapped__, depth + 1
    return function.__code__, depth


def by_symbol(function):
    """The function as an operator: of what it does not know, Python asks the other operand."""
    return spoken(function, OPERATOR)


def name_all(
    place, names, before: int = 0, prefix: str = "", attributes=types.MappingProxyType({})
) -> None:
    """Let these functions of a module or a class tell their errors under their public names."""
    for name in names:
        function = vars(place).get(name)
        if inspect.isfunction(function):
            attribute = attributes.get(name, ANY) if not prefix else ANY
            asked = Asked(prefix + name, before, attribute)
            by_module = ANY if name in ("sigmoid", "tanh") else attribute  # which PyTorch's call
            if not function.__closure__:  # else several functions have this code
                ASKED.setdefault(function.__code__, Asked(prefix + name, 0, by_module))
            told = spoken(function, asked)
            told.__module__, told.__name__ = place.__module__ if before else place.__name__, name
            told.__qualname__ = f"{place.__name__}.{name}" if before else name
            setattr(place, name, told)


def refused_within(error, module):
    """The same for an error of a module's forward: the first named function on its way tells it."""
    frames = entries_of(error)
    if not _ours(error) or len(frames) < 2 or SAID.match(str(error)) or _of_a_call(error):
        return None
    for entry in frames[1:]:
        if asked := ASKED.get(code_of(entry.tb_frame)):
            return refused(error, asked, _given(entry.tb_frame))
    given = _given(frames[1].tb_frame)
    return refused(error, Asked(type(module).__name__, 1, "dim"), given)


def _of_a_call(error) -> bool:
    """Does Python say so of a call, as of a hook, of a child or of an activation of the program's?

    The engine gives its own functions as many arguments as they take."""
    return isinstance(error, TypeError) and _by_accident(error) and bool(CALL.match(str(error)))


def _given(frame) -> dict:
    names = frame.f_code.co_varnames[: frame.f_code.co_argcount]
    variables = variables_of(frame)
    return {name: variables[name] for name in names if name in variables}
