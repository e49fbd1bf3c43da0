"""What a function reads besides its arguments: all that has to be as it was, for a replay to hold.

The walk starts at the function and follows what its code names: variables of closures, globals,
defaults, attributes of objects and classes, items of lists and dicts, and the functions it calls.
Each plain value on the way becomes a check; each tensor has to stay the same tensor on the same
bytes, in which new numbers may be written.
"""

from __future__ import annotations

import collections.abc
import dis
import functools
import operator
import sys
import types

import numpy as np

from minigrad.core import backend
from minigrad.core.modes import is_grad_enabled, state
from minigrad.core.storage import owner
from minigrad.core.tensor import Tensor
from minigrad.ops.generator import Generator
from minigrad.replay.tape import ReplayError

PLAIN = (int, float, complex, str, bytes, frozenset, type(None), type(...))
IMPURE = {"random", "time", "datetime", "secrets", "uuid", "numpy.random"}
FOREIGN = {*sys.stdlib_module_names, "numpy", "builtins"}
CLOSED = set("numpy builtins re enum operator _operator dataclasses _abc".split())  # constants
LIVE = (memoryview, collections.abc.MappingView)  # but these show what can change
UNSEEN = {"eval", "exec", "globals", "input"}
FIELD = type(vars(collections.namedtuple("Pair", "first"))["first"])
EMPTY = object()


class Guards:
    """`Guards(function)` looks once; `changed()` says later what is not as it was, or None."""

    def __init__(self, function):
        self.checks: list = []  # (get, arguments, value, path)
        self.tensors: dict = {}  # id of the owner of the bytes -> tensor
        self.seen: dict = {}  # id -> thing, kept so that the id stays its own
        self.expect("the grad mode", is_grad_enabled)
        self.expect("the default device", lambda: str(backend.get_default_device()))
        self.expect("the saved_tensors_hooks", getattr, state, "saved_hooks")
        self.reach(function, getattr(function, "__name__", "the function"))

    def changed(self):
        for get, arguments, value, path in self.checks:
            try:
                now = get(*arguments)
            except (LookupError, AttributeError):
                now = EMPTY
            if now is not value and not (isinstance(value, PLAIN) and same(now, value)):
                return _told(path, value, now)
        return None

    def expect(self, path, get, *arguments):
        """The value of get(*arguments) shall stay; whatever it leads to is walked too."""
        try:
            value = get(*arguments)
        except (LookupError, AttributeError):
            value = EMPTY
        self.checks.append((get, arguments, value, path))
        self.reach(value, path)
        return value

    def reach(self, thing, path) -> None:
        if isinstance(thing, PLAIN) or id(thing) in self.seen:
            return
        self.seen[id(thing)] = thing
        way = next((way for kind, way in self.WAYS if isinstance(thing, kind)), Guards._object)
        way(self, thing, path)
        if isinstance(thing, (dict, list, tuple, set)) and not _foreign(type(thing).__module__):
            self._attributes(thing, path)

    def _function(self, f, path):
        if _engine(f.__module__ or "") and _engine(f.__globals__["__name__"]):
            return
        self._pure(f.__module__)
        self._dict(vars(f), path, ".{}")
        self.expect(f"the code of {path}", getattr, f, "__code__")
        self.expect(f"a default of {path}", getattr, f, "__defaults__")
        self.expect(f"a default of {path}", getattr, f, "__kwdefaults__")
        names, variables, imports = _names(f.__code__)
        for name in sorted(imports):
            self._from_code(name, names, operator.getitem, sys.modules, name)
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
            self._from_code(name, names, _content, cell)
        if not _foreign(f.__globals__["__name__"]):
            for name in sorted(variables):
                if self._from_code(name, names, operator.getitem, f.__globals__, name) is EMPTY:
                    self._pure(name, UNSEEN, "")

    def _from_code(self, path, names, get, *arguments):
        """A variable of a function; of a module or class, what the function's code names."""
        value = self.expect(path, get, *arguments)
        if isinstance(value, types.ModuleType) and not _engine(value.__name__):
            self._pure(value.__name__)
            for name in sorted(names & vars(value).keys()):
                self._from_code(f"{path}.{name}", names, getattr, value, name)
        return value

    def _pure(self, name, impure=IMPURE, what="the module "):
        if name in impure:
            raise ReplayError(
                f"the recorded function uses {what}{name}, whose results a replay would not ask "
                "for again: pass them in as tensors, or use rand()"
            )

    def _builtin(self, f, path):
        """A function of a module in C, or a method of an object: which?"""
        self._from_code(path, set(), getattr, f, "__self__")

    def _tensor(self, t, path):
        if t.grad_fn is not None:
            raise ReplayError(
                f"{path} has a graph from before the recording, which a replay would not walk "
                "again: compute it inside the function, or detach() it"
            )
        self.tensors[id(owner(t._array))] = t
        self.checks.append((getattr, (t, "_array"), t._array, f"the data of {path}"))
        self.checks.append((getattr, (t, "_edge"), t._edge, f"requires_grad of {path}"))
        self.expect(f"the hooks of {path}", lambda t: frozenset(map(id, _hooks(t))), t)
        for name in [n for n in vars(t) if not n.startswith("_")]:
            self.expect(f"{path}.{name}", getattr, t, name)
        for hook in _hooks(t):
            self.reach(hook, f"a hook of {path}")

    def _array(self, array, path):
        self.expect(path, array.tobytes)

    def _class(self, cls, path):
        self._pure(cls.__module__)
        for base in (*cls.__mro__, *type(cls).__mro__):
            if not _foreign(base.__module__):
                for name, value in list(vars(base).items()):
                    if not name.startswith("__") or hasattr(value, "__get__"):
                        self.expect(f"{path}.{name}", operator.getitem, vars(base), name)

    def _object(self, thing, path):
        kind = type(thing)
        if kind is Generator:  # what it draws is drawn anew
            return
        if hasattr(thing, "__next__") or kind.__module__.startswith(("numpy.random", "random")):
            raise ReplayError(
                f"{path} gives something else at each call, and a replay would not ask it again: "
                "call it outside, and pass what it gives as a tensor"
            )
        if kind.__module__.partition(".")[0] in CLOSED and not isinstance(thing, LIVE):
            return
        closed = _foreign(kind.__module__) and not _engine(kind.__module__)
        if closed and kind is not types.SimpleNamespace or hasattr(thing, "__wrapped__"):
            raise ReplayError(
                f"{path} is a {kind.__name__}, into which the recording cannot look: take what you "
                "need out of it, and pass that"
            )
        self._attributes(thing, path)

    def _attributes(self, thing, path):
        self._class(type(thing), path)
        if hasattr(thing, "__dict__"):
            self._dict(vars(thing), path, ".{}")
        for name, slot in [pair for base in type(thing).__mro__ for pair in vars(base).items()]:
            if isinstance(slot, types.MemberDescriptorType):
                self.expect(f"{path}.{name}", slot.__get__, thing)

    def _dict(self, values, path, form="[{!r}]"):
        self.expect(f"the names in {path}", lambda d: frozenset(enumerate(d)), values)
        for key in list(values):
            self.expect(path + form.format(key), operator.getitem, values, key)

    def _list(self, values, path):
        self.expect(f"the length of {path}", len, values)
        for i in range(len(values)):
            self.expect(f"{path}[{i}]", operator.getitem, values, i)

    def _set(self, values, path):
        self.expect(path, frozenset, values)

    def _parts(self, thing, path):
        """What a method, a partial or a property is made of."""
        for name in ("__self__", "__func__", "func", "args", "keywords", "fget"):
            self.reach(getattr(thing, name, None), path)

    WAYS = (
        (types.FunctionType, _function),
        (Tensor, _tensor),
        (np.ndarray, _array),
        ((types.MethodType, functools.partial, property, staticmethod, classmethod), _parts),
        ((types.ModuleType, types.CodeType, FIELD), lambda *_: None),
        ((types.BuiltinFunctionType, types.MethodWrapperType), _builtin),
        (type, _class),
        ((dict, types.MappingProxyType), _dict),
        ((list, tuple, collections.deque), _list),
        (set, _set),
        (bytearray, lambda self, thing, path: self.expect(path, bytes, thing)),
    )


