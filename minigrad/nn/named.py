"""What a module is made of, by name: parameters, buffers, and other modules."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from minigrad.core import words
from minigrad.core.node import NOWHERE
from minigrad.core.tensor import Tensor, check_wanted
from minigrad.ops.creation import empty
from minigrad.ops.pickling import notes


class Parameter(Tensor):
    """A tensor that a Module lists as its own. Results computed from it are plain tensors."""

    def __init__(self, data: Any = None, requires_grad: bool = True):
        data = empty(0) if data is None else data
        if not isinstance(data, Tensor):
            kind = words.kind_of(data)
            raise AttributeError(f"Parameter(): argument 'data' must be Tensor, not {kind}")
        if requires_grad:
            check_wanted(data)
        self._array, self._storage = data._array, data._storage
        self._edge = None if requires_grad else NOWHERE

    def __copy__(self):
        out = Parameter(self.data, self._requires_grad)
        out.__dict__.update(notes(self))
        return out

    def __deepcopy__(self, memo):
        """Its own elements and no more of the bytes; neither `.grad` nor attributes go along."""
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.data.clone(), self._requires_grad)
        return memo[id(self)]

    def __reduce_ex__(self, protocol):
        return Parameter, (self.data, self._requires_grad), notes(self) or None


class Named:
    """The methods of a Module that find what it has; a part is whatever an attribute holds."""

    _buffer_names: Any = ()  # names of tensors that no optimizer moves
    _absent: Mapping = MappingProxyType({})  # {name: kind} of parameters and modules that are None

    def named_children(self):
        """(name, module) of the modules right below, each once."""
        return once(self._parts())

    def _parts(self):
        """The same, each as often as it is there."""
        return self._own(Named)

    def _slots(self):
        """The same, and the places of those that are None."""
        absent = self._absent
        for name, value in vars(self).items():
            if isinstance(value, Named) or absent.get(name) == "module":
                yield name, value

    def _own(self, kind):
        buffers = self._buffer_names  # one may hold a Parameter
        return ((k, v) for k, v in vars(self).items() if isinstance(v, kind) and k not in buffers)

    def children(self):
        return (child for _, child in self.named_children())

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ):
        """(name, parameter), each once if `remove_duplicate`; only its own unless `recurse`."""
        prefix = prefix and prefix + "."
        own = ((prefix + name, p) for name, p in self._own(Parameter))
        found = self._named_parameters(prefix) if recurse else own
        return once(found) if remove_duplicate else iter(found)

    def _named_parameters(self, prefix):
        """Its own, then those below. (A list: generators in generators take twice as long.)"""
        own, below = [], []
        for name, value in vars(self).items():
            if isinstance(value, Parameter) and name not in self._buffer_names:
                own.append((prefix + name, value))
            elif isinstance(value, Named):
                below += value._named_parameters(f"{prefix}{name}.")
        return own + below

    def parameters(self, recurse: bool = True):
        """All parameters, each once."""
        found: Any = (p for _, p in self.named_parameters(recurse=recurse))
        found.__qualname__ = "Module.parameters"  # as errors tell it
        return found

    def named_buffers(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True):
        """(name, buffer) of those here and below, as named_parameters() does it."""
        found = self._named_buffers(prefix and prefix + ".", recurse)
        there = ((name, buffer) for name, buffer in found if buffer is not None)
        return once(there) if remove_duplicate else there

    def _named_buffers(self, prefix, recurse=True):
        yield from ((prefix + name, getattr(self, name)) for name in self._buffer_names)
        for name, child in self._parts() if recurse else ():
            yield from child._named_buffers(f"{prefix}{name}.")

    def buffers(self, recurse: bool = True):
        """All buffers, each once."""
        return (t for _, t in self.named_buffers(recurse=recurse))

    def named_modules(self, memo=None, prefix: str = "", remove_duplicate: bool = True):
        """(name, module) of this one, as `prefix`, and of all below, each once."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, child in self._parts():
            yield from child.named_modules(
                memo, f"{prefix}{'.' * bool(prefix)}{name}", remove_duplicate
            )

    def modules(self):
        """This one and all below, each once."""
        return (module for _, module in self.named_modules())

    def get_submodule(self, target: str):
        """The module of this name, as named_modules() tells it; "" is this one."""
        module = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Named):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def get_parameter(self, target: str):
        """The parameter of this name, as named_parameters() tells it."""
        return self._get(target, Parameter, "an nn.Parameter")

    def get_buffer(self, target: str):
        """The buffer of this name, as named_buffers() tells it."""
        return self._get(target, Tensor, "a buffer")

    def _get(self, target, kind, said):
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
        found = getattr(module, name)
        if not isinstance(found, kind) or (kind is Tensor and name not in module._buffer_names):
            raise AttributeError(f"`{name}` is not {said}")
        return found


def once(named):
    """Those of the (name, tensor) pairs whose tensor is there, and was not among them before."""
    seen = {id(None)}
    for name, tensor in named:
        if id(tensor) not in seen:
            seen.add(id(tensor))
            yield name, tensor
