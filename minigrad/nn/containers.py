"""Lists and dicts of modules, which know of the parameters of what they hold."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any

from minigrad.nn.module import Module

NO_PAIRS = "{}.update should be called with an iterable of key/value pairs, but got {}"
ELEMENT = "{} update sequence element #{} {}"


class Keyed(Module):
    """It holds things by a name or a number; `del self[key]` takes one out."""

    def pop(self: Any, key):
        """Take one out, and return it."""
        found = self[key]
        del self[key]
        return found

    def clear(self: Any) -> None:
        """Take all out."""
        for key in list(self):
            del self[key]


class Numbered(Module):
    """Modules in a row: what a Sequential and a ModuleList have in common."""

    pop = Keyed.pop

    def append(self, module):
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        """Add modules at the end."""
        for module in list(modules):
            self.append(module)
        return self

    def insert(self, index: int, module):
        """Put a module before the one of that number."""
        modules = list(self)
        modules.insert(index, module)
        return self._renew(modules)

    def _renew(self, modules):
        """Hold these, and number them anew."""
        for name in [name for name, _ in self._slots()]:
            delattr(self, name)
        for i, module in enumerate(modules):
            self.add_module(str(i), module)
        return self

    def _place(self, i) -> int:
        i, n = operator.index(i), len(self)
        if not -n <= i < n:
            raise IndexError(f"index {i} is out of range")
        return i

    def __getitem__(self, i):
        return list(self)[self._place(i)]

    def __setitem__(self, i, module):
        setattr(self, [*self._slots()][self._place(i)][0], module)

    def __delitem__(self, i):
        modules = list(self)
        del modules[i if isinstance(i, slice) else self._place(i)]
        self._renew(modules)

    def __len__(self):
        return sum(1 for _ in self._slots())

    def __iter__(self):
        return (module for _, module in self._slots())


class Sequential(Numbered):
    """Modules one after the other; an OrderedDict gives them names."""

    def __init__(self, *modules):
        named = {str(i): module for i, module in enumerate(modules)}
        if len(modules) == 1 and isinstance(modules[0], OrderedDict):
            named = modules[0]
        for name, module in named.items():
            self.add_module(name, module)

    def insert(self, index: int, module):
        """Put a module before the one of that number."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        return super().insert(index, module)

    def __getitem__(self, i):
        if not isinstance(i, slice):
            return super().__getitem__(i)
        return type(self)(OrderedDict([*self._slots()][i]))

    def __iadd__(self, other):
        if not isinstance(other, Sequential):
            kind = "add operator supports only objects of Sequential class, but"
            raise ValueError(f"{kind} {type(other)} is given.")
        for i, module in enumerate(list(other), len(self)):
            self.add_module(str(i), module)
        return self

    def __add__(self, other):
        result = Sequential(*self)
        result += other
        return result

    def __mul__(self, times):
        self._check_times(times)
        return Sequential(*[*self] * times)

    __rmul__ = __mul__

    def __imul__(self, times):
        self._check_times(times)
        return self.extend([*self] * (times - 1))

    def _check_times(self, times) -> None:
        if not isinstance(times, int):
            kinds = f"{type(self)} and {type(times)}"
            raise TypeError(f"unsupported operand type(s) for *: {kinds}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")

    def forward(self, x):
        for module in self:
            x = module(x)
        return x


class ModuleList(Numbered):
    """Modules by number; it has no forward of its own."""

    def __init__(self, modules=None):
        if modules is not None:
            self.extend(modules)

    def extend(self, modules):
        """Add modules at the end."""
        if not isinstance(modules, Iterable):
            kind = type(modules).__name__
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {kind}")
        return super().extend(modules)

    def insert(self, index: int, module) -> None:
        """Put a module before the one of that number."""
        super().insert(index, module)

    def __getitem__(self, i):
        return type(self)(list(self)[i]) if isinstance(i, slice) else super().__getitem__(i)

    def __iadd__(self, modules):
        return self.extend(modules)

    def __add__(self, modules):
        return ModuleList([*self, *modules])

    def __repr__(self):
        """Equal ones in a row are shown once."""
        runs: list = []  # [first, last, what it looks like]
        for i, text in enumerate(map(repr, self)):
            if runs and runs[-1][2] == text:
                runs[-1][1] = i
            else:
                runs.append([i, i, text])
        lines = (
            f"({a}): {text}" if a == b else f"({a}-{b}): {b - a + 1} x {text}"
            for a, b, text in runs
        )
        inner = "\n".join(lines).replace("\n", "\n  ")
        return f"{type(self).__name__}(" + (f"\n  {inner}\n)" if inner else ")")


class ModuleDict(Keyed):
    """Modules by name; it has no forward of its own."""

    def __init__(self, modules=None):
        if modules is not None:
            self.update(modules)

    def update(self, modules) -> None:
        """Add those of a dict, or of (name, module) pairs."""
        if not isinstance(modules, Iterable):
            raise TypeError(NO_PAIRS.format("ModuleDict", type(modules).__name__))
        if isinstance(modules, (Mapping, ModuleDict)):
            modules = list(modules.items())
        for i, pair in enumerate(modules):
            check_pair("ModuleDict", i, pair)
            self[pair[0]] = pair[1]

    def keys(self):
        return dict(self._slots()).keys()

    def values(self):
        return dict(self._slots()).values()

    def items(self):
        return dict(self._slots()).items()

    def __getitem__(self, key):
        return dict(self._slots())[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        self[key]  # a KeyError if it is none
        delattr(self, key)

    def __contains__(self, key):
        return key in self.keys()

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())


def check_pair(kind: str, i: int, pair: Any) -> None:
    """An element of what update() is given: a key and a value."""
    if not isinstance(pair, Iterable):
        raise TypeError(ELEMENT.format(kind, i, f"should be Iterable; is{type(pair).__name__}"))
    if (length := len(pair)) != 2:  # type: ignore[arg-type]
        raise ValueError(ELEMENT.format(kind, i, f"has length {length}; 2 is required"))
