"""The plain names of old programs: questions, functions that write, constructors, as_tensor."""

import numpy as np

from tests.twin import probes
from tests.twin.registry import case

ROW = [-2.0, -0.0, 0.5, float("nan"), float("inf")]


@case("isnan, isinf and the logical functions have no graph, and keep nothing")
def case_plain_questions(mg, out):
    x = mg.tensor(ROW, requires_grad=True)
    before = mg.memory_allocated()
    found = [mg.isnan(x), x.isnan(), mg.isinf(x), x.isinf(), mg.logical_not(x), x.logical_not()]
    out("of one", found)
    out("bytes", mg.memory_allocated() - before)
    out("graph", [y.grad_fn is None and not y.requires_grad for y in found])
    a, b = mg.tensor([0, 2, 0, 1]), mg.tensor([1.5, 0.0, 0.0, float("nan")])
    out("of two", [mg.logical_and(a, b), mg.logical_or(a, b), mg.logical_xor(a, b)])
    out("isinf of a bool", mg.isinf(mg.tensor([True, False])))
    packed = []
    with mg.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
        x.isinf()
        x.isnan()
    out("packed", len(packed))


@case("functions that write: the tensor itself, its version, its graph")
def case_plain_writing(mg, out):
    x = mg.tensor([0.25, 1.0])
    out("itself", [mg.sin_(mg.sqrt_(x)) is x, x._version, x])
    a = mg.tensor([0.5, -1.0], requires_grad=True)
    for name in "abs_ cos_ exp_ log_ neg_ reciprocal_ relu_ sigmoid_ square_ tanh_ zero_".split():
        y = getattr(mg, name)(a * 2)
        out(name, [y.detach(), probes.graph(y.grad_fn), probes.saved(y.grad_fn)])
    out("with a number", [mg.fill_(a * 2, 3), mg.clamp_(a * 2, -1, 0.5), mg.clip_(a * 2, max=0)])
    out("detached", mg.detach_(a * 2).requires_grad)
    out.error("a leaf", lambda: mg.exp_(a))
    out.error("a leaf, before the number", lambda: mg.fill_(a, mg.ones(2)))


@case("FloatTensor and its kin: sizes, numbers, another tensor")
def case_plain_constructors(mg, out):
    out("numbers", [mg.FloatTensor([1, 2]), mg.LongTensor([[1.5]]), mg.BoolTensor((0, 2))])
    out("more", [mg.HalfTensor([0.1]), mg.DoubleTensor([0.1]), mg.IntTensor([3]), mg.LongTensor()])
    out("sizes", [list(mg.FloatTensor(2, 3).shape), list(mg.ByteTensor(mg.Size([4])).shape)])
    x = mg.ones(2, requires_grad=True, device="cpu")  # as all that these make
    same = mg.FloatTensor(x)
    out("the same bytes", [same.data_ptr() == x.data_ptr(), same._is_view(), same.grad_fn.name()])
    out("an array is copied", mg.LongTensor(np.arange(3)))
    out("asked", [isinstance(x, mg.FloatTensor), isinstance(x, mg.LongTensor), x.type()])
    out(
        "type", [x.type(mg.DoubleTensor).dtype, x.type("torch.LongTensor"), x.type(mg.float32) is x]
    )
    out.error("another dtype", lambda: mg.FloatTensor(x.to(mg.float64)))
    out.error("no sequence", lambda: mg.FloatTensor(1.5))
    out.error("a text", lambda: mg.FloatTensor("12"))
    out.error("no such type", lambda: x.type("Foo"))


@case("as_tensor copies what is neither a tensor nor an array")
def case_plain_as_tensor(mg, out):
    x, array = mg.ones(2, requires_grad=True), np.arange(3.0)
    y = mg.as_tensor(array, device="cpu")
    array[0] = 7
    out("seen", [y, mg.as_tensor(x) is x, mg.as_tensor(x, dtype=mg.float64).grad_fn.name()])
    out("of numbers", [mg.as_tensor([1, 2.5]), mg.as_tensor(3), mg.as_tensor([[]])])
    out("another dtype", mg.as_tensor(array, dtype=mg.int64))
    out.error("backwards", lambda: mg.as_tensor(array[::-1]))
    out.error("nothing", lambda: mg.as_tensor(None))
    out.error("vectors in a list", lambda: mg.as_tensor([x, x]))


