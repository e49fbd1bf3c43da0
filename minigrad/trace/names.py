"""Which names of the program lead to which tensors and nodes, at one moment."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

from minigrad.autograd.graph import Node
from minigrad.nn.module import Module
from minigrad.variable import Variable

HERE = str(Path(__file__).parents[1])
MOST = 24  # targets shown of one list or module


class Inside(dict):
    """File name -> is it one of minigrad's? Asked once for each name."""

    def __missing__(self, name):
        self[name] = name.startswith(HERE)
        return self[name]


def caller():
    """The frame of the program that called minigrad."""
    frame: Any = sys._getframe(1)
    while frame.f_code.co_filename.startswith(HERE):
        frame = frame.f_back
    return frame


def chain(frame) -> set:
    """The calls that are still running, as ids of their frames."""
    found = set()
    while frame is not None:
        found.add(id(frame))
        frame = frame.f_back
    return found


def targets(frame, followed, recorder) -> dict:
    """{name: (("t", address), ...)} for the followed names of this call that lead anywhere."""
    variables, others = frame.f_locals, frame.f_globals
    if variables is others:
        values = map(variables.get, followed)
    else:
        values = map(variables.get, followed, map(others.get, followed))
    found = {}
    leading = recorder.leading
    for name, value in zip(followed, values, strict=True):
        if leading[type(value)]:
            leads = tuple(_leads(value, recorder))[:MOST]
            if leads:
                found[name] = leads
    value = values = None
    if isinstance(variables, dict) and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        variables.clear()  # up to Python 3.12 a copy that the frame would keep, and all in it
    return found


class Leading(dict):
    """Type -> can a value of it lead to tensors or nodes? Asked once for each type."""

    def __missing__(self, kind):
        self[kind] = issubclass(kind, (Variable, Node, Module, list, tuple, dict))
        return self[kind]


def _leads(value, recorder, depth=0):
    if isinstance(value, Variable):
        if id(value) not in recorder.tensors:
            recorder.meet(value)
        if value._edge and id(value._edge[0]) not in recorder.nodes:
            recorder.meet_node(value._edge[0])
        yield "t", id(value)
    elif isinstance(value, Node):
        recorder.meet_node(value)
        yield "n", id(value)
    elif isinstance(value, Module):
        for parameter in value.parameters():
            yield from _leads(parameter, recorder)
    elif isinstance(value, (list, tuple)) and depth < 2:
        for item in value[:MOST]:
            yield from _leads(item, recorder, depth + 1)
    elif isinstance(value, dict) and depth < 2:
        for item in list(value.values())[:MOST]:
            yield from _leads(item, recorder, depth + 1)
