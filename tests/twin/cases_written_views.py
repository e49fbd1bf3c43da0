"""Writes to views that are, or come to be, part of a graph: CopySlices, and what it refuses."""

from tests.twin import probes
from tests.twin.registry import case


def leaf(mg, *shape):
    count = 1
    for n in shape:
        count *= n
    return (mg.arange(count, dtype=mg.float32) / 4 + 0.5).view(shape).detach().requires_grad_()


def order(node):
    """The nodes by name, the oldest first."""
    nodes = [n for n in probes.walk(node) if not hasattr(n, "variable")]
    return [probes.name(n) for n in sorted(nodes, key=lambda n: n._sequence_nr())]


def told(mg, out, *tensors):
    """Graph, order and version of each, by place."""
    for place, t in enumerate(tensors):
        out(f"graph {place}", [probes.graph(t.grad_fn), order(t.grad_fn), t._version])


@case("C7 a write to a view rebases the history of its base")
def case_views_rebase(mg, out):
    x, w = leaf(mg, 3, 4), leaf(mg, 4)
    y = x * 1
    v, other = y[0], y.view(-1)
    out("returns itself", v.mul_(w) is v)
    told(mg, out, y, v, other)
    out("repr", [repr(y), repr(v)])
    out("name", [y.grad_fn.name(), v.grad_fn.name()])
    out("base", [v._base is y, v._is_view(), v.is_leaf])
    (other * mg.arange(12)).sum().backward()
    out("gradients", [x.grad, w.grad])
    out.error("twice", y.sum().backward)


@case("C7 chains of views, and several views of one base")
def case_views_chain(mg, out):
    x = leaf(mg, 3, 4)
    y = x * 1
    y.t()[1].copy_(mg.ones(3))
    flat = y.view(-1)
    column = y[:, 2]
    flat.clamp_(0.6)
    told(mg, out, y, column)
    column.add_(y[:, 0])
    y.mul_(2)
    told(mg, out, y, flat, column)
    (flat * mg.arange(12)).sum().backward()
    out("gradient", x.grad)
    out("versions", [t._version for t in (y, flat, column)])


@case("C7 a constant joins the graph through its view, and all its views with it")
def case_views_constant(mg, out):
    x, w = mg.zeros(3, 4), leaf(mg, 4)
    v, sibling, flat = x[0], x[1], x.view(-1)
    v.copy_(w)
    out("flags", [[t.requires_grad, t.is_leaf] for t in (x, v, sibling, flat)])
    told(mg, out, x, v, sibling, flat)
    x.grad_fn.register_hook(lambda *grads: out("node hook", grads))
    flat.sum().backward(retain_graph=True)
    out("gradient", w.grad)
    out("by hand", x.grad_fn(mg.ones(3, 4)))
    out("asked for", mg.autograd.grad(flat.sum(), [w, x], retain_graph=True))


@case("C7 a base that begins in the middle of its storage")
def case_views_middle(mg, out):
    x, w = leaf(mg, 3, 4), leaf(mg, 3)
    d = (x * 1)[1:, 1:].t().detach()
    d[1].copy_(w[1:])
    d[:, 1].mul_(w)
    told(mg, out, d)
    (d * mg.arange(6).view(3, 2)).sum().backward()
    out("gradient", w.grad)


@case("C7 v[i] = value records what the index and the value make of it")
def case_views_put(mg, out):
    for place, index in enumerate(
        [0, slice(0, 2), slice(None), ..., None, (0, slice(1, 3)), [0, 2], (0, [1, 2]), True,
         False, mg.tensor(1), (0, 0), (), (True,), [], mg.tensor([True, False, True])]
    ):  # fmt: skip
        for kind in ("number", "0-d", "row", "ones", "double", "0-d int"):
            x, y = leaf(mg, 3, 4), None
            value = {
                "number": 2.0, "0-d": leaf(mg), "row": leaf(mg, 4), "ones": leaf(mg, 1, 1, 1),
                "double": leaf(mg, 4).double(), "0-d int": mg.tensor(3),
            }[kind]  # fmt: skip
            y = x * 1
            label = f"{place} {kind}"
            out.error(label, y.__setitem__, index, value)
            out(f"{label} graph", [probes.graph(y.grad_fn), order(y.grad_fn), y._version])
            (y * mg.arange(12).view(3, 4)).sum().backward()
            out(f"{label} gradients", [x.grad, getattr(value, "grad", None)])


