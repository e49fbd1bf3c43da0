"""M1 to M10: errors and warnings, word for word."""

from tests.twin import probes
from tests.twin.registry import case


@case("M1 second backward, reading and calling what is freed")
def case_m1_second_backward(mg, out):
    a = mg.tensor([1.0, 2.0], requires_grad=True)
    y = (a * a).sum()
    y.backward()
    out.error("backward", y.backward)
    out.error("autograd.grad", mg.autograd.grad, y, a)
    node = y.grad_fn.next_functions[0][0]
    out.error("read _saved_self", lambda: node._saved_self)
    out.error("call by hand", node, mg.ones(2))
    out("gradient", a.grad)
    out.error("the sum node alone", y.grad_fn, mg.tensor(1.0))


@case("M1 custom Function: ctx.saved_tensors after backward")
def case_m1_saved_tensors(mg, out):
    class Square(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 2 * x * grad

    a = mg.tensor([1.0, 2.0], requires_grad=True)
    y = Square.apply(a)
    out("before", len(y.grad_fn.saved_tensors))
    y.sum().backward()
    out.error("saved_tensors", lambda: y.grad_fn.saved_tensors)
    out.error("backward", y.sum().backward)


@case("M2 a saved tensor modified: leaf, op output, view, dtypes, 0-d, suffixes")
def case_m2_versions(mg, out):
    def spoil(label, make, spoiled, dtype=None):
        a = mg.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=dtype, requires_grad=True)
        h, y = make(a)
        with mg.no_grad():
            spoiled(a, h)
        out.error(label, y.sum().backward)
        out.error(label + ", a mere read", probes.saved, y.grad_fn)

    def square(a):
        return a, a * a

    def after(op):
        def make(a):
            h = op(a)
            return h, h * h

        return make

    spoil("leaf", square, lambda a, h: a.add_(1))
    spoil("leaf, double", square, lambda a, h: a.add_(1), mg.float64)
    spoil("twice", square, lambda a, h: a.add_(1).mul_(2))
    spoil("output of add", after(lambda a: a + 1), lambda a, h: h.add_(1))
    spoil("output of rsub", after(lambda a: 1 - a), lambda a, h: h.add_(1))
    spoil("output of sum(0)", after(lambda a: a.sum(0)), lambda a, h: h.add_(1))
    spoil("output of sum()", after(lambda a: a.sum()), lambda a, h: h.add_(1))
    spoil("output of matmul", after(lambda a: a @ a), lambda a, h: h.zero_())
    spoil("output of clone", after(lambda a: a.clone()), lambda a, h: h.fill_(1))
    spoil("output of double", after(lambda a: a.double()), lambda a, h: h.fill_(1))
    spoil("output of t", after(lambda a: a.t()), lambda a, h: a.fill_(1))
    spoil("output of exp", lambda a: (None, a.exp()), lambda a, h: None)
    spoil("setitem", after(lambda a: a + 1), lambda a, h: h.__setitem__(0, 0.0))


@case("M2 exp saves its result: the output of Exp")
def case_m2_result(mg, out):
    for name in ("exp", "tanh", "sigmoid", "relu", "sqrt"):
        a = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
        y = getattr(a, name)()
        y.detach().add_(1)
        out.error(name, y.sum().backward)
        out("gradient", a.grad)


@case("M2 unpacked second output, custom Function, Linear")
def case_m2_more(mg, out):
    class Twice(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, one, two):
            return 2 * one + 3 * two

    a = mg.tensor([1.0, 2.0], requires_grad=True)
    one, two = Twice.apply(a)
    y = two * two
    two.detach().zero_()
    out.error("output 1 of a Function", y.sum().backward)
    chunks = mg.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True).clone().chunk(2)
    y = chunks[1] * chunks[1]
    chunks[0].detach().zero_()
    out.error("output 1 of chunk, its neighbour changed", y.sum().backward)
    line = mg.nn.Linear(2, 2)
    x = mg.ones(3, 2)
    y = line(x)
    x.zero_()
    out.error("input of Linear", y.sum().backward)
    mask = mg.tensor([True, False])
    y = mg.where(mask, a, a)
    mask.fill_(True)
    out.error("bool", y.sum().backward)
    index = mg.tensor([0, 1])
    y = a[index]
    index.fill_(0)
    out.error("int64", y.sum().backward)
    scalar = mg.tensor(2.0)
    y = a * scalar
    scalar.add_(1)
    out.error("0-d", y.sum().backward)


@case("M3 in place on a leaf and on its view")
def case_m3_leaf(mg, out):
    x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    out.error("add_", x.add_, 1)
    out.error("mul_", x.mul_, x)
    out.error("zero_", x.zero_)
    out.error("exp_", x.exp_)
    out.error("relu_", x.relu_)
    out.error("copy_", x.copy_, mg.ones(3))
    out.error("view", x.view(3, 1).add_, 1)
    out.error("select", x[0].mul_, 2)
    out.error("setitem", x.__setitem__, 0, 5.0)
    out.error("setitem slice", x.__setitem__, slice(0, 2), mg.zeros(2))
    out("untouched", x)
    out("version", x._version)
    with mg.no_grad():
        x.add_(1)
        x[0] = 9.0
    x.detach().mul_(2)
    out("allowed under no_grad and by detach", x)
    out("version then", x._version)

    def augmented():
        y = mg.ones(2, requires_grad=True)
        y += 1

    out.error("+=", augmented)


