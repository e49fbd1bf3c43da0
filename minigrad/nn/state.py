"""state_dict() and load_state_dict(): tensors by name, and PyTorch's words for misfits."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Mapping
from typing import Any

from minigrad.core.modes import no_grad
from minigrad.core.tensor import Tensor
from minigrad.nn.named import Named, Parameter
from minigrad.nn.state_hooks import StateHooked

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
NOT_OVERRIDDEN = (
    "Reached a code path in Module.{}_extra_state() that should never be called. Please file an "
    "issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this "
    "bug."
)
EXTRA = "_extra_state"  # the key, after the module's prefix


class _IncompatibleKeys(namedtuple("IncompatibleKeys", "missing_keys unexpected_keys")):
    """What load_state_dict() returns: the names that only one side has."""

    def __repr__(self):
        return super().__repr__() if any(self) else "<All keys matched successfully>"

    __str__ = __repr__


class Stateful(StateHooked, Named):
    """What a Module has of its state; a class may override how its own part is kept."""

    _version = 1  # of what the state of this class consists of
    _not_persistent: tuple = ()  # names of buffers that are no part of it

    def state_dict(self, *, destination=None, prefix: str = "", keep_vars: bool = False):
        """{name: parameter or buffer, detached unless keep_vars}: the values share the bytes."""
        state = _with(OrderedDict(), OrderedDict()) if destination is None else destination
        local = {"version": self._version}
        if hasattr(state, "_metadata"):
            state._metadata[prefix[:-1]] = local
        self._tell("before_state", prefix, keep_vars)
        self._save_to_state_dict(state, prefix, keep_vars)
        for name, child in self._parts():
            child.state_dict(destination=state, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        return self._tell("after_state", state, prefix, local)

    def _save_to_state_dict(self, destination, prefix, keep_vars) -> None:
        """Enter what this module has, without those below it."""
        for name, tensor in self._lasting().items():
            destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if self._overrides("get_extra_state"):
            destination[prefix + EXTRA] = self.get_extra_state()

    def load_state_dict(self, state_dict, strict: bool = True, assign: bool = False):
        """Copy these tensors into this module's; `assign`: put them in their place.

        If `strict`, a name that only one side has is an error; they are returned otherwise.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(NO_DICT.format(type(state_dict)))
        found = _IncompatibleKeys([], [])
        errors: list = []
        metadata = getattr(state_dict, "_metadata", None)
        state = _with(OrderedDict(state_dict), metadata)
        _load(self, state, "", metadata, assign, (*found, errors))
        for said, keys in (("Unexpected", found[1]), ("Missing", found[0])):
            if strict and keys:
                quoted = ", ".join(f'"{key}"' for key in keys)
                errors.insert(0, f"{said} key(s) in state_dict: {quoted}. ")
        if errors:
            raise RuntimeError(ERRORS.format(type(self).__name__, "\n\t".join(errors)))
        return found

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ) -> None:
        """Take what this module has; note in the three lists what is wrong."""
        lists = missing_keys, unexpected_keys, error_msgs
        self._tell("before_load", state_dict, prefix, local_metadata, strict, *lists)
        own = self._lasting()
        for name, tensor in own.items():
            if (key := prefix + name) not in state_dict:
                missing_keys.extend([key] * strict)
            elif said := _take(self, name, tensor, key, state_dict[key], local_metadata):
                error_msgs.append(said)
        key, known = prefix + EXTRA, self._overrides("set_extra_state")
        if known and key in state_dict:
            self.set_extra_state(state_dict[key])
        elif strict and (known or key in state_dict):
            (missing_keys if known else unexpected_keys).append(key)
        if strict:
            unexpected_keys.extend(_strangers(state_dict, prefix, own, dict(self._slots())))

    def get_extra_state(self):
        """Derive: whatever else shall be in the state, under the key `_extra_state`."""
        raise RuntimeError(NOT_OVERRIDDEN.format("get"))

    def set_extra_state(self, state) -> None:
        """Derive: take what get_extra_state() gave."""
        raise RuntimeError(NOT_OVERRIDDEN.format("set"))

    def _overrides(self, name: str) -> bool:
        return getattr(type(self), name) is not getattr(Stateful, name)

    def _lasting(self) -> dict:
        """{name: parameter or buffer} that the state has, without those of the modules below."""
        names = [name for name in self._buffer_names if name not in self._not_persistent]
        own = [*self._own(Parameter), *((name, getattr(self, name)) for name in names)]
        return {name: t for name, t in own if t is not None}


def _with(state: Any, metadata):
    """The state, with what is noted beside its tensors: which version of its class a module is."""
    if metadata is not None:
        state._metadata = metadata
    return state


def _load(module, state, prefix: str, metadata, assign: bool, found: tuple) -> None:
    """Let a module and those below it take what is theirs."""
    local = {} if metadata is None else metadata.get(prefix[:-1], {})
    if assign:
        local["assign_to_params_buffers"] = assign
    module._load_from_state_dict(state, prefix, local, True, *found)
    for name, child in module._parts():
        below = f"{prefix}{name}."
        part = {key: value for key, value in state.items() if key.startswith(below)}
        _load(child, part, below, metadata, assign, found)
    module._tell("after_load", _IncompatibleKeys(*found[:2]))


def _take(module, name: str, tensor, key: str, value, metadata) -> str:
    """Let `tensor`, the attribute `name` of a module, have the new value; what is wrong, or ""."""
    if not isinstance(value, Tensor):
        return NO_TENSOR.format(key, type(value))
    if not tensor.dim() and tuple(value.shape) == (1,):  # as very old PyTorch stored numbers
        value = value.view(())
    sizes = list(tensor.shape), list(value.shape)
    if value.shape != tensor.shape:
        return SIZES.format(key, *reversed(sizes))
    try:
        with no_grad():
            if metadata.get("assign_to_params_buffers"):
                setattr(module, name, _as_own(tensor, value))
            else:
                tensor.copy_(value)
    except Exception as error:
        return NOT_COPIED.format(key, *sizes, error.args)
    return ""


def _as_own(old, new):
    """`new` as what shall take the place of `old`."""
    if not isinstance(old, Parameter):
        return new
    if not isinstance(new, Parameter):
        return Parameter(new, old.requires_grad)
    return new.requires_grad_(old.requires_grad)


def _strangers(state, prefix: str, own: dict, children: dict):
    """The keys below `prefix` that belong to no tensor and to no module."""
    for key in state:
        name, dot, _ = key.removeprefix(prefix).partition(".")
        below = key.startswith(prefix) and key != prefix + EXTRA
        if below and name not in (children if dot else own):
            yield key
