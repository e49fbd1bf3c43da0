"""fits(model, batch, budget): which blocks to checkpoint, so that a training step fits in `budget`.

Copy this file; it needs PyTorch alone. It was tested with 2.13, on the processor.

    answer = fits(model, batch, 500_000, loss=lambda y: F.cross_entropy(y, labels))
    print(answer)  # a table: what each block saves, which are checkpointed, what came of it
    y = answer.run(batch)  # the model's forward, with these blocks checkpointed

The model is an nn.Sequential, or a list of (name, module): blocks that are called one after the
other, each with the one tensor that the block before it returned.

Nothing is promised that was not tried. A step is run without checkpoints, and then with more and
more of them, until one stays within the budget. It must give the same loss and gradients, and leave
the same buffers and random numbers. All this is put back; no `.grad` is touched.

What counts is what a step's operations allocate at the highest moment, the gradients of the weights
included: not weights, batch and optimizer state, which are there anyway, and not what a kernel
needs inside of one operation. So leave some room on a GPU, whose allocator also rounds up.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.checkpoint import checkpoint

__all__ = ["Fits", "fits"]


def fits(model, batch: torch.Tensor, budget: int, loss: Callable | None = None, tries: int = 20):
    """The first way that stays within `budget` bytes, recomputing as few blocks as it takes.

    loss: makes one number of what the last block returns; by default the mean of its squares.
    tries: so many ways are tried at most.
    """
    blocks = _named(model)
    step = _Stepping(blocks, batch, loss or (lambda y: y.square().mean()))
    saved, rest = step.saved()
    plain = step([])
    step.verify(step([]), plain, [])
    tried: list = []
    if plain.peak > budget:
        for way in _ways(saved, rest, budget, plain.peak)[:tries]:
            result = step(way)
            step.verify(result, plain, way)
            tried.append((result.peak, way))
            if result.peak <= budget:
                break
    peak, way = min([(plain.peak, []), *tried], key=lambda one: one[0])
    if tried and tried[-1][0] <= budget:
        peak, way = tried[-1]
    return Fits(blocks, [s.bytes for s in saved], rest, way, budget, peak, plain.peak, len(tried))


@dataclass
class Fits:
    """What came of it. `segments` are the numbers of the blocks that share a checkpoint."""

    blocks: list
    saved: list
    rest: int  # what the loss saves
    segments: list
    budget: int
    peak: int
    plain_peak: int
    tried: int

    def __bool__(self):
        return self.peak <= self.budget

    @property
    def names(self) -> list:
        """The names of the blocks of each segment."""
        return [[self.blocks[i][0] for i in segment] for segment in self.segments]

    def run(self, x):
        """The model's forward, with these segments checkpointed."""
        return _forward([block for _, block in self.blocks], self.segments, x)

    def __str__(self):
        wide = max(len(name) for name, _ in [*self.blocks, ("the loss", None)])
        numbers = {i: n for n, segment in enumerate(self.segments, 1) for i in segment}
        lines = [f"{'block':{wide}} {'saved':>15}"]
        for i, ((name, _), size) in enumerate(zip(self.blocks, self.saved, strict=True)):
            mark = f"  checkpoint {numbers[i]}" if i in numbers else ""
            lines.append(f"{name:{wide}} {size:13,} B{mark}")
        lines += [f"{'the loss':{wide}} {self.rest:13,} B", self._sentence()]
        return "\n".join(lines)

    def _sentence(self):
        peak = f"{self.peak:,} B at the highest moment, of {self.budget:,} B"
        if not self:
            ways = f"of {self.tried} ways tried with checkpoints " if self.tried else ""
            return f"It does not fit. The least {ways}is {peak}, shown here."
        if not self.segments:
            return f"It fits as it is: {peak}."
        return (
            f"It fits: {peak}; without checkpoints {self.plain_peak:,} B. Step one was run both "
            "ways: the same loss, gradients, buffers and random numbers."
        )


# -- the blocks --


def _named(model) -> list:
    """[(name, module)], one after the other."""
    named = list(model.named_children()) if isinstance(model, nn.Sequential) else model
    if not isinstance(named, (list, tuple)) or not named or not all(map(_is_named, named)):
        raise TypeError("fits() takes an nn.Sequential or a list of (name, module), not empty")
    return [(str(name), module) for name, module in named]