@case("repeat_interleave: by a number a view of a copy, by a tensor a choice of places")
def case_plain_interleaved(mg, out):
    x = mg.tensor([[0.5, -1.0, 2.0], [3.0, 0.25, 1.0]], requires_grad=True)
    times, along = mg.tensor([0, 2, 1]), {"in a row": {}, "along": {"dim": -1}}
    made = {name: x.repeat_interleave(2, **how) for name, how in along.items()}
    made["by a tensor"] = mg.repeat_interleave(x, times, dim=1)
    made["by one"] = x.repeat_interleave(times[1])
    for name, y in made.items():
        out(name, [y.detach(), probes.graph(y.grad_fn), probes.saved(y.grad_fn), y._is_view()])
        x.grad = None
        y.backward(mg.arange(y.numel()).view(y.shape) + 1.0)
        out("gradient", x.grad)
    out("places", [mg.repeat_interleave(times), mg.repeat_interleave(times.int(), output_size=3)])
    out.error("negative", lambda: x.repeat_interleave(-1))
    out.error("of another length", lambda: x.repeat_interleave(times, dim=0))


@case("unique: each number once, in order; it has no derivative")
def case_plain_unique(mg, out):
    nan = float("nan")
    x = mg.tensor([[2.0, nan, -0.0], [2.0, 1.0, nan], [2.0, 0.0, 1.0]], requires_grad=True)
    out("all of them", mg.unique(x.detach(), return_inverse=True, return_counts=True))
    before = mg.memory_allocated()
    y = x.unique(False)
    out("node", [y.detach(), probes.graph(y.grad_fn), probes.saved(y.grad_fn)])
    out("bytes", mg.memory_allocated() - before)
    rows = mg.tensor([[1, 0], [0, 1], [1, 0], [0, 0]])
    out("rows", rows.unique(dim=0, return_counts=True))
    columns = rows.t().unique(dim=-1, return_inverse=True)
    out("columns", [*columns, columns[0].stride()])
    out("node of rows", probes.graph(x.unique(dim=0).grad_fn))
    out("nothing", mg.unique(rows[:0], return_inverse=True))
    out("a number", mg.unique(mg.tensor(True), return_inverse=True))
    out.error("backward", y.sum().backward)
    out.error("backward of rows", x.unique(dim=1).sum().backward)
    out.error("an empty axis", lambda: rows[:0].unique(dim=1))
    out.error("two empty axes", lambda: mg.unique(mg.ones(0, 0), dim=0))
    out.error("no axis", lambda: mg.unique(mg.tensor(1), dim=0))
    out.error("an axis in the place of a flag", lambda: mg.unique(rows, 0))


@case("plain names that are written with others: their graphs, views and bytes")
def case_plain_composed(mg, out):
    one, row = mg.ones((), requires_grad=True), mg.ones(2, requires_grad=True)
    for name in ("hstack", "vstack"):
        together = getattr(mg, name)
        y = together([row, row * 2])
        out(name, [y.detach(), probes.graph(y.grad_fn)])
        y = together([one, mg.ones(1)])
        out(f"{name} of a number", [y.detach(), probes.graph(y.grad_fn)])
        out.error(f"{name} of one", together, row)
        out.error(f"{name} of none", together, [])
        out.error(f"{name} of a number", together, [row, 3])
    out("reshape_as", probes.graph((row * 2).reshape_as(mg.ones(2, 1)).grad_fn))
    out("half", [row.half().detach(), probes.graph(row.half().grad_fn), row.ndimension()])
    x = mg.tensor([[1.0, 0.0], [float("nan"), -2.0]])
    start = mg.memory_allocated()
    places, apart = x.nonzero(), mg.nonzero(x, as_tuple=True)
    out("places", [places, list(apart), places.stride(), mg.memory_allocated() - start])
    out("of a number", [mg.tensor(3).nonzero(), list(mg.tensor(0).nonzero(as_tuple=True))])
    near = mg.isclose(x, x, equal_nan=True), mg.isclose(x, x), mg.allclose(x, x, equal_nan=True)
    out("close", [*near, mg.is_floating_point(x), mg.is_floating_point(places)])
    F = mg.nn.functional
    out("one_hot", [F.one_hot(mg.tensor([2, 0])), F.one_hot(mg.tensor([[1]]), 3)])
    for classes in (3, 0, -2):
        out.error(f"one_hot: {classes}", F.one_hot, mg.tensor([3]), classes)
    out.error("one_hot: negative", F.one_hot, mg.tensor([-1]))
    out.error("one_hot: of floats", F.one_hot, x)
    out.error("one_hot: of none", F.one_hot, mg.tensor([], dtype=mg.int64))


