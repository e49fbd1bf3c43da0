"""Lesson 19: honest answers in further styles."""


# %% answer="block_bytes" style="a beginner: a variable for every row of section 1, prints"
def block_bytes(batch, tokens, width, heads, times, act, weights):
    """The bytes that one block keeps: a whole number."""
    U = batch * tokens * width * 4
    one_table = batch * heads * tokens * tokens * 4
    norm1_input = U
    norm1_two_numbers = 2 * batch * tokens * 4
    norm1_result = U
    q = U
    k = U
    v = U
    if weights == "plain":
        tables = one_table
    if weights == "dropout":
        softmax_result = one_table
        mask = one_table
        dropped = one_table
        tables = softmax_result + mask + dropped
    if weights == "causal":
        mask = tokens * tokens
        tables = one_table + mask
    mixed = U
    norm2_input = U
    norm2_two_numbers = 2 * batch * tokens * 4
    norm2_result = U
    hidden = times * U
    if act == "relu":
        mlp = hidden
    else:
        mlp = hidden + hidden
    # the result is there instead of the input, which is norm1_input
    total = norm1_input + norm1_two_numbers + norm1_result
    total = total + q + k + v + tables + mixed
    total = total + norm2_input + norm2_two_numbers + norm2_result + mlp
    return total


print(block_bytes(2, 64, 32, 4, 4, "gelu", "plain") / (2 * 64 * 32 * 4), "U")
print(block_bytes(2, 64, 32, 4, 4, "relu", "plain") / (2 * 64 * 32 * 4), "U")
print(block_bytes(2, 64, 32, 4, 4, "gelu", "dropout") / (2 * 64 * 32 * 4), "U")


# %% answer="block_bytes" style="golf: one expression, bool times int"
def block_bytes(b, t, w, h, m, a, s):
    return 4*b*t*(w*(8+m*(1+(a!="relu")))+h*t*(1+2*(s=="dropout"))+4)+t*t*(s=="causal")


# %% answer="block_bytes" style="classes: parts that count themselves and add up, an Enum of dtypes"
from dataclasses import dataclass
from enum import IntEnum


class Size(IntEnum):
    BOOL = 1
    FLOAT = 4


@dataclass
class Shape:
    batch: int
    tokens: int
    width: int
    heads: int

    @property
    def activation(self):
        return self.batch * self.tokens * self.width * Size.FLOAT

    @property
    def table(self):
        return self.batch * self.heads * self.tokens**2 * Size.FLOAT


class Part:
    def __init__(self, shape):
        self.shape = shape

    def __radd__(self, other):
        return other + self.bytes()


class Norm(Part):
    def bytes(self):
        """Its input, its result for the Linear behind it, a mean and a deviation a token."""
        statistics = 2 * self.shape.batch * self.shape.tokens * Size.FLOAT
        return 2 * self.shape.activation + statistics


class Attention_(Part):
    extra = {"plain": 0, "causal": 0, "dropout": 2}

    def __init__(self, shape, weights):
        super().__init__(shape)
        self.weights = weights

    def bytes(self):
        size = 4 * self.shape.activation + (1 + self.extra[self.weights]) * self.shape.table
        if self.weights == "causal":
            size += self.shape.tokens**2 * Size.BOOL
        return size


class Mlp(Part):
    def __init__(self, shape, times, act):
        super().__init__(shape)
        self.buffers = times if act == "relu" else 2 * times

    def bytes(self):
        return self.buffers * self.shape.activation


def block_bytes(batch, tokens, width, heads, times, act, weights):
    """The bytes that one block keeps: a whole number."""
    shape = Shape(batch, tokens, width, heads)
    return sum([Norm(shape), Attention_(shape, weights), Norm(shape), Mlp(shape, times, act)])


# %% answer="block_bytes" style="functions: a table of shapes, starmap and prod, match"
from itertools import chain, repeat
from math import prod


def buffers(batch, tokens, width, heads, times, act, weights):
    """(size of an element, shape) of each buffer."""
    token = batch, tokens
    yield from repeat((4, (*token, width)), 8)
    yield from repeat((4, token), 4)
    yield from repeat((4, (*token, width * times)), 1 if act == "relu" else 2)
    table = 4, (batch, heads, tokens, tokens)
    match weights:
        case "dropout":
            yield from chain.from_iterable(repeat((table,), 3))
        case "causal":
            yield table
            yield 1, (tokens, tokens)
        case _:
            yield table


def block_bytes(*given):
    """The bytes that one block keeps: a whole number."""
    return sum(size * prod(shape) for size, shape in buffers(*given))


# %% answer="block_bytes" style="as in PyTorch: numpy's nbytes of arrays that are only broadcast, type hints, Literal"
from typing import Literal

import numpy as np

Act = Literal["gelu", "silu", "relu"]
Weights = Literal["plain", "dropout", "causal"]


