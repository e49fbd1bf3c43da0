"""A module with a few names of its own: how an engine is lent another's memory functions."""

import types


class Facade(types.ModuleType):
    """A module that shows `target`'s names, and a few of its own first."""

    def __init__(self, target, **own):
        super().__init__(target.__name__, target.__doc__)
        self._target = target
        self.__dict__.update(own)

    def __getattr__(self, name):
        return getattr(self._target, name)

    def __dir__(self):
        return sorted({*dir(self._target), *self.__dict__})
