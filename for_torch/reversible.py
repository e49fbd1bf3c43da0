"""Reversible blocks for PyTorch: a chain whose memory does not grow with its depth.

Copy this file; it needs PyTorch alone. It was tested with 2.13, on the processor.

    net = ReversibleSequential(*[ReversibleBlock(F(), G()) for _ in range(64)])
    net(x).sum().backward()

F and G are any modules that return a tensor like their input. A block is

    y1 = x1 + F(x2)          x2 = y2 - G(y1)
    y2 = x2 + G(y1)          x1 = y1 - F(x2)

so backward can compute each block's input from its output, and only the last output is saved. The
graph has a node for each block as usual, and none of these holds an activation: the output is
handed from node to node, as a baton is. F and G run twice in a step. The second run meets the
first one's random numbers, autocast, and buffers; it never touches a weight's `.grad` or hook, nor
a buffer. What it cannot meet again (a generator of F's own, a counter, a file) is noticed most of
the time: see `tolerance`.

What it does not promise: DistributedDataParallel, FSDP, torch.compile, CUDA graphs, torch.func's
transforms, random numbers on another device than the input's. Those on a CUDA device are replayed
by code that no card has run.
"""

from __future__ import annotations

import contextlib
import copy
import threading

import torch
from torch import nn

__all__ = ["ReversibleBlock", "ReversibleSequential", "recomputing", "wrongness"]

ONCE = (
    "a reversible chain computes its activations again without recording it, so it has no second "
    "derivative: call its stored(x) instead, or leave out create_graph=True"
)
FOREIGN = (
    "{} uses a tensor that requires grad and is not one of its parameters, so its gradient would "
    "be lost; make it a Parameter of the module, or detach() it"
)
MOVED = (
    "the parameter {} of a {} was changed in place between forward and backward, so the "
    "activations cannot be computed again; call optimizer.step() after backward()"
)
SWITCHED = (
    "train() or eval() was called on a {} between forward and backward, so the activations cannot "
    "be computed again; call it after backward()"
)
BACK = (
    "the input of block {} came back with a relative error of {:.1g}: F or G is not deterministic, "
    "or rounding errors have grown; try stream_dtype=torch.float64, or tolerance=None to go on "
    "regardless"
)
REPLACED = (
    "a hook of block {} changed its {}, so the block cannot be undone; a hook of its F or G may do "
    "that"
)
GONE = (
    "block {} of a reversible chain needs its output, and it is not there: two walks go at once, "
    "or one ended in an error; call the chain anew"
)

_swapping = threading.RLock()  # while it is held, a module may show stand-ins for its parameters
_thread = threading.local()


def recomputing() -> bool:
    """Whether F or G is being run for the second time; for a hook that counts calls, say."""
    return getattr(_thread, "again", 0) > 0


class ReversibleBlock(nn.Module):
    """Additive coupling of two streams. By itself it is a plain block, whose graph stores all."""

    def __init__(self, F: nn.Module, G: nn.Module):
        super().__init__()
        if not (isinstance(F, nn.Module) and isinstance(G, nn.Module)):
            raise TypeError("F and G must be Modules, so that the chain knows their parameters")
        self.F, self.G = F, G

    def forward(self, x1, x2, within=None):
        if within is not None and within.reversible:
            f, g = _Call(self.F, within), _Call(self.G, within)
            weights = *f.parameters.values(), *g.parameters.values()
            return _Step.apply(x1, x2, within, f, g, *weights)
        dtype = x1.dtype if within is None else within.how.dtype
        y1 = x1 + _ran(self.F, x2, dtype)
        return y1, x2 + _ran(self.G, y1, dtype)

    def inverse(self, y1, y2):
        """The streams that forward made `y1` and `y2` of."""
        x2 = y2 - _ran(self.G, y1, y1.dtype)
        return y1 - _ran(self.F, x2, y1.dtype), x2