def meta(*shape: int, dtype=np.float32) -> np.ndarray:
    """Like a tensor on the meta device: a shape and a dtype, no memory."""
    return np.broadcast_to(np.zeros((), dtype), shape)


def block_bytes(
    batch: int, tokens: int, width: int, heads: int, times: int, act: Act, weights: Weights
) -> int:
    """The bytes that one block keeps: a whole number."""
    b, t, d = batch, tokens, width // heads
    h = meta(b, t, width)
    stats = [meta(b, t, 1)] * 4
    qkv = [meta(b, heads, t, d)] * 3
    probs = [meta(b, heads, t, t)] * (3 if weights == "dropout" else 1)
    if weights == "causal":
        probs.append(meta(t, t, dtype=np.bool_))
    mlp = [meta(b, t, times * width)] * (2 - (act == "relu"))
    saved = [h, h, *stats, *qkv, *probs, h, h, h, *mlp]
    return int(np.sum([a.nbytes for a in saved], dtype=np.int64))


# %% answer="GeluLinear" style="a beginner: an if for each gradient, names for every step, prints"
class GeluLinear(mg.autograd.Function):
    """F.gelu(u) @ w, which keeps u and w alone."""

    @staticmethod
    def forward(ctx, u, w):
        ctx.save_for_backward(u, w)
        activated = F.gelu(u)
        result = activated @ w
        return result

    @staticmethod
    def backward(ctx, grad):
        saved = ctx.saved_tensors
        u = saved[0]
        w = saved[1]
        grad_u = None
        grad_w = None
        if ctx.needs_input_grad[1]:
            activated = F.gelu(u)
            turned = activated.transpose(0, 1)
            grad_w = turned @ grad
        if ctx.needs_input_grad[0]:
            w_turned = w.transpose(0, 1)
            grad_activated = grad @ w_turned
            copy = u.detach()
            copy.requires_grad_(True)
            with mg.enable_grad():
                again = F.gelu(copy)
            grads = mg.autograd.grad(again, [copy], [grad_activated])
            grad_u = grads[0]
        return grad_u, grad_w


my_u = mg.ones(4, 6, requires_grad=True)
my_w = mg.ones(6, 2, requires_grad=True)
y = GeluLinear.apply(my_u, my_w)
y.sum().backward()
print(my_u.grad)
print(my_w.grad.shape)
del my_u, my_w, y


# %% answer="GeluLinear" style="golf: one leaf for both, saved_tensors unpacked, .T"
class GeluLinear(mg.autograd.Function):
    @staticmethod
    def forward(c, u, w): c.save_for_backward(u, w); return F.gelu(u)@w
    @staticmethod
    def backward(c, g):
        u, w = c.saved_tensors; l = u.detach().requires_grad_()
        with mg.enable_grad(): a = F.gelu(l)
        return mg.autograd.grad(a, l, g@w.T)[0], a.detach().T@g


# %% answer="GeluLinear" style="classes: a Gelu with its slope from gelu(u)/u and the normal curve, setup_context"
from math import pi, sqrt


class Gelu:
    """u times the share of the normal curve below u, and its derivative."""

    def __init__(self, u):
        self.u = u
        self.value = F.gelu(u)

    @property
    def below(self):
        middle = self.u == 0
        share = self.value / mg.where(middle, mg.ones_like(self.u), self.u)
        return mg.where(middle, mg.full_like(self.u, 0.5), share)

    @property
    def slope(self):
        curve = (-0.5 * self.u * self.u).exp() / sqrt(2 * pi)
        return self.below + self.u * curve


class GeluLinear(mg.autograd.Function):
    """F.gelu(u) @ w, which keeps u and w alone."""

    @staticmethod
    def forward(u, w):
        return Gelu(u).value @ w

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        u, w = ctx.saved_tensors
        gelu = Gelu(u)
        to_u, to_w = ctx.needs_input_grad
        return (
            grad @ w.t() * gelu.slope if to_u else None,
            gelu.value.t() @ grad if to_w else None,
        )


# %% answer="GeluLinear" style="functions: vjp of autograd.functional, thunks chosen by needs_input_grad"
def gelu_slope(u, w, grad):
    return mg.autograd.functional.vjp(F.gelu, u, grad.matmul(w.t()))[1]


def weight_slope(u, w, grad):
    return F.gelu(u).t().matmul(grad)


class GeluLinear(mg.autograd.Function):
    """F.gelu(u) @ w, which keeps u and w alone."""

    @staticmethod
    def forward(ctx, *given):
        ctx.save_for_backward(*given)
        return mg.matmul(F.gelu(given[0]), given[1])

    @staticmethod
    def backward(ctx, grad):
        rules = gelu_slope, weight_slope
        return tuple(
            rule(*ctx.saved_tensors, grad) if needed else None
            for rule, needed in zip(rules, ctx.needs_input_grad)
        )


