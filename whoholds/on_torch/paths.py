"""How a module is called in the program: `net.encoder.layers.0`."""

from __future__ import annotations

import itertools
import weakref

import torch

from whoholds.frames import of_file, ours, variables
from whoholds.holders.objects import calls
from whoholds.holders.unasked import own_dict
from whoholds.places import library

CALL = torch.nn.Module.__call__.__code__


class Paths:
    """Asks the variables of the program once for each module, and then remembers."""

    def __init__(self):
        self.known: dict = {}  # id of a module -> (weak reference, path)

    def of(self, module, around=()) -> str:
        """The path of a module; that of one without a name is its class.

        `around` are the modules in whose calls its own runs, the innermost first.
        """
        ref, path = self.known.get(id(module), (None, ""))
        if ref is None or ref() is not module:
            for outer in reversed([module, *around]):
                self._find(outer)
                if id(module) in self.known:
                    break
            path = self.known[id(module)][1]
        return path

    def _find(self, module):
        for name, root in _named():
            paths = _below(root, name)
            if id(module) in paths:
                break
        else:
            paths = _below(module, type(module).__name__)
        self.known |= {key: (weakref.ref(one), path) for key, (one, path) in paths.items()}


def _named():
    """(name, module) of the variables of the program that are modules, the outermost first.

    Those of a module's own call, `self` for example, are no names of the program's.
    """
    theirs = [one for one in calls() if not ours(one.f_code.co_filename)]  # with its own: a ring
    around = itertools.takewhile(lambda one: one.f_code is not CALL, reversed(theirs))
    held = []
    for frame in [one for one in around if not library(one.f_code.co_filename)]:
        for name, value in [*variables(frame), *_of_module(frame)]:
            if issubclass(type(value), torch.nn.Module):
                yield name, value
            else:
                held += [(f"{name}.{key}", one) for key, one in own_dict(value).items()]
    yield from [row for row in held if issubclass(type(row[1]), torch.nn.Module)]


def _of_module(frame) -> list:
    """The variables of the file that a frame belongs to, unless they are its own."""
    return [] if of_file(frame) else list(frame.f_globals.items())


def _below(root, name) -> dict:
    """{id: (module, path)} of a module and those in it; a shared one has its first path."""
    found: dict = {}
    todo = [(root, name)]
    while todo:
        module, path = todo.pop()
        if id(module) not in found:
            found[id(module)] = module, path
            inner = own_dict(module).get("_modules") or {}
            todo += reversed(
                [(one, f"{path}.{key}") for key, one in inner.items() if one is not None]
            )
    return found
