"""Backward: walk the graph from the roots, newest node first, and free each node behind you.

A gradient on its way is a tensor like any other: it has a Storage, so the ledger sees it, and
it dies when the last node that needs it has run. A node is ready when every consumer *of this
walk* has delivered; of the ready ones the newest runs first, leaves before all others.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

import numpy as np

from minigrad.core import messages, observer
from minigrad.core.deep import MANY, on_a_thread
from minigrad.core.frames import call_site, warn
from minigrad.core.modes import enable_grad, no_grad, state
from minigrad.core.node import NOTHING, Freed, alone_in, edge
from minigrad.core.resized import stopped
from minigrad.core.tensor import Tensor, attach


def run(roots: list, keep_graph: bool, wanted=None, create_graph: bool = False) -> None:
    """walk(), on a thread of its own if it is far inside other walks."""
    depth = state.walk.depth + 1 if state.walk else 0
    freed = Freed(call_site(), wanted is not None, depth % MANY)
    if depth < MANY:
        walk(roots, keep_graph, wanted, create_graph, freed)
    else:
        on_a_thread(lambda: walk(roots, keep_graph, wanted, create_graph, freed))


def walk(roots: list, keep_graph: bool, wanted, create_graph: bool, freed: Freed) -> None:
    """Send gradients from `roots` to the leaves, or only to what is `wanted`.

    `roots` is a list of (node, output number, gradient). Each node runs once, is freed right
    after unless `keep_graph`, and only then are its gradients handed on; `create_graph` records
    what the rules compute. If a rule or a hook raises, what has run stays freed, `.grad` as it
    is, and what was ready to run stays alive until this thread's next backward, as in PyTorch.
    """
    failed, state.left = None, ()
    waiting = count_consumers([node for node, _, _ in roots])
    starts = [(node, grads) for node, grads in waiting.items() if not grads[-1]]
    ready = [(node._order, turn, node, grads) for turn, (node, grads) in enumerate(starts)]
    ready.sort()  # which makes it a heap
    turn = len(ready)  # leaves run in the order in which they became ready
    outer, state.walk = state.walk, freed
    try:
        for tell in observer.on_started:
            tell(roots, keep_graph)
        with enable_grad() if create_graph else no_grad():
            for i in range(len(roots)):
                node, number, _ = roots[i]
                deliver(waiting[node], number, roots[i][2])
            while ready:
                _, _, node, grads = heappop(ready)
                grads.pop()  # the count
                asked = None
                if wanted is not None:
                    if not wanted.visit(node, grads):
                        grads.clear()
                        continue
                    asked = wanted.asked(node)
                if node._hooks is None and not observer.watching and not create_graph:
                    outputs = node.apply(grads, asked)
                else:
                    outputs = node._run(grads, asked)
                grads.clear()
                if not keep_graph and node._saved is not NOTHING:
                    node._release(freed)
                i = -1  # no enumerate(): it would take as long as all the rest of this loop
                for target, number in node.next_functions:
                    i += 1
                    if target is None or not (asked is None or asked[i]):
                        continue
                    arrived = waiting[target]
                    if arrived[number] is None:
                        arrived[number] = outputs[i]
                        outputs[i] = None  # handed over: or this list would keep it alive
                    else:
                        deliver(arrived, number, outputs[i])
                    arrived[-1] -= 1
                    if not arrived[-1]:
                        turn += 1
                        heappush(ready, (target._order, turn, target, arrived))
                del outputs
    except BaseException as error:
        failed = error
        stopped(error, waiting)
        raise
    finally:
        state.walk = outer
        for tell in observer.on_ended:
            tell(failed)
        state.left = tuple((node, *grads) for _, _, node, grads in ready)
        let_go(waiting, roots)
        grads = outputs = arrived = failed = None


def count_consumers(roots: list) -> dict:
    """For each node that can be reached, a list: a place for the gradient of each output, and
    last the number of deliveries it still waits for."""
    waiting: dict[Any, list] = {node: [*[None] * node._num_outputs, 0] for node in roots}
    found = list(waiting)
    for node in found:  # the list grows under way
        for target, _ in node.next_functions:
            if target in waiting:
                waiting[target][-1] += 1
            elif target is not None:
                single = target._num_outputs == 1
                waiting[target] = [None, 1] if single else [*[None] * target._num_outputs, 1]
                found.append(target)
    return waiting


def deliver(arrived: list, number: int, grad) -> None:
    """Add `grad` to what a node has received for that output.

    A sum is made in place if nobody else holds the older part, and if that is no view: neither
    a gradient that shares its bytes nor an expanded one may be written into.
    """
    if arrived[number] is None:
        arrived[number] = grad
    elif grad is None:
        return
    elif state.grad_enabled:
        arrived[number] = arrived[number] + grad
    elif alone_in(arrived, number) and _is_whole(arrived[number]):
        arrived[number]._add_in_place(grad)
    else:
        arrived[number] = grad._new(arrived[number]._array + grad._array)


def _is_whole(grad) -> bool:
    """True if it shows an array that is its own."""
    return grad._array.base is None or grad._own


def let_go(waiting: dict, roots: list) -> None:
    """A traceback that somebody keeps must not keep gradients."""
    for arrived in waiting.values():
        arrived.clear()
    roots.clear()


class Wanted:
    """A walk that goes only where gradients were asked for (`inputs=`), and may stop there.

    `captures` has, for each node to stop at, the pairs (output number, index of the input asked
    for); it is empty where the gradients shall be accumulated instead.
    """

    def __init__(self, roots: list, targets: list, capture: bool):
        self.captured = [None] * len(targets)
        self.captures: dict = {}
        for i, (node, number) in enumerate(targets if capture else ()):
            self.captures.setdefault(node, []).append((number, i))
        self.needed = leading_to(roots, {node for node, _ in targets}, inclusive=not capture)

    def asked(self, node) -> list:
        """For each edge of a node: does the walk go on there?"""
        goals, needed = self.captures, self.needed
        return [target in needed or target in goals for target, _ in node.next_functions]

    def visit(self, node, grads: list) -> bool:
        """Take the gradients asked for at this node; True if the node itself has to run."""
        runs = node in self.needed
        if not runs and node._hooks is not None:  # the hooks of a captured tensor run all the same
            grads = node._hooks.arrive(grads)
        for number, i in self.captures.get(node, ()):
            self.captured[i] = grads[number]
        return runs


def leading_to(roots: list, targets: set, inclusive: bool) -> dict:
    """The nodes on a way from the roots to a target; the targets themselves if `inclusive`.

    In order, as a dict has them: they may be let go of with it, and die one after the other."""
    order, seen, todo = [], set(roots), list(roots)
    while todo:
        node = todo.pop()
        order.append(node)
        for target, _ in node.next_functions:
            if target is not None and target not in seen:
                seen.add(target)
                todo.append(target)
    order.sort(key=lambda node: node._made, reverse=True)  # oldest first: inputs before users
    needed = set(targets) if inclusive else set()
    for node in order:
        if any(t in needed or t in targets for t, _ in node.next_functions if t is not None):
            needed.add(node)
    return dict.fromkeys(node for node in order if node in needed)


# -- what the caller asks for, checked in PyTorch's words --


def backward(
    tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None,
    inputs=None,
) -> None:  # fmt: skip
    """Add the gradients of `tensors` to `.grad` of the leaves, or of `inputs` only.

    `grad_tensors` holds one gradient per tensor, of its shape; None stands for 1 where the tensor
    has one element. Saved tensors of the nodes that run are freed unless `retain_graph`, or
    `create_graph`: then what the rules compute is recorded, and can be differentiated again.
    """
    if create_graph:
        warn(messages.CYCLE)
    tensors = _listed(tensors)
    if inputs is not None and len(inputs := _listed(inputs)) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    for tell in observer.on_asked:
        tell(tensors, inputs, False)
    grad_tensors = _gradients(tensors, grad_tensors)  # a traceback keeps these, as PyTorch's does
    roots = _roots(tensors, grad_tensors)
    wanted = None
    if inputs is not None:
        targets = [_retained(t) for t in _checked_inputs(inputs)]
        wanted = Wanted([node for node, _, _ in roots], targets, capture=False)
    run(roots, _keeps(retain_graph, create_graph), wanted, create_graph)


def grad(
    outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True,
    allow_unused=None, materialize_grads=False,
):  # fmt: skip
    """The gradients of `outputs` with respect to `inputs`, as a tuple; no `.grad` is touched.

    The walk stops at the inputs: the node that made a captured tensor neither runs nor is freed.
    """
    names = list(inputs) if isinstance(inputs, dict) else None
    outputs, inputs = _listed(outputs), _listed(inputs)
    for tell in observer.on_asked:
        tell(outputs, inputs, True)
    if not inputs:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if allow_unused is False and materialize_grads:
        raise ValueError(messages.MATERIALIZE)
    grad_outputs = _gradients(outputs, grad_outputs)
    roots = _roots(outputs, grad_outputs)
    if not all(t._requires_grad for t in _checked_inputs(inputs)):
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    wanted = Wanted([node for node, _, _ in roots], [edge(t) for t in inputs], capture=True)
    try:
        run(roots, _keeps(retain_graph, create_graph), wanted, create_graph)
        zeros = inputs if materialize_grads else []
        results = _filled(wanted.captured, zeros, allow_unused, bool(create_graph))
    finally:
        wanted.captured.clear()  # a traceback that somebody keeps must not keep gradients
    return dict(zip(names, results, strict=True)) if names else results


def _filled(captured, zeros, may_be_unused, create_graph) -> tuple:
    """The captured gradients; one that never came is an error, None, or zeros like these."""
    for i, result in enumerate(captured):
        if result is None and not (may_be_unused or zeros):
            raise RuntimeError(messages.UNUSED.format(i))
        if result is None and zeros:
            captured[i] = zeros[i]._zeros().requires_grad_(create_graph)
    return tuple(captured)


def _keeps(retain_graph, create_graph) -> bool:
    """Does the graph stay? If nobody says, then where the gradients are to have one themselves."""
    return bool(create_graph if retain_graph is None else retain_graph)


def _listed(tensors) -> list:
    """One tensor or several, or what stands for one, as the edges of autograd/edges.py do."""
    if isinstance(tensors, dict):
        tensors = list(tensors.values())
    one = isinstance(tensors, Tensor) or hasattr(tensors, "as_tensor")
    return [getattr(t, "as_tensor", t) for t in ([tensors] if one else tensors)]


def _gradients(tensors, given) -> list:
    """One starting gradient per tensor, made or checked."""
    given = [None] * len(tensors) if given is None else _listed(given)
    result = []
    for i, (tensor, gradient) in enumerate(zip(tensors, given, strict=False)):
        if not isinstance(tensor, Tensor):
            raise AssertionError("Expected output to be a torch.Tensor")
        result.append(_ones(tensor) if gradient is None else _checked(gradient, tensor, i))
    if len(result) != len(tensors):
        raise RuntimeError(f"got {len(tensors)} tensors and {len(result)} gradients")
    return result


def _ones(tensor):
    if not tensor._requires_grad:
        return None
    if tensor._array.size != 1:
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    if not tensor.dtype.is_floating_point:
        raise RuntimeError(messages.REAL_SCALAR.format(tensor.dtype.name))
    return tensor._new(np.ones_like(tensor._array))


def _checked(gradient, tensor, i):
    if not isinstance(gradient, Tensor):
        raise TypeError(messages.GRADIENTS.format(type(gradient).__name__))
    if gradient.shape != tensor.shape:
        raise messages.gradient_shape_error(i, gradient, tensor)
    if gradient.dtype is tensor.dtype:
        return gradient
    return gradient.to(tensor.dtype)


def _checked_inputs(inputs) -> list:
    for tensor in inputs:
        if not isinstance(tensor, Tensor):
            raise RuntimeError(messages.INPUTS.format(type(tensor).__name__))
    return inputs


def _retained(tensor) -> tuple:
    """Where the gradient of an input goes, which keeps it."""
    target = edge(tensor)  # first: a view may get another node
    tensor.retain_grad()
    return target


def _roots(tensors, gradients) -> list:
    """(node, output number, gradient) for each tensor a walk starts from."""
    for i, tensor in enumerate(tensors):
        if not tensor._requires_grad or edge(tensor)[0] is None:
            raise RuntimeError(messages.NO_GRAD_FN.format(i))
    return [(*edge(t), g) for t, g in zip(tensors, gradients, strict=True)]


@attach
class Backward(Tensor):
    """Methods of Tensor."""

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None) -> None:
        """Add d(self)/d(leaf) to every leaf's `.grad`, and free what the nodes saved on the way."""
        backward(self, gradient, retain_graph, create_graph, inputs=inputs)
