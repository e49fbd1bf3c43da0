"""C4 and C5: .grad, backward(inputs=), autograd.grad, several roots."""

from tests.twin import probes
from tests.twin.registry import case


@case("C4 .grad: None, set, cast, in place, reset")
def case_c4_grad(mg, out):
    x = mg.ones(2, requires_grad=True)
    out("first", x.grad)
    (x * 2).sum().backward()
    first = x.grad
    out("dtype, flags", [str(first.dtype), first.requires_grad, first.is_leaf, first.grad_fn])
    (x.double() * 3).sum().backward()
    out("through double", [x.grad, x.grad is first])
    out("the constant", mg.ones(2).grad)
    x.grad.zero_()
    (x * 5).sum().backward()
    out("after zero_", x.grad)
    d = mg.ones(2, dtype=mg.float64, requires_grad=True)
    (d.float() * 2).sum().backward()
    out("double leaf", d.grad)


@case("C4 retain_grad")
def case_c4_retain_grad(mg, out):
    a = mg.ones(2, requires_grad=True)
    h = a * 2
    h.retain_grad()
    h.retain_grad()
    y = h * h
    y.sum().backward(retain_graph=True)
    out("h.grad", h.grad)
    y.sum().backward()
    out("accumulates", h.grad)
    out("a.grad", a.grad)
    out("flags", [h.retains_grad, a.retains_grad, y.retains_grad])
    k = a * 3
    k.retain_grad()
    k.register_hook(lambda g: g * 10)
    k.sum().backward()
    out("after its tensor hooks", k.grad)
    life = probes.Life()
    life.all("k", k)
    del k
    out("no cycle", life.alive())
    root = (a * 3).sum()
    root.retain_grad()
    root.backward()
    out("of the root", root.grad)


@case("C5 several roots, repeated, a leaf, one above another")
def case_c5_roots(mg, out):
    backward = mg.autograd.backward
    a, b = mg.ones(2, requires_grad=True), mg.ones(2, requires_grad=True)

    def report(label):
        out(label, [a.grad, b.grad])
        a.grad = b.grad = None

    h = a * b
    backward([h.sum(), (b * 3).sum()])
    report("two scalars")
    backward([a * 2, b * 3], [mg.ones(2), mg.tensor([1.0, 2.0])])
    report("two vectors")
    y = (a * 2).sum()
    backward([y, y])
    report("repeated")
    backward([a], [mg.ones(2)])
    report("a leaf itself")
    h = a * 2.0
    backward([h, (h * h).sum()], [mg.ones(2), None])
    report("one the ancestor of another")
    backward((a.sum(), b.sum()), (mg.tensor(2.0), None))
    report("tuple, mixed")
    backward(a.sum())
    report("a bare tensor")
    (a + b).backward(gradient=mg.tensor([1.0, -1.0]))
    report("gradient=")
    mg.autograd.backward([a * 2], grad_tensors=[mg.ones(2)])
    report("grad_tensors=")
    out.error("no roots", backward, [])
    one = mg.ones(1, requires_grad=True)
    one.backward()
    out("a leaf of one element", one.grad)


@case("C5 backward(inputs=): exactly those")
def case_c5_inputs(mg, out):
    a, b = mg.ones(2, requires_grad=True), mg.ones(2, requires_grad=True)
    h = a * 2
    y = (h * b).sum()
    y.backward(inputs=a, retain_graph=True)
    out("a alone", [a.grad, b.grad])
    y.backward(inputs=[a, b], retain_graph=True)
    out("both", [a.grad, b.grad])
    y.backward(inputs=(b,), retain_graph=True)
    out("tuple", [a.grad, b.grad])
    y.backward(inputs=[h], retain_graph=True)
    out("non-leaf", [a.grad, h.grad, h.retains_grad])
    y.backward(inputs=[h, a])
    out("non-leaf and leaf", [a.grad, h.grad])
    out.error("unrelated", (a * 2).sum().backward, inputs=[b])
    out("unrelated", b.grad)
    out.error("not a tensor", (a * 2).sum().backward, inputs=["a"])