class ReversibleSequential(nn.Sequential):
    """Reversible blocks, one after the other, on the two halves of the input.

    dim: the dimension that is cut in halves; 1 for images.
    stream_dtype: add and subtract in this dtype, torch.float64 say, whatever F and G compute in.
        They get the input's dtype all the same. The gradients are then mostly those of stored(x)
        bit for bit, for four more activations, at any depth.
    tolerance: how far 64 numbers of a block's input may be off, relatively, when they come back.
        It finds an F that is not deterministic, unless the difference hides in the other numbers
        or below the tolerance; on a GPU it waits for the device once a block. None looks away.
    """

    def __init__(self, *blocks, dim=-1, stream_dtype=None, tolerance=1e-2):
        super().__init__(*blocks)
        self.dim, self.stream_dtype, self.tolerance = dim, stream_dtype, tolerance
        self._check()

    def __getitem__(self, which):
        if isinstance(which, slice):
            options = {"dim": self.dim, "stream_dtype": self.stream_dtype}
            return type(self)(*list(self)[which], **options, tolerance=self.tolerance)
        return super().__getitem__(which)

    def forward(self, x):
        return self._run(x, reversible=torch.is_grad_enabled())

    def stored(self, x):
        """The same computation with all activations kept, as plain autograd does it."""
        return self._run(x, reversible=False)

    def _run(self, x, reversible):
        self._check()
        _check_input(x, self.dim)
        reversible = reversible and any(t.requires_grad for t in (x, *self.parameters()))
        run = _Run(self, x, reversible)
        y1, y2 = _halves(x.to(self.stream_dtype or x.dtype), self.dim)
        for block in self:
            y1, y2 = run.through(block, y1, y2)
        if not reversible or not (y1.requires_grad or y2.requires_grad):
            return torch.cat([y1, y2], self.dim).to(x.dtype)
        return _Close.apply(y1, y2, run).to(x.dtype)

    def _check(self):
        for block in self:
            if not isinstance(block, ReversibleBlock):
                raise TypeError(f"expected ReversibleBlocks, but got {type(block).__name__}")


def wrongness(net: ReversibleSequential, x: torch.Tensor) -> float:
    """How far the gradients of net(x) are from those of net.stored(x), relatively; the worst.

    It tries copies, on a random gradient: neither `net` nor the state of random numbers changes.
    The answer is a figure also where `tolerance` would refuse.
    """
    found, random = [], _random_states(x.device)
    for stored in (True, False):
        with _random_numbers(random, x.device):
            one, leaf = copy.deepcopy(net), x.detach().clone().requires_grad_()
            one.tolerance = None
            leaves = [leaf, *(p for p in one.parameters() if p.requires_grad)]
            y, seed = one.stored(leaf) if stored else one(leaf), torch.randn_like(x)
            found.append(torch.autograd.grad(y, leaves, seed, materialize_grads=True))
    pairs = [(a.double(), b.double()) for a, b in zip(*found, strict=True)]
    return max(float((a - b).norm() / (a.norm() or 1)) for a, b in pairs)


# -- one forward pass --


class _Run:
    """One pass through a chain: what its nodes share, and the baton that they hand back."""

    def __init__(self, chain, x, reversible):
        self.reversible, self.how = reversible, _How(x)
        self.dim, self.tolerance = chain.dim, chain.tolerance
        self.calls: list = []  # every F and G that backward runs again
        self.steps = 0
        self.came: list = []  # the marks of the last block's streams
        self.went: list = []
        self.streams: tuple | None = None  # the baton: the two streams after block `at`
        self.at = 0
        self.finite = True

    def through(self, block, x1, x2):
        """The block's two outputs. Its hooks run, but may not change what cannot be undone."""
        given = _marks(x1, x2)
        y1, y2 = block(x1, x2, within=self)
        if self.reversible:
            if self.came != given:
                raise RuntimeError(REPLACED.format(self.steps, "input"))
            if self.went != _marks(y1, y2):
                raise RuntimeError(REPLACED.format(self.steps, "output"))
            if not (y1.requires_grad or y2.requires_grad):
                self.calls.clear()  # backward ends before it comes here
        return y1, y2

    def put(self, at, streams) -> None:
        self.at, self.streams = at, streams

    def take(self, at):
        """The streams after block `at`; from now on the caller alone holds them."""
        if self.streams is None or self.at != at:
            raise RuntimeError(GONE.format(at))
        streams, self.streams = self.streams, None
        return streams


class _How:
    """In which precision F and G compute, and where."""

    def __init__(self, x):
        self.dtype, self.device, self.autocast = x.dtype, x.device, _autocast_states(x.device)

    def precision(self):
        """The autocast of the forward pass, without its cache, which would hold every weight."""
        stack = contextlib.ExitStack()
        for kind, enabled, dtype in self.autocast:
            cast = torch.autocast(kind, dtype=dtype, enabled=enabled, cache_enabled=False)
            stack.enter_context(cast)
        return stack


