"""Threads 002 and 003: what a backward frees, what stays, and the four loops."""

import copy
import pickle

from tests.twin import probes
from tests.twin.registry import case


@case("A1 002 snippet 1: the graph remains, its saved tensors go")
def case_002_graph_remains(mg, out):
    x = mg.tensor([2.0], requires_grad=True)
    for _ in range(1):
        k = x * 3
        k.backward()
    m = k
    out("requires grad", m.requires_grad)
    out("prints", repr(m))
    out("node", repr(k.grad_fn))
    out("edges", probes.edges(k.grad_fn))
    out("variable is x", k.grad_fn.next_functions[0][0].variable is x)
    out("gradient", x.grad)
    out("saved", probes.readable(k.grad_fn))
    out.error("k.backward", k.backward)
    out.error("(m + 1).backward", (m + 1).backward)
    life = probes.Life()
    life.node("k", k.grad_fn)
    life.tensor("x", x)
    del k
    out("k deleted", life.alive())
    del x
    out("x deleted", life.alive())
    del m
    out("m deleted", life.alive())


@case("A1 002 snippet 2: detach; a for body is no scope")
def case_002_detach(mg, out):
    x = mg.tensor([2.0], requires_grad=True)
    for _ in range(1):
        k = x * 3
        k.backward()
        m = k.detach()
    out("m", [m.requires_grad, repr(m), m.grad_fn, m.is_leaf, m._is_view(), m._base])
    out("shares the storage", m.data_ptr() == k.data_ptr())
    life = probes.Life()
    life.all("k", k)
    out("after the loop", life.alive())
    del k
    out("after del k", life.alive())
    out.live("x, m, x.grad")


@case("A1 002 nodes have no forward, no pickle; called by hand they free nothing")
def case_002_nodes(mg, out):
    x = mg.tensor([2.0], requires_grad=True)
    k = x * 2
    node = k.grad_fn
    out.error("pickle", pickle.dumps, node)
    out.error("deepcopy", copy.deepcopy, k)
    out("forward or run", [n for n in dir(node) if n in ("forward", "run", "execute")])
    out("by hand", node(mg.tensor([10.0])))
    out("again", node(mg.tensor([10.0])))
    out("still saved", probes.readable(node))
    accumulate = node.next_functions[0][0]
    out("AccumulateGrad by hand", accumulate(mg.tensor([7.0])))
    out("gradient", x.grad)
    out("names", [node.name(), accumulate.name(), type(accumulate).__name__])


@case("A1 002 BYOL: an EMA of weights, under no_grad")
def case_002_ema(mg, out):
    student = mg.tensor([1.0, 2.0], requires_grad=True)
    teacher = mg.tensor([0.0, 0.0])
    for _ in range(3):
        with mg.no_grad():
            teacher.mul_(0.5).add_(student * 0.5)
        (student * teacher).sum().backward()
    out("teacher", [teacher.tolist(), teacher.requires_grad, teacher.grad, teacher._version])
    out("student", student.grad)
    ema, counts = mg.tensor([0.0, 0.0]), []
    for _ in range(4):
        ema = ema * 0.5 + student * 0.5
        counts.append(len(probes.walk(ema.grad_fn)))
    out("out of place in grad mode grows", counts)
    ema = mg.tensor([0.0, 0.0])
    for _ in range(2):
        ema.mul_(0.5).add_(student * 0.5)
    out("in place, un-detached student", [ema.requires_grad, probes.graph(ema.grad_fn)])
    ema = mg.tensor([0.0, 0.0])
    ema.mul_(0.5).add_(student.detach() * 0.5)
    out("in place, detached", ema.requires_grad)
    out.error("EMA in place on a leaf", student.mul_, 0.5)


