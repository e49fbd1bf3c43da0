"""What the torch recorder is made of: numbered nodes, a ledger that speaks, weak looks at tensors.

Nothing here holds a tensor or a node; it knows no events.
"""

from __future__ import annotations

import weakref

import torch

from whoholds.on_torch.ledger import Ledger

is_wrapper = torch._C._functorch.is_functorch_wrapped_tensor


class Mark:
    """A node's number, kept in its metadata."""

    __slots__ = ("number", "__weakref__")

    def __init__(self, number):
        self.number = number


class Gone(weakref.ref):
    """A weak reference to a Mark that still knows the number."""

    __slots__ = ("number",)
    number: int

    def __new__(cls, mark, callback):
        gone = super().__new__(cls, mark, callback)
        gone.number = mark.number
        return gone


class Bytes(Ledger):
    """The tracker's ledger, which also says when a storage was born or died."""

    def __init__(self, recorder):
        super().__init__()
        self.recorder = recorder

    def see(self, tensor):
        self.recorder.guarded(self._see, tensor)

    def _see(self, tensor):
        self.recorder.catch_up()
        if tensor.layout == torch.sparse_coo:
            for part in tensor._indices(), tensor._values():
                self.count(part)
        elif followed(tensor):
            self.recorder.where()
            if self.count(tensor) and not self.recorder.walks and self.recorder.seed is None:
                self.recorder.fresh.append(weakref.ref(tensor))  # of the program, no gradient

    def count(self, tensor) -> bool:
        """Count its storage and say so, if it is a new one."""
        address = address_of(tensor)
        self.live()
        before = self.watched.get(address)
        super().see(tensor)
        now = self.watched.get(address)
        if now is None or now is before:
            return False
        self.recorder.note("born", address, now[1])
        return True

    def forget(self, address):
        super().forget(address)
        self.recorder.note("died", address)


def address_of(tensor) -> int:
    return torch._C._storage_address(tensor)


class Known:
    """What was last told of a tensor; the weak pointer keeps its address from being used again."""

    __slots__ = ("weak", "ref", "facts", "grad", "version")

    def __init__(self, tensor):
        self.weak, self.ref = torch._C._WeakTensorRef(tensor), weakref.ref(tensor)
        self.facts, self.grad, self.version = None, None, version_of(tensor)


def followed(tensor) -> bool:
    """Whether it has bytes of its own: not a sparse one, nor one that wraps another."""
    return (
        tensor.layout == torch.strided
        and tensor.device.type != "meta"
        and type(tensor).__torch_dispatch__ is torch.Tensor.__torch_dispatch__
        and not is_wrapper(tensor)
    )


def plain(tensor):
    """The tensor that torch.func's grad and vmap have wrapped, or itself."""
    while is_wrapper(tensor):
        tensor = torch._C._functorch.get_unwrapped(tensor)
    return tensor


def version_of(tensor):
    """How often it was written to; None of one made in inference_mode, which does not count."""
    return None if tensor.is_inference() else tensor._version


def root_of(output):
    """The node at which a walk from `output` begins."""
    if not isinstance(output, torch.Tensor):
        return output.node
    if not output.requires_grad:
        return None  # torch is about to say so
    return output.grad_fn or torch.autograd.graph.get_gradient_edge(output).node


def history_of(tensor) -> tuple:
    """The node that made a tensor, and whether it is a leaf.

    Of a view that a write has outdated PyTorch raises an error as soon as somebody asks.
    """
    try:
        return tensor.grad_fn, tensor.is_leaf
    except RuntimeError:
        return None, False


def node_of(tensor):
    """The node that made a tensor, if there is one that PyTorch tells."""
    return history_of(tensor)[0]


def alive(refs):
    """The tensors that still live, one at a time."""
    for ref in refs:
        tensor = ref()
        if tensor is not None:
            if hasattr(tensor, "_fix_weakref"):
                tensor._fix_weakref()
            yield tensor
            del tensor


def address_of_grad(tensor) -> int | None:
    if not history_of(tensor)[1] and not tensor.retains_grad:
        return None  # asking would warn
    grad = tensor.grad
    if grad is not None and grad.layout == torch.sparse_coo:
        grad = grad._values()  # most of its bytes
    return None if grad is None or not followed(grad) else address_of(grad)


def saved(node) -> list:
    """(slot, tensor) for all that a node holds; read as it is, neither unpacked nor checked."""
    found = []
    for attribute in dir(node):
        if attribute.startswith("_raw_saved_"):
            slot = attribute.removeprefix("_raw_saved_")
            try:
                raw = getattr(node, attribute)
            except RuntimeError:  # freed
                continue
            several = raw if isinstance(raw, tuple) else (raw,)
            names = [f"[{i}]" if slot == "tensors" else slot for i in range(len(several))]
            found += [(n, r.data) for n, r in zip(names, several, strict=True) if r is not None]
    return [(name, data) for name, data in found if data is not None]
