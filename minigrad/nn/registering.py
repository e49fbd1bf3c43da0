"""What a module may have under a name: PyTorch's questions, before anything is set."""

from __future__ import annotations

from typing import Any

from minigrad.core.dtypes import dtype
from minigrad.core.tensor import Tensor
from minigrad.core.words import as_dtype
from minigrad.nn.named import Named, Parameter

WANTED = {  # what may take the place of each kind
    "parameter": "parameter '{}' (torch.nn.Parameter or None expected)",
    "module": "child module '{}' (torch.nn.Module or None expected)",
    "buffer": "buffer '{}' (torch.nn.Buffer, torch.Tensor or None expected)",
}


FITS: dict[str, Any] = {
    "parameter": Parameter,
    "module": (Named, Parameter),
    "buffer": (Tensor, Named),
}


def kind_of(module, name) -> str:
    """What a name of a module is that of: a parameter, a module, a buffer, or "" """
    value = vars(module).get(name)
    if name in module._buffer_names:
        return "buffer"
    if isinstance(value, (Parameter, Named)):
        return "parameter" if isinstance(value, Parameter) else "module"
    return module._absent.get(name, "")


def check_replaced(kind, name, value) -> None:
    """Refuse what a parameter, a module or a buffer cannot become."""
    if kind and not isinstance(value, FITS[kind]):
        raise TypeError(f"cannot assign '{typename(value)}' as {WANTED[kind].format(name)}")


def check_name(module, kind, name) -> None:
    """Refuse what can be no name of one more parameter, buffer or module."""
    if not isinstance(name, str):
        raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
    got = f", got: {name}" if kind == "module" else ""
    taken = hasattr(module, name) and kind_of(module, name) != kind
    if "." in name and not (taken and got):
        raise KeyError(f'{kind} name can\'t contain "."{got}')
    if not name:
        raise KeyError(f'{kind} name can\'t be empty string ""')
    if taken:
        raise KeyError(f"attribute '{name}' already exists")


def check_kind(kind, name, value, wanted) -> None:
    """Refuse what is no such thing; of a parameter also what is computed."""
    if value is not None and not isinstance(value, wanted):
        what = f"cannot assign '{typename(value)}' object to {kind} '{name}'"
        needed = "torch Tensor" if wanted is Tensor else "torch.nn.Parameter"
        raise TypeError(f"{what} ({needed} or None required)")


def typename(value) -> str:
    """As PyTorch calls the kind of a thing; what has a name, as a function or a class, by that."""
    if isinstance(value, Tensor):
        return value.dtype.legacy
    named = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    module = getattr(value if named else type(value), "__module__", None) or "builtins"
    name = named or type(value).__qualname__
    return name if module == "builtins" else f"{module}.{name}"


def check_floats(*given) -> None:
    """A module is moved to no dtype but one of floats."""
    for kind in map(as_dtype, given):
        if isinstance(kind, dtype) and not kind.is_floating_point:
            raise TypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                f"dtype=torch.{kind.name}"
            )