@case("three tensors in one operation: what it gives, saves, and lets flow back")
def case_blends(mg, out):
    a, b = mg.tensor([1.0, 2.0, -3.0], requires_grad=True), mg.tensor([[2.0], [5.0]])
    w = mg.tensor([0.25, 0.5, 1.0])
    ways = {
        "lerp(number)": lambda x, y, z: x.lerp(y, 0.25), "lerp(far)": lambda x, y, z: x.lerp(y, 2),
        "lerp": mg.lerp, "addcmul": mg.addcmul, "addcdiv": mg.addcdiv,
        "value": lambda x, y, z: x.addcmul(y, z, value=-2).addcdiv(y, z, value=0.5),
    }  # fmt: skip
    for name, way in ways.items():
        for wanted in [(n & 1, n & 2, n & 4) for n in range(1, 8)]:
            given = [
                x.detach().requires_grad_(yes > 0) for x, yes in zip((a, b, w), wanted, strict=True)
            ]
            before = mg.memory_allocated()
            y = way(*given)
            out(f"{name} {wanted}", [y.detach(), mg.memory_allocated() - before])
            out("graph", [probes.graph(y.grad_fn), probes.saved(y.grad_fn)])
            y.square().sum().backward()
            out("gradients", [x.grad for x in given])
    y = mg.zeros(3)
    out("in place", [y.lerp_(w, 0.5) is y, y.addcmul_(w, w, value=3), y.addcdiv_(w, w + 1)])
    out("version", y._version)
    x = (a * 1).lerp_(w, w).addcmul_(a, w)
    x.sum().backward()
    out("gradient of writes", a.grad)
    out.error("no room", lambda: mg.zeros(1).addcmul_(w, w))
    out.error("a leaf", lambda: a.lerp_(w, 0.5))
    out.error("another dtype", lambda: a.lerp(w.double(), 0.5))
    out.error("whole numbers", lambda: mg.addcdiv(a, mg.arange(3), mg.arange(3)))
    out.error("no cast", lambda: mg.arange(3).addcmul_(w, w))
    saved = a.detach().lerp(w, w.clone().requires_grad_())
    w.add_(1)
    out.error("changed", lambda: saved.sum().backward())


@case("a copy that is asked for, and words that programs say of devices")
def case_copies_asked_for(mg, out):
    x = mg.ones(2, 3, requires_grad=True)
    ways = {"same": {"dtype": mg.float32}, "cpu": {"device": "cpu"}, "wide": {"dtype": mg.float64}}
    for name, how in (ways | {"nothing": {}}).items():
        for copy in (False, True):
            y = None  # the one before may lie on another device
            before = mg.memory_allocated()
            y = x.to(**how, copy=copy, non_blocking=True)
            graph = probes.graph(y.grad_fn)
            out(f"{name} {copy}", [y is x, y.detach(), mg.memory_allocated() - before, graph])
    out("like another", [x.to(x, copy=True) is x, x.t().to(copy=True).stride()])
    out("module", mg.nn.Linear(2, 1).to("cpu", non_blocking=True).weight.shape)
    out("numbers", [mg.pi, mg.e, mg.inf, str(mg.nan)])
    out("range", [mg.arange(end=3), mg.arange(1, end=3), x.detach().clip(max=0.5)])
