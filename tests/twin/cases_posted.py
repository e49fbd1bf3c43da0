"""What programs do that people post, where minigrad once gave other numbers without a word."""

import warnings

import numpy as np

from tests.twin.registry import case

READ_AT_ONCE = {  # of a tensor of one whole number, which is written to before backward
    "x[:k]": lambda x, k: x[:k],
    "x[k:]": lambda x, k: x[k:],
    "x[:, k:]": lambda x, k: x[:, k:],
    "x[::k]": lambda x, k: x[::k],
    "x[k]": lambda x, k: x[k],
    "select": lambda x, k: x.select(0, k),
    "narrow": lambda x, k: x.narrow(0, k, 1),
    "diagonal": lambda x, k: x.diagonal(k),
    "roll": lambda x, k: x.roll(k),
    "flip": lambda x, k: x.flip(k),
    "view": lambda x, k: x.view(k, -1),
    "repeat": lambda x, k: x.repeat(k, 2),
    "sum": lambda x, k: x.sum(k),
    "prod": lambda x, k: x.prod(k),
    "cumprod": lambda x, k: x.cumprod(k),
    "var": lambda x, k: x.var(k),
    "amax": lambda x, k: x.amax(k),
    "norm": lambda x, k: x.norm(k),
    "tril": lambda x, k: x.tril(k),
    "logsumexp": lambda x, k: x.logsumexp(k),
    "softmax": lambda x, k: x.softmax(k),
    "sort": lambda x, k: x.sort(k)[0],
    "split": lambda x, k: x.split(k)[0],
    "chunk": lambda x, k: x.chunk(k)[0],
}


@case("a whole number that is a tensor, or NumPy's, is read when it is given")
def case_numbers_read_at_once(mg, out):
    for name, function in READ_AT_ONCE.items():
        for kind in ("tensor",) if name == "split" else ("tensor", "numpy"):
            x = (mg.arange(12.0).reshape(3, 4) + 1).requires_grad_()
            k = mg.tensor(1) if kind == "tensor" else np.int64(1)
            y = function(x, k)
            if kind == "tensor":
                k += 1
            y.pow(2).sum().backward()
            out(f"{name}, {kind}", x.grad)


@case("arange, one_hot, full and alpha take a number out of a tensor")
def case_numbers_of_tensors(mg, out):
    out("arange", [mg.arange(mg.tensor(3)), mg.arange(mg.tensor(3.0)), mg.arange(np.int64(2))])
    out("full", [mg.full((2,), mg.tensor(3)), mg.full((2,), mg.tensor(0.5))])
    out("one_hot", mg.nn.functional.one_hot(mg.tensor([0, 1]), np.int64(3)))
    out("alpha", mg.ones(2).add(mg.ones(2), alpha=mg.tensor(2.0)))
    out("slope", mg.nn.functional.leaky_relu(mg.ones(2), np.int64(1)))


@case("arguments of functions by PyTorch's own names")
def case_arguments_by_name(mg, out):
    F = mg.nn.functional
    x = mg.arange(6.0).reshape(2, 3) + 1
    out("one", [mg.exp(input=x), mg.sum(input=x, dim=1), mg.sum(x, axis=1, keepdims=True)])
    out("two", [mg.mul(input=x, other=x), mg.pow(input=x, exponent=2), mg.sub(x, other=1)])
    out("vectors", [mg.dot(input=x[0], tensor=x[1]), mg.mv(input=x, vec=x[0])])
    out("loss", F.cross_entropy(input=x, target=mg.tensor([0, 1])))
    out("shapes", [mg.permute(input=x, dims=(1, 0)), mg.reshape(input=x, shape=(3, 2))])
    out("sizes", [x.expand(size=(2, 3)), x.repeat(repeats=(2, 1)), mg.zeros(size=(2,))])
    out("made", [mg.full(size=(2,), fill_value=1.5), mg.zeros_like(input=x)])
    out("lengths", [x.split([1, 0, 1]), mg.split(x, (1, 1)), x.split_with_sizes([2], dim=0)])
    out.error("other lengths", x.split, [1, 2])
    out.error("negative lengths", x.split, [3, -1], -1)
    out("parts", [mg.split(tensor=x, split_size_or_sections=1), mg.chunk(input=x, chunks=2)])
    out("chosen", mg.where(condition=x > 2, input=x, other=-x))
    out("places", mg.gather(input=x, dim=1, index=mg.tensor([[0], [2]])))
    out("pairs", mg.cdist(x1=x, x2=x + 1))
    out.error("of another kind", lambda: mg.sum(input=3))


