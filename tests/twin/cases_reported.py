"""What a stranger's report named: callables of a program's own, files of weights, other sizes."""

import collections
import functools
import io
import warnings

from tests.twin.registry import case


def called(hook, net, x, kind="register_forward_hook"):
    """What comes of a call of the module with this hook."""
    handle = getattr(net, kind)(hook)
    try:
        return net(x)
    finally:
        handle.remove()


@case("hooks and children that are given another number of arguments than they take")
def case_own_callables(mg, out):
    nn, x = mg.nn, mg.ones(2, 2)

    class Two(nn.Module):
        def forward(self, x, mask):
            return x

    class Own(nn.Module):
        def forward(self, x):
            return x

    def named(a, b, *, c):
        return a

    hooks = [lambda m, i: i, lambda: 1, functools.partial(named, 1), [].append, len, 3, None]
    before = [lambda m: 1, lambda m, i: (x, 2, 3), lambda m, i: (1, 2), 3, named]
    for net in nn.Linear(2, 2), Own(), nn.Sequential(nn.ReLU()), nn.Sequential(Own()):
        for i, hook in enumerate(hooks):
            out.error(f"{type(net).__name__} {i}", called, hook, net, x)
        for i, hook in enumerate(before):
            out.error(f"before {i}", called, hook, net, x, "register_forward_pre_hook")
    children = [Two(), nn.MSELoss(), nn.MultiheadAttention(2, 1), nn.CrossEntropyLoss()]
    children += [nn.CosineSimilarity(), nn.KLDivLoss(), nn.Sequential(Two())]
    for i, child in enumerate(children):
        out.error(f"child {i}", nn.Sequential(child), x)
        out.error(f"child {i}, the second", nn.Sequential(nn.ReLU(), child), x)
    net = nn.Sequential(nn.ReLU())
    net._modules["a"] = None
    out.error("no child", net, x)
    layer = nn.TransformerEncoderLayer(2, 1, 2, 0.0, activation=lambda x, y: x)
    out.error("an activation", layer, x)


@case("a tensor that requires a gradient, as a float, with grad mode off")
def case_floats_without_grad(mg, out):
    x = mg.ones(1, requires_grad=True)
    modes = [mg.no_grad, mg.inference_mode, mg.enable_grad]
    for mode in modes:
        with mode():
            out(mode.__name__, out.warned("float", lambda: float(x)))
            out("%f", out.warned("%f", lambda: "%f".__mod__(x)))
    p = mg.ones(2, requires_grad=True)
    optimizer = mg.optim.LBFGS([p])

    def closure():
        optimizer.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        optimizer.step(closure)
    out("LBFGS", [str(one.message) for one in said])


@case("what a file of weights may have")
def case_weights_only(mg, out):
    import numpy

    def loaded(value):
        file = io.BytesIO()
        mg.save(value, file)
        file.seek(0)
        return mg.load(file)

    device = loaded({"device": mg.device("cpu"), "dtype": mg.float32})
    out("device", [device["device"] == mg.device("cpu"), device["dtype"] is mg.float32])
    containers = [{1, 2}, collections.OrderedDict(a=1), 1j, collections.Counter()]
    out("containers", repr(loaded(containers)))
    x = mg.arange(6.0).view(2, 3).t()
    view = loaded({"x": x, "none": mg.ones(0), "half": mg.ones(2).half()})
    out("tensors", [[t, t.stride()] for t in view.values()])
    for value in numpy.ones(2), numpy.float32(1.0), collections.deque([1]):
        out.error(type(value).__name__, loaded, {"value": value})
    out.error("defaultdict", loaded, collections.defaultdict(int))


SHAPES = [(2,), (3,), (), (2, 2), (2, 3), (3, 2)]


