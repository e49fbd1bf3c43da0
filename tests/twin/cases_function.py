"""Custom Functions: ctx, several outputs, None, dirty and non-differentiable results."""

from tests.twin import probes
from tests.twin.registry import case


def function(mg, name, **members):
    return type(name, (mg.autograd.Function,), {k: staticmethod(v) for k, v in members.items()})


@case("Function ctx, grad_fn and backward's ctx are one object")
def case_fn_ctx(mg, out):
    seen = []

    def forward(ctx, x, factor):
        seen.append(ctx)
        ctx.factor = factor
        seen.append(mg.is_grad_enabled())
        return x * factor

    def backward(ctx, grad):
        seen.append(ctx)
        seen.append([mg.is_grad_enabled(), grad.requires_grad])
        return grad * ctx.factor, None

    my = function(mg, "MyOp", forward=forward, backward=backward)
    x = mg.ones(2, requires_grad=True)
    y = my.apply(x, 3.0)
    out("repr", [repr(y), repr(y.grad_fn), type(y.grad_fn).__name__, y.grad_fn.name()])
    y.sum().backward()
    out("one object", [seen[0] is y.grad_fn, seen[2] is y.grad_fn])
    out("grad mode in forward, backward", [seen[1], seen[3]])
    out("gradient", x.grad)
    out("edges", probes.edges(y.grad_fn))
    out("attributes", [y.grad_fn.factor, y.grad_fn.needs_input_grad])
    with mg.no_grad():
        out("under no_grad", [my.apply(x, 3.0).requires_grad, my.apply(x, 3.0).grad_fn])
    out("constants only", [my.apply(mg.ones(2), 3.0).requires_grad])


@case("Function several outputs: one node, output_nr, unused outputs get zeros")
def case_fn_outputs(mg, out):
    seen = []

    def forward(ctx, x):
        return x * 2, x * 3, 7, None

    def backward(ctx, *grads):
        seen.append([None if g is None else g.tolist() for g in grads])
        return grads[0] * 2 + grads[1] * 3

    two = function(mg, "Two", forward=forward, backward=backward)
    x = mg.ones(2, requires_grad=True)
    a, b, seven, nothing = two.apply(x)
    out("others pass through", [seven, nothing])
    out("one node", [a.grad_fn is b.grad_fn, a.output_nr, b.output_nr])
    b.sum().backward()
    out("unused", seen)
    out("gradient", x.grad)
    a, b, *_ = two.apply(x)
    (a * b).sum().backward()
    out("both", [seen[-1], x.grad])
    one = function(mg, "One", forward=lambda c, x: (x * 2,), backward=lambda c, g: g * 2)
    out("a tuple of one stays a tuple", type(one.apply(x)).__name__)
    listed = function(mg, "Listed", forward=lambda c, x: [x * 2], backward=lambda c, g: g * 2)
    out.error("a list", lambda: repr(listed.apply(x)))


@case("Function set_materialize_grads(False): None instead of zeros")
def case_fn_materialize(mg, out):
    seen = []

    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    def backward(ctx, one, two):
        seen.append([one is None, two is None])
        return two * 3

    f = function(mg, "Lazy", forward=forward, backward=backward)
    x = mg.ones(2, requires_grad=True)
    f.apply(x)[1].sum().backward()
    out("seen", seen)
    out("gradient", x.grad)


@case("Function non-tensor and None inputs, keywords, needs_input_grad")
def case_fn_inputs(mg, out):
    seen = []

    def forward(ctx, x, flag, items, y, nothing):
        seen.append([flag, items, nothing, ctx.needs_input_grad])
        return x * 2 + y

    def backward(ctx, grad):
        seen.append(ctx.needs_input_grad)
        return grad * 2, None, None, grad if ctx.needs_input_grad[3] else None, None

    f = function(mg, "Mixed", forward=forward, backward=backward)
    x, y = mg.ones(2, requires_grad=True), mg.ones(2)
    z = f.apply(x, True, [x], y, None)
    z.sum().backward()
    out("seen", seen)
    out("edges", probes.edges(z.grad_fn))
    out("gradients", [x.grad, y.grad])
    out.error("keyword", lambda: f.apply(x, flag=True, items=[], y=y, nothing=None))
    out.error("a constant's gradient may be None or not", f.apply(x, 1, 2, y, 3).sum().backward)


@case("Function mark_non_differentiable")
def case_fn_non_differentiable(mg, out):
    seen = []

    def forward(ctx, x):
        value, index = x.max(0)
        positive = x * 1.0
        ctx.mark_non_differentiable(index, positive)
        return value, index, positive

    def backward(ctx, grad, *others):
        seen.append([None if g is None else g.tolist() for g in others])
        return mg.ones(3) * grad

    f = function(mg, "Top", forward=forward, backward=backward)
    x = mg.tensor([1.0, 3.0, 2.0], requires_grad=True)
    value, index, positive = f.apply(x)
    flags = [t.requires_grad for t in (value, index, positive)]
    out("flags", [flags, positive.grad_fn, positive.is_leaf])
    value.backward()
    out("other gradients", seen)
    out("gradient", x.grad)


