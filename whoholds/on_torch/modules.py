"""PyTorch's modules, told at their boundaries: no dispatch mode, and no look at lines or names.

Global hooks say when a module's call begins and ends; a hook on the node that made its output says
when its backward begins. There the storages are counted that are in sight: inputs, outputs, what
nodes have saved, parameters, buffers, gradients, optimizer state. Each counts once, until it dies;
what lives between two boundaries only is not seen. Weak pointers only, as in the ledger.

What nodes have saved is read from the graph. Hooks on saved tensors would be told of it, but with
them PyTorch no longer notices that a saved tensor was modified in place.
"""

from __future__ import annotations

import sys
import weakref

import torch
from torch.nn.modules import module as hooks
from torch.optim.optimizer import register_optimizer_step_post_hook

from whoholds.holders.unasked import items, own_dict
from whoholds.modules import Boundaries, ModuleTrace
from whoholds.on_torch.inside import next_node
from whoholds.on_torch.leads import parameters
from whoholds.on_torch.ledger import Ledger, warm_up
from whoholds.on_torch.parts import address_of, followed, node_of, plain, root_of, saved
from whoholds.on_torch.paths import Paths
from whoholds.on_torch.turned import Turned

DEPTH = 4  # lists in lists of a module's arguments
BACKWARD = "the backward of "


class ModuleRecorder(Turned):
    """`with ModuleRecorder() as r:` follows the calls of modules; `r.trace()` tells of them."""

    def __init__(self, names=None, frame=None):
        self.told = Boundaries(next_node())
        super().__init__(ModuleTrace(self.told.turns))
        self.ledger = Sight()
        self.paths = Paths()
        self.read: set = set()  # numbers of nodes of this turn that were looked at
        self.waiting: list = []  # weak references to parameters that will get a gradient
        self.handles: list = []  # of hooks on nodes, in this turn
        self.wrong: tuple = (None, "")  # the id of an error, and the module it was raised in
        self.ours: list = []  # handles of the global hooks

    # -- from where to where --

    def __enter__(self):
        warm_up()
        self.original = torch.autograd._engine_run_backward
        torch.autograd._engine_run_backward = self._walked
        self.ours = [
            hooks.register_module_forward_pre_hook(self._called),
            hooks.register_module_forward_hook(self._returned, always_call=True),
            register_optimizer_step_post_hook(self._stepped),
        ]
        return self

    def __exit__(self, kind, error, trace):
        for handle in [*self.ours, *self.handles]:
            handle.remove()
        torch.autograd._engine_run_backward = self.original
        self._end(error, f"in {self.wrong[1]}: " if self.wrong[0] == id(error) else "")
        self.broken = True  # what is left of the hooks is quiet

    # -- forward --

    def _called(self, module, args):
        if not torch.compiler.is_compiling():  # what is compiled is told as one
            self.guarded(self._enter, module, args)

    def _enter(self, module, args):
        if not self.told.open:
            self._see_lasting(module)
        path = self.paths.of(module)
        for tensor in tensors(args):
            self.ledger.see(tensor)
        self.told.enter(path, type(module).__name__, next_node())
        self.told.alive(self.ledger.live())

    def _see_lasting(self, module):
        for tensor in parameters(module, ("_parameters", "_buffers")):
            if self.ledger.see(tensor):
                self.ledger.lasting.add(address_of(tensor))

    def _returned(self, module, args, output):
        if not torch.compiler.is_compiling():
            self.guarded(self._leave, module, output)

    def _leave(self, module, output):
        if not self.told.open:
            return  # its call began before the recording
        paths = tuple(self.told.open)
        if (error := sys.exc_info()[1]) is not None and output is None:
            if self.wrong[0] != id(error):
                self.wrong = id(error), paths[-1]
        for tensor in tensors(output):
            self.ledger.see(tensor)
            if (node := node_of(tensor)) is not None:
                self._read(node)
                hook = self._visitor(paths, weakref.ref(module))
                self.handles.append(node.register_prehook(hook))
        self.told.alive(self.ledger.live(), over=True)
        self.told.leave(next_node())

    def _read(self, root) -> None:
        """Count what the nodes of this turn have saved that can be reached and were not read yet.

        A node's number is larger than those of the nodes below it; the oldest saved first.
        """
        todo, first, found = [root], self.told.first, {}
        while todo:
            node = todo.pop()
            number = node._sequence_nr()
            if number in self.read or number < first or hasattr(node, "variable"):
                continue
            self.read.add(number)
            found[number] = node
            todo += [below for below, _ in node.next_functions if below is not None]
        for number, node in sorted(found.items()):
            for _, tensor in saved(node):
                if size := self.ledger.save(tensor):
                    self.told.saved(number, size)

    # -- backward --

    def _walked(self, outputs, *args, **options):
        self.guarded(self._begin_walk, outputs)
        try:
            return self.original(outputs, *args, **options)
        finally:
            self.guarded(self._end_walk)
            del self, outputs, args, options  # a kept error keeps this frame

    def _begin_walk(self, outputs):
        self.walks += 1
        for root in filter(None, map(root_of, outputs)):
            self._read(root)
        self.told.alive(self.ledger.live())

    def _end_walk(self):
        self.walks -= 1
        self._see_gradients()
        self.told.alive(self.ledger.live())

    def _visitor(self, paths, module):
        return lambda grads: self.guarded(self._visit, paths, module, grads)

    def _visit(self, paths, module, grads):
        """The walk is at the output of a module."""
        for tensor in tensors(grads):
            self.ledger.see(tensor)
        self._see_gradients()
        self.told.alive(self.ledger.live(), paths, BACKWARD)
        own = own_dict(module()).get("_parameters", {}).values()
        self.waiting += [weakref.ref(one) for one in own if one is not None and one.requires_grad]

    def _see_gradients(self):
        """Those of the parameters of which the walk was at the module's output."""
        late = []
        for ref in self.waiting:
            grad = getattr(ref(), "grad", None)
            if grad is None:
                late.append(ref)
            else:
                self.ledger.see(grad)
        self.waiting = late

    # -- turns --

    def _stepped(self, optimizer, *_):
        self.guarded(self._see_optimizer, optimizer)
        self.guarded(self._step, optimizer)

    def _see_optimizer(self, optimizer):
        for group in optimizer.param_groups:
            for one in group["params"]:
                for tensor in tensors([one, one.grad, optimizer.state.get(one)]):
                    self.ledger.see(tensor)

    def _turn(self):
        self.told.alive(self.ledger.live())
        self.told.turn(next_node())
        for handle in self.handles:
            handle.remove()
        self.read.clear()
        self.ledger.saved.clear()  # an input that lives on is saved anew
        self.waiting, self.handles = [], []