# %% answer="GeluLinear" style="as in PyTorch: type hints, once_differentiable, mm, a helper that recomputes"
from typing import Any, Optional

from minigrad.autograd.function import once_differentiable

Tensor = mg.Tensor


def gelu_backward(grad_output: Tensor, u: Tensor) -> Tensor:
    u = u.detach().requires_grad_(True)
    with mg.enable_grad():
        out = F.gelu(u)
    out.backward(grad_output)
    return u.grad


class GeluLinear(mg.autograd.Function):
    """F.gelu(u) @ w, which keeps u and w alone."""

    @staticmethod
    def forward(ctx: Any, u: Tensor, w: Tensor) -> Tensor:
        ctx.save_for_backward(u, w)
        return mg.mm(F.gelu(u), w)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Optional[Tensor], Optional[Tensor]]:
        u, w = ctx.saved_tensors
        grad_u = grad_w = None
        if ctx.needs_input_grad[0]:
            grad_u = gelu_backward(mg.mm(grad_output, w.t()), u)
        if ctx.needs_input_grad[1]:
            grad_w = mg.mm(F.gelu(u).t(), grad_output)
        return grad_u, grad_w


# %% answer="Carrier" style="a beginner: a list of copies and their numbers, as the stub had it, prints"
class Carrier:
    """Carries what is saved out of the engine, except the weights."""

    def __init__(self):
        self.out = 0
        self.arrays = []

    def pack(self, tensor):
        is_weight = tensor.is_leaf and tensor.requires_grad
        if is_weight:
            return tensor
        array = tensor.detach().numpy()
        array = array.copy()
        self.out = self.out + array.nbytes
        self.arrays.append(array)
        number = len(self.arrays) - 1
        return number

    def unpack(self, packed):
        if type(packed) == int:
            array = self.arrays[packed]
            tensor = mg.tensor(array)
            return tensor
        else:
            return packed


there = Carrier()
with mg.autograd.graph.saved_tensors_hooks(there.pack, there.unpack):
    y = x.tanh().exp()
print("out:", there.out)
my_weight = mg.ones(3, requires_grad=True)
with mg.autograd.graph.saved_tensors_hooks(there.pack, there.unpack):
    y = my_weight.tanh() * my_weight
y.sum().backward()
print("out:", there.out, my_weight.grad)
del y, my_weight, there


# %% answer="Carrier" style="golf: a walrus, types told apart by hasattr"
class Carrier:
    out = 0
    def pack(s, t):
        if t.is_leaf and t.requires_grad: return t
        s.out += (a := t.detach().numpy().copy()).nbytes; return a
    def unpack(s, p): return p if hasattr(p, "grad_fn") else mg.tensor(p)


# %% answer="Carrier" style="classes: Kept and Away, each knows how it comes back; a property for out"
class Kept:
    """A weight, which somebody else holds."""

    nbytes = 0

    def __init__(self, tensor):
        self.tensor = tensor

    def back(self):
        return self.tensor


class Away:
    def __init__(self, tensor):
        self.array = tensor.detach().numpy().copy()
        self.nbytes = self.array.nbytes

    def back(self):
        return mg.from_numpy(self.array.copy())


class Carrier:
    """Carries what is saved out of the engine, except the weights."""

    def __init__(self):
        self._out = 0

    @property
    def out(self):
        return self._out

    @staticmethod
    def is_weight(tensor):
        return tensor.requires_grad and tensor.grad_fn is None

    def pack(self, tensor):
        parcel = (Kept if self.is_weight(tensor) else Away)(tensor)
        self._out += parcel.nbytes
        return parcel

    def unpack(self, packed):
        return packed.back()


# %% answer="Carrier" style="functions: what pack returns is called by unpack; partial"
from functools import partial


def same(given):
    return given


class Carrier:
    """Carries what is saved out of the engine, except the weights."""

    def __init__(self):
        self.sizes = []

    out = property(lambda self: sum(self.sizes))

    def pack(self, tensor):
        if tensor.is_leaf and tensor.requires_grad:
            return partial(same, tensor)
        array = tensor.detach().numpy().copy()
        self.sizes.append(array.nbytes)
        return partial(mg.tensor, array)

    @staticmethod
    def unpack(packed):
        return packed()


# %% answer="Carrier" style="as in PyTorch: np.save into a BytesIO, type hints, isinstance"
import io
from typing import Union

import numpy as np

Tensor = mg.Tensor
Packed = Union[Tensor, bytes]


