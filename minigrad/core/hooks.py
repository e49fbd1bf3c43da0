"""Functions that may look at a gradient on its way through one node, and change it.

PyTorch's order: tensor hooks, then retain_grad's capture, then the node's pre-hooks, then the
node itself, then its post-hooks. Only a node that somebody watches has a `Hooks`.
"""

from __future__ import annotations

import itertools

from minigrad.core.modes import state

_ids = itertools.count()


class RemovableHandle:
    """What registering a hook returns: `remove()` takes the hook away, as often as you like."""

    def __init__(self, hooks: dict, hook):
        self.hooks, self.id = hooks, next(_ids)
        hooks[self.id] = hook

    def remove(self) -> None:
        self.hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()


class Hooks:
    """All hooks of one node."""

    def __init__(self):
        self.tensor = {}  # output_nr -> {id: hook(grad)}
        self.retain = {}  # output_nr -> weak reference to the tensor that keeps its .grad
        self.pre = {}  # id: hook(grads)
        self.post = {}  # id: hook(grads of the inputs, grads of the outputs)

    def before(self, grads: list) -> list:
        """The gradients as the node shall see them."""
        grads = self.arrive(grads)
        for hook in list(self.pre.values()):
            grads = _all_replaced(hook, grads, hook(tuple(grads)))
        return grads

    def arrive(self, grads: list) -> list:
        """The gradients as the tensors' own hooks leave them, whether or not the node runs."""
        for number, hooks in self.tensor.items():
            for hook in list(hooks.values()):
                grads[number] = _replaced(hook, grads[number], hook(grads[number]))
        for number, tensor in self.retain.items():
            if tensor() is not None and grads[number] is not None:
                _capture(tensor(), grads[number])
        return grads

    def after(self, outputs: list, grads: list) -> list:
        """The gradients as the node hands them on."""
        for hook in list(self.post.values()):
            outputs = _all_replaced(hook, outputs, hook(tuple(outputs), tuple(grads)))
        return outputs


def _capture(tensor, grad) -> None:
    """Keep a copy of `grad` in `.grad` of a non-leaf; a second backward adds."""
    if tensor._grad is None and state.grad_enabled:  # create_graph: the copy has a history
        tensor._grad = grad.clone()
    elif tensor._grad is None:
        tensor._grad = grad._new(grad._array.copy("C"))
    else:
        tensor._grad = tensor._grad + grad


def _all_replaced(hook, old: list, new) -> list:
    if new is None:
        return old
    if not isinstance(new, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(new).__name__}'")
    if len(new) != len(old):
        raise RuntimeError(
            f"hook '{_name(hook)}' has returned an incorrect number of values "
            f"(got {len(new)}, but expected {len(old)})"
        )
    if any(a is None is not b for a, b in zip(old, new, strict=True)):
        raise RuntimeError("can't replace a None gradient with a non-None value")
    return [None if b is None else _replaced(hook, a, b) for a, b in zip(old, new, strict=True)]


def _replaced(hook, old, new):
    """What a hook returned, or what it was given; same shape, same dtype, same kind."""
    if new is None or new is old:
        return old
    check_tensor(new)
    if old is None:
        return new
    if new.dtype is not old.dtype:
        raise RuntimeError(
            f"hook '{_name(hook)}' has changed the type of value "
            f"(was {old.dtype.legacy} got {new.dtype.legacy})"
        )
    if new.shape != old.shape:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the size of value")
    return new


def check_tensor(result) -> None:
    if result is not None and not hasattr(type(result), "grad_fn"):
        raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")


def _name(hook) -> str:
    return getattr(hook, "__name__", "<unknown>")
