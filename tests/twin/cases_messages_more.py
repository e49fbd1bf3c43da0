"""M11 to M20: errors and warnings, word for word."""

import copy
import pickle

from tests.twin.registry import case


@case("M11 retain_grad and register_hook without grad")
def case_m11(mg, out):
    x = mg.ones(2)
    out.error("retain_grad", x.retain_grad)
    out.error("register_hook", x.register_hook, lambda g: g)
    out.error("inputs=", mg.ones(2, requires_grad=True).sum().backward, inputs=[x])
    leaf = mg.ones(2, requires_grad=True)
    leaf.retain_grad()
    out("on a leaf", leaf.retains_grad)
    h = leaf * 2
    h.retain_grad()
    out("on a non-leaf", [h.retains_grad, (leaf * 2).retains_grad])
    out.error("post accumulate on a non-leaf", h.register_post_accumulate_grad_hook, lambda t: None)


@case("M12 hooks that return rubbish")
def case_m12(mg, out):
    def returning(label, value, tensor=None, dtype=None):
        a = mg.ones(2, dtype=dtype, requires_grad=True)
        h = a * 2
        (h if tensor is None else a).register_hook(lambda grad: value)
        out.error(label, h.sum().backward)
        out(label + ": gradient", a.grad)

    returning("str", "rubbish")
    returning("int", 3)
    returning("list", [mg.ones(2)])
    returning("shape", mg.ones(3))
    returning("0-d", mg.tensor(1.0))
    returning("dtype", mg.ones(2, dtype=mg.float64))
    returning("dtype int", mg.ones(2, dtype=mg.int64))
    returning("leaf, str", "rubbish", "leaf")
    returning("leaf, shape", mg.ones(2, 1), "leaf")
    returning("double leaf, float", mg.ones(2), "leaf", mg.float64)

    def named(grad):
        return mg.ones(5)

    h = mg.ones(2, requires_grad=True) * 2
    h.register_hook(named)
    out.error("a named hook", h.sum().backward)


@case("M13 .data")
def case_m13(mg, out):
    d = mg.ones(2, requires_grad=True)

    def delete():
        del d.data

    out.error("del", delete)
    out.error("None", lambda: setattr(d, "data", None))
    out.error("float", lambda: setattr(d, "data", 1.0))
    out.error("int64", lambda: setattr(d, "data", mg.zeros(2, dtype=mg.int64)))
    out("still", d)
    d.data = mg.tensor([5.0, 6.0, 7.0])
    out("swapped to another shape", d)
    out("version", d._version)
    out("data needs grad", [d.data.requires_grad, d.data is d, d.requires_grad, d.is_leaf])
    same = d.data.untyped_storage().data_ptr() == d.untyped_storage().data_ptr()
    out("shares its storage", same)
    d.data.add_(1)
    out("written through .data", [d.tolist(), d._version])
    view = d.detach()
    view.add_(1)
    out("written through detach", [d.tolist(), d._version])


@case("M14 the .grad setter")
def case_m14(mg, out):
    x = mg.ones(2, requires_grad=True)
    out.error("itself", lambda: setattr(x, "grad", x))
    out.error("size", lambda: setattr(x, "grad", mg.ones(3)))
    out.error("0-d", lambda: setattr(x, "grad", mg.tensor(1.0)))
    out.error("float", lambda: setattr(x, "grad", 1.0))
    out.error("dtype", lambda: setattr(x, "grad", mg.ones(2, dtype=mg.float64)))
    out.error("int", lambda: setattr(x, "grad", mg.ones(2, dtype=mg.int64)))
    gradient = mg.tensor([3.0, 4.0])
    x.grad = gradient
    out("assigned is the object", x.grad is gradient)
    del x.grad
    out("deleted", x.grad)
    x.grad = gradient
    (x * 2).sum().backward()
    out("accumulated into the assigned one", [gradient.tolist(), x.grad is gradient])
    x.grad = None
    out("None", x.grad)


