"""torch.backends.cudnn: cuDNN's switches, which stay as they are set and change nothing here."""

from __future__ import annotations

import contextlib
import sys
from types import ModuleType

from minigrad.core.words import kind_of

SWITCHES = {"enabled", "benchmark", "deterministic"}
enabled, benchmark, deterministic, allow_tf32, benchmark_limit = True, False, False, True, None


def is_available() -> bool:
    return False


def version() -> int | None:
    """None: there is no cuDNN."""
    return None


@contextlib.contextmanager
def flags(enabled=False, benchmark=False, benchmark_limit=10, deterministic=False, allow_tf32=True):
    """Inside, the switches are these."""
    asked, here = dict(locals()), vars(sys.modules[__name__])
    before = {name: here[name] for name in asked}
    here.update(asked)
    try:
        yield
    finally:
        here.update(before)


class _Checked(ModuleType):
    """A module whose switches are True or False."""

    def __setattr__(self, name, value):
        if name in SWITCHES and not isinstance(value, bool):
            raise RuntimeError(f"set_{name}_cudnn expects a bool, but got {kind_of(value)}")
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Checked
