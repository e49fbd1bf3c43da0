"""Lists and dicts of modules, which know of the parameters of what they hold."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping

from minigrad.nn.module import Module


def add(parent, name, module) -> None:
    """Make `module` a child of that name, if it is one and the name can be one."""
    if not isinstance(module, Module) and module is not None:
        raise TypeError(f"{type(module).__name__} is not a Module subclass")
    if not isinstance(name, str):
        raise TypeError(f"module name should be a string. Got {type(name).__name__}")
    if name and hasattr(parent, name) and name not in dict(parent._parts()):
        raise KeyError(f"attribute '{name}' already exists")
    if "." in name or not name:
        what = f'contain ".", got: {name}' if name else 'be empty string ""'
        raise KeyError(f"module name can't {what}")
    setattr(parent, name, module)


class ModuleList(Module):
    """Modules by number; it has no forward of its own."""

    def __init__(self, modules=None):
        if modules is not None:
            self.extend(modules)

    def extend(self, modules):
        """Add modules at the end."""
        if not isinstance(modules, Iterable):
            kind = type(modules).__name__
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {kind}")
        for module in list(modules):
            self.append(module)
        return self

    def append(self, module):
        """Add a module at the end."""
        add(self, str(len(self)), module)
        return self

    def insert(self, index: int, module) -> None:
        """Put a module before the one of that number."""
        modules = list(self)
        modules.insert(index, module)
        self._renew(modules)

    def pop(self, key):
        """Take a module out."""
        found = self[key]
        del self[key]
        return found

    def _renew(self, modules) -> None:
        """Hold these, and number them anew."""
        for name in [name for name, _ in self._parts()]:
            delattr(self, name)
        self.extend(modules)

    def _place(self, i) -> str:
        i, n = operator.index(i), len(self)
        if not -n <= i < n:
            raise IndexError(f"index {i} is out of range")
        return str(i % n)

    def __getitem__(self, i):
        return type(self)(list(self)[i]) if isinstance(i, slice) else getattr(self, self._place(i))

    def __setitem__(self, i, module):
        setattr(self, self._place(i), module)

    def __delitem__(self, i):
        modules = list(self)
        del modules[i if isinstance(i, slice) else int(self._place(i))]
        self._renew(modules)

    def __len__(self):
        return sum(1 for _ in self._parts())

    def __iter__(self):
        return (module for _, module in self._parts())

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


class ModuleDict(Module):
    """Modules by name; it has no forward of its own."""

    def __init__(self, modules=None):
        if modules is not None:
            self.update(modules)

    def update(self, modules) -> None:
        """Add those of a dict, or of (name, module) pairs."""
        if not isinstance(modules, Iterable):
            kind = type(modules).__name__
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                + kind
            )
        if isinstance(modules, (Mapping, ModuleDict)):
            modules = list(modules.items())
        for i, pair in enumerate(modules):
            _check_pair(i, pair)
            self[pair[0]] = pair[1]

    def clear(self) -> None:
        """Take all modules out."""
        for name in list(self):
            del self[name]

    def pop(self, key):
        """Take a module out."""
        found = self[key]
        del self[key]
        return found

    def keys(self):
        return dict(self._parts()).keys()

    def values(self):
        return dict(self._parts()).values()

    def items(self):
        return dict(self._parts()).items()

    def __getitem__(self, key):
        return dict(self._parts())[key]

    def __setitem__(self, key, module):
        add(self, key, module)

    def __delitem__(self, key):
        self[key]  # a KeyError if it is none
        delattr(self, key)

    def __contains__(self, key):
        return key in self.keys()

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())


def _check_pair(i, pair) -> None:
    if not isinstance(pair, Iterable):
        kind = type(pair).__name__
        raise TypeError(f"ModuleDict update sequence element #{i} should be Iterable; is{kind}")
    if len(pair) != 2:  # type: ignore[arg-type]
        raise ValueError(
            f"ModuleDict update sequence element #{i} has length {len(pair)}; 2 is required"  # type: ignore[arg-type]
        )