@case("M15 detach_")
def case_m15(mg, out):
    a = mg.tensor([1.0, 2.0], requires_grad=True)
    h = a * 2
    y = h * h
    out("returns itself", h.detach_() is h)
    out("a leaf now", [h.is_leaf, h.requires_grad, h.grad_fn])
    out.error("saved as an input", y.sum().backward)
    e = a.exp()
    y = e.sum()
    e.detach_()
    out.error("saved as an output", y.backward)
    out("its gradient", a.grad)
    for late in (False, True):  # is it saved again, or for the first time, once it is a leaf?
        x = a * 1
        first = x * x
        x.detach_()
        last = x * a
        x.add_(1)
        out.error(f"saved after it was detached: {late}", (last if late else first).sum().backward)
    view = (a * 2).view(2, 1)
    try:
        view.detach_()
    except RuntimeError as error:
        out("view", str(error).split(" If you are using")[0])
    a.detach_()
    out("a leaf", [a.requires_grad, a.is_leaf])


def function(mg, name, **members):
    return type(name, (mg.autograd.Function,), {k: staticmethod(v) for k, v in members.items()})


@case("M16 custom Function: number, shape and type of gradients")
def case_m16_gradients(mg, out):
    def returning(label, gradient, inputs=1):
        def forward(ctx, *tensors):
            return tensors[0] * 2

        bad = function(mg, "BadRet", forward=forward, backward=lambda ctx, grad: gradient)
        tensors = [mg.ones(2, requires_grad=True) for _ in range(inputs)]
        out.error(label, bad.apply(*tensors).sum().backward)
        out(label + ": gradients", [t.grad for t in tensors])

    one = mg.ones(2)
    returning("one for two", one, 2)
    returning("two for one", (one, one))
    returning("trailing None", (one, None, None))
    returning("wrong shape", mg.ones(3))
    returning("0-d for [2]", mg.tensor(1.0))
    returning("[3, 2] for [2] is summed", mg.ones(3, 2))
    returning("float", 1.0)
    returning("str at 1", (one, "x"), 2)
    returning("None", None)
    returning("a list", [one])
    returning("double", mg.ones(2, dtype=mg.float64))
    returning("an empty tuple", ())


@case("M16 custom Function: missing methods, bad saves, instances")
def case_m16_methods(mg, out):
    def forward(ctx, x):
        return x * 2

    x = mg.ones(2, requires_grad=True)
    out.error("no forward", function(mg, "NoForward").apply, x)
    out.error("no backward", function(mg, "NoBack", forward=forward).apply(x).sum().backward)

    def saver(value):
        def forward(ctx, x):
            ctx.save_for_backward(value)
            return x * 2

        return function(mg, "Saver", forward=forward, backward=lambda ctx, grad: grad)

    out.error("save an int", saver(3).apply, x)
    out.error("save a str", saver("x").apply, x)
    out.error("save a list", saver([x]).apply, x)
    out.error("save None", saver(None).apply, x)
    good = function(mg, "Good", forward=forward, backward=lambda ctx, grad: grad)
    out.error("instance", lambda: good()(x))
    out.warned("instantiating", good)
    out.error("returns a number", function(mg, "Num", forward=lambda ctx, x: 3).apply, x)
    out.error("returns nothing", function(mg, "Nil", forward=lambda ctx, x: None).apply, x)
    unknown = function(mg, "Un", forward=forward, backward=lambda ctx, grad: magic)  # noqa: F821
    out.error("undefined name", unknown.apply(x).sum().backward)


