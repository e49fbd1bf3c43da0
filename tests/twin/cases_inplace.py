"""C7: versions, views, in-place writes."""

from tests.twin import probes
from tests.twin.registry import case


@case("C7 who shares a version counter")
def case_c7_versions(mg, out):
    x = mg.zeros(4)
    family = {"view": x.view(2, 2), "detach": x.detach(), "slice": x[1:], "data": x.data}
    family["clone"] = x.clone()
    family["t"] = x.view(2, 2).t()
    x.add_(1)
    out("after x.add_", [x._version, {name: t._version for name, t in family.items()}])
    family["slice"].mul_(2)
    out("after a write by the slice", [x._version, x])
    family["data"].zero_()
    out("after a write by .data", [x._version, family["data"]._version])
    with mg.no_grad():
        x.fill_(3)
    out("under no_grad", x._version)
    x[0] = 1.0
    out("setitem", [x._version, x])
    x[1:3] = mg.tensor([7.0, 8.0])
    x += 1
    out("+=", [x._version, x])


@case("C7 every in-place op bumps once and returns its tensor")
def case_c7_each(mg, out):
    other = mg.full((3,), 2.0)
    for name, args in {
        "add_": (1,), "sub_": (1,), "mul_": (2,), "div_": (2,), "exp_": (), "relu_": (),
        "zero_": (), "fill_": (5,), "copy_": (other,), "neg_": (),
    }.items():  # fmt: skip
        x = mg.tensor([-1.0, 0.0, 2.0])
        result = getattr(x, name)(*args)
        out(name, [result is x, x._version, x.tolist()])
    x = mg.tensor([1.0, 2.0, 3.0])
    x.add_(other, alpha=2)
    out("alpha", x)
    x.copy_(mg.tensor(1.0))
    out("copy_ broadcasts", x)
    x.copy_(mg.tensor([1, 2, 3]))
    out("copy_ casts", x)
    out.error("too big", x.add_, mg.ones(2, 3))
    out.error("int += float", mg.tensor([1, 2]).add_, 0.5)
    out.error("int /= int", mg.tensor([1, 2]).div_, 2)


@case("C7 in place on a non-leaf rebases its grad_fn")
def case_c7_rebase(mg, out):
    a = mg.tensor([1.0, 2.0], requires_grad=True)
    h = a * 3
    old = h.grad_fn
    h.add_(1)
    out("graph", probes.graph(h.grad_fn))
    out("old below", h.grad_fn.next_functions[0][0] is old)
    h.mul_(h)
    out("h*h in place", probes.graph(h.grad_fn))
    out.error("backward", h.sum().backward)
    b = mg.zeros(2)
    out("constant before", [b.requires_grad, b.is_leaf])
    b.add_(a)
    out("constant after", [b.requires_grad, b.is_leaf, repr(b)])
    b.sum().backward()
    out("gradient", a.grad)
    c = a * 1
    c.zero_()
    c.sum().backward()
    out("zero_ stops the gradient", [probes.name(c.grad_fn), a.grad])


@case("C7 views: flags, base, bytes")
def case_c7_views(mg, out):
    x = mg.arange(12).float()
    views = {
        "view": x.view(3, 4), "t": x.view(3, 4).t(), "slice": x[2:5], "select": x[3],
        "unsqueeze": x.unsqueeze(0), "expand": x.expand(2, 12), "detach": x.detach(),
        "narrow": x.narrow(0, 1, 2), "permute": x.view(3, 4).permute(1, 0), "None": x[None],
        "reshape": x.reshape(4, 3), "clone": x.clone(), "index": x[[0, 1]], "flatten": x.flatten(),
    }  # fmt: skip
    for name, view in views.items():
        base = view._base is x
        shares = view.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
        out(name, [view._is_view(), base, shares, view.stride(), view.is_contiguous()])
    out("bytes of a view", [views["slice"].nbytes, views["slice"].untyped_storage().nbytes()])
    y = x.view(3, 4)
    life = probes.Life()
    life.tensor("x", x)
    life.storage("x", x)
    views.clear()
    del x, view
    out("x deleted, a view lives", life.alive())
    out.live("held by the view")
    del y
    out.live("gone")