@case("a parameter whose data get another shape between forward and backward")
def case_resized_before_backward(mg, out):
    functions = {
        "sum": lambda p: p.sum(), "mean": lambda p: p.mean(), "twice": lambda p: (p * 2).sum(),
        "itself": lambda p: (p * p).sum(), "exp": lambda p: p.exp().sum(),
        "sin": lambda p: p.sin().sum(), "max": lambda p: p.max(),
        "added": lambda p: (p + p).sum(), "cat": lambda p: mg.cat([p.view(-1)] * 2).sum(),
        "relu": lambda p: p.relu().sum(), "std": lambda p: p.std(),
    }  # fmt: skip

    def resized(function, old, new, before):
        p = mg.nn.Parameter(mg.ones(old))
        if before:
            function(p).backward()
        y = function(p)
        p.data = mg.ones(new)
        y.backward()
        return p.grad

    for name, function in functions.items():
        for old in SHAPES:
            for new in [new for new in SHAPES if len(old) <= len(new)]:  # else PyTorch reads beyond
                for before in False, True:
                    label = f"{name} {old} {new} {before}"
                    try:
                        out(label, resized(function, old, new, before))
                    except Exception as error:
                        out(label, [type(error).__name__, str(error)])


@case("a parameter whose data or gradient have another shape than an optimizer remembers")
def case_resized_before_step(mg, out):
    kinds = [("SGD", {}), ("SGD", {"momentum": 0.5}), ("SGD", {"weight_decay": 0.5}), ("Adam", {})]
    kinds += [("AdamW", {}), ("RMSprop", {}), ("Adagrad", {}), ("NAdam", {}), ("Adamax", {})]

    def stepped(kind, options, old, new):
        p = mg.nn.Parameter(mg.ones(old))
        optimizer = getattr(mg.optim, kind)([p], lr=0.5, **options)
        p.sum().backward()
        optimizer.step()
        p.data, p.grad = mg.ones(new), None
        p.sum().backward()
        optimizer.step()

    for kind, options in kinds:
        for old, new in ((2,), (3,)), ((1,), (3,)), ((3,), (1,)), ((2, 3), (3, 2)), ((3,), (2, 3)):
            out.error(f"{kind} {options} {old} {new}", stepped, kind, options, old, new)


def told(function, *given):
    """Nothing, or the class and the text of the error."""
    try:
        function(*given)
    except Exception as error:
        return [type(error).__name__, str(error)]
    return None


@case("states of a wrong kind, number or shape, for each recurrent layer and cell")
def case_hidden_states(mg, out):
    nn, x, h, h3 = mg.nn, mg.ones(2, 3), mg.ones(1, 4), mg.ones(1, 1, 4)
    shapes = [(), (4,), (1, 4), (2, 4), (4, 2), (1, 1, 4), (2, 1, 4), (1, 2, 4), (2, 1, 1, 4)]
    states = [mg.ones(shape) for shape in shapes]
    states += [(one, one) for one in states] + [[one, one, one] for one in states]
    states += [(h,), (h3,), (h, None), (h3, h), (h, h3), (h3, 3), [h3, h3], (), [], (1, 2)]
    states += [0, 3.5, "a", {"a": h}, iter([h, h]), (mg.ones(1, 1, 5), h3), (h3, mg.ones(1, 1, 5))]
    for kind in nn.LSTM, nn.GRU, nn.RNN, nn.LSTMCell, nn.GRUCell, nn.RNNCell:
        for given in (x[0], x) if kind.__name__.endswith("Cell") else (x, x.unsqueeze(1)):
            for number, state in enumerate(states):
                label = f"{kind.__name__} {given.dim()} {number}"
                out(label, told(kind(3, 4), given, state))


@case("a card that is not there, and devices as objects")
def case_no_card(mg, out):
    x = mg.ones(2)
    calls = [x.cuda, lambda: x.to("cuda"), lambda: mg.ones(1, device="cuda"), mg.nn.ReLU().cuda]
    calls += [lambda: x.to(mg.device("cuda:1")), lambda: mg.nn.Linear(1, 1, device="cuda")]
    calls += [lambda: mg.zeros_like(x, device="cuda:0"), mg.nn.Linear(1, 1).cuda]
    for number, call in enumerate(calls):
        out(f"asked for {number}", told(call))
    there = [mg.device("cuda:1"), mg.device("cuda", 2), mg.device(type="cuda", index=3)]
    out("devices", [[str(one), repr(one), one.type, one.index] for one in there])
    out("the same", [mg.device("cuda:1") == mg.device("cuda", 1), there[0] == mg.device("cuda")])
    for wrong in "foo", "cuda:a", "cuda:-1", "", 1:
        out(f"no device: {wrong}", told(mg.device, wrong))


