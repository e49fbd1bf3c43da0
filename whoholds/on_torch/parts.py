"""What the torch recorder is made of: numbered nodes, weak looks at tensors.

Nothing here holds a tensor or a node; it knows no events.
"""

from __future__ import annotations

import weakref

import torch

is_wrapper = torch._C._functorch.is_functorch_wrapped_tensor
RAW = "_raw_saved_"
_slots_of: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # kind of node -> attributes


class Mark:
    """A node's number, kept in its metadata."""

    __slots__ = ("number", "__weakref__")

    def __init__(self, number):
        self.number = number


class Gone(weakref.ref):
    """A weak reference that still knows a number when what it leads to has died."""

    __slots__ = ("number",)
    number: int


def gone(value, number, callback) -> Gone:
    found = Gone(value, callback)
    found.number = number
    return found


def address_of(tensor) -> int:
    return torch._C._storage_address(tensor)


class Known:
    """What was last told of a tensor; the weak pointer keeps its address from being used again.

    `died(ref)` is called when its Python object dies; `serial` says which was met first.
    """

    __slots__ = ("weak", "ref", "serial", "facts", "grad", "version")

    def __init__(self, tensor, serial, died):
        self.weak, self.ref = torch._C._WeakTensorRef(tensor), gone(tensor, tensor._cdata, died)
        self.serial = serial
        self.facts, self.grad, self.version = None, None, version_of(tensor)


def followed(tensor) -> bool:
    """Whether it has bytes of its own: not a sparse one, nor one that wraps another."""
    return (
        tensor.layout == torch.strided
        and tensor.device.type != "meta"
        and type(tensor).__torch_dispatch__ is torch.Tensor.__torch_dispatch__
        and not is_wrapper(tensor)
        and _has_storage(tensor)
    )


def _has_storage(tensor) -> bool:
    try:
        return bool(address_of(tensor))
    except RuntimeError:  # what stands for it is elsewhere
        return False


def shape_of(tensor) -> tuple:
    """Its shape; of a nested tensor that of the bytes it is on, for it has several."""
    return (tensor.numel(),) if tensor.is_nested else tuple(torch.Tensor.size(tensor))


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


def grad_of(tensor):
    """The gradient of a tensor that may have one: of others PyTorch warns if somebody asks."""
    return tensor.grad if history_of(tensor)[1] or tensor.retains_grad else None


def address_of_grad(tensor) -> int | None:
    grad = grad_of(tensor)
    if grad is not None and grad.layout == torch.sparse_coo:
        grad = grad._values()  # most of its bytes
    return None if grad is None or not followed(grad) else address_of(grad)


def saved(node) -> list:
    """(slot, tensor) for all that a node holds; read as it is, neither unpacked nor checked."""
    rows = [(at if slot == "tensors" else slot, data) for slot, at, data in _raw(node)]
    return [row for row in rows if isinstance(row[1], torch.Tensor)]


def packed(node) -> list:
    """(words, object) of what hooks for saved tensors have made of them, and the node holds."""
    rows = [(f".{RAW}{slot}{at}.data", data) for slot, at, data in _raw(node)]
    return [row for row in rows if not isinstance(row[1], torch.Tensor | None)]


def has_saved(node) -> bool:
    """Whether a node holds anything that it saved, as a tensor or as what hooks made of it."""
    return any(data is not None for _, _, data in _raw(node))


def _raw(node):
    """(slot, which one of several, what is in it): a tensor, or what hooks have made of it."""
    for attribute in _raw_slots(node):
        try:
            raw = getattr(node, attribute)
        except RuntimeError:  # freed
            continue
        several = enumerate(raw) if isinstance(raw, tuple) else [(None, raw)]
        for number, one in several:
            at = "" if number is None else f"[{number}]"
            yield attribute.removeprefix(RAW), at, None if one is None else one.data


def _raw_slots(node) -> list:
    """The attributes in which nodes of this kind have what they saved."""
    kind = type(node)
    if kind not in _slots_of:
        _slots_of[kind] = [name for name in dir(kind) if name.startswith(RAW)]
    return _slots_of[kind]
