"""Lesson 19: what people write. Each cell is one answer; course/build/README.md tells its keys."""


# %% answer="block_bytes" wrong="GELU and SiLU keep their input"
# one hidden layer, as with ReLU
def block_bytes(batch, tokens, width, heads, times, act, weights):
    unit = 4 * batch * tokens * width
    table = 4 * batch * heads * tokens**2
    tables = 3 if weights == "dropout" else 1
    mask = tokens**2 if weights == "causal" else 0
    return (8 + times) * unit + 16 * batch * tokens + tables * table + mask


# %% answer="block_bytes" wrong="count it once"
# every activation is kept before and after
def block_bytes(batch, tokens, width, heads, times, act, weights):
    unit = 4 * batch * tokens * width
    table = 4 * batch * heads * tokens**2
    tables = 3 if weights == "dropout" else 1
    mask = tokens**2 if weights == "causal" else 0
    return (8 + 2 * times) * unit + 16 * batch * tokens + tables * table + mask


# %% answer="block_bytes" wrong="one buffer"
# softmax saves the weights and so does the product
def block_bytes(batch, tokens, width, heads, times, act, weights):
    unit = 4 * batch * tokens * width
    hidden = times * unit * (1 if act == "relu" else 2)
    table = 4 * batch * heads * tokens**2
    mask = tokens**2 if weights == "causal" else 0
    return 8 * unit + hidden + 16 * batch * tokens + 2 * table + mask


# %% answer="block_bytes" wrong="each head has a table of its own"
# the heads share the width, so they share the table
def block_bytes(batch, tokens, width, heads, times, act, weights):
    unit = 4 * batch * tokens * width
    hidden = times * unit * (1 if act == "relu" else 2)
    table = 4 * batch * tokens**2
    tables = 3 if weights == "dropout" else 1
    mask = tokens**2 if weights == "causal" else 0
    return 8 * unit + hidden + 16 * batch * tokens + tables * table + mask


# %% answer="block_bytes" wrong="who keeps a table where there is dropout?"
# dropout keeps a mask besides the weights
def block_bytes(batch, tokens, width, heads, times, act, weights):
    unit = 4 * batch * tokens * width
    hidden = times * unit * (1 if act == "relu" else 2)
    table = 4 * batch * heads * tokens**2
    tables = 2 if weights == "dropout" else 1
    mask = tokens**2 if weights == "causal" else 0
    return 8 * unit + hidden + 16 * batch * tokens + tables * table + mask


# %% answer="block_bytes" wrong="a mean and a deviation"
# a norm keeps its input
def block_bytes(batch, tokens, width, heads, times, act, weights):
    unit = 4 * batch * tokens * width
    hidden = times * unit * (1 if act == "relu" else 2)
    table = 4 * batch * heads * tokens**2
    tables = 3 if weights == "dropout" else 1
    mask = tokens**2 if weights == "causal" else 0
    return 8 * unit + hidden + tables * table + mask


# %% answer="block_bytes" wrong="a byte for each pair of tokens, once"
# a mask for each head of each text
def block_bytes(batch, tokens, width, heads, times, act, weights):
    unit = 4 * batch * tokens * width
    hidden = times * unit * (1 if act == "relu" else 2)
    table = 4 * batch * heads * tokens**2
    tables = 3 if weights == "dropout" else 1
    mask = batch * heads * tokens**2 if weights == "causal" else 0
    return 8 * unit + hidden + 16 * batch * tokens + tables * table + mask


# %% answer="block_bytes" wrong="not always 4 times"
# the block of the lesson
def block_bytes(batch, tokens, width, heads, times, act, weights):
    unit, table = 4 * batch * tokens * width, 4 * batch * heads * tokens**2
    hidden = 4 * unit if act == "relu" else 8 * unit
    mask = tokens**2 if weights == "causal" else 0
    tables = 3 if weights == "dropout" else 1
    return 8 * unit + hidden + tables * table + mask + 16 * batch * tokens