@case("C5 autograd.grad: values, no .grad, what runs and is freed")
def case_c5_grad(mg, out):
    grad = mg.autograd.grad
    a, b = mg.tensor([1.0, 2.0], requires_grad=True), mg.tensor([3.0, 4.0], requires_grad=True)
    h = a * b
    y = h.exp()
    loss = (y * y).sum()
    out("of h", grad(loss, h, retain_graph=True))
    out("h did not run", probes.readable(h.grad_fn))
    out("of both", grad(loss, [a, b], retain_graph=True))
    out("of a non-leaf and a leaf", grad(loss, (y, a), retain_graph=True))
    out("with grad_outputs", grad(y, a, grad_outputs=mg.tensor([1.0, 0.0]), retain_graph=True))
    out("of the root", grad(loss, loss, retain_graph=True))
    out("two outputs", grad([loss, h.sum()], a, retain_graph=True))
    out("type", type(grad(loss, a)).__name__)
    out("h ran now", probes.readable(h.grad_fn))
    out("no .grad", [a.grad, b.grad])
    out.error("again", grad, loss, a)
    g = grad((a * 2).sum(), a)[0]
    out("needs grad", [g.requires_grad, g.is_leaf])


@case("C5 autograd.grad frees only what is between")
def case_c5_grad_frees(mg, out):
    a = mg.ones(10, requires_grad=True)
    h = a.exp()
    y = (h.tanh() * 2.0).sum()
    out.live("forward")
    (g,) = mg.autograd.grad(y, h)
    out.live("grad to h")
    out("h still holds", probes.readable(h.grad_fn))
    h.backward(g)
    out.live("h.backward(g)")
    out("gradient", a.grad)
    del g, h, y
    out.live("dropped")


@case("C5 autograd.grad: allow_unused, materialize_grads, the same input twice")
def case_c5_unused(mg, out):
    grad = mg.autograd.grad
    a, b = mg.ones(2, requires_grad=True), mg.ones(3, requires_grad=True)
    out("allow_unused", grad((a * 2).sum(), [b, a], allow_unused=True))
    out("materialize_grads", grad((a * 2).sum(), [b, a], materialize_grads=True))
    out("twice the same", grad((a * 2).sum(), [a, a]))
    out("constant root that is an input", grad(a, a, mg.ones(2)))
    h = a * 2
    out.error("a branch not used", grad, (a * 3).sum(), h)
    out.error("int input", grad, (a * 3).sum(), mg.arange(3))


@case("C5 hooks on captured inputs run and change the result; non-captured leaves untouched")
def case_c5_captured_hooks(mg, out):
    a, b = mg.ones(2, requires_grad=True), mg.ones(2, requires_grad=True)
    ran = []

    def hook(label, factor):
        def run(g):
            ran.append(label)
            return g * factor

        return run

    a.register_hook(hook("a", 10))
    b.register_hook(hook("b", 100))
    h = a * b
    h.register_hook(hook("h", 3))
    out("of a", mg.autograd.grad(h.sum(), a, retain_graph=True))
    out("ran", ran)
    out("of h", mg.autograd.grad(h.sum(), h, retain_graph=True))
    out("of h and a", mg.autograd.grad(h.sum(), [h, a]))
    out("ran in all", ran)
    out("no .grad", [a.grad, b.grad])


@case("C5 works inside no_grad; on a root made outside")
def case_c5_no_grad(mg, out):
    a = mg.ones(2, requires_grad=True)
    y = (a * a).sum()
    with mg.no_grad():
        y.backward()
        z = (a * a).sum()
    out("gradient", a.grad)
    out.error("made inside", z.backward)
    with mg.no_grad():
        out("grad", mg.autograd.grad((y2(mg, a)), a))


def y2(mg, a):
    with mg.enable_grad():
        return (a * 3).sum()


