"""The names of the program's modules, and of the function that is asked about."""

from __future__ import annotations

import sys

from whoholds.engines import ENGINES
from whoholds.holders.unasked import own_dict
from whoholds.places import library


def of_modules(here):
    """(name, its names) of the modules that are the program's, but for those with the names `here`.

    What has no file and is not built in was made by the program, or by the package that it is in.
    """
    for name, module in list(sys.modules.items()):
        space = own_dict(module)
        if space is not here and _is_programs(name, space.get("__file__")):
            yield name, space


def _is_programs(name, file) -> bool:
    file = file or own_dict(sys.modules.get(name.partition(".")[0])).get("__file__")
    if type(file) is str:  # the engines are none of the program, wherever they are installed
        return not library(file) and name.partition(".")[0] not in ENGINES
    return file is None and name not in sys.builtin_module_names


def of_asked(function, here):
    """The same of a function that is in no module: a program that was run by `exec`."""
    function = getattr(function, "__func__", function)
    space = getattr(function, "__globals__", None)
    name = space.get("__name__") if type(space) is dict else None
    known = here, own_dict(sys.modules.get(name) if type(name) is str else None)
    if type(name) is str and not any(space is one for one in known):
        yield name, space