# %% answer="block_bytes" wrong="count the rows of section 1 that have 1 U"
# the Linear behind the heads is forgotten
def block_bytes(batch, tokens, width, heads, times, act, weights):
    unit, table = 4 * batch * tokens * width, 4 * batch * heads * tokens**2
    hidden = times * unit * (1 if act == "relu" else 2)
    mask = tokens**2 if weights == "causal" else 0
    tables = 3 if weights == "dropout" else 1
    return 7 * unit + hidden + tables * table + mask + 16 * batch * tokens


# %% answer="block_bytes" style="numbers a token, added up row by row"
def block_bytes(batch, tokens, width, heads, times, act, weights):
    a_token = 0
    a_token += width + 2  # the first norm: its input, mean, deviation
    a_token += width  # its result, for q, k and v
    a_token += 3 * width
    a_token += heads * tokens * {"plain": 1, "causal": 1, "dropout": 3}[weights]
    a_token += width  # what the heads mixed
    a_token += width + 2 + width  # the second norm, and its result
    a_token += times * width
    if act in ("gelu", "silu"):
        a_token += times * width
    total = 4 * batch * tokens * a_token
    if weights == "causal":
        total += tokens * tokens
    return total


# %% answer="block_bytes" style="a dictionary of buffers"
def block_bytes(batch, tokens, width, heads, times, act, weights):
    U = batch * tokens * width
    numbers = {
        "norms": 2 * U + 4 * batch * tokens,
        "linears": 2 * U,
        "qkv": 3 * U,
        "mixed": U,
        "hidden": times * U,
        "table": batch * heads * tokens * tokens,
    }
    if act != "relu":
        numbers["before"] = times * U
    if weights == "dropout":
        numbers["mask"] = numbers["dropped"] = numbers["table"]
    size = sum(numbers.values()) * 4
    return size + (tokens**2 if weights == "causal" else 0)


# %% answer="block_bytes" spare="4 of 5"
# builds a block and measures it: right, but not by hand
def block_bytes(batch, tokens, width, heads, times, act, weights):
    head = width // heads
    norms = [mg.nn.LayerNorm(width) for _ in range(2)]
    into, out = mg.nn.Linear(width, 3 * width), mg.nn.Linear(width, width)
    up, down = mg.nn.Linear(width, times * width), mg.nn.Linear(times * width, width)

    def split(part):
        return part.view(batch, tokens, heads, head).transpose(1, 2)

    def mix(q, k, v):
        scores = q @ k.transpose(-2, -1) / head**0.5
        if weights == "causal":
            later = mg.ones(tokens, tokens).tril() == 0
            scores = scores.masked_fill(later, -float("inf"))
        table = scores.softmax(-1)
        if weights == "dropout":
            table = mg.nn.functional.dropout(table, 0.1)
        return table @ v

    def block(h):
        mixed = mix(*map(split, into(norms[0](h)).chunk(3, -1)))
        h = h + out(mixed.transpose(1, 2).reshape(h.shape))
        return h + down(getattr(mg.nn.functional, act)(up(norms[1](h))))

    h = mg.ones(batch, tokens, width)
    before = mg.memory_allocated()
    y = block(h)
    return mg.memory_allocated() - before if y.requires_grad else 0


# %% answer="block_bytes" proof=true
def block_bytes(batch, tokens, width, heads, times, act, weights):
    head = width // heads
    norms = [mg.nn.LayerNorm(width) for _ in range(2)]
    into, out = mg.nn.Linear(width, 3 * width), mg.nn.Linear(width, width)
    up, down = mg.nn.Linear(width, times * width), mg.nn.Linear(times * width, width)

    def split(part):
        return part.view(batch, tokens, heads, head).transpose(1, 2)

    def mix(q, k, v):
        scores = q @ k.transpose(-2, -1) / head**0.5
        if weights == "causal":
            later = mg.ones(tokens, tokens).tril() == 0
            scores = scores.masked_fill(later, -float("inf"))
        table = scores.softmax(-1)
        if weights == "dropout":
            table = mg.nn.functional.dropout(table, 0.1)
        return table @ v

    def block(h):
        mixed = mix(*map(split, into(norms[0](h)).chunk(3, -1)))
        h = h + out(mixed.transpose(1, 2).reshape(h.shape))
        return h + down(getattr(mg.nn.functional, act)(up(norms[1](h))))

    h = mg.ones(batch, tokens, width)
    before = mg.memory_allocated()
    y = block(h)
    return mg.memory_allocated() - before if y.requires_grad else 0