@case("functional_call: a tensor with several names is replaced under all")
def case_functional_call_ties(mg, out):
    call = mg.func.functional_call

    class Tied(mg.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = (mg.nn.Linear(1, 1, bias=False) for _ in range(2))
            self.b.weight = self.a.weight

        def forward(self, x):
            return self.b(self.a(x))

    net, x = Tied(), mg.ones(1, 1)
    with mg.no_grad():
        net.a.weight.fill_(1.0)
    w = mg.tensor([[3.0]], requires_grad=True)
    y = call(net, {"a.weight": w}, (x,))
    y.backward()
    out("tied", [y, w.grad])
    out("both alike", call(net, {"a.weight": w, "b.weight": w}, (x,)).item())
    other = {"a.weight": w, "b.weight": w * 2}
    out.error("both otherwise", lambda: call(net, other, (x,)))
    out("apart", call(net, other, (x,), tie_weights=False).item())
    out("an unknown name", call(net, {"c": w}, (x,)).item())
    out.error("an unknown module", lambda: call(net, {"c.weight": w}, (x,)))
    out.error("twice", lambda: call(net, [{"a.weight": w}, {"a.weight": w}], (x,)))
    out("as before", [net.a.weight is net.b.weight, net(x).item()])


@case("Function: arguments by name are inputs")
def case_function_by_name(mg, out):
    class Scaled(mg.autograd.Function):
        @staticmethod
        def forward(ctx, a, b, scale=2.0, *, mode=None):
            ctx.scale = scale
            return a * b * scale

        @staticmethod
        def backward(ctx, grad):
            out("needed", ctx.needs_input_grad)
            return grad * ctx.scale, grad, None

    a, b = (mg.ones(1, requires_grad=True) for _ in range(2))
    out("edges", len(Scaled.apply(a, b=b).grad_fn.next_functions))
    out("of the name alone", Scaled.apply(a.detach(), b=b).requires_grad)
    out("in another order", Scaled.apply(scale=3.0, b=b, a=a))
    Scaled.apply(a, b, scale=3.0).backward()
    out("gradients", [a.grad, b.grad])
    out.error("a gap", lambda: Scaled.apply(a, scale=3.0))
    out.error("unknown", lambda: Scaled.apply(a, b, other=3.0))
    out.error("by name only", lambda: Scaled.apply(a, b, mode=3.0))
    out.error("twice", lambda: Scaled.apply(a, b, a=a))

    class Newer(mg.autograd.Function):
        @staticmethod
        def forward(a, b=None, c=4.0):
            return a * c

        @staticmethod
        def setup_context(ctx, inputs, output):
            out("inputs", [len(inputs), inputs[1:]])

        @staticmethod
        def backward(ctx, grad):
            out("newer needed", ctx.needs_input_grad)
            return grad, None, None

    Newer.apply(a, c=2.0).backward()


@case("Function: of whole numbers, too, backward is given zeros")
def case_function_whole_numbers(mg, out):
    class Two(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, mg.tensor([1, 2]), x.detach() > 0

        @staticmethod
        def backward(ctx, *grads):
            out("given", grads)
            return grads[0] * 2

    x = mg.ones(1, requires_grad=True)
    y, whole, truth = Two.apply(x)
    y.backward()
    out("others", [whole.requires_grad, truth.requires_grad, x.grad])


@case("second derivatives of activations at 0 and where e**x has no room")
def case_second_derivatives_at_the_edges(mg, out):
    F = mg.nn.functional
    places = [0.0, 1e-3, -1e-3, 1.0, -1.0, 20.0, -20.0, 21.0, 88.8, -88.8, 100.0, -100.0]
    for name in "gelu elu selu silu softplus sigmoid tanh logsigmoid softsign".split():
        for dtype in "float32", "float64":
            x = mg.tensor(places, dtype=getattr(mg, dtype), requires_grad=True)
            (slope,) = mg.autograd.grad(getattr(F, name)(x).sum(), x, create_graph=True)
            (second,) = mg.autograd.grad(slope.sum(), x)
            out(f"{name}, {dtype}", [slope.detach(), second])


@case("saved_tensors_hooks that give another dtype: the gradient has the input's")
def case_hooks_of_another_dtype(mg, out):
    for name in "exp sigmoid sin tanh log abs".split():
        x = mg.tensor([0.5, 0.25], requires_grad=True)
        with mg.autograd.graph.saved_tensors_hooks(lambda t: t.double(), lambda t: t):
            y = getattr(x, name)()
        y.sum().backward()
        out(name, x.grad)


@case("inference_mode: nothing is recorded, whatever enable_grad says")
def case_inference_and_enable_grad(mg, out):
    x = mg.ones(2, requires_grad=True)

    def told():
        return [(x * 2).requires_grad, mg.is_grad_enabled()]

    with mg.inference_mode(), mg.enable_grad():
        out("inside", told())
        with mg.no_grad():
            out("further inside", told())
        with mg.inference_mode(False):
            out("outside again", told())
        out("as before", told())
    with mg.inference_mode():
        mg.set_grad_enabled(True)
        out("as a call", told())
    out("after", told())


@case("modules by name: once, or as often as they are there")
def case_modules_by_name(mg, out):
    nn = mg.nn
    relu = nn.ReLU()
    net = nn.Sequential(relu, relu, nn.Linear(2, 2))
    net.register_buffer("count", mg.ones(2))
    out("parts", [len(net), len([*net.children()]), len([*net.modules()])])
    out("names", [name for name, _ in net.named_modules()])
    out("all names", [name for name, _ in net.named_modules(remove_duplicate=False)])
    twice = nn.ModuleList([relu, relu])
    out("a list", [len(twice), [*twice] == [relu, relu], len([*twice.children()])])
    out("a slice", [type(net[1:]).__name__, [name for name, _ in net[1:].named_modules()]])
    out("own", [[*net.parameters(recurse=False)], len([*net.buffers(recurse=False)])])
    out("found", [net.get_parameter("2.weight").shape, net.get_buffer("count")])
    out("a module", type(net.get_submodule("2")).__name__)
    out.error("no module", lambda: net.get_submodule("2.weight"))
    out.error("no such module", lambda: net.get_submodule("9"))
    out.error("no parameter", lambda: net.get_parameter("count"))
    out.error("no buffer", lambda: net.get_buffer("2.weight"))
    out("dtypes", [str(net.double()[2].weight.dtype)[-7:], str(net.float().count.dtype)[-7:]])
    out("longer", [len(net.append(nn.Tanh())), len(net.extend([nn.Tanh()]))])
    out("no inputs", nn.Linear(1, 0).weight.shape)


@case("a gradient that a graph has made is let go of")
def case_gradients_of_graphs(mg, out):
    p = mg.ones(2, requires_grad=True)
    optimizer = mg.optim.SGD([p], lr=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (p**3).sum().backward(create_graph=True)
    out("in a graph", p.grad.requires_grad)
    optimizer.zero_grad(set_to_none=False)
    out("zeros", [p.grad, p.grad.requires_grad, p.grad.is_leaf])
    p.grad.requires_grad_()
    optimizer.zero_grad(set_to_none=False)
    out("a leaf", [p.grad, p.grad.requires_grad])
    x = mg.ones(2, requires_grad=True)
    x.register_hook(lambda grad: grad.clone().requires_grad_())
    (x * 2).sum().backward()
    out("of a hook", [x.grad, x.grad.requires_grad])


@case("shapes stay shapes, +x is x, and steps of one axis")
def case_shapes_and_steps(mg, out):
    x = mg.ones(2, 3, 4)
    shapes = x.shape[1:], x.shape + (1,), (1,) + x.shape, x.shape * 2, x.shape
    out("classes", [type(shape).__name__ for shape in shapes])
    out("values", [list(shape) for shape in shapes])
    out("itself", (+x) is x)
    out.error("of bools", lambda: +(x > 0))
    out("steps", [x.stride(0), x.stride(-1), x.stride()])
    out.error("no such axis", lambda: x.stride(3))
