"""What an exercise asks for and somebody has ready-made: there, calling that is refused.

    ban("SameDice", "minigrad.utils.checkpoint", "`mg.utils.checkpoint`")

While a case of that exercise runs, the functions of the module or package are others: they raise.
Not its names, which an answer may have imported long before. The exercise's card says so. What no
exercise needs is refused in all of them (EVERYWHERE), as lesson 00 says.
"""

import sys
from functools import cache
from importlib import import_module
from types import FunctionType
from typing import Any

WHY = "{} is banned in this exercise, which asks you to write just that."
EVERYWHERE = (("course.exam", "`course.exam`"),)  # finished programs, for lesson 16 alone
_bans: dict[str, list] = {}
_replaced: list = []  # (function, its code until then), the latest last


class Banned(Exception):
    """Something was called that the exercise asks to be written; the text says so."""


def ban(exercise, package, shown):
    """Refuse what `package` defines in the cases of this exercise; its card calls it `shown`."""
    _bans.setdefault(exercise, []).append((package, shown))


def bans():
    """{exercise: [(package, what its card calls that)]}."""
    return _bans


def packages(exercise):
    """The names of those that are banned in this exercise."""
    return [package for package, _ in (*EVERYWHERE, *_bans.get(exercise, ()))]


def refused(exercise):
    """Inside of this block, what is banned in this exercise raises Banned."""
    return without(*EVERYWHERE, *_bans.get(exercise, ()))


class without:
    """Inside of the block, what these (package, what the card calls that) define raises Banned.

    An alarm may end a block in any line of this. What is left then the outer block restores.
    """

    def __init__(self, *bans):
        self.bans, self.before = bans, len(_replaced)

    def __enter__(self):
        try:
            for package, shown in self.bans:
                for function in _functions(package):
                    _replaced.append((function, _code_of(function)))
                    function.__code__ = _raising(Banned(WHY.format(shown)))
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *raised):
        while len(_replaced) > self.before:
            function, function.__code__ = _replaced[-1]
            _replaced.pop()


def know():
    """Learn what is banned, before a learner's code can put another module in its place."""
    for package in {package for rows in (EVERYWHERE, *_bans.values()) for package, _ in rows}:
        _functions(package)


@cache
def _functions(package):
    """The functions and methods that a package's modules define; those that use `super` stay.

    Their code is bound to a cell. What they lead to is refused.
    """
    import_module(package)  # or an answer could do it later
    found = {}
    for name, module in list(sys.modules.items()):
        if f"{name}.".startswith(f"{package}."):
            for one in _defined(vars(module), name):
                found[id(one)] = one
    return [one for one in found.values() if not _code_of(one).co_freevars]


def _defined(names, module):
    for value in list(names.values()):
        value = getattr(value, "__func__", getattr(value, "fget", value))
        if getattr(value, "__module__", None) != module:
            continue
        if isinstance(value, FunctionType):
            yield value
        elif isinstance(value, type):
            yield from _defined(vars(value), module)


def _raising(error):
    """The code of a function that takes anything and raises `error`."""
    return _TEMPLATE.replace(
        co_consts=tuple(error if one == "error" else one for one in _TEMPLATE.co_consts)
    )


def _template(*given, **named):
    error: Any = "error"  # another thing comes in its place
    raise error


_TEMPLATE = _template.__code__
_code_of = FunctionType.__dict__["__code__"].__get__  # itself: a guard shows what does nothing