# %% answer="GeluLinear" wrong="What of it can be computed again?"
# what backward needs is saved: u for the slope, g for the weight
class GeluLinear(mg.autograd.Function):
    @staticmethod
    def forward(ctx, u, w):
        g = F.gelu(u)
        ctx.save_for_backward(u, g, w)
        return g @ w

    @staticmethod
    def backward(ctx, grad):
        u, g, w = ctx.saved_tensors
        with mg.enable_grad():
            leaf = u.detach().requires_grad_()
            again = F.gelu(leaf)
        return mg.autograd.grad(again, leaf, grad @ w.T)[0], g.T @ grad


# %% answer="GeluLinear" wrong="times the slope of the GELU at u"
# a GELU is nearly a ReLU
class GeluLinear(mg.autograd.Function):
    @staticmethod
    def forward(ctx, u, w):
        ctx.save_for_backward(u, w)
        return F.gelu(u) @ w

    @staticmethod
    def backward(ctx, grad):
        u, w = ctx.saved_tensors
        return (grad @ w.T) * (u > 0).float(), F.gelu(u).T @ grad


# %% answer="GeluLinear" wrong="the GELU needs `mg.enable_grad()` there"
# backward records by itself
class GeluLinear(mg.autograd.Function):
    @staticmethod
    def forward(ctx, u, w):
        ctx.save_for_backward(u, w)
        return F.gelu(u) @ w

    @staticmethod
    def backward(ctx, grad):
        u, w = ctx.saved_tensors
        leaf = u.detach().requires_grad_()
        g = F.gelu(leaf)
        return mg.autograd.grad(g, leaf, grad @ w.T)[0], g.T @ grad


# %% answer="GeluLinear" wrong="the gradient of each has its own shape"
# the two factors the wrong way round
class GeluLinear(mg.autograd.Function):
    @staticmethod
    def forward(ctx, u, w):
        ctx.save_for_backward(u, w)
        return F.gelu(u) @ w

    @staticmethod
    def backward(ctx, grad):
        u, w = ctx.saved_tensors
        with mg.enable_grad():
            leaf = u.detach().requires_grad_()
            g = F.gelu(leaf)
        return mg.autograd.grad(g, leaf, grad @ w.T)[0], grad.T @ g.detach()


# %% answer="GeluLinear" wrong="is banned in this exercise"
# what PyTorch has ready-made
class GeluLinear:
    @staticmethod
    def apply(u, w):
        def run(u):
            return F.gelu(u) @ w

        return mg.utils.checkpoint.checkpoint(run, u, use_reentrant=False)


# %% answer="GeluLinear" wrong="returns a tuple, also of one gradient"
# handed on as it comes
class GeluLinear(mg.autograd.Function):
    @staticmethod
    def forward(ctx, u, w):
        ctx.save_for_backward(u, w)
        return F.gelu(u) @ w

    @staticmethod
    def backward(ctx, grad):
        u, w = ctx.saved_tensors
        with mg.enable_grad():
            leaf = u.detach().requires_grad_()
            g = F.gelu(leaf)
        return mg.autograd.grad(g, leaf, grad @ w.T), g.detach().T @ grad


# %% answer="GeluLinear" spare="6 of 7"
# the whole of it runs again, the product, too
class GeluLinear(mg.autograd.Function):
    @staticmethod
    def forward(ctx, u, w):
        ctx.save_for_backward(u, w)
        return F.gelu(u) @ w

    @staticmethod
    def backward(ctx, grad):
        u, w = (t.detach().requires_grad_() for t in ctx.saved_tensors)
        with mg.enable_grad():
            y = F.gelu(u) @ w
        return mg.autograd.grad(y, (u, w), grad)


