"""Backward: walk the graph from the roots, newest node first, and free each node behind you.

A gradient on its way is a tensor like any other: it has a Storage, so the ledger sees it, and
it dies when the last node that needs it has run. A node is ready when every consumer *of this
walk* has delivered; of the ready ones the newest runs first, leaves before all others.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

from minigrad.core import observer
from minigrad.core.frames import call_site, step_aside
from minigrad.core.modes import no_grad, state
from minigrad.core.node import NOTHING
from minigrad.core.ownership import alone_in
from minigrad.core.saved import Freed


def walk(roots: list, keep_graph: bool, wanted=None) -> None:
    """Send gradients from `roots` to the leaves, or only to what is `wanted`.

    `roots` is a list of (node, output number, gradient). Each node runs once, is freed right
    after unless `keep_graph`, and only then are its gradients handed on. If a rule or a hook
    raises, what has run stays freed and what was accumulated stays accumulated.
    """
    freed, failed = Freed(call_site(), wanted is not None), None
    waiting = count_consumers([node for node, _, _ in roots])
    ready = [(node._order, node, grads) for node, grads in waiting.items() if not grads[-1]]
    ready.sort()  # which makes it a heap
    outer, state.walk = state.walk, freed
    for tell in observer.on_started:
        tell(roots, keep_graph)
    try:
        with no_grad():
            for i in range(len(roots)):
                node, number, _ = roots[i]
                deliver(waiting[node], number, roots[i][2])
            while ready:
                _, node, grads = heappop(ready)
                grads.pop()  # the count
                asked = None
                if wanted is not None:
                    if not wanted.visit(node, grads):
                        grads.clear()
                        continue
                    asked = [target in wanted for target, _ in node.next_functions]
                if node._hooks is None and not observer.watching:
                    outputs = node.apply(grads, asked)
                else:
                    outputs = node._run(grads, asked)
                grads.clear()
                if not keep_graph and node._saved is not NOTHING:
                    node._release(freed)
                i = -1  # no enumerate(): it would take as long as all the rest of this loop
                for target, number in node.next_functions:
                    i += 1
                    if target is None or not (wanted is None or target in wanted):
                        continue
                    arrived = waiting[target]
                    if arrived[number] is None:
                        arrived[number] = outputs[i]
                        outputs[i] = None  # handed over: or this list would keep it alive
                    else:
                        deliver(arrived, number, outputs[i])
                    arrived[-1] -= 1
                    if not arrived[-1]:
                        heappush(ready, (target._order, target, arrived))
                del outputs
    except BaseException as error:
        failed = error
        step_aside(error)
        raise
    finally:
        state.walk = outer
        for tell in observer.on_ended:
            tell(failed)
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
    elif alone_in(arrived, number) and arrived[number]._array.base is None:
        arrived[number]._add_in_place(grad)
    else:
        arrived[number] = grad._new(arrived[number]._array + grad._array)


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

    def __contains__(self, node) -> bool:
        return node in self.needed or node in self.captures

    def visit(self, node, grads: list) -> bool:
        """Take the gradients asked for at this node; True if the node itself has to run."""
        runs = node in self.needed
        if not runs and node._hooks is not None:  # the hooks of a captured tensor run all the same
            grads = node._hooks.arrive(grads)
        for number, i in self.captures.get(node, ()):
            self.captured[i] = grads[number]
        return runs


def leading_to(roots: list, targets: set, inclusive: bool) -> set:
    """The nodes on a way from the roots to a target; the targets themselves if `inclusive`."""
    order, seen, todo = [], set(roots), list(roots)
    while todo:
        node = todo.pop()
        order.append(node)
        for target, _ in node.next_functions:
            if target is not None and target not in seen:
                seen.add(target)
                todo.append(target)
    order.sort(key=lambda node: node._order, reverse=True)  # oldest first: inputs before users
    needed = set(targets) if inclusive else set()
    for node in order:
        if any(t in needed or t in targets for t, _ in node.next_functions if t is not None):
            needed.add(node)
    return needed & seen
