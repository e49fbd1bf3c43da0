"""checkpoint(function, *args): keep the arguments, forget what was computed, and compute it again.

Backward then pays a second forward of this segment, and meanwhile no more than one segment has
its saved tensors. There are two ways to do it, PyTorch's: a Function whose backward runs a
backward of its own (use_reentrant=True), or a pair of hooks that save an empty holder in place of
each tensor (use_reentrant=False); with hooks, the graph is the one of the plain computation.
"""

from __future__ import annotations

import contextlib
import weakref

from minigrad.core.backward import backward
from minigrad.core.frames import warn
from minigrad.core.function import Function
from minigrad.core.modes import enable_grad, is_grad_enabled, state
from minigrad.core.node import Node, newer
from minigrad.core.packing import saved_tensors_hooks
from minigrad.core.saved import keep, unpack
from minigrad.core.tensor import Tensor
from minigrad.nn.containers import Sequential
from minigrad.utils import errors
from minigrad.utils.rng import random_numbers, rng_states

stops_early = True


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool):
    """Whether the checkpoints made inside end their second run with the last saved tensor."""
    global stops_early
    before, stops_early = stops_early, enable
    try:
        yield
    finally:
        stops_early = before


class CheckpointError(RuntimeError):
    """The second run of a segment was not like the first."""