@case("C7 h[0] = v on a non-leaf: CopySlices")
def case_c7_setitem(mg, out):
    a = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    v = mg.tensor(5.0, requires_grad=True)
    h = a * 2
    h[0] = v
    out("h", [repr(h), h._version, h.grad_fn.name()])
    out("graph", probes.graph(h.grad_fn))
    (h * mg.tensor([1.0, 10.0, 100.0])).sum().backward()
    out("gradients", [a.grad, v.grad])
    h = a * 2
    h[1:] = mg.tensor([7.0, 8.0])
    h.sum().backward()
    out("slice by constants", a.grad)
    h = a * 2
    h[0] = 9
    out("a number", h)
    h.sum().backward()
    out("gradient", a.grad)
    h = a.exp()
    h[0] = 0.0
    out.error("exp saved its result", h.sum().backward)
    h = a * 2
    h[a > 1.5] = 0.0
    h.sum().backward()
    out("mask", [h, a.grad])


@case("C7 buf[i] = y: a constant buffer joins the graph")
def case_c7_buffer(mg, out):
    buf = mg.zeros(3, 2)
    out("before", [buf.requires_grad, buf.is_leaf])
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    for i in range(3):
        buf[i] = w * (i + 1)
    out("after", [buf.requires_grad, buf.is_leaf, repr(buf)])
    out("graph", probes.graph(buf.grad_fn))
    buf.sum().backward()
    out("gradient", w.grad)
    out("version", buf._version)


@case("C7 a write through a view of a non-leaf reaches the base's graph")
def case_c7_view_write(mg, out):
    a = mg.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    h = a * 2
    first = h[:2]
    out.error("write", first.mul_, 10)
    out("values", [h, first])
    out("names", [h.grad_fn.name(), first.grad_fn.name()])
    h.sum().backward()
    out("gradient", a.grad)


@case("C7 x.data = swaps silently; detach_ frees the node")
def case_c7_data(mg, out):
    x = mg.ones(3, requires_grad=True)
    h = x * x
    other = mg.full((3,), 5.0)
    x.data = other
    out("x", [x, x._version, x.data_ptr() == other.data_ptr()])
    h.sum().backward()
    out("sees the new data", x.grad)
    y = x * 2
    life = probes.Life()
    life.node("y", y.grad_fn)
    y.detach_()
    out("freed", life.alive())
    out("leaf", [y.is_leaf, y.requires_grad])


@case("C7 an expanded gradient or tensor is never written into")
def case_c7_expand(mg, out):
    x = mg.ones(3, requires_grad=True)
    x.sum().backward()
    x.grad[0] = 7.0
    out("one element", x.grad)
    y = mg.ones(2, requires_grad=True)
    (x.sum() + y.sum()).backward()
    out("accumulated", [x.grad, y.grad])
    wide = mg.zeros(1).expand(3)
    out.error("write to an expanded", wide.add_, 1)
    out("strides", wide.stride())


@case("C7 clone and contiguous copy; reshape copies only when it must")
def case_c7_copies(mg, out):
    x = mg.arange(6).float().view(2, 3)
    start = mg.memory_allocated()
    kept = [x.clone(), x.contiguous(), x.t().contiguous(), x.reshape(3, 2), x.t().reshape(6)]
    out("bytes", mg.memory_allocated() - start)
    out("shares", [t.data_ptr() == x.data_ptr() for t in kept])
    out("strides", [t.stride() for t in kept])
    out("clone of a transposed", x.t().clone().stride())
    out.error("view of a transposed", x.t().view, 6)


@case("C7 mark_dirty, versions and the graph")
def case_c7_mark_dirty(mg, out):
    class Scale(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.factor = factor
            ctx.mark_dirty(x)
            return x.mul_(factor)

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor, None

    a = mg.ones(2, requires_grad=True)
    h = a * 2.0
    y = Scale.apply(h, 3.0)
    out("same object", [y is h, h._version, probes.graph(h.grad_fn)])
    h.sum().backward()
    out("gradient", a.grad)
    plain = mg.ones(2)
    result = Scale.apply(plain, 4.0)
    out("a constant", [result is plain, plain.tolist(), plain.requires_grad, plain._version])


@case("M2 names CopyBackwards in full")
def case_m2_copy(mg, out):
    w = mg.ones(3, requires_grad=True)
    z = w.exp()
    z.copy_(w)
    u = z.exp() * z
    z.copy_(w)
    out.error("written after it was saved", u.sum().backward)
