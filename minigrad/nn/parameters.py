"""Lists and dicts of parameters, which a module trains; what else they hold is only kept."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from minigrad.core.tensor import Tensor
from minigrad.nn.containers import NO_PAIRS, Keyed, check_pair
from minigrad.nn.module import Module, Parameter

NO_KEY = (
    "Index given to ParameterDict cannot be used as a key as it is not a string (type is '{}'). "
    "Open an issue on github if you need non-string keys."
)


def put(parent, name: str, value) -> None:
    """Let `parent` hold it; a tensor becomes a Parameter on its bytes."""
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        value = Parameter(value)
    setattr(parent, name, value)


def lines(items, kind) -> str:
    """What the (name, value) pairs look like; `kind` says of which kind a tensor is."""
    return "\n".join(f"  ({name}): {line(value, kind)}" for name, value in items)


def line(value, kind) -> str:
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    size = "x".join(map(str, value.shape))
    place = f" ({value.device})" if value.is_cuda else ""
    return f"Parameter containing: [{kind(value)} of size {size}{place}]"


class ParameterList(Module):
    """Parameters by number; it has no forward."""

    def __init__(self, values=None):
        self._size = 0
        if values is not None:
            self.extend(values)

    def extend(self, values):
        """Add them at the end."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            kind = type(values).__name__
            raise TypeError(
                f"ParameterList.extend should be called with an iterable, but got {kind}"
            )
        for value in values:
            self.append(value)
        return self

    def append(self, value):
        """Add one at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def _place(self, i) -> str:
        i = operator.index(i)
        if not -self._size <= i < self._size:
            raise IndexError(f"index {i} is out of range")
        return str(i % self._size)

    def __getitem__(self, i):
        if isinstance(i, slice):
            return type(self)(self[k] for k in range(*i.indices(self._size)))
        return getattr(self, self._place(i))

    def __setitem__(self, i, value):
        put(self, self._place(i), value)

    def __len__(self):
        return self._size

    def __iter__(self):
        return (self[i] for i in range(self._size))

    def __iadd__(self, values):
        return self.extend(values)

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")

    def extra_repr(self) -> str:
        return lines(enumerate(self), lambda p: p.dtype)


class ParameterDict(Keyed):
    """Parameters by name; it has no forward."""

    def __init__(self, parameters=None):
        self._keys: dict = {}  # in their order; the values are attributes
        if parameters is not None:
            self.update(parameters)

    def update(self, parameters) -> None:
        """Add those of a dict, or of (name, value) pairs."""
        if not isinstance(parameters, Iterable):
            raise TypeError(NO_PAIRS.format("ParametersDict", type(parameters).__name__))
        if isinstance(parameters, (OrderedDict, ParameterDict)):
            parameters = parameters.items()
        elif isinstance(parameters, Mapping):
            parameters = sorted(parameters.items())
        for i, pair in enumerate(parameters):
            check_pair("ParameterDict", i, pair)
            self[pair[0]] = pair[1]

    def copy(self):
        """Another dict of the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def setdefault(self, key: str, default=None):
        """What is there of that name; if nothing is, the default from now on."""
        if key not in self:
            self[key] = default
        return self[key]

    def get(self, key: str, default=None):
        return self[key] if key in self else default

    def fromkeys(self, keys, default=None):
        """A new dict with the same value for all these names."""
        return ParameterDict((key, default) for key in keys)

    def popitem(self):
        """Take the newest out: (name, value)."""
        if not self._keys:
            self._keys.popitem()  # Python's own error
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def keys(self):
        return self._keys.keys()

    def values(self):
        return (self[key] for key in self._keys)

    def items(self):
        return ((key, self[key]) for key in self._keys)

    def __getitem__(self, key):
        return getattr(self, _named(key))

    def __setitem__(self, key, value):
        self._keys[key] = None
        put(self, _named(key), value)

    def __delitem__(self, key):
        del self._keys[key]
        delattr(self, _named(key))

    def __contains__(self, key):
        return key in self._keys

    def __iter__(self):
        return iter(self._keys)

    def __reversed__(self):
        return reversed(self._keys)

    def __len__(self):
        return len(self._keys)

    def __or__(self, other):
        found = self.copy()
        found.update(other)
        return found

    def __ror__(self, other):
        found = other.copy()
        found.update(self)
        return found

    def __ior__(self, other):
        self.update(other)
        return self

    def __call__(self, input):
        raise RuntimeError("ParameterDict should not be called.")

    def extra_repr(self) -> str:
        return lines(self.items(), lambda p: p.type())


def _named(key) -> str:
    if not isinstance(key, str):
        raise TypeError(NO_KEY.format(type(key).__name__))
    return key