def checkpoint(
    function, *args, use_reentrant=None, preserve_rng_state=True, determinism_check="default",
    debug=False, early_stop=True, **kwargs,
):  # fmt: skip
    """function(*args, **kwargs), of which only the arguments are kept; backward runs it again.

    `preserve_rng_state`: the second run draws the random numbers of the first. `early_stop`: it
    ends when the last saved tensor was found. `determinism_check="none"`: shapes may differ.
    `debug` makes PyTorch's message longer, if the two runs differ; here it changes nothing.
    """
    if "context_fn" in kwargs:
        raise NotImplementedError(errors.NOT_HERE.format("context_fn"))
    if use_reentrant is None:
        warn(errors.SAY_WHICH)
    random = rng_states() if preserve_rng_state else None
    if use_reentrant is None or use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        return CheckpointFunction.apply(function, random, *args)
    if determinism_check not in ("default", "none"):
        raise ValueError(errors.DETERMINISM.format(determinism_check))
    if not is_grad_enabled():
        return function(*args, **kwargs)
    segment = Segment(function, args, kwargs, random)
    segment.early_stop = early_stop and stops_early
    segment.checked = determinism_check == "default"
    with saved_tensors_hooks(segment.forget, segment.recall):
        result = function(*args, **kwargs)
    segment.complete = True
    return result


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """A Sequential, or functions, in so many segments; of the last one everything is kept."""
    if use_reentrant is None:
        warn(errors.SAY_WHICH_SEQUENTIAL)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if isinstance(functions, Sequential):
        functions = list(functions)
    size = len(functions) // segments
    last = size * (segments - 1)
    for start in range(0, last, size):
        run = _one_after_the_other(functions, start, start + size)
        input = checkpoint(run, input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return _one_after_the_other(functions, last, len(functions))(input)


def _one_after_the_other(functions, start, stop):
    def run(x):
        for i in range(start, stop):
            x = functions[i](x)
        return x

    return run


# -- use_reentrant=True: one node for the segment; its backward contains a whole backward --


class CheckpointFunction(Function):
    """The segment as one operation that saves nothing but its inputs."""

    @staticmethod
    def forward(ctx, function, random, *args):
        tensors = [a if isinstance(a, Tensor) else None for a in args]
        if not any(t is not None and t.requires_grad for t in tensors):
            warn(errors.NO_GRAD_INPUT)
        ctx.function, ctx.random = function, random
        ctx.others = [None if isinstance(a, Tensor) else a for a in args]
        ctx.save_for_backward(*tensors)
        return function(*args)

    @staticmethod
    def backward(ctx, *grads):
        if state.walk is not None and state.walk.partial:
            raise RuntimeError(errors.PART_OF_THE_WAY)
        inputs = [
            other if t is None else t.detach().requires_grad_(t.requires_grad)
            for t, other in zip(ctx.saved_tensors, ctx.others, strict=True)
        ]
        with enable_grad(), random_numbers(ctx.random):
            outputs = ctx.function(*inputs)
        _inner_backward(outputs if isinstance(outputs, tuple) else (outputs,), grads)
        return None, None, *[t.grad if isinstance(t, Tensor) else None for t in inputs]


def _inner_backward(outputs, grads) -> None:
    pairs = [
        (y, g)
        for y, g in zip(outputs, grads, strict=True)
        if isinstance(y, Tensor) and y.requires_grad
    ]
    if not pairs:
        raise RuntimeError(errors.NO_GRAD_OUTPUT)
    backward(*zip(*pairs, strict=True))


# -- use_reentrant=False: the plain graph, whose saved tensors are holders --


class Holder:
    """Saved in place of a tensor; after a recomputation it has that tensor, for one walk."""

    def __init__(self):
        self.found = {}  # walk -> the tensor, or None once it was handed out


class Enough(Exception):
    """Ends a recomputation: everything that was saved has been found."""


class Arguments(Node):
    """Keeps arguments as a node would: checked for changes, in the care of hooks around it."""

    def __init__(self, args):
        self.others = [None if isinstance(a, Tensor) else a for a in args]
        self._order = next(newer)
        self._saved = [keep(a) if isinstance(a, Tensor) else None for a in args]

    def _output_number(self, index):
        return None  # they are inputs

    def again(self) -> list:
        """The arguments as they were given."""
        return [
            other if entry is None else unpack(self, i)
            for i, (entry, other) in enumerate(zip(self._saved, self.others, strict=True))
        ]


class Segment:
    """What it takes to run the segment again; the holders keep it alive, as long as one lives."""

    early_stop = checked = True
    complete = False  # has the first run ended?

    def __init__(self, function, args, kwargs, random):
        self.function, self.kwargs, self.random = function, kwargs, random
        self.args = Arguments(args)
        self.holders: list = []  # weak, in the order of saving
        self.looks: list = []  # shape and dtype of each tensor
        self.walks: set = set()  # for which the segment was run again

    def forget(self, tensor):
        """The pack hook: an empty holder for the tensor."""
        holder = Holder()
        self.holders.append(weakref.ref(holder))
        self.looks.append(self.look(tensor))
        return holder

    def recall(self, holder):
        """The unpack hook: run the segment again, once per walk; then hand out what was found."""
        walk = state.walk or object()
        if walk not in self.walks:
            looks = self.run_again(walk)
            self.walks.add(walk)
            self.compare(looks)
        tensor, holder.found[walk] = holder.found[walk], None
        if tensor is None:
            raise CheckpointError(errors.UNPACKED_TWICE)
        return tensor

    def look(self, tensor) -> str:
        return errors.metadata(tensor) if self.checked else ""

    def run_again(self, walk) -> list:
        """Fill the holders for this walk; return what their tensors look like now."""
        looks: list = []

        def pack(tensor):
            tensor = tensor.detach()
            if len(looks) == len(self.holders) and self.complete:
                raise CheckpointError(errors.MORE)
            if len(looks) < len(self.holders) and (holder := self.holders[len(looks)]()):
                holder.found[walk] = tensor
            looks.append(self.look(tensor))
            if self.early_stop and len(looks) == len(self.holders):
                raise Enough
            return tensor

        args = self.args.again()
        with contextlib.suppress(Enough), random_numbers(self.random), enable_grad():
            with saved_tensors_hooks(pack, lambda tensor: tensor):
                self.function(*args, **self.kwargs)
        return looks

    def compare(self, looks) -> None:
        """An error unless the second run saved as many tensors as the first, of the same looks."""
        if not self.complete:
            return  # a backward inside the segment: the first run is not over
        if len(looks) != len(self.looks):
            raise CheckpointError(errors.OTHER_NUMBER.format(len(self.looks), len(looks)))
        wrong = [
            errors.ONE_SHAPE.format(i, old, new)
            for i, (old, new) in enumerate(zip(self.looks, looks, strict=True))
            if old != new and self.holders[i]() is not None
        ]
        if wrong:
            raise CheckpointError(errors.OTHER_SHAPE.format("".join(wrong)))