class _Step(torch.autograd.Function):
    """One block as one node. The weights are its inputs, so that it exists for raw data, too."""

    @staticmethod
    def forward(ctx, x1, x2, run, f, g, *weights):
        run.steps += 1
        ctx.run, ctx.at, ctx.f, ctx.g = run, run.steps, f, g
        ctx.sample = None if run.tolerance is None else _sample(x1, x2)
        run.came = _marks(x1, x2)
        y1 = x1 + f.first(x2)
        y2 = x2 + g.first(y1)
        run.went = _marks(y1, y2)
        return y1, y2

    @staticmethod
    def backward(ctx, dy1, dy2):
        run = ctx.run
        y1, y2 = run.take(ctx.at)
        x2, through, dg = ctx.g.undo(y1, y2, dy2)
        dy1 = dy1 if through is None else dy1 + through
        del y2, through
        x1, through, df = ctx.f.undo(x2, y1, dy1)
        dy2 = dy2 if through is None else dy2 + through
        if ctx.sample is not None:
            _check_back(ctx.sample, _sample(x1, x2), ctx.at, run)
        if ctx.at > 1 and any(ctx.needs_input_grad[:2]):  # or nobody would take it
            run.put(ctx.at - 1, (x1, x2))
        return dy1, dy2, None, None, None, *df, *dg


class _Close(torch.autograd.Function):
    """The last node: it saves the output, and begins the walk back."""

    @staticmethod
    def forward(ctx, y1, y2, run):
        y = torch.cat([y1, y2], run.dim)
        ctx.run = run
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        if torch.is_grad_enabled():
            raise NotImplementedError(ONCE)
        run = ctx.run
        (y,) = ctx.saved_tensors
        for call in run.calls:
            call.check()
        if run.tolerance is not None:  # what is not finite cannot come back: let it through
            run.finite = bool(torch.isfinite(y.sum()))
        run.put(run.steps, tuple(_halves(y, run.dim)))
        return *dy.chunk(2, run.dim), None


class _Call:
    """F or G in one forward pass: run by `first`, and run again by `undo`."""

    def __init__(self, module, run):
        self.module, self.how = module, run.how
        with _swapping:
            self.parameters = dict(module.named_parameters())
            self.buffers = dict(module.named_buffers())
        self.trained = {name for name, p in self.parameters.items() if p.requires_grad}
        self.versions = _versions(self.parameters)
        self.modes = _modes(module)
        self.random = None  # where the random numbers stood, if any were drawn
        run.calls.append(self)

    def first(self, u):
        """module(u), and what it takes to do the same again."""
        random, versions = _random_states(self.how.device), _versions(self.buffers)
        buffers = {name: b.clone() for name, b in self.buffers.items()}
        with self.how.precision():
            v = _ran(self.module, u, self.how.dtype)
        if not _equal(random, _random_states(self.how.device)):
            self.random = random
        # BatchNorm moves its statistics unseen, but the count beside them is seen to move.
        owners = {_owner(n) for n, b in self.buffers.items() if _version(b) != versions[n]}
        self.buffers |= {n: b for n, b in buffers.items() if _owner(n) in owners}
        return v

    def check(self) -> None:
        for name, version in _versions(self.parameters).items():
            if version != self.versions[name]:
                raise RuntimeError(MOVED.format(name, type(self.module).__name__))
        if _modes(self.module) != self.modes:
            raise RuntimeError(SWITCHED.format(type(self.module).__name__))

    def undo(self, u, y, dy):
        """Of y = x + module(u): x, the gradient that comes to u, and those of the parameters."""
        u = u.detach().requires_grad_()
        weights = {
            name: p.detach().requires_grad_(name in self.trained)
            for name, p in self.parameters.items()
        }
        v = self._again(u, weights)
        x = y - v.detach()
        return x, *self._pull(v, u, weights, dy)

    def _again(self, u, weights):
        """module(u), recorded, on stand-ins for its parameters and buffers."""
        stand_ins = weights | {name: b.clone() for name, b in self.buffers.items()}

        def call(u):
            return torch.func.functional_call(self.module, stand_ins, (u,))

        random = self.random or _random_states(self.how.device)
        with _swapping, _random_numbers(random, self.how.device), _marked_again():
            with torch.enable_grad(), self.how.precision():
                return _ran(self.module, u, self.how.dtype, call)

    def _pull(self, v, u, weights, dv):
        """The gradient of `u`, or None, and a list of those of the parameters."""
        names = {id(u): ""}
        for some in self.parameters, weights:  # a module may keep its own list of the first
            names |= {id(p): name for name, p in some.items()}
        leaves = _leaves(v)
        if not all(id(leaf) in names for leaf in leaves):
            raise RuntimeError(FOREIGN.format(type(self.module).__name__))
        if not leaves:
            return None, [None] * len(self.parameters)
        found: dict = {}
        grads = torch.autograd.grad(v, leaves, dv.to(v.dtype), allow_unused=True)
        for leaf, grad in zip(leaves, grads, strict=True):
            if grad is not None:
                name = names[id(leaf)]
                found[name] = found[name] + grad if name in found else grad
        return found.get(""), [found.get(name) for name in self.parameters]