def _is_named(one) -> bool:
    return isinstance(one, (list, tuple)) and len(one) == 2 and isinstance(one[1], nn.Module)


def _forward(blocks, segments, x):
    """The blocks, one after the other; those of a segment in one checkpoint."""
    ends = {segment[0]: segment for segment in segments}
    i = 0
    while i < len(blocks):
        some = [blocks[j] for j in ends.get(i, [i])]
        x = _checkpointed(some, x) if i in ends else _through(some, x)
        i += len(some)
    return x


def _through(blocks, x):
    for block in blocks:
        x = block(x)
    return x


def _checkpointed(blocks, x):
    def contexts():
        return contextlib.nullcontext(), _Aside(blocks)

    return checkpoint(_through, blocks, x, use_reentrant=False, context_fn=contexts)


class _Aside:
    """Meanwhile the blocks write into copies of their buffers: BatchNorm counts a batch once."""

    def __init__(self, blocks):
        self.blocks = blocks

    def __enter__(self):
        self.real = _buffers(self.blocks)
        for place, name, buffer in self.real:
            place[name] = buffer.clone()

    def __exit__(self, *_):
        for place, name, buffer in self.real:
            place[name] = buffer


def _buffers(blocks) -> list:
    """(the dict it stands in, its name, the buffer), each once."""
    modules = dict.fromkeys(m for block in blocks for m in block.modules())
    return [(m._buffers, n, b) for m in modules for n, b in m._buffers.items() if b is not None]


# -- one step --


@dataclass
class _Result:
    loss: torch.Tensor
    grads: list
    peak: int
    left: list  # the buffers and the random state afterwards


@dataclass
class _Kept:
    """What one block saves, and the bytes of its input: what a checkpoint would save instead."""

    bytes: int
    input: int


class _Stepping:
    """Runs training steps of a model, each from the same start, and puts everything back."""

    def __init__(self, blocks, batch, loss):
        self.blocks, self.batch, self.loss = [block for _, block in blocks], batch, loss
        self.names = [name for name, _ in blocks]
        everything = dict.fromkeys(p for block in self.blocks for p in block.parameters())
        self.weights = [p for p in everything if p.requires_grad]
        outside = [batch, *everything, *(b for *_, b in _buffers(self.blocks))]
        self.outside = {_address(t) for t in outside}
        self.tolerance = min([1e-2, *(100 * torch.finfo(p.dtype).eps for p in self.weights)])
        if not self.weights and not batch.requires_grad:
            raise ValueError("nothing here requires a gradient, so nothing is saved for backward")

    def __call__(self, segments) -> _Result:
        """A step with these segments checkpointed."""
        with self.put_back():
            leaf = self.batch.detach().requires_grad_(self.batch.requires_grad)
            wanted = [*self.weights, leaf] if leaf.requires_grad else self.weights
            with _Bytes() as counted:
                loss = self.loss(_forward(self.blocks, segments, leaf))
                grads = torch.autograd.grad(loss, wanted, allow_unused=True)
            left = [b.clone() for *_, b in _buffers(self.blocks)]
            left += _random_states(self.batch.device)
            return _Result(loss.detach(), list(grads), counted.peak, left)

    def saved(self):
        """What each block saves, by storage, each storage once; and what the loss saves."""
        seen, sizes, kept = set(self.outside), [0], []

        def pack(tensor):
            if (address := _address(tensor)) not in seen:
                seen.add(address)
                sizes[-1] += tensor.untyped_storage().nbytes()
            return tensor.detach()  # the tensor itself would hold its node, and the node it

        hooks = torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor)
        with self.put_back(), hooks:
            x = self.batch.detach().requires_grad_(self.batch.requires_grad)
            for block in self.blocks:
                given = 0 if x is self.batch or _address(x) in self.outside else x.nbytes
                x = block(x)
                kept.append(_Kept(sizes[-1], given))
                sizes.append(0)
            loss = self.loss(x)
            if loss.numel() != 1:
                raise ValueError(f"the loss must be one number, but its shape is {[*loss.shape]}")
        return kept, sizes[-1]

    @contextlib.contextmanager
    def put_back(self):
        """Random numbers and buffers are afterwards what they are now."""
        buffers = [(place, name, b, b.clone()) for place, name, b in _buffers(self.blocks)]
        states = _random_states(self.batch.device)
        torch.clear_autocast_cache()  # or a step would find casts that another one has paid for
        try:
            yield
        finally:
            _set_random_states(states, self.batch.device)
            for place, name, buffer, was in buffers:
                place[name] = buffer
                with torch.no_grad():
                    buffer.copy_(was)

    def verify(self, result, plain, way) -> None:
        """An error if a step with these checkpoints is another step."""
        off = _off([result.loss, *result.grads], [plain.loss, *plain.grads])
        same = all(map(torch.equal, result.left, plain.left))
        if same and off <= self.tolerance:
            return
        if not way:
            raise RuntimeError(
                "the same step twice gives another loss, gradient or buffer: some block is not "
                "deterministic, or changes with each call, so nothing can be verified"
            )
        names = ", ".join(self.names[i] for segment in way for i in segment)
        what = (
            f"a loss or gradient is off by {off:.1g}"
            if off > self.tolerance
            else ("buffers or random numbers are left otherwise")
        )
        raise RuntimeError(
            f"with {names} checkpointed, {what}: a block there does not do the same when it runs "
            "again, so it cannot be checkpointed"
        )


