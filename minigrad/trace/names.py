"""Which names of the program lead to which tensors and nodes, at one moment."""

from __future__ import annotations

import builtins
import dis
import functools
import inspect
import sys
from collections.abc import Iterable
from itertools import compress, islice
from operator import ne
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from minigrad.autograd.graph import Node
from minigrad.nn.module import Module
from minigrad.variable import Variable

HERE = str(Path(__file__).parents[1])
inside = functools.cache(lambda file: file.startswith(HERE))  # is it one of minigrad's?
BINDING = tuple(
    f"{verb}_{what}" for verb in ("STORE", "DELETE") for what in ("FAST", "NAME", "GLOBAL", "DEREF")
)
USING = ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS")
CONSTANT = (ModuleType, FunctionType, BuiltinFunctionType, type)
MOST = 24  # targets shown of one list or module


def caller():
    """The frame of the program that called minigrad."""
    frame: Any = sys._getframe(1)
    while inside(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def chain(frame) -> dict:
    """The calls that are still running: the code of each, by the address of its frame."""
    found = {}
    while frame is not None:
        found[id(frame)] = frame.f_code
        frame = frame.f_back
    return found


@functools.cache
def leading(kind) -> bool:
    """Can a value of this type lead to tensors or nodes?"""
    return issubclass(kind, (Variable, Node, Module, list, tuple, dict))


def _stays(value) -> bool:
    """Does it lead nowhere, now and ever?"""
    return all(map(_stays, value)) if isinstance(value, tuple) else not leading(value.__class__)


def mentioned(frame) -> list:
    """The names worth following: all that the code binds, and what leads or may lead somewhere.

    Attributes are no names. Modules, functions and classes that the code only uses lead nowhere.
    """
    code = frame.f_code
    bound: set = set()
    used: set = set()
    for step in dis.get_instructions(code):
        if step.opname.startswith(BINDING):
            bound.update(step.argval if isinstance(step.argval, tuple) else [step.argval])
        elif step.opname.startswith(USING):
            used.add(step.argval)
    bound.update(code.co_cellvars, code.co_freevars)  # functions inside may bind them
    own, around = frame.f_locals, {**vars(builtins), **frame.f_globals}
    used = {n for n in used if not isinstance(own.get(n, around.get(n)), CONSTANT)}
    arguments = {n for n in code.co_varnames if not _stays(own.get(n))}
    return sorted(bound | used | arguments)


class Scope:
    """The names of one call and where they led, the last time that somebody looked.

    Values are known by address and type, so none is held. Looked at closely is only a name whose
    value is another, may have changed inside, or has got the address of a dead one.
    """

    def __init__(self, frame, names, label):
        self.code, self.names, self.label = frame.f_code, names, label
        self.copied = bool(self.code.co_flags & inspect.CO_OPTIMIZED)
        own = {*self.code.co_varnames, *self.code.co_cellvars, *self.code.co_freevars}
        self.alone = frame.f_locals is frame.f_globals or own.issuperset(names)
        self.places = range(len(names))
        self.ids: list = [id(None) for _ in names]
        self.kinds: list = [type(None) for _ in names]
        self.deep: set = set()  # places of the names whose values may change inside
        self.met: set = set()  # addresses that others' looks have seen given to something new
        self.bound: dict = {}  # name -> targets

    def changes(self, frame, recorder, closely) -> dict:
        """{name: (("t", address), ...)} of the names that may lead elsewhere than before.

        It runs once a line, so what it does for every name is left to `map`.
        """
        variables, names, before = frame.f_locals, self.names, self.ids
        outer = () if self.alone else (map(frame.f_globals.get, names),)
        values = [*map(variables.get, names, *outer)]
        if self.copied and variables.__class__ is dict:
            variables.clear()  # up to Python 3.12 a copy that the frame would keep, and all in it
        ids, kinds = [*map(id, values)], [*map(type, values)]
        places: Iterable = compress(self.places, map(ne, ids, before))
        self.ids = ids
        if closely or self.met or kinds != self.kinds:
            places, self.kinds, self.deep = self.places, kinds, set()
        elif not recorder.met.isdisjoint(ids):
            places = {*places, *compress(self.places, map(recorder.met.__contains__, ids))}
        if self.deep:
            places = {*places, *self.deep}
        found, tensors, nodes = {}, recorder.tensors, recorder.nodes
        for i in sorted(places):
            address, value = ids[i], values[i]
            if address in tensors and (not value._edge or id(value._edge[0]) in nodes):
                found[names[i]] = (("t", address),)
            elif leading(kinds[i]) or names[i] in self.bound:
                found[names[i]] = tuple(_leads(value, recorder, [])[:MOST])
                if not (isinstance(value, Variable) or _stays(value)):
                    self.deep.add(i)
        return found


def _leads(value, recorder, found: list, depth=0) -> list:
    """Add what the value leads to, and tell of it if it is older than the recording."""
    if isinstance(value, Variable):
        if id(value) not in recorder.tensors:
            recorder.meet(value)
        if value._edge and id(value._edge[0]) not in recorder.nodes:
            recorder.meet_node(value._edge[0])
        found.append(("t", id(value)))
    elif isinstance(value, Node) and not _in_forward(value):
        recorder.meet_node(value)
        found.append(("n", id(value)))
    elif isinstance(value, Module):
        for parameter in value.parameters():
            _leads(parameter, recorder, found)
    elif isinstance(value, (list, tuple, dict)) and depth < 2:
        items = value.values() if isinstance(value, dict) else value
        for item in list(islice(items, MOST)):
            if leading(item.__class__):
                _leads(item, recorder, found, depth + 1)
    return found


def _in_forward(node) -> bool:
    """A ctx whose forward is still running: its node is told of when the op is recorded."""
    return hasattr(node, "_function") and not hasattr(node, "_outputs")