def _names(code) -> tuple:
    """All names in a code object and the functions inside it; the globals; the imports."""
    used: dict = {"LOAD_GLOBAL": set(), "LOAD_NAME": set(), "IMPORT_NAME": set()}
    for step in dis.get_instructions(code):
        used.get(step.opname, set()).add(step.argval)
    texts = {text for text in code.co_consts if isinstance(text, str)}  # for getattr(module, text)
    found = {*code.co_names} | texts, used["LOAD_GLOBAL"] | used["LOAD_NAME"], used["IMPORT_NAME"]
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            for names, more in zip(found, _names(inner), strict=True):
                names |= more
    return found


def _content(cell):
    try:
        return cell.cell_contents
    except ValueError:  # no value yet
        return EMPTY


def _hooks(t) -> tuple:
    return (*(t._tensor_hooks or {}).values(), *(t._grad_hooks or {}).values())


def _engine(module: str) -> bool:
    return module.partition(".")[0] == "minigrad"


def _foreign(module: str) -> bool:
    """Code that is nobody's to change while the program runs."""
    return _engine(module) or module.partition(".")[0] in FOREIGN


def same(one, other) -> bool:
    return type(one) is type(other) and one == other and str(one) == str(other)  # 0.0, -0.0


def _told(path, value, now) -> str:
    if isinstance(value, frozenset) and isinstance(now, frozenset):
        names = ", ".join(sorted({str(pair[1]) for pair in value ^ now if type(pair) is tuple}))
        return f"{path} are not the same ({names})" if names else f"{path} are not the same"
    return f"{path} was {_short(value)} and is {_short(now)} now"


def _short(value) -> str:
    text = (
        "gone" if value is EMPTY else repr(value) if isinstance(value, PLAIN) else "another object"
    )
    return text if len(text) < 40 else text[:37] + "..."
