"""Functions called around an optimizer's step, and where its state is given and taken.

A step() may be one of a program's own class: so it is wrapped, as PyTorch does it, in the class
itself, when the first optimizer of it is made. A scheduler wraps that of its optimizer once more.
"""

from __future__ import annotations

import functools
import weakref
from typing import Any

from minigrad.nn.hooks import added

KINDS = tuple(
    f"{step}_{side}"
    for step in ("step", "state_dict", "load_state_dict")
    for side in ("pre", "post")
)
PLACE = "_optimizer_{}_hooks"  # PyTorch's names, of which its errors speak
NO_PAIR = "{} must return None or a tuple of (new_args, new_kwargs), but got {}."


class HookedOptimizer:
    """What an Optimizer has of hooks; one that was never made, by super().__init__(), has none."""

    def _hear(self) -> None:
        """Places for the hooks, and a step that calls them."""
        for kind in KINDS:
            vars(self).setdefault(PLACE.format(kind), {})
        tell_of_steps(type(self))

    def _heard(self, kind: str) -> dict:
        """{id: hook} of this kind."""
        return getattr(self, PLACE.format(kind))

    def _register(self, kind: str, hook, first: bool = False):
        return added(self._heard(kind), hook, first)

    def register_step_pre_hook(self, hook):
        """Call `hook(optimizer, args, kwargs)` before a step; it may return others of both."""
        return self._register("step_pre", hook)

    def register_step_post_hook(self, hook):
        """Call `hook(optimizer, args, kwargs)` after a step."""
        return self._register("step_post", hook)

    def register_state_dict_pre_hook(self, hook, prepend: bool = False):
        """Call `hook(optimizer)` before the state is given."""
        return self._register("state_dict_pre", hook, prepend)

    def register_state_dict_post_hook(self, hook, prepend: bool = False):
        """Call `hook(optimizer, state)` then; what it returns is given in its place."""
        return self._register("state_dict_post", hook, prepend)

    def register_load_state_dict_pre_hook(self, hook, prepend: bool = False):
        """Call `hook(optimizer, state)` before it is taken; what it returns is taken instead."""
        return self._register("load_state_dict_pre", hook, prepend)

    def register_load_state_dict_post_hook(self, hook, prepend: bool = False):
        """Call `hook(optimizer)` when the state is taken."""
        return self._register("load_state_dict_post", hook, prepend)

    def _tell(self, kind: str, state: Any = None) -> Any:
        """Call the hooks of this kind; the state as they leave it, if there is one."""
        for hook in [*self._heard(kind).values()]:
            new = hook(self) if state is None else hook(self, state)
            state = state if state is None or new is None else new
        return state


def tell_of_steps(kind) -> None:
    """Let the steps of this class of optimizers call their hooks."""
    step = kind.step
    if hasattr(step, "hooked"):
        return

    @functools.wraps(step)
    def told(*args, **kwargs):
        it, *_ = args
        for hook in [*it._heard("step_pre").values()]:
            args, kwargs = _changed(step, args, kwargs, hook(it, args, kwargs))
        out = step(*args, **kwargs)
        for hook in [*it._heard("step_post").values()]:
            hook(it, args, kwargs)
        return out

    kind.step, vars(told)["hooked"] = told, True


def follow(optimizer) -> None:
    """Let the optimizer remember that it has made a step: a scheduler asks for it."""
    if hasattr(optimizer.step, "followed"):
        return
    own, step = weakref.ref(optimizer), optimizer.step.__func__  # weak: no ring keeps it alive

    @functools.wraps(step)
    def noted(*args, **kwargs):
        it: Any = own()
        it.has_stepped = True
        return step(it, *args, **kwargs)

    optimizer.step, vars(noted)["followed"] = noted, True


def _changed(step, args, kwargs, new) -> tuple:
    """What a hook before the step has made of its arguments."""
    if new is None:
        return args, kwargs
    if not (isinstance(new, tuple) and len(new) == 2):
        raise RuntimeError(NO_PAIR.format(step, new))
    return new
