"""Arguments that PyTorch's functions take by keyword and minigrad's do not.

Nothing is asked before a call. When Python has refused a keyword, the list that was recorded of
PyTorch says whether there is one of that name: with the value that it has in PyTorch if nobody
gives it, it changes nothing, and the call is made without it; else the error gets a sentence.
"""

from __future__ import annotations

import ast
import functools
import re
from functools import cache
from typing import Any

from minigrad.missing.pytorch import HERE, ON_PYTORCH

UNEXPECTED = re.compile(r"(.*)\(\) got an unexpected keyword argument '(\w+)'")
LACKS = "minigrad's {} does not know {}: leave it out"
PLACES = "minigrad.nn.", "minigrad.utils."
NO_VALUE = object()  # equal to nothing


@cache
def options() -> dict:
    """{name of a function or a class: {keyword that minigrad's lacks: its value in PyTorch}}."""
    lines = (HERE / "options.txt").read_text("utf-8").splitlines()
    rows = (line.split(" | ") for line in lines if line and line[0] != "#")
    return {name: dict(map(_parsed, those)) for name, *those in rows}


def _parsed(text: str) -> tuple:
    name, _, value = text.partition("=")
    return name, ast.literal_eval(value) if value else NO_VALUE


def without(error, name: str, args, kwargs: dict) -> Any:
    """(args, kwargs) without those of PyTorch's that change nothing, where Python has refused one.

    None if the error is another one; if the keyword does change something, it gets its note."""
    refused = UNEXPECTED.match(str(error)) if type(error) is TypeError else None
    known = options().get(name, {}) if refused else {}
    if not refused or refused[2] not in known or refused[2] not in kwargs:
        return None
    found = {key: value for key, value in kwargs.items() if not _idle(known, key, value)}
    if refused[2] in found:
        if not hasattr(error, "__notes__"):
            error.add_note(LACKS.format(name, refused[2]) + ON_PYTORCH)
        return None
    return args, found


def _idle(known, key, value) -> bool:
    usual = known.get(key, NO_VALUE)
    return type(value) is type(usual) and value == usual


def lenient(function, name: str):
    """The function, which takes such keywords."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            again = without(error, name, args, kwargs)
            if again is None:
                raise
        return call(*again[0], **again[1])

    return call


def teach(module) -> None:
    """Let a module's functions and classes take them."""
    for name in options().keys() & vars(module).keys():
        thing = vars(module)[name]
        if thing.__module__ != module.__name__ and not thing.__module__.startswith(PLACES):
            continue  # it has its name elsewhere
        if isinstance(thing, type) and "__init__" in vars(thing):
            setattr(thing, "__init__", lenient(vars(thing)["__init__"], name))  # noqa: B010
        elif not isinstance(thing, type):
            setattr(module, name, lenient(thing, name))