# %% answer="GeluLinear" style="backward through the GELU alone, into a copy"
class GeluLinear(mg.autograd.Function):
    @staticmethod
    def forward(u, w):
        return F.gelu(u) @ w

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        u, w = ctx.saved_tensors
        copy = u.detach().requires_grad_()
        with mg.enable_grad():
            g = F.gelu(copy)
        g.backward(grad @ w.t())
        return copy.grad, g.detach().t() @ grad


# %% answer="GeluLinear" style="the slope as a formula"
import math


class GeluLinear(mg.autograd.Function):
    @staticmethod
    def forward(ctx, u, w):
        ctx.save_for_backward(u, w)
        return mg.nn.functional.gelu(u).matmul(w)

    @staticmethod
    def backward(ctx, grad):
        u, w = ctx.saved_tensors
        g = mg.nn.functional.gelu(u)
        below = mg.where(u == 0, mg.full_like(u, 0.5), g / u)  # gelu(u) is u times this
        slope = below + u * (-u * u / 2).exp() / math.sqrt(2 * math.pi)
        for_u = for_w = None
        if ctx.needs_input_grad[0]:
            for_u = grad.matmul(w.t()) * slope
        if ctx.needs_input_grad[1]:
            for_w = g.t().matmul(grad)
        return for_u, for_w


# %% answer="GeluLinear" spare="6 of 7"
# setup_context, backward into copies: the product runs again
class GeluLinear(mg.autograd.Function):
    @staticmethod
    def forward(u, w):
        return F.gelu(u) @ w

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    @mg.enable_grad()
    def backward(ctx, grad):
        copies = [t.detach().requires_grad_() for t in ctx.saved_tensors]
        (F.gelu(copies[0]) @ copies[1]).backward(grad)
        return tuple(copy.grad for copy in copies)


# %% answer="GeluLinear" spare="5 of 7"
# the gradients are right, and a copy of u is kept
class GeluLinear(mg.autograd.Function):
    @staticmethod
    def forward(ctx, u, w):
        ctx.save_for_backward(u.clone(), w)
        return F.gelu(u) @ w

    @staticmethod
    def backward(ctx, grad):
        u, w = ctx.saved_tensors
        with mg.enable_grad():
            leaf = u.detach().requires_grad_()
            g = F.gelu(leaf)
        return mg.autograd.grad(g, leaf, grad @ w.T)[0], g.detach().T @ grad


# %% answer="Carrier" wrong="the tensor's own bytes under another name"
# numpy() is elsewhere
class Carrier:
    def __init__(self):
        self.out = 0

    def pack(self, tensor):
        if tensor.is_leaf and tensor.requires_grad:
            return tensor
        array = tensor.detach().numpy()
        self.out += array.nbytes
        return array

    def unpack(self, packed):
        return packed if isinstance(packed, mg.Tensor) else mg.tensor(packed)


# %% answer="Carrier" wrong="the tensor's own bytes under another name"
# a clone is a copy; but its array is a view of the clone
class Carrier:
    def __init__(self):
        self.out = 0

    def pack(self, tensor):
        if tensor.is_leaf and tensor.requires_grad:
            return tensor
        self.out += tensor.nbytes
        return tensor.detach().clone().numpy()

    def unpack(self, packed):
        return packed if isinstance(packed, mg.Tensor) else mg.tensor(packed)


# %% answer="Carrier" wrong="How do you know a weight?"
# everything goes
class Carrier:
    def __init__(self):
        self.out = 0

    def pack(self, tensor):
        array = tensor.detach().numpy().copy()
        self.out += array.nbytes
        return array

    def unpack(self, packed):
        return mg.tensor(packed)