def _off(some, others) -> float:
    """The largest relative difference."""
    worst = 0.0
    for a, b in zip(some, others, strict=True):
        if (a is None) != (b is None):
            return float("inf")
        if a is not None and not torch.equal(a, b):
            norm = float(b.double().norm()) or 1.0
            error = float((a.double() - b.double()).norm()) / norm
            worst = max(worst, error if error == error else float("inf"))
    return worst


class _Bytes(TorchDispatchMode):
    """Counts the storages that operations make, until they die."""

    def __init__(self):
        super().__init__()
        self.alive: dict = {}  # address -> (weak reference, bytes)
        self.live = self.peak = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        given = {_address(t) for t in tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)}
        result = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(result):
            if isinstance(tensor, torch.Tensor) and _address(tensor) not in given:
                self.see(tensor.untyped_storage())
        return result

    def see(self, storage):
        address, size = storage._cdata, storage.nbytes()
        if address not in self.alive:
            self.alive[address] = weakref.ref(storage, lambda _: self.forget(address)), size
            self.live += size
            self.peak = max(self.peak, self.live)

    def forget(self, address):
        self.live -= self.alive.pop(address)[1]


def _address(tensor) -> int:
    return tensor.untyped_storage()._cdata


def _random_states(device) -> list:
    on_device = [torch.cuda.get_rng_state(device)] if device.type == "cuda" else []
    return [torch.get_rng_state(), *on_device]


def _set_random_states(states, device) -> None:
    torch.set_rng_state(states[0])
    if device.type == "cuda":
        torch.cuda.set_rng_state(states[1], device)


# -- the ways --


def _ways(saved, rest, budget, plain_peak) -> list:
    """Lists of segments, in the order in which they are worth a try.

    Expected is what the graph holds at the highest moment, and beside it what the plain step needs
    beyond that. First come those that should fit, the least to recompute before the others.
    """
    count = len(saved)
    by_gain = sorted(range(count), key=lambda i: saved[i].input - saved[i].bytes)
    ways = [[[i] for i in sorted(by_gain[:some])] for some in range(1, count + 1)]
    for size in range(1, count):  # the last segment is needed at once: it stays as it is
        starts = range(0, count, size)
        ways.append([[*range(at, min(at + size, count))] for at in starts][:-1])
    beside = plain_peak - _expected([], saved, rest)
    unique = {str(way): way for way in ways}.values()

    def worth(way):
        expected = _expected(way, saved, rest) + beside
        if expected > budget:
            return True, expected, 0
        return False, sum(map(len, way)), expected

    return sorted(unique, key=worth)


def _expected(segments, saved, rest) -> int:
    """What the graph should hold at the highest moment of a step, by the sizes alone."""
    first = {segment[0]: segment for segment in segments}
    inside = {i for segment in segments for i in segment}
    held, before = [], 0
    for i, block in enumerate(saved):
        here = saved[i].input if i in first else 0 if i in inside else block.bytes
        before += here
        held.append(before)
    highest = before + rest
    for segment in segments:
        again = sum(saved[i].bytes for i in segment)
        highest = max(highest, held[segment[-1]] + again)
    return highest
