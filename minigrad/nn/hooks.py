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
SILENCED = (
    "module forward hook with ``always_call=True`` raised an exception that was silenced as "
    "another error was raised in forward: {}"
)
NOT_NONE = (
    "Backward hook for Modules where no input requires gradient should always return None or None "
    "for all gradients."
)


class ModuleHooks:
    """All hooks of one module."""

    def __init__(self):
        self.before: dict = {}  # id: hook(module, args)
        self.after: dict = {}  # id: hook(module, args, result)
        self.with_kwargs: set = set()  # ids of those of both that are given kwargs, too
        self.always: set = set()  # ids of those that are called even where forward() has failed
        self.backward: dict = {}  # id: hook(module, grads of inputs, grads of outputs)
        self.before_backward: dict = {}  # id: hook(module, grads of outputs)
        self.before_state: dict = {}  # see state_hooks.py, as of the others below
        self.after_state: dict = {}
        self.before_load: dict = {}
        self.after_load: dict = {}
        self.with_module: set = set()  # ids of those before_load that are given the module, too


def _dict(kind: str) -> Any:
    """PyTorch's own attribute: the hooks of this kind by their ids."""
    return property(lambda module: getattr(module._made(), kind))


class Hooked:
    """What a Module has of hooks."""

    _hooks: Any = None  # ModuleHooks, made for the first hook
    forward: Any
    _forward_pre_hooks, _forward_hooks = _dict("before"), _dict("after")
    _backward_pre_hooks, _backward_hooks = _dict("before_backward"), _dict("backward")

    def __call__(self, *args, **kwargs):
        try:
            if self._hooks is None:
                return self.forward(*args, **kwargs)
            return watched(self, self._hooks, args, kwargs)
        except Exception as error:
            told = refused_within(error, self)
            if told is None:
                raise
        try:
            raise told
        finally:
            del told  # or its traceback would hold it, and what this call was given

    def _made(self) -> ModuleHooks:
        if self._hooks is None:
            self._hooks = ModuleHooks()
        return self._hooks

    def _register(self, kind: str, hook, first: bool = False, marks=()) -> RemovableHandle:
        hooks = getattr(self._made(), kind)
        handle = added(hooks, hook, first)
        for mark in marks:
            getattr(self._hooks, mark).add(handle.id)
        return handle

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Call `hook(module, args)` before forward(); what it returns are the new args."""
        return self._register("before", hook, prepend, ["with_kwargs"] * with_kwargs)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Call `hook(module, args, result)` after forward(), with `always_call` also if that has
        failed; what it returns is the new result."""
        marks = ["with_kwargs"] * with_kwargs + ["always"] * always_call
        return self._register("after", hook, prepend, marks)

    def register_full_backward_hook(self, hook, prepend: bool = False):
        """Call `hook(module, grad_inputs, grad_outputs)` once the inputs' gradients are there; what
        it returns takes their place."""
        return self._register("backward", hook, prepend)

    def register_full_backward_pre_hook(self, hook, prepend: bool = False):
        """Call `hook(module, grad_outputs)` before they pass into the module; what it returns takes
        their place."""
        return self._register("before_backward", hook, prepend)


def added(hooks: dict, hook, first: bool) -> RemovableHandle:
    """One more hook, as the first or as the last."""
    others = dict(hooks)
    handle = RemovableHandle(hooks, hook)
    for key in others if first else ():
        hooks[key] = hooks.pop(key)
    return handle


def watched(module, hooks: ModuleHooks, args, kwargs):
    """forward(), between the module's hooks."""
    call = Call(module, hooks, args, kwargs)
    try:
        return call.run()
    except Exception:
        call.fail()
        raise


class Call:
    """One call of a module with hooks: what forward() is given, and what has come of it by now."""

    def __init__(self, module, hooks: ModuleHooks, args, kwargs):
        self.module, self.hooks = module, hooks
        self.args, self.kwargs, self.result = args, kwargs, None
        self.called: set = set()

    def run(self):
        hooks, module = self.hooks, self.module
        for key, hook in list(hooks.before.items()):
            self._before(hook, key in hooks.with_kwargs)
        crossing = None
        if hooks.backward or hooks.before_backward:
            crossing = Crossing(module, hooks)
            self.args = crossing.enter(self.args)
        self.result = module.forward(*self.args, **self.kwargs)
        for key, hook in list(hooks.after.items()):
            self.tell(key, hook)
        return self.result if crossing is None else crossing.leave(self.result)

    def _before(self, hook, with_kwargs: bool) -> None:
        """Let one that comes before forward() change what that is given."""
        if not with_kwargs:
            new = hook(self.module, self.args)
            if new is not None:
                self.args = new if isinstance(new, tuple) else (new,)
            return
        new = hook(self.module, self.args, self.kwargs)
        if new is None:
            return
        if not (isinstance(new, tuple) and len(new) == 2):
            raise RuntimeError(NO_PAIR.format(new))
        self.args, self.kwargs = new

    def tell(self, key, hook) -> None:
        """Call one that comes after forward()."""
        self.called.add(key)
        kwargs = (self.kwargs,) if key in self.hooks.with_kwargs else ()
        new = hook(self.module, self.args, *kwargs, self.result)
        self.result = self.result if new is None else new

    def fail(self) -> None:
        """Call those that are called in any case, if they have not been."""
        for key, hook in list(self.hooks.after.items()):
            if key in self.hooks.always - self.called:
                try:
                    self.tell(key, hook)
                except Exception as error:
                    warn(SILENCED.format(error))


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
