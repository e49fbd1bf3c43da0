"""The nine facts nobody in the threads states."""

from tests.twin import probes
from tests.twin.registry import case


@case("fact 1: freeing is per node, right after it ran")
def case_fact1_per_node(mg, out):
    a = mg.ones(2, requires_grad=True)
    c = a * 2.0
    d = c.exp()
    e = d * d
    seen = []

    def look(_grad):
        nodes = {"e": e.grad_fn, "d": d.grad_fn, "c": c.grad_fn}
        seen.append({name: probes.readable(node) for name, node in nodes.items()})

    c.register_hook(look)
    d.register_hook(look)
    a.register_hook(look)
    e.sum().backward()
    out("in d's, c's and a's hook", seen)


@case("fact 1: backward's peak is forward + O(1), retained or not")
def case_fact1_peak(mg, out):
    for retain in (False, True):
        a = mg.ones(100, requires_grad=True)
        a.grad = mg.zeros(100)
        y = a
        for _ in range(8):
            y = y.exp().tanh()
        y = y.sum()
        out.live("forward")
        out.peak("forward")
        y.backward(retain_graph=retain)
        out.peak(f"backward, retain {retain}")
        out.live("after")
        del y, a
        out.live("dropped")


@case("fact 2: a failing second backward is not atomic; last created runs first")
def case_fact2_not_atomic(mg, out):
    def run(label, build):
        a = mg.ones(2, requires_grad=True)
        c = mg.ones(2, requires_grad=True)
        y = build(a, c)
        y.backward()
        out.error(label, y.backward)
        out(label + ": a, c", [a.grad, c.grad])

    run("(a*a).sum() + c.sum()", lambda a, c: (a * a).sum() + c.sum())
    run("c.sum() + (a*a).sum()", lambda a, c: c.sum() + (a * a).sum())
    a = mg.ones(2, requires_grad=True)
    c = mg.ones(2, requires_grad=True)
    freed = (a * a).sum()
    freed.backward()
    fresh = c * c
    y = freed + fresh.sum()
    out.error("a fresh node above a freed one", y.backward)
    out("it ran and is freed", [c.grad, probes.readable(fresh.grad_fn)])


@case("fact 3: an exception in a hook")
def case_fact3_hook_raises(mg, out):
    a = mg.ones(2, requires_grad=True)
    b = mg.ones(2, requires_grad=True)
    h = a.exp()
    k = h.tanh()
    loss = k.sum() + (b * b).sum()

    def fail(_grad):
        raise KeyError("mine")

    handle = h.register_hook(fail)
    out.error("raises", loss.backward)
    out("k ran", probes.readable(k.grad_fn))
    out("h did not", probes.readable(h.grad_fn))
    out("gradients", [a.grad, b.grad])
    handle.remove()
    out.error("h by itself", h.backward, mg.ones(2))
    out("gradient", a.grad)
    out.error("a new graph works", (a * a).sum().backward)
    out("gradient then", a.grad)


@case("fact 4: AccumulateGrad is shared, held weakly by the leaf, holds it strongly")
def case_fact4_accumulate(mg, out):
    x = mg.ones(2, requires_grad=True)

    def accumulate(y):
        return y.grad_fn.next_functions[0][0]

    k, m = x * 2, x + 1
    out("shared", accumulate(k) is accumulate(m))
    life = probes.Life()
    life.node("AccumulateGrad", accumulate(k))
    life.tensor("x", x)
    del k
    out("k gone", life.alive())
    del m
    out("m gone", life.alive())
    k = x * 2
    out("a new one, without the old token", list(accumulate(k).metadata))
    del x
    out("x by the graph", life.alive())
    out("its variable", accumulate(k).variable)
    del k
    out("all gone", life.alive())


@case("fact 5: pack hooks are not called for wrapped numbers")
def case_fact5_numbers(mg, out):
    a = mg.ones(2, requires_grad=True)
    packed = []

    def pack(t):
        packed.append(list(t.shape))
        return t

    with mg.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        for label, make in {
            "a*3": lambda: a * 3, "a/3": lambda: a / 3, "a*a": lambda: a * a, "exp": a.exp,
            "a**2": lambda: a**2, "2**a": lambda: 2**a, "sum": a.sum, "a+1": lambda: a + 1,
            "a*tensor(3.)": lambda: a * mg.tensor(3.0), "where": lambda: mg.where(a > 0, a, a),
            "index": lambda: a[[0, 1]], "max": a.max, "mul_": lambda: a.clone().mul_(2),
        }.items():  # fmt: skip
            packed.clear()
            y = make()
            out(label, packed)
    del y


@case("fact 6: saved inputs are the object, saved outputs a detached twin")
def case_fact6_twins(mg, out):
    x = mg.tensor([1.0, 4.0], requires_grad=True)
    for name in ("exp", "sqrt", "tanh", "sigmoid", "relu"):
        life = probes.Life()
        y = getattr(x, name)()
        life.all("y", y)
        one, two = y.grad_fn._saved_result, y.grad_fn._saved_result
        out(name, [one is y, one is two, one.data_ptr() == y.data_ptr(), one.grad_fn is y.grad_fn])
        y.detach().zero_()
        out("version", [one._version, y._version])
        del one, two, y
        out("no cycle", life.alive())


@case("fact 8: the first .grad is stolen or copied, dense, nobody else's")
def case_fact8_first_grad(mg, out):
    x = mg.ones(2, 3, requires_grad=True)
    given = mg.ones(2, 3)
    (x + 0).backward(given)
    same = x.grad.data_ptr() == given.data_ptr()
    out("the user's gradient is not stolen", [x.grad is given, same])
    x.grad = None
    x.sum().backward()
    out("dense", [x.grad.stride(), x.grad.is_contiguous(), x.grad.requires_grad])
    x.grad.add_(1)
    out("writable", x.grad)
    a, b = mg.ones(3, requires_grad=True), mg.ones(3, requires_grad=True)
    (a + b).sum().backward()
    out("not another leaf's", a.grad.data_ptr() == b.grad.data_ptr())
    seen = []
    x.grad = None
    x.register_hook(lambda g: seen.append(g.data_ptr()))
    (x * 2.0).sum().backward()
    out("the incoming buffer itself", x.grad.data_ptr() == seen[0])
    kept = []
    x.grad = None
    x.register_hook(kept.append)
    (x * 2.0).sum().backward()
    out("a copy if somebody holds it", x.grad.data_ptr() == kept[0].data_ptr())
    t = mg.ones(3, 2, requires_grad=True)
    (t.t() * mg.ones(2, 3)).sum().backward()
    out("laid out like the leaf", [t.grad.stride(), t.grad.is_contiguous()])


@case("fact 9: accumulation in place, into the same object")
def case_fact9_in_place(mg, out):
    x = mg.ones(3, requires_grad=True)
    (x * 2.0).sum().backward()
    first = x.grad
    out("version", first._version)
    (x * 3.0).sum().backward()
    out("same object", [x.grad is first, first.tolist(), first._version])
    x.grad = None
    (x * 3.0).sum().backward()
    out("after None a new one", [x.grad is first, x.grad.tolist(), first.tolist()])