# -- small things --


def _ran(module, u, dtype, call=None):
    """module(u) on `u` in `dtype`; an error if the result cannot be part of a coupling."""
    name, stream = type(module).__name__, u.dtype
    u = u.to(dtype)
    version = _version(u)
    v = (call or module)(u)
    if _version(u) != version:
        raise RuntimeError(
            f"{name} changed its input in place, so the stream it came from is lost; "
            "let it compute into a new tensor"
        )
    wanted = f"{name} must return a tensor like its input, {list(u.shape)}, since it is added to "
    if not isinstance(v, torch.Tensor):
        raise RuntimeError(f"{wanted}the other stream, but it returned {type(v).__name__}")
    if v.shape != u.shape or torch.promote_types(v.dtype, stream) != stream:
        raise RuntimeError(
            f"{wanted}the other stream, {stream}, but it returned {v.dtype} {list(v.shape)}"
        )
    return v


def _check_input(x, dim) -> None:
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"a reversible chain takes one tensor, not {type(x).__name__}")
    if not x.dtype.is_floating_point:
        raise ValueError(f"a reversible chain adds real numbers: make {x.dtype} a float")
    if not -x.ndim <= dim < x.ndim or x.shape[dim] % 2 or not x.shape[dim]:
        raise ValueError(
            f"a reversible chain splits dimension {dim} in halves, so its length must be even, "
            f"but the input's shape is {list(x.shape)}"
        )


def _check_back(sample, back, at, run) -> None:
    """A few numbers of the block's input, remembered, against those that came back."""
    error = float((back - sample).norm()) / (float(sample.norm()) or 1)
    if run.finite and not error <= run.tolerance:
        raise RuntimeError(BACK.format(at, error))


def _sample(*streams, count=32):
    """Up to `count` numbers of each stream, evenly spread."""
    flat = [x.detach().reshape(-1) for x in streams]
    few = [x[:: max(x.numel() // count, 1)][:count] for x in flat]
    return torch.cat(few).to(torch.float32, copy=True)


def _halves(x, dim):
    """The two streams, each with bytes of its own."""
    return [part.clone() for part in x.chunk(2, dim)]


def _leaves(v) -> list:
    """The tensors at which the graph of `v` ends."""
    if not v.requires_grad:
        return []
    found, seen, ways = [], set(), [torch.autograd.graph.get_gradient_edge(v).node]
    while ways:
        node = ways.pop()
        if node is not None and node not in seen:
            seen.add(node)
            ways += [following for following, _ in node.next_functions]
            if node.name() == "torch::autograd::AccumulateGrad":
                found.append(node.variable)
    return found


def _version(tensor):
    return None if tensor.is_inference() else tensor._version


def _versions(tensors) -> dict:
    return {name: _version(tensor) for name, tensor in tensors.items()}


def _marks(*streams) -> list:
    """What tells whether these are still the same bytes with the same numbers."""
    return [(x.data_ptr(), _version(x)) for x in streams]


def _modes(module) -> list:
    return [one.training for one in module.modules()]


def _owner(name) -> str:
    return name.rpartition(".")[0]


def _autocast_states(device) -> list:
    """(kind of device, is it on, its dtype) for the processor and the input's device."""
    kinds = [kind for kind in {"cpu", device.type} if torch.amp.is_autocast_available(kind)]
    return [(k, torch.is_autocast_enabled(k), torch.get_autocast_dtype(k)) for k in kinds]


def _random_states(device) -> list:
    on_device = [torch.cuda.get_rng_state(device)] if device.type == "cuda" else []
    return [torch.get_rng_state(), *on_device]


def _set_random_states(states, device) -> None:
    torch.set_rng_state(states[0])
    if device.type == "cuda":
        torch.cuda.set_rng_state(states[1], device)


@contextlib.contextmanager
def _random_numbers(states, device):
    """Random numbers from `states` on; afterwards those that would have come anyway."""
    now = _random_states(device)
    _set_random_states(states, device)
    try:
        yield
    finally:
        _set_random_states(now, device)


@contextlib.contextmanager
def _marked_again():
    _thread.again = getattr(_thread, "again", 0) + 1
    try:
        yield
    finally:
        _thread.again -= 1


def _equal(some, others) -> bool:
    return all(torch.equal(a, b) for a, b in zip(some, others, strict=True))
