"""The graph is made of nodes: functions that know where their gradients go next.

A node holds edges (`next_functions`) and the tensors its rule saved. It holds neither the
tensor it made nor the tensors it was made from, unless the rule saved them: a tensor can die
while its node lives. Only an AccumulateGrad holds its tensor, a leaf.
"""

from __future__ import annotations

import itertools
import os
import sys
import threading
import weakref
from typing import Any

from minigrad.core import observer
from minigrad.core.arrays import dense
from minigrad.core.hooks import Hooks, RemovableHandle, check_tensor
from minigrad.core.messages import MOVED_INSIDE
from minigrad.core.modes import state

newer = itertools.count(-1, -1)  # the order of creation, newest smallest
_accumulation = threading.RLock()  # several threads may add to one leaf
if hasattr(os, "register_at_fork"):  # a child has no thread that would release it
    release = _accumulation.release
    os.register_at_fork(
        before=_accumulation.acquire, after_in_parent=release, after_in_child=release
    )
NOTHING: tuple = ()  # what a node has saved that saves nothing; it is never released
LEAVES_FIRST = 1 - 2**64  # sorts before every recorded operation


class Freed:
    """Stands where the saved tensors were; knows which backward freed them."""

    def __init__(self, site, partial: bool = False, depth: int = 0):
        self.site, self.partial = site, partial  # (file, line) of the call; went it part of the way
        self.depth = depth  # of the walks that it was in, how many were on its thread


class Node:
    """One recorded operation: an instance of its rule's class, with what this use of it kept.

    `_order` is small for new nodes: of all nodes that are ready, the newest runs first.
    `_meta` has (index, shape, dtype) of inputs that broadcasting or promotion has stretched.
    """

    _order: int
    _made = property(lambda node: node._order)  # the same, but for nodes that run at once
    next_functions: tuple = ()  # one (node or None, output number) per input
    _num_outputs = 1
    _saved: Any = NOTHING
    saves: Any = ()  # the names of `_saved`, as PyTorch spells them
    _meta: Any = ()
    _outlet: Any = staticmethod(lambda: None)  # of a write to a view: the node that the view got
    _minds = True  # that a tensor which it has saved is detached in place
    several = False  # takes any number of tensors; its hooks see also the gradients nobody wants
    _hooks: Hooks | None = None
    _asked: tuple = ()  # while the rule runs in a walk that wants some of its gradients: which

    def apply(self, grads: list, asked=None) -> list:
        """The gradients of the inputs, given those of the outputs; None for "none".

        `asked` says for each input whether the walk goes on there; None: to all of them.
        """
        raise NotImplementedError

    def apply_recorded(self, grads: list, asked=None) -> list:
        """The same where operations are recorded (create_graph); second/ has that of a rule."""
        return self.apply(grads, asked)

    def _release(self, freed) -> None:
        """Drop the saved tensors. Edges, name and plain numbers stay."""
        had, self._saved = self._saved and self._saved is not freed, freed
        for tell in observer.on_freed if had else ():
            tell(self)

    def _run(self, grads: list, asked=None) -> list:
        """apply(), between the hooks of whoever watches this node."""
        for tell in observer.on_visited:
            tell(self)
        apply = self.apply_recorded if state.grad_enabled else self.apply
        if self._hooks is None:
            return apply(grads, asked)
        grads = self._hooks.before(grads)
        outputs = apply(list(grads) if self._hooks.post else grads, asked)
        if not self.several:
            pairs = zip(outputs, self.next_functions, strict=True)
            outputs = [None if target is None else output for output, (target, _) in pairs]
        return self._hooks.after(outputs, grads)

    def _never_kept(self, index: int) -> bool:
        """True if saved tensor `index` was not needed by the gradients that were wanted."""
        return False

    def name(self) -> str:
        return type(self).__name__

    def _sequence_nr(self) -> int:
        """Larger for nodes made later."""
        return -self._order

    @property
    def needs_input_grad(self) -> tuple:
        """For each input: does anybody want its gradient? In a walk to some inputs: does it?"""
        return self._asked or tuple(node is not None for node, _ in self.next_functions)

    @property
    def metadata(self) -> dict:
        """A dict for your own notes on this node."""
        return vars(self).setdefault("_metadata", {})

    def _watch(self) -> Hooks:
        """This node's hooks, made on first use."""
        if self._hooks is None:
            self._hooks = Hooks()
        return self._hooks

    def register_hook(self, hook) -> RemovableHandle:
        """Call `hook(grad_inputs, grad_outputs)` after this node ran, before it is freed."""
        return RemovableHandle(self._watch().post, hook)

    def register_prehook(self, hook) -> RemovableHandle:
        """Call `hook(grad_outputs)` before this node runs."""
        return RemovableHandle(self._watch().pre, hook)

    def __call__(self, *grads):
        """Run the rule by hand: nothing is freed, nothing flows on."""
        if len(grads) != self._num_outputs:
            raise TypeError(f"expected {self._num_outputs} arguments, got {len(grads)} instead")
        for tell in observer.on_visited:
            tell(self)
        apply = self.apply_recorded if state.grad_enabled else self.apply
        outputs = tuple(apply(list(grads), self.needs_input_grad))
        return outputs[0] if len(outputs) == 1 else outputs

    def __repr__(self):
        return f"<{type(self).__name__} object at {id(self):#x}>"

    def __reduce_ex__(self, protocol):
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")


