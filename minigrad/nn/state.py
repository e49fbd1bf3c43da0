"""state_dict() and load_state_dict(): tensors by name, and PyTorch's words for misfits."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Mapping
from typing import Any

from minigrad.core.modes import no_grad
from minigrad.core.tensor import Tensor

ERRORS = "Error(s) in loading state_dict for {}:\n\t{}"
NO_DICT = "Expected state_dict to be dict-like, got {}."
NO_TENSOR = (
    'While copying the parameter named "{}", expected torch.Tensor or Tensor-like object from '
    "checkpoint but received {}"
)
SIZES = (
    "size mismatch for {}: copying a param with shape torch.Size({}) from checkpoint, the shape in "
    "current model is torch.Size({})."
)
NOT_COPIED = (
    'While copying the parameter named "{}", whose dimensions in the model are torch.Size({}) and '
    "whose dimensions in the checkpoint are torch.Size({}), an exception occurred : {}."
)


class _IncompatibleKeys(namedtuple("IncompatibleKeys", "missing_keys unexpected_keys")):
    """What load_state_dict() returns: the names that only one side has."""

    def __repr__(self):
        return super().__repr__() if any(self) else "<All keys matched successfully>"

    __str__ = __repr__


def stored(module, state, prefix: str, keep_vars: bool) -> None:
    """Enter the tensors of `module` and of those below it into `state`."""
    if hasattr(state, "_metadata"):
        state._metadata[prefix[:-1]] = {"version": module._version}
    for name, tensor in module._lasting().items():
        state[prefix + name] = tensor if keep_vars else tensor.detach()
    for name, child in module._parts():
        child.state_dict(destination=state, prefix=f"{prefix}{name}.", keep_vars=keep_vars)


def empty_state() -> OrderedDict:
    """For stored(); it notes beside the tensors which version of its class each module is."""
    state: Any = OrderedDict()
    state._metadata = OrderedDict()
    return state


def load(module, given, strict: bool, assign: bool) -> _IncompatibleKeys:
    """Copy the tensors of the dict `given` into a module; all that is wrong makes one error."""
    if not isinstance(given, Mapping):
        raise TypeError(NO_DICT.format(type(given)))
    found = Found(getattr(given, "_metadata", None) or {}, assign)
    found.visit(module, OrderedDict(given), "")
    missing, unexpected = found.keys
    errors = found.errors
    for said, keys in (("Unexpected", unexpected), ("Missing", missing)):
        if strict and keys:
            quoted = ", ".join(f'"{key}"' for key in keys)
            errors.insert(0, f"{said} key(s) in state_dict: {quoted}. ")
    if errors:
        raise RuntimeError(ERRORS.format(type(module).__name__, "\n\t".join(errors)))
    return found.keys


class Found:
    """One load_state_dict() under way, and what it has found wrong."""

    def __init__(self, metadata: Mapping, assign: bool):
        self.metadata, self.assign = metadata, assign
        self.keys = _IncompatibleKeys([], [])
        self.errors: list = []

    def visit(self, module, state: dict, prefix: str) -> None:
        version = self.metadata.get(prefix[:-1], {}).get("version")
        module._before_loading(state, prefix, version)
        for name, tensor in module._lasting().items():
            if prefix + name in state:
                self.take(module, name, tensor, prefix + name, state[prefix + name])
            else:
                self.keys.missing_keys.append(prefix + name)
        children = dict(module._parts())
        self.keys.unexpected_keys.extend(strangers(state, prefix, module._lasting(), children))
        for name, child in children.items():
            below = f"{prefix}{name}."
            self.visit(child, {k: v for k, v in state.items() if k.startswith(below)}, below)

    def take(self, module, name: str, tensor, key: str, value) -> None:
        """Let `tensor`, the attribute `name` of a module, have the new value."""
        if not isinstance(value, Tensor):
            self.errors.append(NO_TENSOR.format(key, type(value)))
            return
        if not tensor.dim() and tuple(value.shape) == (1,):  # as very old PyTorch stored numbers
            value = value.view(())
        if value.shape != tensor.shape:
            self.errors.append(SIZES.format(key, list(value.shape), list(tensor.shape)))
        elif self.assign:
            setattr(module, name, module._as_own(tensor, value))
        else:
            try:
                with no_grad():
                    tensor.copy_(value)
            except Exception as error:
                sizes = list(tensor.shape), list(value.shape)
                self.errors.append(NOT_COPIED.format(key, *sizes, error.args))


def strangers(state: dict, prefix: str, own: dict, children: dict):
    """The keys below `prefix` that belong to no tensor and to no module."""
    for key in state:
        name, dot, _ = key.removeprefix(prefix).partition(".")
        if key.startswith(prefix) and name not in (children if dot else own):
            yield key
