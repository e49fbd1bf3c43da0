"""Random calls of the operations that programs name, as text: the same call on either engine.

A call is (code, {name: Made}): the code uses these names and `mg`. Shapes, axes, dtypes, layouts
and numbers are drawn; now and then an axis, a shape or a dtype is one that does not fit.
"""

import math
import random
from typing import NamedTuple

from tests.twin import probes

LAYOUTS = ("rows", "rows", "rows", "turned", "turned", "every second", "expanded")
FLOATS = ("float32", "float32", "float32", "float64", "float16")


class Made(NamedTuple):
    """How a tensor is made: its numbers, then its layout."""

    shape: tuple
    numbers: list
    dtype: str = "float32"
    layout: str = "rows"
    grad: bool = False

    def on(self, mg):
        """(the leaf, the tensor that the call gets)."""
        shape, view = self.shape, lambda t: t
        if self.layout == "turned" and shape:
            shape, view = shape[::-1], lambda t: t.permute(*reversed(range(t.dim())))
        elif self.layout == "every second" and shape:
            shape, view = (*shape[:-1], 2 * shape[-1]), lambda t: t[..., ::2]
        elif self.layout == "expanded" and shape:
            shape, view = (1, *shape[1:]), lambda t: t.expand(*self.shape)
        count = math.prod(shape)
        numbers = (self.numbers * (count // max(len(self.numbers), 1) + 1))[:count]
        leaf = mg.tensor(numbers, dtype=getattr(mg, self.dtype)).view(shape)
        leaf = leaf.detach().requires_grad_(self.grad and self.dtype.startswith("float"))
        return leaf, view(leaf)


class Drawn:
    """What is drawn for one call."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.made = {}

    def shape(self, low=0, high=3):
        lengths = (1, 2, 2, 3, 3, 4, *([0] if self.one_in(8) else []))
        return tuple(self.random.choices(lengths, k=self.random.randint(low, high)))

    def one_in(self, n):
        return self.random.randrange(n) == 0

    def pick(self, *values):
        return self.random.choice(values)

    def mixed(self, letters):
        found = list(letters)
        self.random.shuffle(found)
        return "".join(found)

    def dim(self, shape):
        """An axis of it, counted from either end; rarely one that is not there."""
        n = max(len(shape), 1)
        return self.random.randrange(-n, n) + (7 if self.one_in(15) else 0)

    def dims(self, shape):
        """Some axes of it, each once, or rarely twice."""
        n = len(shape)
        chosen = self.random.sample(range(n), self.random.randint(min(1, n), n))
        chosen = tuple(d - n if self.one_in(3) else d for d in chosen)
        return (*chosen, chosen[0]) if chosen and self.one_in(15) else chosen

    def numbers(self, count):
        """No two of them equal, and none 0."""
        steps = self.random.sample(range(1, 4 * count + 9), count)
        return [self.pick(-1, 1) * n / 8 for n in steps]

    def tensor(self, name, shape, dtype=None, **more):
        """Enter a tensor of floats under that name; return its shape."""
        dtype = dtype or ("int64" if self.one_in(12) else self.pick(*FLOATS))
        numbers = more.pop("numbers", None) or self.numbers(max(2 * math.prod(shape), 1))
        if not dtype.startswith("float"):
            numbers = [int(n) for n in numbers]
        grad = more.pop("grad", not self.one_in(4))
        layout = more.pop("layout", self.pick(*LAYOUTS))
        self.made[name] = Made(shape, numbers, dtype, layout, grad)
        return shape

    def mask(self, name, shape, layout=None):
        numbers = [self.random.random() < 0.5 for _ in range(max(2 * math.prod(shape), 1))]
        layout = layout or self.pick(*LAYOUTS)
        self.made[name] = Made(shape, numbers, "bool", layout)

    def index(self, name, shape, below, dtype="int64", distinct=False):
        low = self.random.randrange(max(below, 1))
        numbers = [self.random.randrange(max(below, 1)) for _ in range(2 * math.prod(shape) + 1)]
        if self.one_in(15):
            numbers[0] = self.pick(-1, below + 1)
        if distinct:
            numbers = [(low + i) % max(below, 1) for i in range(len(numbers))]
        self.made[name] = Made(shape, numbers, dtype, self.pick("rows", "rows", "turned"))


def broadcast(d, shape):
    """A shape that fits beside it: some axes of length 1, some left out; rarely none that fits."""
    other = [1 if d.one_in(4) else n for n in shape[d.random.randrange(len(shape) + 1) :]]
    return (*other[:-1], 5) if other and d.one_in(20) else tuple(other)


# -- one call of each kind --


def masked_fill(d):
    d.tensor("x", shape := d.shape())
    d.mask("m", broadcast(d, shape))
    value = d.pick("2", "-1.5", "float('-inf')", "0", "True", "v", "1e9")
    if value == "v":
        floats = d.made["x"].dtype != "int64"  # torch fails in backward, with an assertion
        d.tensor("v", (), "float32" if d.one_in(3) else None, grad=floats and d.one_in(2))
    if "inf" in value and d.made["x"].dtype == "int64":
        value = "3"
    return f"x{d.pick('', '.clone()')}.{d.pick('masked_fill', 'masked_fill_')}(m, {value})"


def masked_select(d):
    d.tensor("x", shape := d.shape())
    d.mask("m", broadcast(d, shape))
    return "mg.masked_select(x, m)"


def triangle(d):
    d.tensor("x", d.shape(1 if d.one_in(6) else 2), d.pick(None, None, "bool"))
    k = d.random.randint(-3, 3)
    return f"x{d.pick('', '.clone()')}.{d.pick('tril', 'triu', 'tril_', 'triu_')}({k})"


def moment(d):
    d.tensor("x", shape := d.shape(), d.pick("float32", "float64", None))
    name = d.pick("x.var", "x.std", "mg.var_mean", "mg.std")
    first = "" if name[0] == "x" else "x"
    dim = d.pick("", "dim", "dims")
    chosen = {"": "", "dim": f"dim={d.dim(shape)}", "dims": f"dim={d.dims(shape)}"}[dim]
    rest = d.pick("", "keepdim=True", "unbiased=False", "correction=0", "correction=2")
    if not chosen and rest == "keepdim=True":
        chosen = "dim=None"
    return f"{name}({', '.join(filter(None, (first, chosen, rest)))})"


def norm(d):
    d.tensor("x", shape := d.shape(), d.pick("float32", "float64", None))
    power = d.pick("", "2", "1", "3", "0", "float('inf')", "-float('inf')", "0.5", "1.5", "'fro'")
    along = d.pick("", "", f"dim={d.dim(shape)}", f"dim={d.dims(shape)}")
    keep = d.pick("", "", "keepdim=True")
    given = ", ".join(filter(None, (power, along, keep)))
    if power == "'fro'" or d.one_in(2):
        return f"x.norm({given})"
    if d.one_in(2):
        return f"mg.linalg.vector_norm(x{', ' * bool(given)}{given})"
    return f"mg.norm(x{', ' * bool(given)}{given})"


def prod(d):
    shape = tuple(n or 1 for n in d.shape())
    some = [n / 16 for n in d.numbers(max(2 * math.prod(shape), 1))]  # far from float32's end
    if d.one_in(3):  # a zero, or two
        some[0] = some[len(some) // 2] = 0.0
    d.tensor("x", shape, d.pick("float32", "float64", None, "bool"), numbers=some)
    along = d.pick("", f"{d.dim(shape)}", f"{d.dim(shape)}, keepdim=True", "dtype=mg.float64")
    return f"x.prod({along})"


def repeat(d):
    d.tensor("x", shape := d.shape())
    times = [d.pick(1, 2, 2, 3, 0) for _ in range(len(shape) + d.pick(0, 0, 1, 2, -1))]
    return f"x.repeat({', '.join(map(str, times))})"


def flip(d):
    d.tensor("x", shape := d.shape(1))
    return d.pick(f"x.flip({d.dims(shape)})", f"mg.flip(x, {d.dims(shape)})")


def roll(d):
    d.tensor("x", shape := d.shape())
    dims = d.dims(shape)
    shifts = tuple(d.random.randint(-5, 5) for _ in dims)
    return d.pick(f"x.roll({d.random.randint(-5, 5)})", f"mg.roll(x, {shifts}, {dims})")


def diagonal(d):
    d.tensor("x", shape := d.shape(2))
    return f"x.diagonal({d.random.randint(-2, 2)}, {d.dim(shape)}, {d.dim(shape)})"


def indexed(d, shape, below=None):
    """A shape for an index, and the axis."""
    dim = d.dim(shape)
    fits = [d.random.randint(min(1, n), n) if d.one_in(4) else n for n in shape]
    if shape and -len(shape) <= dim < len(shape):
        fits[dim] = d.random.randint(1, 4)
    n = shape[dim] if shape and -len(shape) <= dim < len(shape) else 1
    return tuple(fits), dim, n


def gather(d):
    d.tensor("x", shape := d.shape())
    fits, dim, n = indexed(d, shape)
    d.index("i", fits, n, d.pick("int64", "int64", "int32", "float32" if d.one_in(5) else "int64"))
    return f"x.gather({dim}, i)"


def scatter(d):
    d.tensor("x", shape := d.shape())
    dim = d.random.randrange(-max(len(shape), 1), max(len(shape), 1))
    d.index("i", shape, shape[dim] if shape else 1, distinct=True)
    clone = d.pick("", ".clone()")
    name, source = d.pick(("scatter", "2"), ("scatter", "s"), ("scatter_add", "s"))
    mark = d.pick("", "_")
    if source == "s":
        d.tensor("s", shape, d.made["x"].dtype if mark or not d.one_in(10) else None)
    return f"x{clone}.{name}{mark}({dim}, i, {source})"


def index_select(d):
    d.tensor("x", shape := d.shape(1))
    dim = d.dim(shape)
    d.index("i", (d.random.randint(0, 4),), shape[dim % len(shape)])
    return f"x.index_select({dim}, i)"


def ordered(d):
    layout = d.pick("rows", "turned", "every second")
    d.tensor("x", shape := d.shape(), d.pick(*FLOATS), layout=layout)
    dim = d.dim(shape)
    k = d.random.randint(0, (shape[dim] if shape and -len(shape) <= dim < len(shape) else 1) + 1)
    return d.pick(
        f"x.sort({dim})", f"mg.sort(x, {dim}, descending=True)", f"x.argsort({dim})",
        f"x.topk({k}, {dim})", f"x.topk({k}, {dim}, largest=False)",
    )  # fmt: skip


def einsum(d):
    """One operand; or two, with an axis that both have and the result lacks. (What `sum` of a
    permuted tensor and a broadcast product look like in memory is not einsum's.)"""
    sizes = {letter: d.pick(1, 2, 3, 4) for letter in "abcd"}
    if d.one_in(3):
        rows = [d.pick("aab", "a", "abc", "cab", "dcb")]
        right = "".join(d.random.sample(sorted(set(rows[0])), d.random.randint(0, 2) % 2))
    else:
        role = {letter: d.pick("both", "sum", "x", "y", "none") for letter in "bcd"} | {"a": "sum"}
        rows = [d.mixed(k for k in role if role[k] in ("both", "sum", name)) for name in "xy"]
        right = d.mixed(k for k in role if role[k] in ("both", "x", "y"))
        sizes["a"] = d.pick(2, 3)
    for name, row in zip("xy", rows, strict=False):
        shape = tuple(1 if d.one_in(12) and len(rows) == 1 else sizes[k] for k in row)
        layouts = ("rows", "turned", "every second") if len(rows) == 1 else ("rows",)
        d.tensor(name, shape, "float64", layout=d.pick(*layouts))
    equation = ",".join(rows) + "->" + right
    if d.one_in(8):
        equation = d.pick(
            equation + "q", equation.replace("a", "1"), equation + ",a", "z" + equation
        )
    return f"mg.einsum('{equation}', {', '.join('xy'[: len(rows)])})"


def vectors(d):
    n, m, k = (d.pick(1, 2, 3) for _ in range(3))
    kind = d.pick("outer", "dot", "mv", "bmm")
    shapes = {
        "outer": ((n,), (m,)), "dot": ((n,), (n,)), "mv": ((n, m), (m,)),
        "bmm": ((2, n, m), (2, m, k)),
    }[kind]  # fmt: skip
    for name, shape in zip("xy", shapes, strict=True):
        d.tensor(name, shape if not d.one_in(15) else d.shape(1), "float32")
    return d.pick(f"mg.{kind}(x, y)", f"x.{kind}(y)")


IN_PLACE = (
    "sigmoid_()", "tanh_()", "relu_()", "exp_()", "abs_()", "sin_()", "cos_()", "square_()",
    "pow_(2)", "pow_(3.0)", "clamp_(-1, 1)", "clamp_(min=0.5)", "clip_(max=0.5)", "neg_()",
    "reciprocal_()", "uniform_(0, 0)", "normal_(2, 0)", "bernoulli_(1)",
)  # fmt: skip


def in_place(d):
    d.tensor("x", d.shape(), d.pick("float32", "float64", None), layout=d.pick("rows", "turned"))
    return f"x{d.pick('', '.clone()', '.clone()', '.clone()')}.{d.pick(*IN_PLACE)}"


def made(d):
    d.tensor("x", d.shape(), d.pick(None, "bool", "uint8"))
    size = d.shape()
    return d.pick(
        f"x.new_zeros({size})", f"x.new_ones({size})", f"x.new_full({size}, 2)",
        f"x.new_full({size}, 1.5)", "x.new_tensor([1, 0, 2])",
        f"x.new_zeros({size}, dtype=mg.int64)",
        f"mg.eye({d.random.randint(-1, 3)}, {d.random.randint(0, 3)})", "mg.randint(1, (2, 3))",
        "mg.randint(4, 5, (2,))", "mg.randint(5, 5, (2,))", "mg.randperm(1)", "x.new_empty(0, 2)",
        "x.new_zeros(-1)", "mg.eye(2, dtype=mg.int64)", "mg.normal(3.0, 0.0, (2, 2))",
        "mg.randperm(-1)",
    )  # fmt: skip


KINDS = (
    masked_fill, masked_select, triangle, moment, norm, prod, repeat, flip, roll, diagonal, gather,
    scatter, index_select, ordered, einsum, vectors, in_place, made,
)  # fmt: skip


def call(seed):
    """(code, {name: Made})."""
    d = Drawn(seed)
    code = d.pick(*KINDS)(d)
    if "_(" in code or "clone()" in code:  # no writes to views and no overlapping clones
        d.made["x"] = d.made["x"]._replace(layout="rows")
        if ("mask" in code or "tri" in code) and "clone()" not in code:  # which error comes first
            d.made["x"] = d.made["x"]._replace(grad=False)
    return code, d.made


# -- what there is to see of it --


def told(code, made):
    """A twin case: outputs, node, saved tensors, bytes, gradients."""

    def run(mg, out):
        names = {name: how.on(mg) for name, how in made.items()}
        leaves = [leaf for leaf, _ in names.values() if leaf.requires_grad]
        scope = {name: view for name, (_, view) in names.items()} | {"mg": mg}
        before = mg.memory_allocated()
        try:
            outputs = eval(code, scope)
        except (RuntimeError, TypeError, IndexError, NotImplementedError) as error:
            out("error", [type(error).__name__, str(error).rstrip()])
            return
        out("live", mg.memory_allocated() - before)
        outputs = tuple(outputs) if isinstance(outputs, tuple) else (outputs,)
        for y in outputs:
            out("output", seen(y))
            out("layout", [probes.strides(y), y.requires_grad, y._is_view(), y._version])
        wanted = [y for y in outputs if y.requires_grad]
        if not wanted:
            return
        out("graph", [plainly(line) for line in probes.graph(wanted[0].grad_fn)])
        for node in probes.walk(wanted[0].grad_fn):
            shown = {a: getattr(node, a) for a in probes.saved_names(node)}
            out(plainly(probes.name(node)), {a: form(v) for a, v in shown.items()})
            del shown
        del node
        weights = [weighted(mg, y) for y in wanted]
        mg.autograd.backward(wanted, weights)
        for leaf in leaves:
            out("grad", None if leaf.grad is None else [seen(leaf.grad), probes.strides(leaf.grad)])
        del y, outputs, wanted, weights
        out("live at the end", mg.memory_allocated() - before)

    return run


def plainly(text):
    """While a dispatch mode counts the bytes, torch.reshape() makes a ViewBackward0 of it."""
    return text.replace("ReshapeAlias", "View") if isinstance(text, str) else text


def form(value):
    return plainly(probes.form(value))


def seen(y):
    """Its numbers; of float16 the kind only, whose last digit is each library's own."""
    return y if y.element_size() != 2 else f"{y.dtype} {list(y.shape)}"


def weighted(mg, y):
    """A gradient for it that is no constant."""
    return ((mg.arange(y.numel()).view(y.shape) % 5).to(y.dtype) - 1.5).to(y.dtype)