@case("C5 backward with a gradient that needs grad, or shares memory with the root")
def case_c5_gradient(mg, out):
    a = mg.ones(2, requires_grad=True)
    g = mg.tensor([1.0, 2.0], requires_grad=True)
    (a * 3).backward(g)
    out("gradient", [a.grad, a.grad.requires_grad, g.grad])
    a.grad = None
    y = a + 1
    y.backward(y.detach())
    out("shares with y", [a.grad, a.grad.data_ptr() == y.data_ptr()])
    a.grad = None
    w = mg.ones(2)
    (a + 0).backward(w)
    w.zero_()
    out("changed afterwards", a.grad)
    scalar = (a * 2).sum()
    scalar.backward(mg.tensor(5.0))
    out("weighted", a.grad)
    (a * 2).sum().backward(None)
    out("None", a.grad)


@case("C5 bytes: gradients are stolen, summed in place, dropped when consumed")
def case_c5_bytes(mg, out):
    def measure(label, build):
        x = mg.full((100,), 0.5, requires_grad=True)
        y = build(x)
        out.live(f"{label}: forward")
        mg.reset_peak_memory_stats()
        y.backward()
        out.peak(f"{label}: backward")
        del y
        out.live(f"{label}: x and its gradient")
        del x
        out.live(f"{label}: gone")

    measure("chain", lambda x: x.exp().exp().exp().sum())
    measure("square", lambda x: (x * x).sum())
    measure("three branches", lambda x: (x.exp() + x.tanh() + x.sigmoid()).sum())
    measure("x+x", lambda x: (x + x).sum())
    measure("sum", lambda x: x.sum())
    measure("neg", lambda x: (-x).sum())
    measure("view", lambda x: x.view(10, 10).t().sum())
    measure("view and exp", lambda x: x.view(10, 10).t().exp().sum())
    measure("broadcast", lambda x: (x.view(100, 1) * mg.ones(1, 3)).sum())
    measure("matmul", lambda x: (x.view(10, 10) @ x.view(10, 10)).sum())
    measure("relu", lambda x: (x.relu() * x).sum())
    measure("sub", lambda x: (x.exp() - x.exp()).sum())


@case("C5 bytes: the seed of backward() lives until it ends; a given gradient is the caller's")
def case_c5_seed(mg, out):
    x = mg.full((100,), 0.5, requires_grad=True)
    x.grad = mg.zeros(100)
    y = x.exp().sum()
    mg.reset_peak_memory_stats()
    y.backward(retain_graph=True)
    out.peak("own seed")
    seed = mg.tensor(1.0)
    mg.reset_peak_memory_stats()
    y.backward(seed)
    out.peak("given seed")
    w = mg.ones(100)
    y = x.exp()
    mg.reset_peak_memory_stats()
    y.backward(w)
    out.peak("given vector")
    out.live("all")


@case("C5 bytes and work: a node on the way computes only the gradients that are asked for")
def case_c5_only_what_is_asked(mg, out):
    x = mg.ones(16, 16)
    w = mg.full((16, 16), 0.01, requires_grad=True)
    v = mg.full((16, 16), 0.01, requires_grad=True)

    def measure(label, combine, walk):
        h = (x @ w).tanh()
        root = combine(h).sum()
        mg.reset_peak_memory_stats()
        with mg.memory.count_ops() as n:
            walk(root, h)
        out.peak(label)
        out(label, n.matmuls)
        out.error(f"{label}: the node of h again", h.sum().backward)

    measure("inputs=[h]", lambda h: h.exp(), lambda p, h: p.backward(inputs=[h]))
    for label, combine in {
        "product": lambda h: h @ v,
        "times": lambda h: h * v.exp(),
        "minus": lambda h: h - v.exp(),
        "plus a number": lambda h: h + 1.0 + v,
    }.items():
        measure(f"{label}: grad v", combine, lambda p, h: mg.autograd.grad(p, [v]))
        measure(f"{label}: inputs=[v]", combine, lambda p, h: p.backward(inputs=[v]))
        measure(f"{label}: inputs=[w]", combine, lambda p, h: p.backward(inputs=[w]))
