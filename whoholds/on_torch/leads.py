"""The tensors and nodes that a variable of the program leads to.

No code of the program is called: an overridden `parameters()`, a property or an `__iter__` of its
own could change it, and an object may be half made.
"""

from __future__ import annotations

from itertools import islice

import torch

from whoholds.holders.unasked import items, of_class, own_dict
from whoholds.on_torch.parts import node_of, plain

MOST = 24  # targets shown of one list or module
LISTED = list, tuple
DEPTH = 2


def leads(value, recorder, depth=0):
    """("t", address), of a module's parameter its path too, and ("n", number) of what a variable
    leads to; the recorder meets them.
    """
    kind = type(value)
    if issubclass(kind, torch.Tensor):
        tensor = plain(value)
        recorder.meet(tensor)
        if tensor._cdata in recorder.known:
            if (node := node_of(tensor)) is not None:
                recorder.meet_node(node, tensor)
            yield "t", tensor._cdata
    elif _is_node(kind) and value._input_metadata:
        recorder.meet_node(value)  # and no ctx whose forward is still running
        yield "n", recorder.number_of(value)
    elif issubclass(kind, torch.nn.Module):
        for path, parameter in named(value):
            yield from ((*target, path) for target in leads(parameter, recorder))
        for buffer in parameters(value, ["_buffers"]):
            recorder.has_role(buffer, "buffer")
    elif depth < DEPTH:
        for item in list(islice(items(value, LISTED), MOST)):
            yield from leads(item, recorder, depth + 1)


def parameters(module, parts=("_parameters",)) -> list:
    """The parameters of a module and of those in it, each once; one that is half made has few.

    `parts` may name its buffers, too.
    """
    return [parameter for _, parameter in named(module, parts)]


def named(module, parts=("_parameters",)) -> list:
    """(path, parameter) of them."""
    found: dict = {}
    todo, seen = [("", module)], set()
    while todo:
        path, one = todo.pop()
        own = own_dict(one)
        if id(own) not in seen:
            seen.add(id(own))
            for part in parts:
                for name, p in own.get(part, {}).items():
                    found.setdefault(id(p), (path + name, p)) if p is not None else None
            inner = own.get("_modules", {}).items()
            todo += reversed([(f"{path}{name}.", m) for name, m in inner if m is not None])
    return list(found.values())


def _is_node(kind) -> bool:
    return issubclass(kind, torch.autograd.graph.Node) or of_class(kind, "_sequence_nr") is not None