@case("M16 once_differentiable")
def case_m16_once(mg, out):
    once = mg.autograd.function.once_differentiable

    class Double(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @once
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 2 * x * grad

    x = mg.tensor([1.0, 3.0], requires_grad=True)
    y = Double.apply(x)
    out("repr", repr(y))
    y.sum().backward()
    out("gradient", x.grad)
    out("needs grad", x.grad.requires_grad)


@case("M17 views that may not be written in place")
def case_m17(mg, out):
    def forward(ctx, x):
        return x

    def by_view(ctx, x):
        return x.view_as(x)

    def backward(ctx, grad):
        return grad * 10

    x = mg.ones(3, requires_grad=True)
    scale = function(mg, "ScaleGrad", forward=forward, backward=backward)
    view_as = function(mg, "ViewAs", forward=by_view, backward=backward)
    out.error("input returned, leaf", scale.apply(x).add_, 1)
    out.error("input returned, non-leaf", scale.apply(x * 1).add_, 1)
    out.error("view returned", view_as.apply(x * 1).mul_, 2)
    with mg.no_grad():
        hidden = (x * 2).view(3, 1)
        leaf_view = x.view(3, 1)
    out.error("view of a plain tensor made under no_grad", hidden.add_, 1)
    out.error("view of a leaf made under no_grad", leaf_view.add_, 1)
    out.error("unbind", (x * 1).unbind()[0].add_, 1)
    out.error("chunk", (x * 1).chunk(3)[1].add_, 1)
    out.error("under no_grad it is fine", under_no_grad, mg, (x * 1).unbind()[0])


def under_no_grad(mg, tensor):
    with mg.no_grad():
        tensor.add_(1)


@case("M18 attributes, keywords, numpy, pickle, copies")
def case_m18(mg, out):
    a = mg.tensor([1.0, 2.0], requires_grad=True)
    y = (a * 2).sum()
    h = a * 2
    out.error("forward", lambda: y.forward())
    out.error("keep_graph", y.backward, keep_graph=True)
    out.error("retain_variables", y.backward, retain_variables=True)
    out.error("retain_grpah", y.backward, retain_grpah=True)
    out.error("numpy", a.numpy)
    out.error("numpy of a result", h.numpy)
    with mg.no_grad():
        out.error("numpy under no_grad", a.numpy)
    out("detached numpy", a.detach().numpy().tolist())
    out.error("pickle a node", pickle.dumps, h.grad_fn)
    out.error("copy a node", copy.copy, h.grad_fn)
    out.error("deepcopy a non-leaf", copy.deepcopy, h)
    out.error("item", a.item)
    out.error("float", float, a)
    out.error("node called without arguments", h.grad_fn)
    out.error("no such saved", lambda: h.grad_fn._saved_nope)
    out.error("no such attribute", lambda: h.nope)
    out.error("iterate a 0-d", lambda: list(y))
    out.error("len of a 0-d", len, y)
    out.error("bool of many", bool, a)


@case("M18 numbers from tensors that need a gradient")
def case_m18_numbers(mg, out):
    x = mg.tensor(2.5, requires_grad=True)
    out("float", out.warned("float warns", float, x))
    out("int", out.warned("int warns", int, x))
    out("item", out.warned("item", x.item))
    out("tolist", out.warned("tolist", x.tolist))
    out("bool", out.warned("bool", bool, x))
    out("format", out.warned("format", format, x.detach(), ".1f"))
    out("float of a constant", out.warned("constant", float, mg.tensor([3])))


@case("M18 deepcopy and pickle of leaves")
def case_copies(mg, out):
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    x.grad = mg.ones(2)
    twin = copy.deepcopy(x)
    out("deepcopy", [twin.tolist(), twin.requires_grad, twin.is_leaf, twin is x, twin.grad])
    twin.detach().zero_()
    out("independent", [x.tolist(), twin.tolist(), x._version])
    line = mg.nn.Linear(2, 1)
    other = copy.deepcopy(line)
    out("a module", mg.equal(line.weight, other.weight) and line.weight is not other.weight)
    constant = copy.deepcopy(mg.arange(3))
    out("an int tensor", constant)
    shared = [x, x]
    copied = copy.deepcopy(shared)
    out("a shared leaf stays shared", copied[0] is copied[1])


@case("M20 saved-tensor hooks that misbehave")
def case_m20(mg, out):
    hooks = mg.autograd.graph.saved_tensors_hooks
    a = mg.tensor([1.0, 2.0], requires_grad=True)

    def saving(pack, unpack):
        with hooks(pack, unpack):
            return (a * a).sum()

    out.error("unpack gives an int", saving(lambda t: t, lambda p: 3).backward)
    out.error("unpack gives None", saving(lambda t: t, lambda p: None).backward)
    out.error("pack writes in place", saving, lambda t: t.add_(1), lambda p: p)
    out.error("pack raises", saving, lambda t: 1 / 0, lambda p: p)
    out.error("unpack raises", saving(lambda t: t, lambda p: 1 / 0).backward)
    out("gradient", a.grad)
    y = a * a
    raw = y.grad_fn._raw_saved_self
    y.sum().backward()
    out.error("raw, after freeing", raw.register_hooks, lambda t: t, lambda t: t)
    y = a * mg.ones(2)
    out.error("raw, of None", y.grad_fn._raw_saved_self.register_hooks, lambda t: t, lambda t: t)
    raw = (keep := a * a).grad_fn._raw_saved_other
    raw.register_hooks(lambda t: t * 2, lambda t: t)
    out.error("raw, twice", raw.register_hooks, lambda t: t, lambda t: t)
    keep.sum().backward()
    out("with one operand doubled by its hook", a.grad)