@case("C7 IndexPutBackward0: what it saves, and its second derivative")
def case_views_index_put(mg, out):
    x = leaf(mg, 3, 4)
    y = x * x
    y[[0, 2]] = x[1] * 2
    out("saved", probes.saved(y.grad_fn))
    out.live("saved")
    (g,) = mg.autograd.grad((y * y).sum(), x, create_graph=True)
    out("first", g.detach())
    out("second", mg.autograd.grad(g.sum(), x))
    out.error("kinds", y.__setitem__, [0], mg.ones(4, dtype=mg.int64))
    out.error("shapes", y.__setitem__, (0, [0, 1]), mg.ones(3))
    out.error("bounds", y.__setitem__, [3], mg.ones(4))
    out.error("onto itself", y.__setitem__, [0, 1], y[:2])
    y = mg.zeros(2, 2)
    y[0, 0] = mg.ones(1)
    y[True] = y[:1]
    y[False] = 3.0
    out("no graph", [y, y._version])
    out.error("one for a mask", y.__setitem__, mg.tensor([True, False]), mg.tensor(7))
    out("one for a mask: after", [y, y._version])


@case("C7 a view of a leaf, of several, under no_grad, of a Function, in inference mode")
def case_views_refused(mg, out):
    class Row(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x[0]

        @staticmethod
        def backward(ctx, grad):
            return grad.expand(3, 4)

    x, w = leaf(mg, 3, 4), leaf(mg, 4)
    out.error("of a leaf", x[0].mul_, 2)
    out.error("item of a leaf", x.__setitem__, 0, 2.0)
    y = x * 1
    out.error("unbind", y.unbind()[0].mul_, 2)
    out.error("split", y.split(2)[1].zero_)
    out.error("chunk", y.chunk(2)[0].__setitem__, 0, 1.0)
    with mg.no_grad():
        quiet = y[0]
    out.error("no_grad", quiet.mul_, 2)
    out.error("of a Function", Row.apply(y).mul_, 2)
    y[1].mul_(2)
    out.error("asked afterwards", lambda: quiet.grad_fn)
    with mg.no_grad():
        y[2].mul_(2)
    out("version", y._version)
    late = mg.zeros(2, 4)
    first, stale = late[0], late[1]
    first.copy_(w)
    out.error("nobody asked it", stale.mul_, 2)
    out("asked", probes.name(stale.grad_fn))
    stale.mul_(2)
    told(mg, out, late, stale)
    with mg.inference_mode():
        inference = mg.ones(3, 4)
    out.error("inference", inference[0].copy_, w)
    part = mg.zeros(4)[:2]
    part.requires_grad_()
    out.error("a view that is a leaf", part.mul_, 2)


@case("C7 hooks and retain_grad stay with the view and its base, or go")
def case_views_hooks(mg, out):
    def hook(name):
        return lambda grad: out(name, grad)

    x = leaf(mg, 2, 2)
    y = x * 1
    v = y[0]
    for t, name in ((v, "view"), (y, "base")):
        t.retain_grad()
        t.register_hook(hook(f"old {name}"))
    v.mul_(5)
    for t, name in ((v, "view"), (y, "base")):
        t.register_hook(hook(f"new {name}"))
    out("retains", [v.retains_grad, y.retains_grad])
    v.sum().backward(retain_graph=True)
    out("of the view", [v.grad, y.grad, x.grad])
    y.sum().backward()
    out("of the base", [v.grad, y.grad, x.grad])
    y = x * 1
    y[0].mul_(2)
    y.grad_fn.register_prehook(lambda grads: out("before", grads))
    y.grad_fn.register_hook(lambda *grads: out("after", grads))
    y.sum().backward()


@case("C7 gradients asked for of views and bases, with and without retain_graph")
def case_views_asked(mg, out):
    x = leaf(mg, 3, 2)
    y = x * 1
    v = y[0]
    before = mg.autograd.graph.get_gradient_edge(v)
    v.mul_(x[1])
    for name, t in {"x": x, "y": y, "v": v, "before": before}.items():
        found = mg.autograd.grad(y.sum(), t, retain_graph=True, allow_unused=True)
        out(f"of the base, {name}", found)
    out("of the view", mg.autograd.grad(v.sum(), [x, y, v], retain_graph=True))
    v.sum().backward(inputs=[y, v])
    out("inputs=", [x.grad, y.grad, v.grad])
    late = mg.zeros(2, 2)
    stale = late[1]
    late[0].copy_(x[0])
    stale.sum().backward(inputs=[stale])
    out("a view that was asked meanwhile", [stale.grad, stale.retains_grad, x.grad])


@case("C7 a saved result of a view: who has overwritten it, and second derivatives")
def case_views_saved(mg, out):
    x = leaf(mg, 2, 3)
    for name, write in {
        "the view": lambda y, v: v.add_(1), "the base": lambda y, v: y.add_(1),
        "a new view": lambda y, v: y[1].add_(1),
    }.items():  # fmt: skip
        y = x * 1
        v = y[0]
        v.exp_()
        write(y, v)
        out.error(name, y.sum().backward)
        y = x * 1
        y[0].tanh_()
        write(y, y[0])
        out.error(f"{name}, and none is left", y.sum().backward)
    for keep in (True, False):
        y = x * 1
        v = y[0]
        v.exp_()
        v = v if keep else None
        (g,) = mg.autograd.grad((y * y).sum(), x, create_graph=True)
        out(f"graph, {keep}", [probes.graph(g.grad_fn), g.detach()])
        out(f"second, {keep}", mg.autograd.grad(g.sum(), x))


@case("C7 create_graph through writes to views")
def case_views_second(mg, out):
    x = leaf(mg, 3, 2)
    y = x * x
    y[0].mul_(x[1])
    y[1:].view(-1)[::2].sin_()
    y[2] = x[0] * x[1]
    (g,) = mg.autograd.grad((y * y).sum(), x, create_graph=True)
    out("graph", [probes.graph(g.grad_fn), order(g.grad_fn)])
    (h,) = mg.autograd.grad(g.sum(), x, create_graph=True)
    out("derivatives", [g.detach(), h.detach(), mg.autograd.grad(h.sum(), x)[0]])


@case("C7 bytes: what a write to a view keeps alive, and when it goes")
def case_views_bytes(mg, out):
    x = leaf(mg, 100, 10)
    y = x * 1
    out.live("before")
    y[0].mul_(x[1])
    out.live("mul_ saved its old value")
    y[2] = 0.0
    y[[3, 4]] = x[5]
    y[1].exp_()
    out.live("exp_, a number, indices")
    y.sum().backward()
    out.live("after backward")
    x.grad = None
    del y
    out.live("gone")
    life, y = probes.Life(), x * 1
    life.all("base", y)
    v = y[0]
    v.mul_(2)
    life.node("CopySlices", y.grad_fn)
    del y
    out("the view holds its base", life.alive())
    del v
    out("nobody", life.alive())


@case("C7 a Function that writes to a view")
def case_views_function(mg, out):
    class Scale(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x, several=False):
            ctx.mark_dirty(x)
            x.mul_(3)
            return (x, x * 2) if several else x

        @staticmethod
        def backward(ctx, grad, *more):
            out("asked of", [grad, grad.stride(), ctx.needs_input_grad])
            return grad * 3, None

    x = leaf(mg, 2, 3)
    y = x * 1
    v = y.t()[1:]
    v.retain_grad()
    v.sum().backward(retain_graph=True)
    out("same", [Scale.apply(v) is v, v.grad])
    told(mg, out, y, v)
    y.sum().backward()
    out("gradient", x.grad)
    out.error("of a leaf", Scale.apply, x[0])
    out.error("two results", Scale.apply, y[0], True)
    out.error("of a leaf, two results", Scale.apply, x[0], True)
    out.error("of several", Scale.apply, y.unbind()[0])
    with mg.no_grad():
        quiet = y[0]
    out.error("no_grad", Scale.apply, quiet)
    plain = mg.ones(2)
    out("no graph", [Scale.apply(plain[:1]), plain])


@case("C7 a Function that writes to a view and gives it no gradient")
def case_views_function_none(mg, out):
    class Silent(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(3)

        @staticmethod
        def backward(ctx, grad):
            return None

    x = leaf(mg, 2, 2)
    y = x * 1
    Silent.apply(y[0])
    y.sum().backward()
    out("gradient", x.grad)


@case("C7 a Function that writes to a view in second place")
def case_views_function_second(mg, out):
    class Times(mg.autograd.Function):
        @staticmethod
        def forward(ctx, factor, x):
            ctx.mark_dirty(x)
            return x.mul_(factor)

        @staticmethod
        def backward(ctx, grad):
            return grad * 10, grad * 3

    x = leaf(mg, 2, 2)
    y = x * 1
    out.error("written", Times.apply, leaf(mg, 2), y[0])


@case("C7 saved-tensors hooks see a write to a view; a checkpoint repeats it")
def case_views_packed(mg, out):
    def pack(t):
        out("packed", [list(t.shape), probes.name(t.grad_fn), t._version])
        return t.detach().clone()

    x = leaf(mg, 3, 2)
    with mg.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        y = x * 1
        v = y[0]
        v.exp_()
        y[1].mul_(x[2])
        y[2] = x[1]
        y.exp_()
        y[[0, 1]] = 3.0
    y.sum().backward()
    out("gradient", x.grad)

    def block(t):
        u = t * 1
        u[0].mul_(t[1])
        u[1] = t[0].exp()
        u[2].exp_()
        return u.sin()

    for reentrant in (True, False):
        x = leaf(mg, 3, 2)
        y = mg.utils.checkpoint.checkpoint(block, x, use_reentrant=reentrant)
        y.sum().backward()
        out(f"checkpoint, {reentrant}", x.grad)


@case("C7 a leaf view that is moved into the graph; detach_ and views")
def case_views_moved(mg, out):
    base, w = mg.zeros(4), leaf(mg, 2)
    v = base[:2]
    v.requires_grad_()
    z = v * 2
    base[2:].copy_(w)
    out("moved", [v.is_leaf, probes.graph(v.grad_fn)])
    out.error("backward", z.sum().backward)
    x = leaf(mg, 2, 2)
    y = x * 1
    v = y[0]
    y.detach_()
    out.error("of what was detached", v.mul_, 2)
    y = x * 1
    v = y[0]
    v.mul_(2)
    y.detach_()
    out("written, then detached", [v.requires_grad, probes.graph(v.grad_fn)])
    out.error("again", v.mul_, 2)
    y = (x * 1).exp()
    saved = y.sum()
    y.detach_()
    y.copy_(x)
    out.error("a saved one that joins again", (y.exp() + saved).sum().backward)


@case("C7 what is written lies apart from what is read, or is it, element by element")
def case_views_overlap(mg, out):
    def assign(x, index, value):
        x[index] = value

    for graph in (False, True):

        def fresh(*shape, graph=graph):
            return leaf(mg, *shape) * 1 if graph else mg.ones(*shape)

        for label, write in {
            "x[[0]] = x[0:1]": lambda x: assign(x, [0], x[0:1]),
            "x[mask] = x[0:1]": lambda x: assign(x, x > 1.2, x[0:1]),
            "x[True] = x": lambda x: assign(x, True, x),
            "x[:] = x[:1]": lambda x: assign(x, slice(None), x[:1]),
            "x[1:2] = x[1]": lambda x: assign(x, slice(1, 2), x[1]),
            "x[1:] = x[:-1]": lambda x: assign(x, slice(1, None), x[:-1]),
            "x[()] = x[None]": lambda x: assign(x, (), x[None]),
            "x.copy_(x[:1])": lambda x: x.copy_(x[:1]),
            "x[:3].copy_(x)": lambda x: x[:3].copy_(x),
        }.items():
            x = fresh(4)
            out.error(f"{label}, {graph}", write, x)
            out(f"{label}, {graph}: after", [x, x._version])


@case(
    "C7 of a leaf and an index that does not fit PyTorch names the leaf; of two indices, the dtype"
)
def case_put_refused(mg, out):
    indices = {
        "floats": mg.tensor([0.5]),
        "another mask": mg.tensor([True]),
        "a mask and floats": (mg.tensor([True]), mg.tensor([0.5])),
        "beyond": mg.tensor([7]),
    }
    for name, index in indices.items():
        for leaf in (True, False):
            x = mg.ones(4, 2, requires_grad=leaf)
            out.error(f"{name}, {leaf=}", x.__setitem__, index, mg.ones(2))
        out.error(f"{name}, read", x.__getitem__, index)
