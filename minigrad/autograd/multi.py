"""A hook that waits for the gradients of several tensors, or hears of the first that comes."""

from __future__ import annotations

import threading
from collections import defaultdict

from minigrad.autograd import edges
from minigrad.core.hooks import RemovableHandle
from minigrad.core.modes import state
from minigrad.core.node import edge

MODES = "all", "any"


class _MultiHandle(RemovableHandle):
    """Takes the hook away from all the tensors."""

    def __init__(self, handles: tuple):
        self.handles = handles
        if handles:
            edges.wait(+1)

    def remove(self) -> None:
        if self.handles:
            edges.wait(-1)
        for handle in self.handles:
            handle.remove()
        self.handles = ()


def register_multi_grad_hook(tensors, fn, *, mode="all") -> RemovableHandle:
    """mode="all": fn(gradients) once those that this walk computes are there; "any": fn(first)."""
    if mode not in MODES:
        raise ValueError(f"Expects mode to be one of {MODES} but got {mode}")
    return _all(tensors, fn) if mode == "all" else _any(tensors, fn)


def _all(tensors, fn) -> _MultiHandle:
    if not all(t.requires_grad for t in tensors):
        raise AssertionError("Expected gradient function to be set")
    nodes = [edge(t)[0] for t in tensors]
    lock = threading.Lock()
    arrived: dict = {}  # walk -> the gradients, and last how many are still to come

    def hook_of(i):
        def hook(grad):
            with lock:
                if state.walk not in arrived:
                    arrived[state.walk] = [*[None] * len(nodes), sum(map(edges.will_run, nodes))]
                grads = arrived[state.walk]
                grads[i] = grad
                grads[-1] -= 1
            if not grads[-1]:
                fn(arrived.pop(state.walk)[:-1])

        return hook

    return _MultiHandle(tuple(t.register_hook(hook_of(i)) for i, t in enumerate(tensors)))


def _any(tensors, fn) -> _MultiHandle:
    lock = threading.Lock()
    told: dict = defaultdict(bool)

    def hook(grad):
        with lock:
            before, told[state.walk] = told[state.walk], True
        if not before:
            fn(grad)

    return _MultiHandle(tuple(t.register_hook(hook) for t in tensors if t._requires_grad))