class AccumulateGrad(Node):
    """The end of an edge: adds what arrives to its leaf's `.grad`.

    Strong: node -> leaf. Weak: leaf -> node. So it lives as long as some graph needs it.
    """

    def __init__(self, variable):
        self.variable = variable
        self._order = LEAVES_FIRST

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"

    def apply(self, grads: list, asked=None) -> list:
        grad, leaf = grads.pop(), self.variable
        mine = leaf._edge is None and leaf._base is None  # else it may have moved into a graph
        if grad is not None and not mine and leaf.grad_fn is not None:
            raise RuntimeError(MOVED_INSIDE)
        if grad is not None and leaf._requires_grad:  # it may have been told not to
            with _accumulation:
                self.accumulate(grad)
        grad = None  # so that a hook can free it
        for hook in [*leaf._grad_hooks.values()] if leaf._grad_hooks else ():
            check_tensor(result := hook(leaf))
            if result is not None and result is not leaf:
                raise RuntimeError("Tensor post accumulate grad hooks should return None.")
        return []

    def accumulate(self, grad) -> None:
        """Take `grad` over if nobody else holds it, else copy; add in place from then on."""
        leaf = self.variable
        for tell in observer.on_arrived:
            tell(leaf, grad)
        if state.grad_enabled:  # create_graph: what is in a graph is not overwritten
            old = leaf._grad
            leaf._grad = leaf.detach().clone().copy_(grad) if old is None else old + grad
        elif leaf._grad is not None:
            leaf._grad._add_in_place(grad)
        elif only_mine(grad, self._hooks) and _laid_out_like(grad._array, leaf._array):
            leaf._grad = grad if grad._edge is NOWHERE else grad.detach()  # as a hook has made it
        else:
            leaf._grad = grad._new(grad._array.copy("F" if leaf._array.flags.fnc else "C"))
            leaf._grad._storage.version = 1  # PyTorch fills what it has made
        for tell in observer.on_accumulated:
            tell(leaf)


def _laid_out_like(grad, leaf) -> bool:
    """True if they have the same steps, or along an axis of one any but 0, which is a view's; of a
    leaf with gaps, if `grad` lies in order."""
    if grad.strides == leaf.strides and leaf.flags.forc:
        return True
    if not (leaf.flags.forc or dense(leaf)):
        return grad.flags.c_contiguous
    steps = zip(grad.shape, grad.strides, leaf.strides, strict=True)
    return all(mine if length == 1 else mine == theirs for length, mine, theirs in steps)


def accumulator(leaf) -> AccumulateGrad:
    """The leaf's one AccumulateGrad, made when a graph first needs it."""
    node = leaf._accumulator()
    if node is None:
        node = AccumulateGrad(leaf)
        leaf._accumulator = weakref.ref(node)
        if leaf._tensor_hooks:
            node._watch().tensor[0] = leaf._tensor_hooks
    return node


NOWHERE = (None, 0)  # the edge of a tensor that needs no gradient
LOST: tuple = ()  # that of a view that has to look where its gradient goes: ops/following.py


def edge(tensor) -> tuple:
    """Where a gradient of `tensor` has to go: (node, output number)."""
    if tensor._base is not None and tensor._made_at != tensor._storage.stamp:
        tensor._look_again()
    if tensor._edge is LOST:
        return tensor._was
    return tensor._edge or (accumulator(tensor), 0)


# -- does anybody else hold this gradient? If not, the engine may keep it instead of copying it --
#
# The answer is a reference count, which depends on the Python version and on how many frames the
# tensor passed through; so the number that means "alone" is measured when this file is imported,
# on the very path that the engine takes.

_count = sys.getrefcount


class _Thing:
    """Stands for a tensor and for a Storage in the measurement."""

    _storage: _Thing


def only_mine(tensor, hooks=None) -> bool:
    """True if the caller of the caller holds the one reference to `tensor`, or hooks the other.

    Its bytes may be shared: as in PyTorch, `x.view(n).backward(g)` makes `x.grad` a view of `g`.
    """
    return _count(tensor) <= (_alone + bool(hooks.post) if hooks else _alone)


def alone_in(buffer: list, number: int) -> bool:
    """True if `buffer` holds the one reference to its tensor, and that to its bytes."""
    return _count(buffer[number]) <= _listed and _count(buffer[number]._storage) <= _shared


class _Probe:
    """The path of a gradient: popped by apply(), handed to accumulate(), asked about there."""

    def apply(self, grads):
        grad = grads.pop()
        return self.accumulate(grad)

    def accumulate(self, grad):
        return _measure(grad)


def _measure(tensor):
    return _count(tensor), _count(tensor._storage)


def _calibrate():
    thing = _Thing()
    thing._storage = _Thing()
    grads = [thing]
    del thing
    listed = _count(grads[0])
    return *_Probe().apply(grads), listed


_alone, _shared, _listed = _calibrate()