class Sight(Ledger):
    """The storages that a boundary has seen: which a node has saved, and which live anyway."""

    def __init__(self):
        super().__init__()
        self.saved: set = set()  # addresses, of this turn
        self.lasting: set = set()  # of parameters and buffers

    def see(self, tensor) -> bool:
        """Count the storage of a tensor; False if it has none of its own."""
        own = plain(tensor)
        if not followed(own):
            return False
        if not self.lives(address := address_of(own)):
            self.add(address)
        return True

    def save(self, tensor) -> int:
        """Bytes of a saved tensor's storage; 0 if it counts already, or if it lasts.

        Nor does one without dimensions count: most are Python numbers, which PyTorch has wrapped.
        """
        if not issubclass(type(tensor), torch.Tensor) or not tensor.dim() or not self.see(tensor):
            return 0
        address = address_of(plain(tensor))
        if address in self.saved or address in self.lasting:
            return 0
        self.saved.add(address)
        return self.watched[address][1]

    def forget(self, address):
        super().forget(address)
        self.saved.discard(address)
        self.lasting.discard(address)


def tensors(value, depth=0):
    """The tensors in what a module takes or gives."""
    if issubclass(type(value), torch.Tensor):
        yield value
    elif depth < DEPTH:
        for one in items(value):
            yield from tensors(one, depth + 1)
