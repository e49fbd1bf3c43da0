"""Hooks on a module's state: before and after state_dict(), and before and after loading."""

from __future__ import annotations

from minigrad.nn.hooks import Hooked

NO_ANSWER = (
    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new "
    "values, if incompatible_keys need to be modified, it should be done inplace."
)
PRIVATE = (
    "Cannot register the same function as the state dict post hook that was previously registered "
    "via register_state_dict_post_hook"
)


class StateHooked(Hooked):
    """What a Module has of them."""

    def register_state_dict_pre_hook(self, hook):
        """Call `hook(module, prefix, keep_vars)` before the module enters what it has."""
        return self._register("before_state", hook)

    def register_state_dict_post_hook(self, hook):
        """Call `hook(module, state_dict, prefix, metadata)` when all is entered."""
        hook._from_public_api = True
        return self._register("after_state", hook)

    def _register_state_dict_hook(self, hook):
        """The same; what it returns is the new state."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(PRIVATE)
        return self._register("after_state", hook)

    def _register_load_state_dict_pre_hook(self, hook, with_module: bool = False):
        """Call `hook(state_dict, prefix, metadata, strict, missing, unexpected, errors)` before the
        module takes what it has."""
        return self._register("before_load", hook, marks=["with_module"] * with_module)

    def register_load_state_dict_pre_hook(self, hook):
        """The same, with the module first."""
        return self._register_load_state_dict_pre_hook(hook, True)

    def register_load_state_dict_post_hook(self, hook):
        """Call `hook(module, incompatible_keys)` when it, and those below, have taken theirs."""
        return self._register("after_load", hook)

    def _tell(self, kind: str, *given):
        """Call the hooks of this kind with the module and the rest; returns the first of these."""
        for key, hook in [*getattr(self._hooks, kind).items()] if self._hooks else ():
            alone = kind == "before_load" and key not in self._hooks.with_module
            found = hook(*given) if alone else hook(self, *given)
            if found is not None:
                given = _answered(kind, hook, found, given)
        return given[0]


def _answered(kind: str, hook, found, given: tuple) -> tuple:
    """What the next hook is given, where one returned something."""
    if kind == "after_load":
        raise AssertionError(NO_ANSWER)
    if kind != "after_state":
        return given
    if getattr(hook, "_from_public_api", False):
        raise RuntimeError("state_dict post-hook must return None")
    return found, *given[1:]
