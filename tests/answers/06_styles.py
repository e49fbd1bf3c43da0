"""Lesson 06: right answers in other styles, written from the task cards alone."""


# %% answer="scaled_layers" style="halve the product in place, nobody has saved it"
def scaled_layers(x, w, layers):
    """The sum after so many layers of: add 0.1, take the tanh, halve it, multiply by w."""
    h = x @ w
    for _ in range(layers):
        h += 0.1
        h = h.tanh()
        h = h @ w
        h *= 0.5
    return h.sum()


# %% answer="scaled_layers" style="named in-place methods, two short chains per layer"
def scaled_layers(x, w, layers):
    """The sum after so many layers of: add 0.1, take the tanh, halve it, multiply by w."""
    h = x.matmul(w)
    for _ in range(layers):
        h = h.add_(0.1).tanh()
        h = h.matmul(w).mul_(0.5)
    return h.sum()


# %% answer="scaled_layers" style="halving put off to the next layer, the last one done on the sum"
def scaled_layers(x, w, layers):
    """The sum after so many layers of: add 0.1, take the tanh, halve it, multiply by w."""
    h = x @ w
    for layer in range(layers):
        if layer > 0:
            h *= 0.5  # of the layer before; h is a product, and no node has saved it
        h += 0.1
        h = h.tanh()
        h = h @ w
    total = h.sum()
    return total * 0.5 if layers else total


# %% answer="scaled_layers" style="add out of place, names deleted, div_ on the product"
def scaled_layers(x, w, layers):
    """The sum after so many layers of: add 0.1, take the tanh, halve it, multiply by w."""
    product = mg.mm(x, w)
    for _ in range(layers):
        shifted = product + 0.1
        del product
        activation = mg.tanh(shifted)
        del shifted
        product = mg.mm(activation, w)
        del activation
        product.div_(2)  # (a / 2) @ w is (a @ w) / 2
    return mg.sum(product)


# %% answer="scaled_layers" style="an op of one's own that saves the halved result only"
class HalfTanh(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        y = a.tanh()
        y *= 0.5
        ctx.save_for_backward(y)  # the next product saves the same bytes
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * (0.5 - 2.0 * y * y)  # tanh is 2 y: 0.5 * (1 - 4 y * y)


def scaled_layers(x, w, layers):
    """The sum after so many layers of: add 0.1, take the tanh, halve it, multiply by w."""
    h = x @ w
    for _ in range(layers):
        h += 0.1
        h = HalfTanh.apply(h)
        h = h @ w
    return h.sum()


# %% answer="saved_bytes" style="a growing list of nodes, a dictionary of storages by address"
def saved_bytes(root):
    """Bytes of all storages that the nodes below `root.grad_fn`, itself included, have saved."""
    if root.grad_fn is None:
        return 0
    nodes, storages = [root.grad_fn], {}
    for node in nodes:
        for name in dir(node):
            if not (name.startswith("_saved_") or name == "saved_tensors"):
                continue
            try:
                value = getattr(node, name)
            except RuntimeError:
                continue
            for t in value if isinstance(value, (tuple, list)) else (value,):
                if isinstance(t, mg.Tensor):
                    storage = t.untyped_storage()
                    storages[storage.data_ptr()] = storage
        for target, _ in node.next_functions:
            if target is not None and target not in nodes:
                nodes.append(target)
    return sum(storage.nbytes() for storage in storages.values())


# %% answer="saved_bytes" style="small generators, a stack, numbers of bytes by address"
def every_node(root):
    seen, stack = set(), [root.grad_fn]
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        yield node
        stack.extend(target for target, _ in node.next_functions)


def read(node, name):
    try:
        return getattr(node, name)
    except RuntimeError:
        return None  # freed


def tensors_of(node):
    for name in dir(node):
        if name.startswith("_saved_") or name == "saved_tensors":
            value = read(node, name)
            if isinstance(value, mg.Tensor):
                yield value
            elif isinstance(value, (list, tuple)):
                yield from (item for item in value if isinstance(item, mg.Tensor))


def saved_bytes(root):
    """Bytes of all storages that the nodes below `root.grad_fn`, itself included, have saved."""
    found = {}
    for node in every_node(root):
        for tensor in tensors_of(node):
            storage = tensor.untyped_storage()
            found[storage.data_ptr()] = storage.nbytes()
    return sum(found.values())


# %% answer="saved_bytes" style="a class with a deque, all tensors gathered first and held"
from collections import deque


class SaveSet:
    def __init__(self, root):
        self.tensors = []
        self.seen = {None}
        self.queue = deque()
        self.enter(root.grad_fn)
        while self.queue:
            node = self.queue.popleft()
            self.look_at(node)
            for target, _ in node.next_functions:
                self.enter(target)

    def enter(self, node):
        if node not in self.seen:
            self.seen.add(node)
            self.queue.append(node)

    def look_at(self, node):
        names = {name for name in dir(node) if name.startswith("_saved_")}
        if isinstance(node, mg.autograd.function.BackwardCFunction):
            names.add("saved_tensors")
        for name in sorted(names):
            try:
                value = getattr(node, name)
            except RuntimeError:
                continue
            values = value if isinstance(value, (tuple, list)) else [value]
            self.tensors += [v for v in values if isinstance(v, mg.Tensor)]

    def nbytes(self):
        sizes = {}
        for tensor in self.tensors:
            storage = tensor.untyped_storage()
            sizes.setdefault(storage.data_ptr(), storage.nbytes())
        return sum(sizes.values())


def saved_bytes(root):
    """Bytes of all storages that the nodes below `root.grad_fn`, itself included, have saved."""
    return SaveSet(root).nbytes()


# %% answer="saved_bytes" style="explicit beginner: every case apart, filled step by step"
def saved_bytes(root):
    """Bytes of all storages that the nodes below `root.grad_fn`, itself included, have saved."""
    bytes_at_address = {}

    def note(thing):
        if isinstance(thing, mg.Tensor):
            storage = thing.untyped_storage()
            address = storage.data_ptr()
            bytes_at_address[address] = storage.nbytes()

    to_visit = []
    visited = set()
    if root.grad_fn is not None:
        to_visit.append(root.grad_fn)
    while len(to_visit) > 0:
        node = to_visit.pop()
        if node in visited:
            continue
        visited.add(node)
        # first: the slots of a built-in operation
        for name in dir(node):
            if name.startswith("_saved_"):
                try:
                    value = getattr(node, name)
                except RuntimeError:
                    value = None
                if isinstance(value, tuple):
                    for element in value:
                        note(element)
                else:
                    note(value)
        # then: the slot of an operation of our own
        try:
            own = node.saved_tensors
        except AttributeError:
            own = ()
        except RuntimeError:
            own = ()
        for element in own:
            note(element)
        # and where the edges lead
        for next_node, _output_number in node.next_functions:
            if next_node is not None:
                to_visit.append(next_node)
    total = 0
    for address in bytes_at_address:
        total = total + bytes_at_address[address]
    return total
