"""What libraries look up late and then keep: looked up once, before a learner's code.

NumPy's C code asks `sys.modules` for a function at the first sum of a process, and gives it arrays;
`platform` starts a program for what it tells; a first figure keeps arrays. A child inherits it all.
"""

import ast
import inspect
import io
import linecache
import pickle
import platform
import pydoc
import sys
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from course.sandbox.guard.asker import OURS, is_of
from course.trying import witness

CLOSED = "course.trying", "course.cases", "course.sandbox"  # whose source nobody sees
MANY = 200  # cells of a notebook, at least
REDUCTIONS = "sum", "mean", "max", "min", "prod", "any", "all", "std", "var"


def fill():
    """For all children of a warden."""
    fill_numpys()
    platform.platform()
    platform.processor()
    setattr(pydoc, "pager", pydoc.plainpager)  # noqa: B010, which `help` would set the first time
    _draw_a_figure()
    _read_sources()


def fill_numpys():
    """Each function that C code takes from one of NumPy's modules, and keeps."""
    array = np.ones((2, 2))
    for name in REDUCTIONS:
        getattr(array, name)()
    array.clip(0, 1)
    str(array), repr(array), array.dtype.name, pickle.dumps(array)
    array.dumps()
    array.dump(cast(Any, io.BytesIO()))
    np.gcd(np.array([4], object), np.array([6], object))
    pairs = np.zeros(2, "i4,i4")
    str(pairs[0]), pairs.getfield("i4"), pairs.view("i8"), np.result_type(pairs, pairs)
    str(np.add.__doc__), np.asmatrix(array) @ array
    for wrong in (_unknown_to_ufunc, _unknown_to_function, lambda: np.dtype(type("Own", (), {}))):
        with suppress(TypeError):
            wrong()


class _Refuses:
    def __array_ufunc__(self, *given, **named):
        return NotImplemented

    def __array_function__(self, *given, **named):
        return NotImplemented


def _unknown_to_ufunc():
    np.add(cast(Any, _Refuses()), 1)


def _unknown_to_function():
    np.concatenate(cast(Any, [_Refuses()]))


def _draw_a_figure():
    """Nothing where no matplotlib is."""
    if "matplotlib.pyplot" in sys.modules:
        plots = sys.modules["matplotlib.pyplot"]
        figure, axes = plots.subplots()
        axes.plot([1, 2], [3, 4], label="a line")
        axes.legend()
        figure.savefig(io.BytesIO())
        plots.close(figure)


def _read_sources():
    """The lines of our modules, and where each module is: `inspect` keeps both."""
    inspect.getsource(fill)
    inspect.getmodule(fill.__code__)
    # Else it would look through all modules for each frame of a cell.
    inspect.modulesbyfile.update((f"<cell {number}>", "__main__") for number in range(MANY))
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if is_of(name, OURS) and file:
            linecache.getlines(file)
    hide_lines(CLOSED)
    if sys.version_info < (3, 13):  # it reads a whole file to find a class there
        setattr(inspect, "ast", SimpleNamespace(**vars(ast) | {"parse": classes_in}))  # noqa: B010


def hide_lines(packages):
    """From here on nobody finds the source of these."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if is_of(name, packages) and file:
            linecache.cache[file] = 0, None, [], file


def classes_in(source, *given, **named):
    """The tree of a file as far as it has classes and functions; what else it has is let go, and
    nobody's code runs meanwhile, so what it takes is nothing that a learner holds. Of what else
    `inspect` parses, a signature say, the whole tree.
    """
    if sys._getframe(1).f_code is not inspect.findsource.__code__ or type(source) is not str:
        return ast.parse(source, *given, **named)
    return _outline(source)


def _outline(source):
    with witness.unpeaked():
        return ast.Module(_bare(ast.parse(source)), [])


def _bare(node) -> list:
    """The classes and functions below it, with nothing but what they are called and have."""
    found = []
    for below in ast.iter_child_nodes(node):
        if isinstance(below, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = below.decorator_list[0].lineno if below.decorator_list else below.lineno
            kind: Any = type(below)
            bare = kind()
            bare.name, bare.body, bare.decorator_list = below.name, _bare(below), []
            bare.lineno = first
            found.append(bare)
        else:
            found += _bare(below)
    return found