# %% answer="Carrier" wrong="a mask and the data are leaves, but no weights"
# a leaf is somebody else's
class Carrier:
    def __init__(self):
        self.out = 0

    def pack(self, tensor):
        if tensor.is_leaf:
            return tensor
        array = tensor.detach().numpy().copy()
        self.out += array.nbytes
        return array

    def unpack(self, packed):
        return packed if isinstance(packed, mg.Tensor) else mg.tensor(packed)


# %% answer="Carrier" wrong="What `pack` returns is what `unpack` gets"
# a pile: what was packed last is fetched first
class Carrier:
    def __init__(self):
        self.out, self.pile = 0, []

    def pack(self, tensor):
        if tensor.is_leaf and tensor.requires_grad:
            return tensor
        self.pile.append(tensor.detach().numpy().copy())
        self.out += tensor.nbytes
        return tuple(tensor.shape)

    def unpack(self, packed):
        if isinstance(packed, mg.Tensor):
            return packed
        fits = [i for i, array in enumerate(self.pile) if array.shape == packed]
        return mg.tensor(self.pile[fits[-1]])


# %% answer="Carrier" wrong="may be asked again for the same"
# fetched is fetched
class Carrier:
    def __init__(self):
        self.out, self.arrays = 0, {}

    def pack(self, tensor):
        if tensor.is_leaf and tensor.requires_grad:
            return tensor
        number = len(self.arrays)
        self.arrays[number] = tensor.detach().numpy().copy()
        self.out += tensor.nbytes
        return number

    def unpack(self, packed):
        return packed if isinstance(packed, mg.Tensor) else mg.tensor(self.arrays.pop(packed))


# %% answer="Carrier" wrong="ended in backward 2 of 3"
# keys with blanks in them, for a log; fetched is fetched
class Carrier:
    def __init__(self):
        self.out, self.arrays = 0, {}

    def pack(self, tensor):
        if tensor.is_leaf and tensor.requires_grad:
            return tensor
        key = f"number {len(self.arrays)} of {tuple(tensor.shape)}"
        self.arrays[key] = tensor.detach().numpy().copy()
        self.out += tensor.nbytes
        return key

    def unpack(self, packed):
        return packed if isinstance(packed, mg.Tensor) else mg.tensor(self.arrays.pop(packed))


# %% answer="Carrier" wrong="ended in backward 2 of 3"
# an error of its own says it in its own words
class Carrier:
    def __init__(self):
        self.out = 0

    def pack(self, tensor):
        if tensor.is_leaf and tensor.requires_grad:
            return tensor
        self.out += tensor.nbytes
        return [tensor.detach().numpy().copy()]

    def unpack(self, packed):
        if isinstance(packed, mg.Tensor):
            return packed
        if not packed:
            raise ValueError("this one was fetched before")
        return mg.tensor(packed.pop())


# %% answer="Carrier" style="numbers and a dictionary that is kept"
class Carrier:
    def __init__(self):
        self.out = 0
        self.arrays = {}

    def pack(self, tensor):
        if tensor.requires_grad and tensor.grad_fn is None:
            return ("weight", tensor)
        number = len(self.arrays)
        self.arrays[number] = tensor.detach().numpy().copy()
        self.out += tensor.nbytes
        return ("carried", number)

    def unpack(self, packed):
        kind, what = packed
        if kind == "weight":
            return what
        return mg.tensor(self.arrays[what])


# %% answer="Carrier" style="plain lists of Python"
class Carrier:
    out = 0

    def pack(self, tensor):
        weight = tensor.is_leaf and tensor.requires_grad
        if weight:
            return tensor, None
        self.out = self.out + tensor.numel() * tensor.element_size()
        return None, tensor.tolist()

    def unpack(self, packed):
        tensor, numbers = packed
        return tensor if numbers is None else mg.tensor(numbers)


# %% answer="Carrier" spare="4 of 6"
# a copy inside of the engine: out of the graph, and no byte less
class Carrier:
    def __init__(self):
        self.out = 0

    def pack(self, tensor):
        if tensor.is_leaf and tensor.requires_grad:
            return tensor
        self.out += tensor.nbytes
        return tensor.detach().clone()

    def unpack(self, packed):
        return packed


