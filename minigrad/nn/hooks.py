"""Hooks on a module: called before its forward, after it, and when gradients pass through it.

For those on gradients, inputs and outputs go through a node each that does nothing but pass on,
and on which the hook stands: so it sees the gradients of the whole module, whatever is inside.
"""

from __future__ import annotations

from typing import Any

from minigrad.core.frames import warn
from minigrad.core.function import Function
from minigrad.core.hooks import RemovableHandle
from minigrad.core.tensor import Tensor, recording
from minigrad.core.words import refused_within

NO_INPUT = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since "
    "no inputs require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module."
    "html#torch.nn.Module.register_full_backward_hook for more details."
)
NO_OUTPUT = (
    "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but "
    "received {}"
)
NO_PAIR = (
    "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {}."
)  # fmt: skip
WRONG_NUMBER = "Backward {} returned an invalid number of grad_{}, got {}, but expected {}"
NOT_NONE = (
    "Backward hook for Modules where no input requires gradient should always return None or None "
    "for all gradients."
)


class ModuleHooks:
    """All hooks of one module."""

    def __init__(self):
        self.before: dict = {}  # id: (hook(module, args), does it take kwargs, too?)
        self.after: dict = {}  # id: (hook(module, args, result), the same)
        self.backward: dict = {}  # id: hook(module, grads of inputs, grads of outputs)
        self.before_backward: dict = {}  # id: hook(module, grads of outputs)


class Hooked:
    """What a Module has of hooks."""

    _hooks: ModuleHooks | None = None  # made for the first hook
    forward: Any

    def __call__(self, *args, **kwargs):
        try:
            if self._hooks is None:
                return self.forward(*args, **kwargs)
            return watched(self, self._hooks, args, kwargs)
        except Exception as error:
            told = refused_within(error, self)
            if told is None:
                raise
        raise told

    def _register(self, kind: str, hook, first: bool) -> RemovableHandle:
        if self._hooks is None:
            self._hooks = ModuleHooks()
        hooks = getattr(self._hooks, kind)
        others = dict(hooks)
        handle = RemovableHandle(hooks, hook)
        if first:
            for key in others:
                hooks[key] = hooks.pop(key)
        return handle

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Call `hook(module, args)` before forward(); what it returns are the new args."""
        return self._register("before", (hook, with_kwargs), prepend)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Call `hook(module, args, result)` after forward(); what it returns is the new result."""
        return self._register("after", (hook, with_kwargs), prepend)

    def register_full_backward_hook(self, hook, prepend: bool = False):
        """Call `hook(module, grad_inputs, grad_outputs)` once the inputs' gradients are there; what
        it returns takes their place."""
        return self._register("backward", hook, prepend)

    def register_full_backward_pre_hook(self, hook, prepend: bool = False):
        """Call `hook(module, grad_outputs)` before they pass into the module; what it returns takes
        their place."""
        return self._register("before_backward", hook, prepend)


def watched(module, hooks: ModuleHooks, args, kwargs):
    """forward(), between the module's hooks."""
    for hook, with_kwargs in list(hooks.before.values()):
        args, kwargs = _before(module, hook, with_kwargs, args, kwargs)
    crossing = None
    if hooks.backward or hooks.before_backward:
        crossing = Crossing(module, hooks)
        args = crossing.enter(args)
    result = module.forward(*args, **kwargs)
    for hook, with_kwargs in list(hooks.after.values()):
        new = hook(module, args, kwargs, result) if with_kwargs else hook(module, args, result)
        result = result if new is None else new
    return result if crossing is None else crossing.leave(result)


def _before(module, hook, with_kwargs, args, kwargs) -> tuple:
    """The arguments as this hook leaves them."""
    if not with_kwargs:
        new = hook(module, args)
        if new is not None:
            args = new if isinstance(new, tuple) else (new,)
        return args, kwargs
    new = hook(module, args, kwargs)
    if new is None:
        return args, kwargs
    if not (isinstance(new, tuple) and len(new) == 2):
        raise RuntimeError(NO_PAIR.format(new))
    return new


class BackwardHookFunction(Function):
    """Passes everything on."""

    @staticmethod
    def forward(ctx, *tensors):
        ctx.mark_non_differentiable(*[t for t in tensors if not t.requires_grad])
        return tensors

    @staticmethod
    def backward(ctx, *grads):
        return grads


def _through_a_node(values: tuple, hook) -> tuple:
    """The values, with a node of theirs that has this hook; and which of them are tensors.

    None instead of these if no gradient will pass.
    """
    places = [i for i, value in enumerate(values) if isinstance(value, Tensor)]
    tensors = [values[i] for i in places]
    if not recording(tensors):
        return values, None
    results = BackwardHookFunction.apply(*tensors)
    node = next(t.grad_fn for t in results if t.grad_fn is not None)
    node.register_hook(hook)
    new = _spread(places, results, values)
    return new if type(values) is tuple else type(values)(*new), places


def _spread(places, some, values) -> tuple:
    """`values` with `some` at these places."""
    found = dict(zip(places, some, strict=True))
    return tuple(found.get(i, value) for i, value in enumerate(values))


class Crossing:
    """One call of a module with hooks on gradients."""

    def __init__(self, module, hooks: ModuleHooks):
        self.module = module
        self.hooks, self.pre_hooks = [*hooks.backward.values()], [*hooks.before_backward.values()]
        self.grad_outputs: tuple | None = None  # from when they arrive until the inputs' are there

    def enter(self, args: tuple) -> tuple:
        def hook(grads, _):  # of this name: an error of the engine's tells it
            return self._at_inputs(grads)

        self.inputs = len(args)
        args, self.input_places = _through_a_node(args, hook)
        return args

    def leave(self, result):
        if not isinstance(result, (Tensor, tuple)):
            warn(NO_OUTPUT.format(type(result)))

        def hook(_, grads):
            return self._at_outputs(grads)

        values = result if isinstance(result, tuple) else (result,)
        self.outputs = len(values)
        values, self.output_places = _through_a_node(values, hook)
        return values if isinstance(result, tuple) else values[0]

    def _at_outputs(self, grads):
        grads = _spread(self.output_places, grads, (None,) * self.outputs)
        for hook in self.pre_hooks:
            grads = _replaced("pre hook", "output", hook(self.module, grads), grads)
        self.grad_outputs = grads
        if self.input_places is None:
            self._without_inputs()
        return tuple(grads[i] for i in self.output_places)

    def _without_inputs(self) -> None:
        """No gradient will leave the module: its hooks are called as soon as one has come."""
        warn(NO_INPUT)
        for hook in self.hooks:
            new = hook(self.module, (None,) * self.inputs, self.grad_outputs)
            if new is not None and not (isinstance(new, tuple) and set(new) == {None}):
                raise RuntimeError(NOT_NONE)
        self.grad_outputs = None

    def _at_inputs(self, grads):
        if self.grad_outputs is None:  # it came another way than through the outputs
            return None
        grads = _spread(self.input_places, grads, (None,) * self.inputs)
        for hook in self.hooks:
            new = hook(self.module, grads, self.grad_outputs)
            grads = _replaced("hook", "input", new, grads)
        self.grad_outputs = None
        return tuple(grads[i] for i in self.input_places)


def _replaced(what, of, new, grads):
    """What a hook returned, if that is as many gradients as it was given."""
    if new is None:
        return grads
    if len(new) != len(grads):
        raise RuntimeError(WRONG_NUMBER.format(what, of, len(new), len(grads)))
    return new