@case("values of distributions that are no tensors")
def case_values_of_distributions(mg, out):
    of = mg.distributions
    for one in of.Normal(0.0, 1.0), of.Bernoulli(mg.tensor(0.5)), of.Categorical(mg.ones(3)):
        for value in 1, [1.0], "a", None, 0.5, (1,):
            out(f"{type(one).__name__} {value}", told(one.log_prob, value))


@case("options that change nothing, and keywords by PyTorch's names")
def case_idle_options(mg, out):
    x, F, nn = mg.ones(2, 2), mg.nn.functional, mg.nn
    p = nn.Parameter(mg.ones(1))
    p.grad = mg.ones(1)
    loader = mg.utils.data.DataLoader(
        [1, 2], timeout=0, worker_init_fn=None, persistent_workers=False, prefetch_factor=None
    )
    out("loader", [len(loader), [one.tolist() for one in loader]])
    made = [mg.zeros(2, out=None, pin_memory=False), mg.tensor([1.0], pin_memory=False)]
    made += [mg.add(x, x, out=None), mg.matmul(x, x, out=None), mg.cat([x, x], out=None)]
    made += [mg.stack([x], out=None), mg.cumsum(x, 0, out=None), *mg.max(x, 0, out=None)]
    made += [F.mse_loss(x, x, weight=None), F.normalize(x, out=None)]
    made += [mg.baddbmm(x[None], x[None], x[None], beta=1, alpha=1), mg.std(x, out=None)]
    made += [x.view(size=(4,)), x.reshape(shape=(4,)), mg.reshape(x, shape=(4,))]
    out("made", made)
    out("clipped", nn.utils.clip_grad_norm_([p], 0.5, foreach=None))
    mg.save(x, file := io.BytesIO(), _use_new_zipfile_serialization=True)
    out("saved", file.tell() > 0)
    out("jacobian", mg.autograd.functional.jacobian(mg.exp, x[0], vectorize=False))
    out("Normal", repr(mg.distributions.Normal(0.0, 1.0, validate_args=None)))
    out("layers", repr([nn.Upsample(2, recompute_scale_factor=None), nn.Hardtanh(min_value=None)]))
    net = nn.Linear(1, 1)
    net.register_buffer(name="mask", tensor=x)
    out("buffer", net.mask)
    mg.set_default_device(device="cpu")
    out.error("no such", lambda: F.mse_loss(x, x, wieght=x))
    out.error("no such of a layer", lambda: nn.Linear(1, 1, wieght=x))
    out.error("no such of a loader", lambda: mg.utils.data.DataLoader([1], wieght=x))


@case("names of kinds in texts, and a module's mappings as they are printed")
def case_names_of_kinds(mg, out):
    import numpy

    nn, line, array = mg.nn, mg.nn.Linear(1, 1, bias=False), numpy.ones(1)
    line.weight.data.fill_(2.0)

    class Own:
        pass

    def function():
        pass

    for thing in line.parameters(), array, Own, Own(), function, 1, "a", None, [1], print:
        out.error("moved", lambda thing=thing: mg.optim.SGD([thing], lr=1.0))
        out.error("module", lambda thing=thing: nn.Sequential(thing))
        for name in "data", "grad":
            if thing is not None:
                out.error(name, setattr, mg.ones(1), name, thing)
        if thing is not None:
            out.error("parameter", line.register_parameter, "own", thing)
            out.error("buffer", line.register_buffer, "own", thing)
    out("keys", [repr(line._parameters.keys()), repr(nn.Sequential(nn.ReLU())._modules.items())])
    out("values", repr(nn.BatchNorm1d(1)._buffers.values()))
    out("mode", repr(mg.set_grad_enabled(True)))


@case("one way through a loader has a length")
def case_way_through_a_loader(mg, out):
    for options in {"batch_size": 2}, {"batch_size": None}, {"batch_sampler": [[0], [1, 2]]}:
        way = iter(mg.utils.data.DataLoader([1, 2, 3], **options))
        out(f"{options}", [type(way).__name__, len(way), iter(way) is way, len([*way]), len(way)])
        out.error("ended", next, way)