# %% answer="choose_blocks" wrong="goes over the budget"
# only what is held after forward counts
from itertools import combinations


def choose_blocks(kept, products, budget):
    best = None
    for count in range(len(kept) + 1):
        for some in combinations(range(len(kept)), count):
            held = sum(1 if i in some else size for i, size in enumerate(kept))
            price = sum(products[i] for i in some)
            if held <= budget and (best is None or price < best[0]):
                best = price, list(some)
    return best and best[1]


# %% answer="choose_blocks" wrong="another one runs fewer products again"
# as few blocks as possible
from itertools import combinations


def choose_blocks(kept, products, budget):
    for count in range(len(kept) + 1):
        for some in combinations(range(len(kept)), count):
            held = [1 if i in some else size for i, size in enumerate(kept)]
            if max([sum(held), *(sum(held[:i]) + kept[i] for i in some)]) <= budget:
                return list(some)
    return None


# %% answer="choose_blocks" wrong="another one runs fewer products again"
# the block that saves most for a product comes first
def choose_blocks(kept, products, budget):
    def highest(some):
        held = [1 if i in some else size for i, size in enumerate(kept)]
        return max([sum(held), *(sum(held[:i]) + kept[i] for i in some)])

    some = []
    for i in sorted(range(len(kept)), key=lambda i: -(kept[i] - 1) / products[i]):
        if highest(some) <= budget:
            return some
        some.append(i)
    return some if highest(some) <= budget else None


# %% answer="choose_blocks" wrong="there is a choice that fits"
# what does not fit as it is does not fit
def choose_blocks(kept, products, budget):
    return [] if sum(kept) <= budget else None


# %% answer="choose_blocks" wrong="no yes or no for each"
# a mask in place of numbers
def choose_blocks(kept, products, budget):
    return [False] * len(kept)


# %% answer="choose_blocks" wrong="they are counted from 0"
# counted from 1
def choose_blocks(kept, products, budget):
    return [number for number, _ in enumerate(kept, 1)]


# %% answer="choose_blocks" style="recursion from the last block down"
def choose_blocks(kept, products, budget):
    def best(i, above):
        """The cheapest for blocks 0 to i, where `above` U more are held after forward."""
        if i < 0:
            return (0, []) if above <= budget else None
        found = []
        alone = best(i - 1, above + kept[i])
        if alone:
            found.append(alone)
        again = best_again(i, above)
        if again:
            found.append(again)
        return min(found) if found else None

    def best_again(i, above):
        # while it runs again, only those below are held besides
        rest = best(i - 1, max(above + 1, kept[i]))
        return rest and (rest[0] + products[i], [*rest[1], i])

    found = best(len(kept) - 1, 0)
    return None if found is None else found[1]


# %% answer="choose_blocks" style="product of yes and no, sorted by price"
import itertools


def choose_blocks(kept, products, budget):
    choices = itertools.product((False, True), repeat=len(kept))
    priced = sorted(choices, key=lambda c: sum(p for p, yes in zip(products, c) if yes))
    for choice in priced:
        held, fits = 0, True
        for size, yes in zip(kept, choice):
            if yes and held + size > budget:
                fits = False
                break
            held += 1 if yes else size
        if fits and held <= budget:
            return [i for i, yes in enumerate(choice) if yes]


# %% answer="choose_blocks" spare="5 of 6"
# right, and adds with tensors
import itertools


def choose_blocks(kept, products, budget):
    best = None
    for choice in itertools.product((0, 1), repeat=len(kept)):
        held = [1 if yes else size for size, yes in zip(kept, choice)]
        fits = sum(held) <= budget and all(
            sum(held[:i]) + kept[i] <= budget for i, yes in enumerate(choice) if yes
        )
        if fits:
            price = (mg.tensor(choice) * mg.tensor(products)).sum().item()
            if best is None or price < best[0]:
                best = price, [i for i, yes in enumerate(choice) if yes]
    return None if best is None else best[1]
