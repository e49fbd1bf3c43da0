"""The graph is made of nodes: functions that know where their gradients go next.

A node holds edges (`next_functions`) and the tensors its rule saved. It holds neither the
tensor it made nor the tensors it was made from, unless the rule saved them: a tensor can die
while its node lives. Only an AccumulateGrad holds its tensor, a leaf.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from typing import Any

from minigrad.core import observer
from minigrad.core.hooks import Hooks, RemovableHandle
from minigrad.core.messages import VIEW_OUTLIVED
from minigrad.core.ownership import only_mine

newer = itertools.count(-1, -1)  # the order of creation, newest smallest
_accumulation = threading.Lock()  # several threads may add to one leaf
NOTHING: tuple = ()  # what a node has saved that saves nothing; it is never released
LEAVES_FIRST = -(2**62)  # sorts before every recorded operation


class Node:
    """One recorded operation: an instance of its rule's class, with what this use of it kept.

    `order` is small for new nodes: of all nodes that are ready, the newest runs first.
    `meta` has (index, shape, dtype) of inputs that broadcasting or promotion has stretched.
    """

    order: int
    next_functions: tuple = ()  # one (node or None, output number) per input
    num_outputs = 1
    saved: Any = NOTHING
    saves: Any = ()  # the names of `saved`, as PyTorch spells them
    meta: Any = ()
    hooks: Hooks | None = None

    def apply(self, grads: list, asked=None) -> list:
        """The gradients of the inputs, given those of the outputs; None for "none".

        `asked` says for each input whether the walk goes on there; None: to all of them.
        """
        raise NotImplementedError

    def release(self, freed) -> None:
        """Drop the saved tensors. Edges, name and plain numbers stay."""
        had, self.saved = self.saved and self.saved is not freed, freed
        for tell in observer.on_freed if had else ():
            tell(self)

    def run(self, grads: list, asked=None) -> list:
        """apply(), between the hooks of whoever watches this node."""
        for tell in observer.on_visited:
            tell(self)
        if self.hooks is None:
            return self.apply(grads, asked)
        grads = self.hooks.before(grads)
        outputs = self.apply(list(grads) if self.hooks.post else grads, asked)
        return self.hooks.after(outputs, grads)

    def never_kept(self, index: int) -> bool:
        """True if saved tensor `index` was not needed by the gradients that were wanted."""
        return False

    def name(self) -> str:
        return type(self).__name__

    def _sequence_nr(self) -> int:
        """Larger for nodes made later."""
        return -self.order

    @property
    def needs_input_grad(self) -> tuple:
        """For each input: does anybody want its gradient?"""
        return tuple(node is not None for node, _ in self.next_functions)

    @property
    def metadata(self) -> dict:
        """A dict for your own notes on this node."""
        return self.__dict__.setdefault("_metadata", {})

    def watch(self) -> Hooks:
        """This node's hooks, made on first use."""
        if self.hooks is None:
            self.hooks = Hooks()
        return self.hooks

    def register_hook(self, hook) -> RemovableHandle:
        """Call `hook(grad_inputs, grad_outputs)` after this node ran, before it is freed."""
        return RemovableHandle(self.watch().post, hook)

    def register_prehook(self, hook) -> RemovableHandle:
        """Call `hook(grad_outputs)` before this node runs."""
        return RemovableHandle(self.watch().pre, hook)

    def __call__(self, *grads):
        """Run the rule by hand: nothing is freed, nothing flows on."""
        if len(grads) != self.num_outputs:
            raise TypeError(f"expected {self.num_outputs} arguments, got {len(grads)} instead")
        for tell in observer.on_visited:
            tell(self)
        outputs = tuple(self.apply(list(grads)))
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
        self.order = LEAVES_FIRST - next(newer)

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"

    def apply(self, grads: list, asked=None) -> list:
        grad = grads.pop()
        if grad is not None:
            with _accumulation:
                self.accumulate(grad)
            for hook in list((self.variable._grad_hooks or {}).values()):
                hook(self.variable)
        return []

    def accumulate(self, grad) -> None:
        """Take `grad` over if nobody else holds it, else copy; add in place from then on."""
        leaf = self.variable
        for tell in observer.on_arrived:
            tell(leaf)
        if leaf._grad is not None:
            leaf._grad._add_in_place(grad)
        elif only_mine(grad) and grad._array.strides == leaf._array.strides:
            leaf._grad = grad  # laid out like the leaf: an expanded one is not
        else:
            leaf._grad = grad._new(grad._array.copy(order="C"))
        for tell in observer.on_accumulated:
            tell(leaf)


def accumulator(leaf) -> AccumulateGrad:
    """The leaf's one AccumulateGrad, made when a graph first needs it."""
    node = leaf._accumulator()
    if node is None:
        node = AccumulateGrad(leaf)
        leaf._accumulator = weakref.ref(node)
        if leaf._tensor_hooks:
            node.watch().tensor[0] = leaf._tensor_hooks
    return node


class ForsakenView(Node):
    """The grad_fn of a view whose base was overwritten, with a new grad_fn, after it was made."""

    def __init__(self):
        self.order = next(newer)

    def apply(self, grads: list, asked=None) -> list:
        raise NotImplementedError(VIEW_OUTLIVED)


NOWHERE = (None, 0)  # the edge of a tensor that needs no gradient


def edge(tensor) -> tuple:
    """Where a gradient of `tensor` has to go: (node, output number)."""
    return tensor._edge or (accumulator(tensor), 0)