def linear(mg):
    layer = mg.nn.Linear(3, 2)
    with mg.no_grad():
        layer.weight.copy_(mg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
        layer.bias.copy_(mg.tensor([0.5, -0.5]))
    return layer


def loop(out, label, body, times=4):
    for index in range(times):
        try:
            body()
        except RuntimeError as error:
            out(f"{label}: fails in iteration {index}", str(error))
            return
    out(label, f"passes {times} times")


@case("A1 003 examples 1 and 4: the forward inside the loop passes")
def case_003_ex1_ex4(mg, out):
    x, a = linear(mg), mg.ones(2, 3)
    loop(out, "example 1", lambda: x(a).sum().backward(), 100)
    out("bias.grad", x.bias.grad)
    out("weight.grad", x.weight.grad)
    out("a.grad", a.grad)
    x.bias.grad = None

    def fourth():
        y = x(mg.ones(2, 3)).sum()
        y.backward()

    loop(out, "example 4", fourth, 10)
    out("bias.grad then", x.bias.grad)


@case("A1 003 ex.2: Linear outside, backward repeated")
def case_003_ex2(mg, out):
    x, a = linear(mg), mg.ones(2, 3)
    y = x(a).sum()
    loop(out, "example 2", y.backward)
    out("graph", probes.graph(y.grad_fn))
    out("bias.grad", x.bias.grad)


@case("A1 003 ex.3: a new SumBackward0 on the old AddmmBackward0")
def case_003_ex3(mg, out):
    x, a = linear(mg), mg.ones(2, 3)
    x_out = x(a)
    sums = []

    def body():
        y = x_out.sum()
        sums.append(y.grad_fn)
        y.backward()

    loop(out, "example 3", body)
    out("sums", [s.name() for s in sums])
    out("new each time, same below", [sums[0] is sums[1], below(sums[0]) is below(sums[1])])
    a = mg.ones(3, requires_grad=True)
    x_out = a + 1
    loop(out, "with a + 1 outside", lambda: x_out.sum().backward(), 100)
    out("gradient", a.grad)


def below(node):
    return node.next_functions[0][0]


@case("A1 003 ex.5: backward twice in the body")
def case_003_ex5(mg, out):
    x, a = linear(mg), mg.ones(2, 3)

    def body():
        y = x(a).sum()
        y.backward()
        y.backward()

    loop(out, "example 5", body)
    out("bias.grad", x.bias.grad)

    def retained():
        y = x(a).sum()
        y.backward(retain_graph=True)
        y.backward()

    loop(out, "with retain_graph", retained)
    out("bias.grad then", x.bias.grad)


@case("A1 003 what Linear keeps: the node keeps, not the module")
def case_003_linear_keeps(mg, out):
    x = linear(mg)
    life = probes.Life()
    a = mg.ones(4, 3)
    life.tensor("a", a)
    life.storage("a", a)
    result = x(a)
    node = result.grad_fn
    out("mat1 is a", node._saved_mat1 is a)
    out("saved", probes.saved(node))
    out("edges", probes.edges(node))
    del a
    out("a deleted", life.alive())
    result.sum().backward()
    out("after backward", life.alive())
    out("saved then", probes.readable(node))
    kept = mg.ones(4, 3, requires_grad=True)
    y = x(kept)
    out("mat2 is a view of weight", y.grad_fn._saved_mat2._base is x.weight)
    y.sum().backward()
    out("a user's a survives", kept.grad)
    for parameter in x.parameters():
        parameter.requires_grad_(False)
    out("frozen, no-grad input", x(mg.ones(4, 3)).grad_fn)
    out("frozen, grad input", probes.saved(x(kept).grad_fn))


@case("A1 003 freed = the graph drops its reference: bytes")
def case_003_bytes(mg, out):
    layer = mg.nn.Linear(10, 10)
    for parameter in layer.parameters():
        parameter.grad = mg.zeros(*parameter.shape)
    out.live("layer")
    a = mg.ones(1, 10)
    result = layer(a)
    y = result.sum()
    out.live("a, out, y")
    del a
    out.live("del a: the node still holds it")
    del result
    out.live("del out: no node needs it")
    y.backward()
    out.live("after backward")
    out.peak("backward")


@case("A1 003 c = a*5 twice fails, a+5 twice passes")
def case_003_times_five(mg, out):
    a = mg.tensor(2.0, requires_grad=True)
    c = a * 5
    out("c", repr(c))
    out("saved", [repr(c.grad_fn._saved_other), str(c.grad_fn._saved_other.dtype)])
    c.backward()
    out("gradient", a.grad)
    out.error("a*5", c.backward)
    out("gradient after the error", a.grad)
    for label, make in {
        "a+5": lambda: a + 5, "5-a": lambda: 5 - a, "-a": lambda: -a, "a.sum()": a.sum,
        "a.view(1)": lambda: a.view(1), "a/5": lambda: a / 5, "5/a": lambda: 5 / a,
        "a**2": lambda: a**2, "a**1": lambda: a**1, "a.exp()": a.exp, "a.clone()": a.clone,
        "a.mean()": a.mean, "a.double()": a.double, "a.expand(1)": lambda: a.expand(1),
    }.items():  # fmt: skip
        y = make()
        y.backward()
        out.error(label, y.backward)
    out("gradient at the end", a.grad)


@case("A1 003 list aliasing: names are references")
def case_003_aliases(mg, out):
    life = probes.Life()
    t = mg.ones(32, 64)
    life.tensor("t", t)
    items = [t]
    out.live("32*64*4")
    del t
    out("del t", life.alive())
    out.live("list only")
    items.clear()
    out("list cleared", life.alive())
    out.live("nothing")


@case("A1 003 between or including a and o? a(view) -> Linear -> *5 -> sum")
def case_003_between(mg, out):
    leaf = mg.ones(2, requires_grad=True)
    a = leaf.view(2, 1)
    layer = mg.nn.Linear(1, 3)
    y = layer(a)
    z = y * 5
    o = z.sum()
    out("graph", probes.graph(o.grad_fn))
    nodes = {"y": y.grad_fn, "z": z.grad_fn, "o": o.grad_fn, "a": a.grad_fn}
    out("before", {name: probes.saved(node) for name, node in nodes.items()})
    out("mat1 is a", y.grad_fn._saved_mat1 is a)
    o.backward()
    out("after", {name: probes.readable(node) for name, node in nodes.items()})
    out("a.grad", out.warned("warns", lambda: a.grad))
    out("weight.grad", layer.weight.grad)
    out("values survive", [list(y.shape), list(z.shape)])


@case("A1 003 the in-place probe: self += 1 passes, other += 1 fails")
def case_003_probe(mg, out):
    def probe(label, build, change):
        leaf = mg.ones(10, requires_grad=True)
        p, q = build(leaf)
        result = change(p, q)
        out.error(label, result.sum().backward)
        out(label + ": gradient", leaf.grad)

    def one_sided(leaf):
        return leaf.clone(), mg.ones(10) + 0

    def spoil(which, after):
        def change(p, q):
            y = p * q
            after(q if which == "other" else p)
            return y

        return change

    probe("plain", one_sided, lambda p, q: p * q)
    probe("self += 1", one_sided, spoil("self", lambda t: t.add_(1)))
    probe("other += 1", one_sided, spoil("other", lambda t: t.add_(1)))
    probe("both need grad", lambda v: (v + 1, v * 2.0), spoil("self", lambda t: t.add_(1)))
    probe("out of place", one_sided, spoil("other", lambda t: t + 1))
    probe("view of other", one_sided, spoil("other", lambda t: t[0].fill_(3)))
    probe("other.detach()", one_sided, spoil("other", lambda t: t.detach().zero_()))
    probe("other.data: undetected", one_sided, spoil("other", lambda t: t.data.zero_()))
    leaf = mg.ones(3, requires_grad=True)
    h = leaf + 0
    y = h.tanh()
    h.add_(1)
    out.error("tanh's input, it saves its result", y.sum().backward)
    m = mg.ones(2, 3, requires_grad=True)
    other = mg.ones(3, 2, requires_grad=True) + 0
    y = m @ other
    other.add_(1)
    out.error("mat2", y.sum().backward)


@case("part B: which examples pass twice")
def case_b_list(mg, out):
    def twice(label, make):
        a = mg.tensor([[0.5, 1.0], [1.5, 2.0]], requires_grad=True)
        y = make(a)
        w = mg.ones_like(y)
        y.backward(w)
        out.error(label, y.backward, w)
        out(label + ": gradient", a.grad)

    for label, make in {
        "a+5": lambda a: a + 5, "5-a": lambda a: 5 - a, "-a": lambda a: -a,
        "sum": lambda a: a.sum(), "mean": lambda a: a.mean(), "view": lambda a: a.view(-1),
        "t": lambda a: a.t(), "expand": lambda a: a.expand(3, 2, 2), "a[0]": lambda a: a[0],
        "a[0:1]": lambda a: a[0:1], "clone": lambda a: a.clone(), "cat": lambda a: mg.cat([a, a]),
        "stack": lambda a: mg.stack([a, a]), "cumsum": lambda a: a.cumsum(0),
        "double": lambda a: a.double(), "a*5": lambda a: a * 5, "a/5": lambda a: a / 5,
        "5/a": lambda a: 5 / a, "a**2": lambda a: a**2, "exp": lambda a: a.exp(),
        "tanh": lambda a: a.tanh(), "relu": lambda a: a.relu(), "max": lambda a: a.max(),
        "softmax": lambda a: a.softmax(0), "a@a": lambda a: a @ a, "a[[0]]": lambda a: a[[0]],
    }.items():  # fmt: skip
        twice(label, make)