@case("Function input returned as is: a view with a new object")
def case_fn_identity(mg, out):
    f = function(mg, "Same", forward=lambda ctx, x: x, backward=lambda ctx, g: g * 2)
    x = mg.ones(2, requires_grad=True)
    y = f.apply(x)
    out("y", [y is x, y.data_ptr() == x.data_ptr(), y._is_view(), y.is_leaf, repr(y)])
    y.sum().backward()
    out("gradient", x.grad)
    c = mg.ones(2)
    d = f.apply(c)
    out("a constant", [d is c, d.requires_grad, d._is_view()])
    h = x * 1.0
    life = probes.Life()
    life.all("h", h)
    y = f.apply(h)
    del h
    out("h", life.alive())


@case("Function ctx.y = output is a cycle that refcounting leaves; save_for_backward is none")
def case_fn_cycle(mg, out):
    def forward(ctx, x):
        ctx.y = x * 2
        return ctx.y

    cyclic = function(mg, "Cyclic", forward=forward, backward=lambda ctx, g: g * 2)

    def saving(ctx, x):
        y = x * 2
        ctx.save_for_backward(y)
        return y

    clean = function(mg, "Clean", forward=saving, backward=lambda ctx, g: g * 2)
    x = mg.ones(2, requires_grad=True)
    for f in (clean, cyclic):
        life = probes.Life()
        y = f.apply(x)
        life.tensor("y", y)
        life.storage("y", y)
        del y
        out(f.__name__, life.alive())


@case("Function saved tensors: bytes before and after backward")
def case_fn_bytes(mg, out):
    def forward(ctx, x):
        extra = x.exp()
        ctx.save_for_backward(extra)
        ctx.kept = x + 1
        return x * 2

    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0]

    f = function(mg, "Extra", forward=forward, backward=backward)
    x = mg.ones(100, requires_grad=True)
    y = f.apply(x)
    out.live("forward")
    y.sum().backward()
    out.live("backward frees the saved, not the attribute")
    out.peak("all")
    node = y.grad_fn
    del y
    out.live("del y")
    del node
    out.live("del node")


@case("Function gradients: broadcast back, None, dtypes")
def case_fn_gradients(mg, out):
    def run(label, gradient, *shape):
        f = function(mg, "G", forward=lambda ctx, x: x.sum() * 1.0, backward=lambda c, g: gradient)
        x = mg.ones(*shape, requires_grad=True)
        out.error(label, f.apply(x).backward)
        out(label + ": gradient", x.grad)

    run("right", mg.full((2, 3), 2.0), 2, 3)
    run("summed to a column", mg.ones(2, 3), 2, 1)
    run("summed to a row", mg.ones(4, 3), 3)
    run("too small", mg.ones(3), 2, 3)
    run("None", None, 2)
    run("int", mg.ones(2, dtype=mg.int64), 2)


@case("Function backward calling autograd again, nested Functions, apply inside forward")
def case_fn_nested(mg, out):
    square = function(mg, "Sq", forward=lambda ctx, x: (ctx.save_for_backward(x), x * x)[1],
                      backward=lambda ctx, g: 2 * ctx.saved_tensors[0] * g)  # fmt: skip

    def backward(ctx, grad):
        with mg.enable_grad():
            x = ctx.x.detach().requires_grad_()
            (inner,) = mg.autograd.grad(square.apply(x), x, grad)
        return inner

    def forward(ctx, x):
        ctx.x = x
        return square.apply(x)

    outer = function(mg, "Outer", forward=forward, backward=backward)
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    y = outer.apply(x)
    out("graph", probes.graph(y.grad_fn))
    y.sum().backward()
    out("gradient", x.grad)


@case("Function is a subclass; overriding, staticmethods, calling by hand")
def case_fn_by_hand(mg, out):
    f = function(mg, "Hand", forward=lambda ctx, x: x * 2, backward=lambda ctx, g: g * 2)
    x = mg.ones(2, requires_grad=True)
    node = f.apply(x).grad_fn
    out.error("a Python node cannot be called", lambda: node(mg.tensor([1.0, 5.0])))
    out("subclass", issubclass(f, mg.autograd.Function))

    class NoStatic(mg.autograd.Function):
        def forward(ctx, x):  # noqa: N805
            return x * 2

        def backward(ctx, g):  # noqa: N805
            return g * 2

    y = NoStatic.apply(x)
    y.sum().backward()
    out("without @staticmethod", [repr(y), x.grad])
