"""Thread 000: what keeps an activation alive."""

from tests.twin import probes
from tests.twin.registry import case


@case("A1 000 nodes are not tensors: h dies, its node lives")
def case_000_tensor_dies_node_lives(mg, out):
    x = mg.ones(10, requires_grad=True)
    life = probes.Life()
    h = x + 1
    life.all("h", h)
    y = h * 2.0
    out("before", life.alive())
    del h
    out("after del h", life.alive())
    out.live("x and y")
    out("graph", probes.graph(y.grad_fn))
    del y
    out("after del y", life.alive())
    out.live("x")


@case("A1 000 h*h keeps the very object, exp its result")
def case_000_what_is_kept(mg, out):
    x = mg.tensor([0.5, 1.0], requires_grad=True)
    life = probes.Life()
    h = x + 1
    life.all("h", h)
    y = h * h
    out("is h", y.grad_fn._saved_self is h)
    del h
    out("product", life.alive())
    k = x + 1
    life.all("k", k)
    e = k.exp()
    del k
    out("exp", life.alive())
    out("result is e", e.grad_fn._saved_result is e)
    result = e.grad_fn._saved_result
    out("same storage", result.data_ptr() == e.data_ptr())
    out("its grad_fn is e's", result.grad_fn is e.grad_fn)
    out("shares the version", [result._version, e._version])
    node = e.grad_fn
    del e, result
    out("unpacked after e died", node._saved_result)


@case("A1 000 d must stay for e = d @ c, if c needs grad")
def case_000_matmul_chain(mg, out):
    for needed in (True, False):
        a = mg.ones(16, 8, requires_grad=True)
        b = mg.ones(8, 16, requires_grad=True)
        c = mg.ones(16, 4, requires_grad=needed)
        life = probes.Life()
        out.live(f"inputs, c needs grad {needed}")
        d = a @ b
        life.all("d", d)
        e = d @ c
        out.live("after d, e")
        del d
        out.live("after del d")
        out("alive", life.alive())
        e.sum().backward()
        out("alive after backward", life.alive())
        out.live("after backward")
        del e
        out.live("after del e")
        a = b = c = None
        out.live("nothing left")
        out.peak("all of it")


@case("A1 000 .data: swapped for another is silent and wrong; its own version")
def case_000_data_swap(mg, out):
    a = mg.ones(2, 2, requires_grad=True)
    c = mg.ones(2, 2, requires_grad=True)
    d = a @ a
    e = d @ c
    d.data = mg.full((2, 2), 7.0)
    out("version", d._version)
    out("saved sees it", e.grad_fn._saved_self)
    e.sum().backward()
    out("gradient of c uses the new data", c.grad)
    x = mg.tensor([1.0, 1.0], requires_grad=True)
    y = x.data
    y.add_(1)
    out(".data", [x.tolist(), x._version, y._version, y.requires_grad])
    z = x.detach().add_(1)
    out("detach", [x.tolist(), x._version, z._version])
    out("same storage", x.data_ptr() == y.data_ptr() == z.data_ptr())


@case("A1 000 the inner product dies also with plain matmul, unless z needs grad")
def case_000_custom_mm(mg, out):
    class CustomMM(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x, y, z):
            return (x @ y) @ z

        @staticmethod
        def backward(ctx, grad):
            return magic_grad_for_x(grad), None, None  # noqa: F821

    x = mg.ones(20, 3, requires_grad=True)
    y, z = mg.ones(3, 20), mg.ones(20, 5)
    out.live("inputs")
    result = CustomMM.apply(x, y, z)
    out.live("custom")
    out.peak("custom")
    out.error("its backward", result.sum().backward)
    plain = (x @ y) @ z
    out.live("plain")
    z.requires_grad_()
    needed = (x @ y) @ z
    out.live("z needs grad")
    out("graphs", [probes.graph(t.grad_fn) for t in (result, plain, needed)])


