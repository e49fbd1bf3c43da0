"""What a case asks of a graph: names, saved tensors, who is alive. Works on either engine."""

import weakref


class Token:
    """Parked in a node's metadata: torch's nodes allow no weak reference of their own."""


class Life:
    """Weak references by name; `alive()` lists the names of those that still live."""

    def __init__(self):
        self.refs = {}

    def tensor(self, name, tensor):
        self.refs[f"{name} tensor"] = weakref.ref(tensor)

    def storage(self, name, tensor):
        self.refs[f"{name} storage"] = weakref.ref(tensor.untyped_storage())

    def node(self, name, node):
        token = node.metadata["token"] = Token()
        self.refs[f"{name} node"] = weakref.ref(token)

    def all(self, name, tensor):
        self.tensor(name, tensor)
        self.storage(name, tensor)
        if tensor.grad_fn is not None:
            self.node(name, tensor.grad_fn)

    def alive(self):
        return [name for name, ref in self.refs.items() if ref() is not None]


def strides(tensor):
    """Those that lead somewhere: of axes longer than 1, of a tensor that is not empty.

    Any number may stand at an axis of one element: NumPy and PyTorch put different ones there.
    """
    steps = zip(tensor.stride(), tensor.shape, strict=True)
    return [step for step, n in steps if n > 1] if tensor.numel() else []


def name(node):
    return type(node).__name__ if node is not None else None


def walk(root):
    """All nodes below `root`, each once, in depth-first order of their edges."""
    found, todo = [], [root]
    while todo:
        node = todo.pop()
        if node is not None and all(node is not other for other in found):
            found.append(node)
            todo.extend(edge[0] for edge in reversed(node.next_functions))
    return found


def graph(root):
    """The graph as lines `index Name -> index:output_nr, ...`; None stands for a constant."""
    nodes = walk(root)
    place = {id(node): index for index, node in enumerate(nodes)}

    def edge(pair):
        return "None" if pair[0] is None else f"{place[id(pair[0])]}:{pair[1]}"

    return [
        f"{index} {name(node)} -> {', '.join(map(edge, node.next_functions))}".rstrip(" ->")
        for index, node in enumerate(nodes)
    ]


def edges(node):
    return [[name(target), number] for target, number in node.next_functions]


def saved_names(node):
    return sorted(a for a in dir(node) if a.startswith("_saved_"))


def is_tensor(value):
    return hasattr(value, "untyped_storage")


def form(value):
    """A saved value in short: a tensor's dtype, shape and version; anything else as it is."""
    if is_tensor(value):
        return f"{value.dtype} {list(value.shape)} grad_fn {name(value.grad_fn)}"
    if isinstance(value, (tuple, list)) and any(map(is_tensor, value)):
        return [form(item) for item in value]
    return value


def saved(node):
    """Every `_saved_*` of a node in short."""
    return {attribute: form(getattr(node, attribute)) for attribute in saved_names(node)}


def readable(node):
    """Every `_saved_*` that can still be read, and `freed` for those that cannot."""
    found = {}
    for attribute in saved_names(node):
        try:
            found[attribute] = form(getattr(node, attribute))
        except RuntimeError:
            found[attribute] = "freed"
    return found