def to_bytes(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


class Carrier:
    """Carries what is saved out of the engine, except the weights."""

    def __init__(self) -> None:
        self.out: int = 0

    def pack(self, tensor: Tensor) -> Packed:
        if tensor.is_leaf and tensor.requires_grad:
            return tensor
        self.out += tensor.numel() * tensor.element_size()
        return to_bytes(tensor.detach().cpu().numpy())

    def unpack(self, packed: Packed) -> Tensor:
        if isinstance(packed, Tensor):
            return packed
        return mg.from_numpy(np.load(io.BytesIO(packed)))


# %% answer="choose_blocks" style="a beginner: all choices by counting in binary by hand, prints"
def choose_blocks(kept, products, budget):
    """Numbers of blocks, counted from 0, or None."""
    n = len(kept)
    choice = [False] * n
    best = None
    best_products = None
    finished = False
    while not finished:
        # what is held at the end of forward?
        held = 0
        for i in range(n):
            if choice[i]:
                held = held + 1
            else:
                held = held + kept[i]
        highest = held
        # and now backward
        cost = 0
        for i in range(n - 1, -1, -1):
            if choice[i]:
                held = held - 1 + kept[i]
                cost = cost + products[i]
                if held > highest:
                    highest = held
            held = held - kept[i]
        if highest <= budget:
            if best_products is None or cost < best_products:
                best_products = cost
                best = []
                for i in range(n):
                    if choice[i]:
                        best.append(i)
        # the next choice
        place = 0
        while place < n and choice[place]:
            choice[place] = False
            place = place + 1
        if place == n:
            finished = True
        else:
            choice[place] = True
    return best


print(choose_blocks([5, 3, 4], [2, 2, 2], 100))
print(choose_blocks([5, 3, 4], [2, 2, 2], 8))
print(choose_blocks([5, 3, 4], [2, 2, 2], 1))


# %% answer="choose_blocks" style="golf: min over combinations with a default"
def choose_blocks(k, p, b):
    from itertools import combinations as C
    R = range(len(k))
    def top(s):
        h = [1 if i in s else k[i] for i in R]
        return max([sum(h)]+[sum(h[:i])+k[i] for i in s])
    return min(([*s] for n in [*R, len(k)] for s in C(R, n) if top(s) <= b), key=lambda s: sum(p[i] for i in s), default=None)


# %% answer="choose_blocks" style="classes: a frozen Plan that runs a step on a Card which raises"
from dataclasses import dataclass, field


class OutOfMemory(Exception):
    pass


class Card:
    def __init__(self, budget):
        self.budget, self.used = budget, 0

    def take(self, units):
        self.used += units
        if self.used > self.budget:
            raise OutOfMemory(self.used)


@dataclass(frozen=True, order=True)
class Plan:
    cost: int
    wrapped: tuple = field(compare=False)

    def fits(self, kept, budget):
        card = Card(budget)
        try:
            for number, units in enumerate(kept):
                card.take(1 if number in self.wrapped else units)
            for number, units in reversed(list(enumerate(kept))):
                if number in self.wrapped:
                    card.take(units - 1)
                card.take(-units)
        except OutOfMemory:
            return False
        return True


class Planner:
    def __init__(self, kept, products):
        self.kept, self.products = kept, products

    def plans(self):
        numbers = range(len(self.kept))
        for mask in range(1 << len(self.kept)):
            wrapped = tuple(n for n in numbers if mask >> n & 1)
            yield Plan(sum(self.products[n] for n in wrapped), wrapped)

    def best(self, budget):
        for plan in sorted(self.plans()):
            if plan.fits(self.kept, budget):
                return list(plan.wrapped)
        return None


def choose_blocks(kept, products, budget):
    """Numbers of blocks, counted from 0, or None."""
    return Planner(kept, products).best(budget)


# %% answer="choose_blocks" style="recursion: block by block with what is held before it, lru_cache, tuples compared"
from functools import lru_cache


def choose_blocks(kept, products, budget):
    """Numbers of blocks, counted from 0, or None."""

    @lru_cache(None)
    def best(i, before):
        """(products, blocks) from block i on, if the blocks before hold so much; or None."""
        if before > budget:
            return None
        if i == len(kept):
            return 0, ()
        found = []
        alone = best(i + 1, before + kept[i])
        if alone:
            found.append(alone)
        if before + kept[i] <= budget:
            wrapped = best(i + 1, before + 1)
            if wrapped:
                found.append((wrapped[0] + products[i], (i, *wrapped[1])))
        return min(found, default=None)

    plan = best(0, 0)
    return plan and list(plan[1])


# %% answer="choose_blocks" style="as people with numpy write it: all masks as one matrix, cumsum, argmin, type hints"
from typing import Optional

import numpy as np


def choose_blocks(kept: list[int], products: list[int], budget: int) -> Optional[list[int]]:
    """Numbers of blocks, counted from 0, or None."""
    n = len(kept)
    k, p = np.asarray(kept), np.asarray(products)
    masks = (np.arange(2**n)[:, None] >> np.arange(n)) & 1 == 1  # (2**n, n)
    held = np.where(masks, 1, k)
    after = held.cumsum(axis=1)
    rerun = np.where(masks, after - held + k, 0)
    highest = np.maximum(after[:, -1], rerun.max(axis=1))
    cost = np.where(highest <= budget, masks @ p, np.inf)
    i = cost.argmin()
    if np.isinf(cost[i]):
        return None
    return np.flatnonzero(masks[i]).tolist()


# %% answer="block_bytes" style="a list of rows as dicts, math.prod, f-string table printed"
import math


def block_bytes(batch, tokens, width, heads, times, act, weights):
    """The bytes that one block keeps: a whole number."""
    act_shape, score_shape = (batch, tokens, width), (batch, heads, tokens, tokens)
    hid_shape = (batch, tokens, width * times)
    rows = [("activations", act_shape, 8, 4), ("norm numbers", (batch, tokens), 4, 4)]
    rows.append(("hidden", hid_shape, {"gelu": 2, "silu": 2, "relu": 1}[act], 4))
    rows.append(("scores", score_shape, 3 if weights == "dropout" else 1, 4))
    if weights == "causal":
        rows.append(("mask", (tokens, tokens), 1, 1))
    total = 0
    for name, shape, copies, size in rows:
        n = math.prod(shape) * copies * size
        print(f"{name:<14}{n:>12,}")
        total += n
    return total


# %% answer="GeluLinear" style="backward on a detached leaf, y.backward, needs_input_grad, matmul"
class GeluLinear(mg.autograd.Function):
    """F.gelu(u) @ w, which keeps u and w alone."""

    @staticmethod
    def forward(ctx, u, w):
        ctx.save_for_backward(u, w)
        return mg.matmul(mg.nn.functional.gelu(u), w)

    @staticmethod
    def backward(ctx, grad_output):
        u, w = ctx.saved_tensors
        grad_u = grad_w = None
        with mg.enable_grad():
            u_ = u.detach().requires_grad_(True)
            act = F.gelu(u_)
        if ctx.needs_input_grad[1]:
            grad_w = act.detach().transpose(0, 1).matmul(grad_output)
        if ctx.needs_input_grad[0]:
            act.backward(grad_output.matmul(w.transpose(0, 1)))
            grad_u = u_.grad
        return grad_u, grad_w


# %% answer="Carrier" style="bytes in a bytes object, dtype and shape in a dict, frombuffer"
import numpy as np


class Carrier:
    """Carries what is saved out of the engine, except the weights."""

    def __init__(self):
        self.out = 0

    def pack(self, tensor):
        if tensor.requires_grad and tensor.is_leaf:
            return tensor
        a = tensor.detach().cpu().numpy()
        box = {"data": a.tobytes(), "dtype": a.dtype, "shape": a.shape}
        self.out += len(box["data"])
        return box

    def unpack(self, packed):
        if type(packed) is dict:
            flat = np.frombuffer(packed["data"], dtype=packed["dtype"])
            return mg.tensor(flat.reshape(packed["shape"]).copy())
        return packed


# %% answer="Carrier" style="nested lists with tolist, dtype kept"
class Carrier:
    """Carries what is saved out of the engine, except the weights."""

    def __init__(self):
        self.out = 0

    def pack(self, tensor):
        weight = tensor.is_leaf and tensor.requires_grad
        if weight:
            return ("here", tensor)
        self.out += tensor.numel() * tensor.element_size()
        return ("away", tensor.tolist(), tensor.dtype)

    def unpack(self, packed):
        kind, *rest = packed
        if kind == "here":
            return rest[0]
        values, dtype = rest
        return mg.tensor(values, dtype=dtype)


# %% answer="Carrier" style="torch names: save_on_cpu-like, a class of tuples, storage counted (float16-safe)"
class Carrier:
    """Carries what is saved out of the engine, except the weights."""

    def __init__(self):
        self.out = 0

    def pack(self, tensor):
        if tensor.is_leaf and tensor.requires_grad:
            return None, tensor
        array = tensor.detach().numpy()
        packed = array.copy()
        del array
        self.out += packed.size * packed.itemsize
        return packed, None

    def unpack(self, packed):
        array, tensor = packed
        return tensor if array is None else mg.from_numpy(array)


# %% answer="choose_blocks" style="branch and bound by recursion, a set returned as a list"
def choose_blocks(kept, products, budget):
    """Numbers of blocks, counted from 0, or None."""
    best = [float("inf"), None]

    def go(i, held, price, chosen):
        if price >= best[0]:
            return
        if i == len(kept):
            if held <= budget:
                best[:] = [price, set(chosen)]
            return
        go(i + 1, held + kept[i], price, chosen)
        if held + kept[i] <= budget:
            go(i + 1, held + 1, price + products[i], chosen | {i})

    go(0, 0, 0, frozenset())
    return None if best[1] is None else list(best[1])


# %% answer="choose_blocks" style="itertools.product of True and False, all highest points checked in a while"
from itertools import product


def feasible(kept, wrap, budget):
    held = [1 if w else k for w, k in zip(wrap, kept)]
    if sum(held) > budget:
        return False
    i = len(held) - 1
    while i >= 0:
        held[i] = kept[i]
        if sum(held) > budget:
            return False
        held.pop()
        i -= 1
    return True


def choose_blocks(kept, products, budget):
    """Numbers of blocks, counted from 0, or None."""
    fits = [w for w in product((False, True), repeat=len(kept)) if feasible(kept, w, budget)]
    if not fits:
        return None
    best = min(fits, key=lambda w: sum(p for p, on in zip(products, w) if on))
    return tuple(i for i, on in enumerate(best) if on)


# %% answer="choose_blocks" style="set"
def choose_blocks(kept, products, budget):
    best, fewest = None, float("inf")
    for bits in range(2 ** len(kept)):
        again = {i for i in range(len(kept)) if bits >> i & 1}
        held = [1 if i in again else k for i, k in enumerate(kept)]
        top = max([sum(held)] + [sum(held[:i]) + kept[i] for i in again])
        if top <= budget and sum(products[i] for i in again) < fewest:
            best, fewest = again, sum(products[i] for i in again)
    return best if best is None else list(best)


# %% answer="choose_blocks" style="numpy flatnonzero"
import numpy as np
def choose_blocks(kept, products, budget):
    kept, products = np.array(kept), np.array(products)
    best = None
    for bits in range(1 << len(kept)):
        m = (bits >> np.arange(len(kept))) & 1 == 1
        held = np.where(m, 1, kept)
        before = np.cumsum(held) - held
        if max([held.sum(), *(before + kept)[m]]) <= budget and (best is None or products[m].sum() < products[best].sum()):
            best = m
    return None if best is None else np.flatnonzero(best)


# %% answer="block_bytes" style="dict of items summed, pprint, compares with keeps(Block) at the bottom"
from pprint import pprint


def block_bytes(batch, tokens, width, heads, times, act, weights):
    """The bytes that one block keeps: a whole number."""
    unit = 4 * batch * tokens * width
    table = 4 * batch * heads * tokens**2
    items = {
        "activations": 8 * unit,
        "hidden": times * unit * {"gelu": 2, "silu": 2, "relu": 1}[act],
        "tables": table * (3 if weights == "dropout" else 1),
        "mask": tokens**2 if weights == "causal" else 0,
        "norms": 4 * 4 * batch * tokens,
    }
    pprint(items)
    return sum(items.values())


print(keeps(Block(32, 4), x.clone().requires_grad_()), block_bytes(2, 64, 32, 4, 4, "gelu", "plain"))
print(keeps(Block(32, 2, attend_dropping, F.relu), x.clone().requires_grad_()), block_bytes(2, 64, 32, 2, 4, "relu", "dropout"))


# %% answer="GeluLinear" style="as the hint says, with needs_input_grad"
class GeluLinear(mg.autograd.Function):
    """F.gelu(u) @ w, which keeps u and w alone."""

    @staticmethod
    def forward(ctx, u, w):
        ctx.save_for_backward(u, w)
        return F.gelu(u) @ w

    @staticmethod
    def backward(ctx, grad):
        u, w = ctx.saved_tensors
        want_u, want_w = ctx.needs_input_grad
        leaf = u.detach().requires_grad_()
        with mg.enable_grad():
            g = F.gelu(leaf)
        for_w = g.detach().t() @ grad if want_w else None
        for_u = mg.autograd.grad(g, leaf, grad @ w.t())[0] if want_u else None
        return for_u, for_w


uu, ww = mg.full((6, 4), 0.3, requires_grad=True), mg.full((4, 2), 0.1, requires_grad=True)
before = mg.memory_allocated()
y = GeluLinear.apply(uu, ww)
print("kept besides the result:", mg.memory_allocated() - before - y.nbytes, "B")
y.sum().backward()
got = uu.grad, ww.grad
uu.grad = ww.grad = None
(F.gelu(uu) @ ww).sum().backward()
assert mg.allclose(got[0], uu.grad) and mg.allclose(got[1], ww.grad)
del uu, ww, y, got


# %% answer="GeluLinear" style="helper returns the pair lazily, walrus, matrix transposes with .T"
def gelu_again(u):
    """(gelu(u) with its graph, the leaf it starts at)"""
    leaf = u.detach().requires_grad_()
    with mg.enable_grad():
        return F.gelu(leaf), leaf


# ==== next cell
class GeluLinear(mg.autograd.Function):
    """F.gelu(u) @ w, which keeps u and w alone."""

    @staticmethod
    def forward(ctx, u, w):
        ctx.save_for_backward(u, w)
        return F.gelu(u).matmul(w)

    @staticmethod
    def backward(ctx, grad):
        u, w = ctx.saved_tensors
        g, leaf = gelu_again(u)
        grads = [None, None]
        if ctx.needs_input_grad[1]:
            grads[1] = g.detach().T @ grad
        if ctx.needs_input_grad[0]:
            g.backward(grad @ w.T)
            grads[0], leaf.grad = leaf.grad, None
        return tuple(grads)


# %% answer="Carrier" style="minimal mend with a comment for each mistake"
class Carrier:
    """Carries what is saved out of the engine, except the weights."""

    def __init__(self):
        self.out = 0

    def pack(self, tensor):
        if tensor.is_leaf and tensor.requires_grad:
            return tensor                           # 1. weights stay
        array = tensor.detach().numpy().copy()      # 2. bytes of its own
        self.out += array.nbytes
        return array                                # 3. the node holds it, no list

    def unpack(self, packed):
        return packed if isinstance(packed, mg.Tensor) else mg.tensor(packed)


# %% answer="Carrier" style="frozen dataclass Parcel with raw bytes, match by class, numpy frombuffer, statistics of packs"
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Parcel:
    raw: bytes
    dtype: np.dtype
    shape: tuple

    @classmethod
    def of(cls, array):
        return cls(array.tobytes(), array.dtype, array.shape)

    def opened(self):
        return np.frombuffer(self.raw, self.dtype).reshape(self.shape).copy()


# ==== next cell
class Carrier:
    """Carries what is saved out of the engine, except the weights."""

    def __init__(self):
        self.out = self.packed = self.unpacked = 0

    @staticmethod
    def is_weight(tensor):
        return tensor.requires_grad and tensor.is_leaf

    def pack(self, tensor):
        if self.is_weight(tensor):
            return tensor
        parcel = Parcel.of(tensor.detach().numpy())
        self.out += len(parcel.raw)
        self.packed += 1
        return parcel

    def unpack(self, packed):
        match packed:
            case Parcel():
                self.unpacked += 1
                return mg.tensor(packed.opened())
            case _:
                return packed


# %% answer="choose_blocks" style="itertools.product of booleans, min with key, prints the choice"
from itertools import compress, product


def highest(wrapped, kept):
    held = [1 if wrap else k for wrap, k in zip(wrapped, kept)]
    return max([sum(held), *(sum(held[:i]) + kept[i] for i, wrap in enumerate(wrapped) if wrap)])


def choose_blocks(kept, products, budget):
    """Numbers of blocks, counted from 0, or None."""
    fitting = (
        wrapped
        for wrapped in product([False, True], repeat=len(kept))
        if highest(wrapped, kept) <= budget
    )
    best = min(fitting, key=lambda wrapped: sum(compress(products, wrapped)), default=None)
    print(f"{kept=} {products=} {budget=} {best=}")
    return None if best is None else list(compress(range(len(kept)), best))


assert choose_blocks([5, 3], [1, 9], 100) == []


# %% answer="block_bytes" style="walks the rows of the table with yields, mypy-like hints, counts floats first"
from collections.abc import Iterator


def kept_floats(batch: int, tokens: int, width: int, heads: int, times: int, act: str, weights: str) -> Iterator[int]:
    flat = batch * tokens * width
    yield from [flat] * 2                              # what the two norms give
    yield from [flat] * 3                              # q, k, v
    yield flat                                         # heads side by side again
    yield flat                                         # after the attention
    yield flat                                         # the result
    yield times * flat                                 # act's result, for `down`
    if act != "relu":
        yield times * flat                             # gelu and silu keep their input, too
    yield from [batch * heads * tokens * tokens] * (3 if weights == "dropout" else 1)
    yield from [batch * tokens] * 4                    # mean and deviation of two norms


def block_bytes(batch, tokens, width, heads, times, act, weights):
    """The bytes that one block keeps: a whole number."""
    mask = tokens * tokens if weights == "causal" else 0
    return 4 * sum(kept_floats(batch, tokens, width, heads, times, act, weights)) + mask


# %% answer="GeluLinear" style="gradient of gelu by the chain in a nested function, no leaf.grad, asserts shapes, prints"
class GeluLinear(mg.autograd.Function):
    """F.gelu(u) @ w, which keeps u and w alone."""

    @staticmethod
    def forward(ctx, u, w):
        assert u.shape[1] == w.shape[0], (u.shape, w.shape)
        ctx.save_for_backward(u, w)
        y = F.gelu(u) @ w
        print("y", y)
        return y

    @staticmethod
    def backward(ctx, grad):
        u, w = ctx.saved_tensors

        def through_gelu(g):
            with mg.enable_grad():
                leaf = u.detach().requires_grad_()
                out = F.gelu(leaf)
            return mg.autograd.grad(out, [leaf], [g])[0]

        for_u = through_gelu(grad @ w.transpose(0, 1)) if ctx.needs_input_grad[0] else None
        for_w = F.gelu(u.detach()).transpose(0, 1) @ grad if ctx.needs_input_grad[1] else None
        return for_u, for_w


# %% answer="Carrier" style="pickle to bytes, isinstance check, Counter of kinds, tried on a small net at the bottom"
import pickle
from collections import Counter


class Carrier:
    """Carries what is saved out of the engine, except the weights."""

    def __init__(self):
        self.out, self.kinds = 0, Counter()

    def pack(self, tensor):
        if tensor.is_leaf and tensor.requires_grad:
            self.kinds["weight"] += 1
            return tensor
        array = tensor.detach().numpy()
        self.kinds[str(array.dtype)] += 1
        self.out += array.nbytes
        return pickle.dumps(array)

    def unpack(self, packed):
        if isinstance(packed, bytes):
            return mg.tensor(pickle.loads(packed))
        return packed


there = Carrier()
a, b = mg.ones(3, 3), mg.full((3, 3), 0.1, requires_grad=True)
with mg.autograd.graph.saved_tensors_hooks(there.pack, there.unpack):
    y = (a @ b).tanh().sum()
y.backward()
print(there.out, there.kinds, b.grad)
del a, b, y, there


# %% answer="choose_blocks" style="bits of an integer, depth first with pruning replaced by min over tuples, combinations"
from itertools import combinations


def choose_blocks(kept, products, budget):
    """Numbers of blocks, counted from 0, or None."""
    n = len(kept)
    best = None
    for r in range(n + 1):
        for chosen in combinations(range(n), r):
            held = list(kept)
            for i in chosen:
                held[i] = 1
            peak = sum(held)
            for i in chosen:
                peak = max(peak, sum(held[:i]) + kept[i])
            cost = sum(products[i] for i in chosen)
            if peak <= budget and (best is None or cost < best[0]):
                best = cost, list(chosen)
    return best and best[1]


# %% answer="GeluLinear" style="needs_input_grad, autograd.grad under enable_grad, F imported"
from minigrad.nn import functional


class GeluLinear(mg.autograd.Function):
    @staticmethod
    def forward(ctx, u, w):
        ctx.save_for_backward(u, w)
        return mg.matmul(functional.gelu(u), w)

    @staticmethod
    def backward(ctx, grad):
        u, w = ctx.saved_tensors
        with mg.enable_grad():
            leaf = u.detach().requires_grad_()
            g = functional.gelu(leaf)
        for_w = g.detach().T @ grad
        (for_u,) = mg.autograd.grad(g, leaf, grad @ w.T)
        return for_u, for_w


# %% answer="Carrier" style="a frozen dataclass as the packed thing, isinstance by match"
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Away:
    array: np.ndarray

    def home(self):
        return mg.from_numpy(self.array.copy())


class Carrier:
    def __init__(self):
        self.out = 0

    def pack(self, tensor):
        match tensor.requires_grad, tensor.is_leaf:
            case True, True:
                return tensor
        away = Away(tensor.detach().numpy().copy())
        self.out += away.array.nbytes
        return away

    def unpack(self, packed):
        match packed:
            case Away():
                return packed.home()
            case _:
                return packed


# %% answer="choose_blocks" style="combinations by cost, min with a key, a Protocol-free tuple"
from itertools import chain, combinations


def choose_blocks(kept, products, budget):
    """Numbers of blocks, counted from 0, or None."""
    numbers = range(len(kept))

    def fits(chosen):
        held = [1 if i in chosen else size for i, size in enumerate(kept)]
        moments = [sum(held), *(sum(held[:i]) + kept[i] for i in chosen)]
        return max(moments) <= budget

    every = chain.from_iterable(combinations(numbers, n) for n in range(len(kept) + 1))
    best = min(filter(fits, every), key=lambda c: sum(products[i] for i in c), default=None)
    return best if best is None else list(best)


# %% answer="GeluLinear" style="the slope by erf and exp, from the book"
import math


class GeluLinear(mg.autograd.Function):
    @staticmethod
    def forward(ctx, u, w):
        ctx.save_for_backward(u, w)
        return F.gelu(u) @ w

    @staticmethod
    def backward(ctx, grad):
        u, w = ctx.saved_tensors
        cdf = 0.5 * (1 + mg.erf(u / math.sqrt(2)))
        pdf = mg.exp(-0.5 * u * u) / math.sqrt(2 * math.pi)
        return (grad @ w.t()) * (cdf + u * pdf), (u * cdf).t() @ grad


# %% answer="GeluLinear" style="a look at erf beside the usual answer"
class GeluLinear(mg.autograd.Function):
    @staticmethod
    def forward(ctx, u, w):
        ctx.save_for_backward(u, w)
        return F.gelu(u) @ w

    @staticmethod
    def backward(ctx, grad):
        u, w = ctx.saved_tensors
        print(mg.erf(u).shape)
        with mg.enable_grad():
            leaf = u.detach().requires_grad_()
            g = F.gelu(leaf)
        (for_u,) = mg.autograd.grad(g, leaf, grad @ w.T)
        return for_u, g.detach().T @ grad
