"""Modules, Parameter, functional, SGD: what the lessons use of them."""

from tests.twin import probes
from tests.twin.registry import case


def net(mg):
    nn = mg.nn
    model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    with mg.no_grad():
        for p in model.parameters():
            p.copy_((mg.arange(p.numel()).float() / 10 - 0.2).view(p.shape))
    return model


DATA = [[1.0, 0.5], [-1.0, 2.0], [0.0, 1.0]]


@case("nn: Sequential, parameters, names, forward, backward")
def case_nn_sequential(mg, out):
    model = net(mg)
    out("names", [name for name, _ in model.named_parameters()])
    out("shapes", [list(p.shape) for p in model.parameters()])
    out("repr", repr(model))
    y = model(mg.tensor(DATA))
    out("value", y)
    out("graph", probes.graph(y.grad_fn))
    y.sum().backward()
    out("gradients", [p.grad for p in model.parameters()])
    model.zero_grad()
    out("zero_grad", [p.grad for p in model.parameters()])
    out("parts", [len(model), repr(model[1]), model[0].in_features, model[0].out_features])
    out("state", list(model.state_dict()))
    relu = mg.nn.ReLU()
    out("relu", [repr(relu), relu(mg.tensor([-1.0, 2.0]))])


@case("nn: Module registers parameters and modules; a plain tensor is none")
def case_nn_module(mg, out):
    nn = mg.nn

    class Mine(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(mg.ones(2))
            self.inner = nn.Linear(2, 2, bias=False)
            self.plain = mg.ones(2)

        def forward(self, x):
            return self.inner(x) * self.w

    model = Mine()
    out("names", [name for name, _ in model.named_parameters()])
    out("children", [name for name, _ in model.named_children()])
    out("flags", [model.w.requires_grad, model.w.is_leaf, isinstance(model.w, mg.Tensor)])
    out("training", [model.training, model.eval().training, model.train().inner.training])
    out("no bias", model.inner.bias)
    out.error("attribute", lambda: model.nothing)
    out("frozen", [p.requires_grad for p in model.requires_grad_(False).parameters()])
    y = model(mg.ones(2))
    out("no graph", y.requires_grad)
    out("Parameter of a parameter", type(nn.Parameter(model.w)).__name__)
    out("shares data", nn.Parameter(model.plain).data_ptr() == model.plain.data_ptr())
    out.error("int parameter", nn.Parameter, mg.tensor([1]))


@case("nn: buffers, of all modules, each once and none that is None; names with a prefix")
def case_nn_buffers(mg, out):
    nn = mg.nn
    shared = nn.BatchNorm1d(2)
    model = nn.Sequential(shared, nn.Linear(2, 2), nn.BatchNorm1d(2, track_running_stats=False))
    model.register_buffer("own", mg.ones(1))
    model.register_buffer("none", None)
    model.register_buffer("again", model.own)
    out("names", [name for name, _ in model.named_buffers()])
    out("with a prefix", [name for name, _ in model.named_buffers("net")])
    out("values", list(model.buffers()))
    out("the very tensors", next(model.buffers()) is model.own)
    out("none", list(nn.Linear(1, 1).buffers()))
    out("parameters", [name for name, _ in model.named_parameters("net")])


@case("nn: a module not initialised, a wrong assignment")
def case_nn_errors(mg, out):
    class Bad(mg.nn.Module):
        def __init__(self):
            self.w = mg.nn.Parameter(mg.ones(1))

    out.error("no super().__init__()", Bad)
    line = mg.nn.Linear(1, 1)
    out.error("weight = tensor", lambda: setattr(line, "weight", mg.ones(1, 1)))
    out.error("no forward", mg.nn.Module(), 1)


@case("functional: linear, relu, mse_loss values and reductions")
def case_nn_functional(mg, out):
    F = mg.nn.functional
    x, t = mg.tensor([1.0, 2.0, 4.0], requires_grad=True), mg.tensor([1.0, 0.0, 1.0])
    out("mean", F.mse_loss(x, t))
    out("sum", F.mse_loss(x, t, reduction="sum"))
    out("none", F.mse_loss(x, t, reduction="none"))
    F.mse_loss(x, t, reduction="sum").backward()
    out("gradient", x.grad)
    out("relu", F.relu(mg.tensor([-1.0, 0.0, 2.0])))
    out("linear", F.linear(mg.ones(1, 2), mg.ones(3, 2), mg.ones(3)))
    out.warned("sizes differ", F.mse_loss, mg.ones(2, 1), mg.ones(1))


@case("SGD: step, momentum, zero_grad; no graph, no bytes left")
def case_sgd(mg, out):
    for options in ({"lr": 0.1}, {"lr": 0.1, "momentum": 0.9}, {"lr": 0.1, "weight_decay": 0.5}):
        model = net(mg)
        optimizer = mg.optim.SGD(model.parameters(), **options)
        losses = []
        for _ in range(4):
            optimizer.zero_grad()
            loss = mg.nn.functional.mse_loss(model(mg.tensor(DATA)), mg.ones(3, 1))
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        out(f"{options}", losses)
        out("weight", model[0].weight)
        out("leaf", [model[0].weight.is_leaf, model[0].weight.grad_fn])
        optimizer.zero_grad()
        out("zero_grad", model[0].weight.grad)
    out.error("no parameters", mg.optim.SGD, [], lr=0.1)
    out.error("negative lr", mg.optim.SGD, model.parameters(), lr=-1.0)


@case("a training loop: live bytes return to the same level, gc off")
def case_loop_bytes(mg, out):
    model = net(mg)
    optimizer = mg.optim.SGD(model.parameters(), lr=0.1)
    x, t = mg.tensor(DATA), mg.ones(3, 1)
    out.live("model and data")
    for step in range(3):
        optimizer.zero_grad()
        out.live(f"{step} zero_grad")
        loss = mg.nn.functional.mse_loss(model(x), t)
        out.live(f"{step} forward")
        loss.backward()
        out.live(f"{step} backward")
        optimizer.step()
        out.live(f"{step} step")
    del loss
    optimizer.zero_grad()
    out.live("end")


@case("leaks: lists of losses, total += loss, predictions kept")
def case_leaks(mg, out):
    w = mg.ones(10, requires_grad=True)
    w.grad = mg.zeros(10)
    start = mg.memory_allocated()

    def loss():
        return (w * 2.0).exp().sum()

    for label, keep in {
        "loss": lambda y: y, "item": lambda y: y.item(), "detach": lambda y: y.detach(),
    }.items():  # fmt: skip
        for backward in (True, False):
            kept = []
            for _ in range(3):
                y = loss()
                if backward:
                    y.backward()
                kept.append(keep(y))
            del y
            out(f"{label}, backward {backward}", mg.memory_allocated() - start)
            del kept
    total = 0
    for _ in range(3):
        total = total + loss()
    out("total + loss", mg.memory_allocated() - start)
    total.backward()
    out("after its backward", mg.memory_allocated() - start)


@case("factories: values, shapes, seeds")
def case_factories(mg, out):
    mg.manual_seed(3)
    one = mg.rand(2, 3)
    mg.manual_seed(3)
    out("seeded", mg.equal(one, mg.rand(2, 3)))
    out("range", [bool((one >= 0).tolist()), one.max().item() < 1, list(mg.randn(3).shape)])
    out("shapes", [list(t.shape) for t in (mg.zeros((2, 3)), mg.zeros(2, 3), mg.ones([2]))])
    out("empty", [list(mg.empty(2, 0).shape), mg.empty(3).dtype is mg.float32])
    out("like", [mg.zeros_like(one), mg.full_like(one, 2.5), mg.ones_like(one).requires_grad])
    out("flags", [mg.rand(2, requires_grad=True).is_leaf, mg.arange(3).dtype is mg.int64])
    out("arange", [mg.arange(2, 8, 2), mg.arange(5, 0, -2), mg.arange(0, 1, 0.25)])
    out("nested", mg.tensor([[1, 2], [3, 4]]).shape)
    out("of a tensor list", mg.tensor([mg.tensor(1.0), mg.tensor(2.0)]))
    out("copy", out.warned("tensor(tensor) warns", mg.tensor, mg.ones(2)))
    out("equal", [mg.equal(one, one), mg.equal(one, one + 1)])
    out("allclose", [mg.allclose(one, one + 1e-9), mg.allclose(one, one + 1)])


@case("gradients of every op at its corners: ties, zeros, boundaries")
def case_corners(mg, out):
    def run(label, data, function, other=None):
        x = mg.tensor(data, requires_grad=True)
        y = function(x)
        y.sum().backward()
        out(label, [y, x.grad])

    run("relu", [-1.0, 0.0, 1.0], lambda x: x.relu())
    run("abs", [-1.0, 0.0, 1.0], lambda x: x.abs())
    run("clamp", [-1.0, 0.0, 0.5, 1.0, 2.0], lambda x: x.clamp(0, 1))
    run("max, ties", [1.0, 3.0, 3.0], lambda x: x.max())
    run("max(0), ties", [[1.0, 3.0], [1.0, 3.0]], lambda x: x.max(0).values)
    run("maximum, ties", [1.0, 2.0, 3.0], lambda x: mg.maximum(x, mg.tensor([1.0, 1.0, 4.0])))
    run("sqrt(0)", [0.0, 4.0], lambda x: x.sqrt())
    run("log(0)", [0.0, 1.0], lambda x: x.log())
    run("x/0", [1.0, 0.0], lambda x: x / mg.zeros(2))
    run("0**0", [0.0, 0.0, 2.0], lambda x: x ** mg.tensor([0.0, 2.0, 0.0]))
    run("0**n", [0.0, 1.0], lambda x: x**3)
    run("x**0", [0.0, 2.0], lambda x: x**0)
    run("2**x", [0.0, 3.0], lambda x: 2**x)
    run("where nan", [0.0, 1.0], lambda x: mg.where(x > 0, x.log(), x * 0))
    run("softmax of large", [1000.0, 1000.0, -1000.0], lambda x: x.softmax(0) * mg.arange(3))
    run("log_softmax of large", [1000.0, 0.0], lambda x: x.log_softmax(0)[0:1])
    run("sigmoid of large", [-100.0, 100.0], lambda x: x.sigmoid())
    run("index repeated", [1.0, 2.0], lambda x: x[[0, 0, 1]] * mg.arange(3))
    run("sum of nothing", [[]], lambda x: x.sum(1))
    run("cumsum", [1.0, 2.0, 3.0], lambda x: x.cumsum(0) * mg.arange(3))
    run("mean of one", [[5.0]], lambda x: x.mean())


@case("all() and any(): of each dtype, along an axis, of nothing")
def case_all_any(mg, out):
    tensors = {
        "float": mg.tensor([[1.0, 0.0], [2.0, 3.0]], requires_grad=True),
        "bool": mg.tensor([True, False]),
        "uint8": mg.tensor([1, 2], dtype=mg.uint8),
        "empty": mg.zeros(2, 0),
        "one": mg.tensor(3.0),
    }
    for name, x in tensors.items():
        for function in (mg.all, mg.any):
            out(name, function(x))
            out("axis", [function(x, 0), function(x, -1), function(x, (0,), True)])
            out.error("no such axis", function, x, 5)
    x = tensors["float"]
    out("methods", [x.all(), x.any(dim=1, keepdim=True), x.all().requires_grad, x.all((0, 1))])
    out.error("neg_ of bool", mg.tensor([True]).neg_)
    out.error("neg_ of a leaf", x.neg_)
