"""_parameters, _buffers and _modules: what a module has, as PyTorch's dicts of it.

A part is whatever an attribute holds, so these are no dicts of their own: they read and write the
module's attributes. Programs that take modules apart, prune or normalize weights, go through them.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from minigrad.core.tensor import Tensor
from minigrad.nn.named import Named, Parameter

KINDS: dict[str, Any] = {"parameter": Parameter, "buffer": Tensor, "module": Named}


class Parts(MutableMapping):
    """{name: part} of one kind that a module has, those that are None included."""

    def __init__(self, module, kind: str):
        self._module, self._kind = module, kind

    def _now(self) -> dict:
        own, absent = vars(self._module), self._module._absent
        if self._kind == "buffer":
            return {name: own[name] for name in self._module._buffer_names}
        kind, wanted, buffers = KINDS[self._kind], self._kind, self._module._buffer_names
        found = [one for one in own.items() if one[0] not in buffers]
        return {n: v for n, v in found if isinstance(v, kind) or absent.get(n) == wanted}

    def __getitem__(self, name):
        return self._now()[name]

    def __setitem__(self, name, value):
        if value is not None and not isinstance(value, KINDS[self._kind]):
            raise NotImplementedError(
                f"minigrad's modules know a {self._kind} by its class: set the attribute {name!r} "
                "itself, or use func.functional_call"
            )
        if self._kind != "buffer":
            return self._module._fill(self._kind, name, value)
        if name not in self:
            self._module._buffer_names += (name,)
        object.__setattr__(self._module, name, value)

    def __delitem__(self, name):
        self._now()[name]  # KeyError if it is none of them
        delattr(self._module, name)

    def __iter__(self):
        return iter(self._now())

    def __len__(self):
        return len(self._now())

    def keys(self):
        return self._now().keys()

    def values(self):
        return self._now().values()

    def items(self):
        return self._now().items()

    def copy(self) -> dict:
        return self._now()

    def __repr__(self):
        return repr(self._now())


def parts(kind: str) -> Any:
    """The attribute of a module that has its parts of this kind; set, it has other ones."""

    def replace(module, new):
        old, new = Parts(module, kind), dict(new)
        old.clear()
        old.update(new)

    return property(lambda module: Parts(module, kind), replace)
