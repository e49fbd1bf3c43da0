"""Which names of the program lead to which tensors and nodes, at one moment."""

from __future__ import annotations

import functools
import inspect
import sys
from itertools import compress, islice
from pathlib import Path
from typing import Any

from minigrad.autograd.graph import Node
from minigrad.nn.module import Module
from minigrad.variable import Variable

HERE = str(Path(__file__).parents[1])
inside = functools.cache(lambda file: file.startswith(HERE))  # is it one of minigrad's?
MOST = 24  # targets shown of one list or module


def caller():
    """The frame of the program that called minigrad."""
    frame: Any = sys._getframe(1)
    while inside(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def chain(frame) -> set:
    """The calls that are still running, as ids of their frames."""
    found = set()
    while frame is not None:
        found.add(id(frame))
        frame = frame.f_back
    return found


def leading(kind: type) -> bool:
    """Can a value of this type lead to tensors or nodes?"""
    return issubclass(kind, (Variable, Node, Module, list, tuple, dict))


def targets(frame, followed, recorder) -> dict:
    """{name: (("t", address), ...)} for the followed names of this call that lead anywhere.

    It runs once a line, so what it does for every name is left to `map`.
    """
    variables = frame.f_locals
    values = [*map(variables.get, followed, map(frame.f_globals.get, followed))]
    promising, found = map(recorder.leading, map(type, values)), {}
    for name, value in compress(zip(followed, values, strict=True), promising):
        if leads := _leads(value, recorder, []):
            found[name] = tuple(leads[:MOST])
    del values
    value = None
    if isinstance(variables, dict) and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        variables.clear()  # up to Python 3.12 a copy that the frame would keep, and all in it
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
            _leads(item, recorder, found, depth + 1)
    return found


def _in_forward(node) -> bool:
    """A ctx whose forward is still running: its node is told of when the op is recorded."""
    return hasattr(node, "_function") and not hasattr(node, "_outputs")
