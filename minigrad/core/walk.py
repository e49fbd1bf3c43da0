"""Backward: walk the graph from the roots, newest node first, and free each node behind you.

A gradient on its way is a tensor like any other: it has a Storage, so the ledger sees it, and
it dies when the last node that needs it has run. A node is ready when every consumer *of this
walk* has delivered; of the ready ones the newest runs first, leaves before all others.
"""

from __future__ import annotations

from heapq import heappop, heappush

from minigrad.core.messages import call_site, step_aside
from minigrad.core.modes import no_grad, state
from minigrad.core.ownership import alone_in
from minigrad.core.saved import Freed


def walk(roots: list, keep_graph: bool, wanted=None) -> None:
    """Send gradients from `roots` to the leaves, or only to what is `wanted`.

    `roots` is a list of (node, output number, gradient). Each node runs once, is freed right
    after unless `keep_graph`, and only then are its gradients handed on. If a rule or a hook
    raises, what has run stays freed and what was accumulated stays accumulated.
    """
    freed = Freed(call_site(), wanted is not None)
    waiting = count_consumers([node for node, _, _ in roots])
    ready = sorted(node for node in waiting if not waiting[node])  # which is a heap
    pending: dict = {}
    outer, state.walk = state.walk, freed
    try:
        with no_grad():
            for i in range(len(roots)):
                deliver(pending, *roots[i])  # no name here: it would outlive the walk's first step
            while ready:
                node = heappop(ready)
                grads = pending.pop(node, None) or [None] * node.num_outputs
                if wanted is not None and not wanted.visit(node, grads):
                    continue
                asked = None if wanted is None else [t in wanted for t, _ in node.next_functions]
                if node.hooks is None:
                    outputs = node.apply(grads, asked)
                else:
                    outputs = watched(node, grads, asked)
                del grads
                if not keep_graph:
                    node.release(freed)
                for i, (target, number) in enumerate(node.next_functions):
                    if target is None or not (asked is None or asked[i]):
                        continue
                    if target not in pending and target.num_outputs == 1:
                        pending[target] = [outputs[i]]
                        outputs[i] = None  # handed over: or this list would keep it alive
                    elif outputs[i] is not None and deliver(pending, target, number, outputs[i]):
                        outputs[i] = None
                    if waiting[target] == 1:
                        heappush(ready, target)
                    else:
                        waiting[target] -= 1
                del outputs
    except BaseException as error:
        step_aside(error)
        raise
    finally:
        state.walk = outer
        pending.clear()  # a traceback that somebody keeps must not keep gradients
        roots.clear()
        grads = outputs = None


def count_consumers(roots: list) -> dict:
    """For each node that can be reached: how many deliveries it has to wait for."""
    waiting = dict.fromkeys(roots, 0)
    found = list(waiting)
    for node in found:  # the list grows under way
        for target, _ in node.next_functions:
            if target in waiting:
                waiting[target] += 1
            elif target is not None:
                waiting[target] = 1
                found.append(target)
    return waiting


def deliver(pending: dict, node, number: int, grad) -> bool:
    """Add `grad` to what `node` has received for that output; True if it was simply taken over.

    A sum is made in place if nobody else holds the older part, and if that is no view: neither
    a gradient that shares its bytes nor an expanded one may be written into.
    """
    buffer = pending.setdefault(node, [None] * node.num_outputs)
    if buffer[number] is None:
        buffer[number] = grad
        return True
    if alone_in(buffer, number) and buffer[number]._array.base is None:
        buffer[number]._add_in_place(grad)
    else:
        buffer[number] = grad._new(buffer[number]._array + grad._array)
    return False


def watched(node, grads: list, asked) -> list:
    """Apply one node between the hooks of whoever watches it."""
    grads = node.hooks.before(grads)
    outputs = node.apply(list(grads) if node.hooks.post else grads, asked)
    return node.hooks.after(outputs, grads)


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
        if not runs and node.hooks is not None:  # the hooks of a captured tensor run all the same
            grads = node.hooks.arrive(grads)
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
    order.sort(key=lambda node: node.order, reverse=True)  # oldest first: inputs before users
    needed = set(targets) if inclusive else set()
    for node in order:
        if any(t in needed or t in targets for t, _ in node.next_functions if t is not None):
            needed.add(node)
    return needed & seen