@case("M3 dirty leaf of a custom Function")
def case_m3_dirty(mg, out):
    class Dirty(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.add_(1)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad

    out.error("leaf", Dirty.apply, mg.ones(2, requires_grad=True))
    h = mg.ones(2, requires_grad=True) * 2
    y = Dirty.apply(h)
    out("is the same object", y is h)
    out("node", type(y.grad_fn).__name__)
    out("version", y._version)
    out("value", y)


@case("M4 backward without a graph")
def case_m4(mg, out):
    out.error("no grad", mg.ones(1).sum().backward)
    a = mg.ones(1, requires_grad=True)
    out.error("index 1", mg.autograd.backward, [a.sum(), mg.ones(1)])
    out.error("grad", mg.autograd.grad, mg.ones(1), a)
    with mg.no_grad():
        y = (a * 2).sum()
    out.error("made under no_grad", y.backward)
    out.error("detached", (a * 2).detach().sum().backward)
    out.error("comparison", (a > 0).float().sum().backward)
    a.sum().backward()
    out("and with one", a.grad)


@case("M5 non-scalar without a gradient")
def case_m5(mg, out):
    a = mg.ones(2, requires_grad=True)
    out.error("vector", (a * 2).backward)
    out.error("grad", mg.autograd.grad, a * 2, a)
    b = mg.ones(1, 1, requires_grad=True)
    out.error("one element of any shape", (b * 2).backward)
    out("its gradient", b.grad)
    out.error("second of two roots", mg.autograd.backward, [b.sum(), a * 2])
    out("nothing came of it", b.grad)
    out.error("empty", mg.ones(0, requires_grad=True).backward)


@case("M6 gradients of a wrong shape, type, number")
def case_m6(mg, out):
    a = mg.ones(3, requires_grad=True)
    y = a * 2
    out.error("shape", y.backward, mg.ones(2))
    out.error("shape 2-d", y.backward, mg.ones(1, 3))
    out.error("scalar root, vector gradient", y.sum().backward, mg.ones(3))
    out.error("str", y.backward, "ones")
    out.error("list", mg.autograd.backward, y, ["x"])
    out.error("count", mg.autograd.backward, [y, y], [mg.ones(3)])
    out.error("count in grad", mg.autograd.grad, y, a, [mg.ones(3), mg.ones(3)])
    out.error("grad, shape", mg.autograd.grad, y, a, mg.ones(2))
    out.error("dtype", (a * 2).backward, mg.ones(3, dtype=mg.float64))
    out("gradient", a.grad)


@case("M7 autograd.grad: unused, no grad, empty")
def case_m7(mg, out):
    a, b = mg.ones(2, requires_grad=True), mg.ones(2, requires_grad=True)
    y = (a * 3).sum()
    out.error("unused", mg.autograd.grad, y, b)
    out.error("unused at 1", mg.autograd.grad, (a * 3).sum(), [a, b])
    out.error("needs no grad", mg.autograd.grad, (a * 3).sum(), mg.ones(2))
    out.error("empty", mg.autograd.grad, (a * 3).sum(), [])
    out.error("empty inputs of backward", (a * 3).sum().backward, inputs=[])
    out("allow_unused", mg.autograd.grad((a * 3).sum(), [a, b], allow_unused=True))
    out("materialize", mg.autograd.grad((a * 3).sum(), [a, b], materialize_grads=True))
    out.error(
        "both", mg.autograd.grad, (a * 3).sum(), [a, b], allow_unused=False, materialize_grads=True
    )
    out("no .grad", [a.grad, b.grad])


@case("M8 .grad of a non-leaf")
def case_m8(mg, out):
    a = mg.ones(2, requires_grad=True)
    h = a * 2
    h.sum().backward()
    out("value", out.warned("non-leaf", lambda: h.grad))
    out("leaf", out.warned("leaf", lambda: a.grad))
    out("constant", out.warned("constant", lambda: mg.ones(2).grad))
    k = a * 3
    k.retain_grad()
    k.sum().backward()
    out("retained", out.warned("retained: silent", lambda: k.grad))
    with mg.no_grad():
        d = a * 2
    out("no_grad result", out.warned("no_grad result: silent", lambda: d.grad))


@case("M9 requires_grad on integers and bools")
def case_m9(mg, out):
    out.error("tensor", mg.tensor, [1, 2], requires_grad=True)
    out.error("tensor bool", mg.tensor, [True], requires_grad=True)
    out.error("zeros", mg.zeros, 2, dtype=mg.int64, requires_grad=True)
    out.error("arange", mg.arange, 3, requires_grad=True)
    out.error("requires_grad_", mg.tensor([1]).requires_grad_)
    out.error("setter", lambda: setattr(mg.tensor([1]), "requires_grad", True))
    out.error("False is fine", mg.tensor([1]).requires_grad_, False)
    x = mg.ones(2, requires_grad=True)
    out("results", [(x > 0).requires_grad, x.argmax().requires_grad, x.to(mg.int64).requires_grad])


@case("M10 requires_grad on a non-leaf")
def case_m10(mg, out):
    h = mg.ones(2, requires_grad=True) * 2
    out.error("to False", h.requires_grad_, False)
    out.error("setter False", lambda: setattr(h, "requires_grad", False))
    out.error("setter True", lambda: setattr(h, "requires_grad", True))
    out("True is a no-op", h.requires_grad_() is h)
    x = mg.ones(2)
    out("on a leaf", [x.requires_grad_() is x, x.requires_grad])
    out("and back", x.requires_grad_(False).requires_grad)
    out.error("not a bool", lambda: setattr(x, "requires_grad", "yes"))