@case("A1 000 a Function that saves nothing, saves, or keeps a ctx attribute")
def case_000_three_functions(mg, out):
    def make(name, keep, use):
        def forward(ctx, x):
            keep(ctx, x)
            return x * 2

        members = {"forward": forward, "backward": lambda ctx, grad: use(ctx, grad)}
        methods = {key: staticmethod(value) for key, value in members.items()}
        return type(name, (mg.autograd.Function,), methods)

    kinds = [
        make("SaveNothing", lambda ctx, x: None, lambda ctx, g: g * 2),
        make(
            "SaveIt", lambda ctx, x: ctx.save_for_backward(x), lambda c, g: c.saved_tensors[0] * g
        ),
        make("SaveAttr", lambda ctx, x: setattr(ctx, "x", x), lambda ctx, g: ctx.x * g),
    ]
    for kind in kinds:
        x = mg.ones(2, requires_grad=True)
        life = probes.Life()
        h = x + 1
        life.storage("h", h)
        y = kind.apply(h)
        out("repr", repr(y.grad_fn))
        del h
        out("after forward", life.alive())
        y.sum().backward()
        out("after backward", life.alive())
        out.error("second", y.sum().backward)
        out("gradient", x.grad)
        out.error("saved_tensors", lambda: y.grad_fn.saved_tensors)  # noqa: B023


@case("A1 000 ctx.x bypasses the version check, save_for_backward does not")
def case_000_ctx_attribute_version(mg, out):
    class Attribute(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.x = x
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return 2 * ctx.x * grad

    class Saved(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return 2 * ctx.saved_tensors[0] * grad

    for kind in (Attribute, Saved):
        a = mg.ones(2, requires_grad=True)
        x = a + 0
        y = kind.apply(x)
        x += 100
        out.error(kind.__name__, y.sum().backward)
        out("gradient (true: 2)", a.grad)


@case("A1 000 zeros(requires_grad=True).double() is no leaf")
def case_000_no_leaf(mg, out):
    a = mg.zeros(3, requires_grad=True).double()
    out("leaf", [a.is_leaf, a.requires_grad, repr(a)])
    a.sum().backward()
    out("grad", out.warned("warns", lambda: a.grad))
    b = mg.zeros(3).double().requires_grad_()
    b.sum().backward()
    out("right", [b.is_leaf, b.grad])


@case("A1 000 (implied) a reversible block as one Function keeps outputs only")
def case_000_reversible(mg, out):
    class Reversible(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x1, x2, w):
            y1 = x1 + mg.tanh(x2 @ w)
            y2 = x2 + mg.tanh(y1 @ w)
            ctx.save_for_backward(y1, y2, w)
            return y1, y2

        @staticmethod
        def backward(ctx, g1, g2):
            y1, y2, w = ctx.saved_tensors
            w = w.detach().requires_grad_()
            with mg.enable_grad():
                y1 = y1.detach().requires_grad_()
                f = mg.tanh(y1 @ w)
                d1, dw = mg.autograd.grad(f, (y1, w), g2)
                x2 = (y2 - f.detach()).requires_grad_()
                f = mg.tanh(x2 @ w)
                d2, dw2 = mg.autograd.grad(f, (x2, w), g1 + d1)
            return g1 + d1, g2 + d2, dw + dw2

    w = (mg.arange(16).view(4, 4).float() / 16 - 0.4).requires_grad_()
    start = mg.arange(32).view(8, 4).float() / 32
    a = b = start.clone().requires_grad_()
    for _ in range(4):
        a, b = Reversible.apply(a, b, w)
    out.live("reversible forward")
    (a + b).sum().backward()
    first, w.grad = w.grad, None
    c = d = start.clone().requires_grad_()
    for _ in range(4):
        c = c + mg.tanh(d @ w)
        d = d + mg.tanh(c @ w)
    (c + d).sum().backward()
    out("gradients agree", mg.allclose(first, w.grad, atol=1e-4))
    out("gradient", w.grad)
