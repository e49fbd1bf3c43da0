"""Names that programs of strangers wanted: formats, a module's mappings, hooks of optimizers."""

import copy
import importlib

from tests.twin.registry import case


@case("memory_format: a copy lies as it did, or in order")
def case_formats(mg, out):
    x = mg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).t().requires_grad_()
    for format in (mg.preserve_format, mg.contiguous_format, None):
        copies = [
            x.clone(memory_format=format),
            mg.clone(x, memory_format=format),
            x.to(memory_format=format),
            x.to(mg.float64, memory_format=format),
            x.to(mg.float32, copy=True, memory_format=format),
        ]
        copies += [like(x, memory_format=format) for like in (mg.zeros_like, mg.ones_like)]
        copies += [mg.full_like(x, 2.0, memory_format=format)]
        out(f"{format}".replace("minigrad", "torch"), [[y, y.stride(), y is x] for y in copies])
        drawn = [like(x, memory_format=format) for like in (mg.rand_like, mg.randn_like)]
        out("drawn", [y.stride() for y in [*drawn, mg.empty_like(x, memory_format=format)]])
    y = x.contiguous(memory_format=mg.contiguous_format)
    out("contiguous", [y.stride(), y.contiguous(memory_format=mg.preserve_format) is y])
    y.sum().backward()
    out("gradient", x.grad)
    out.error("contiguous, as it lies", lambda: x.contiguous(memory_format=mg.preserve_format))
    out.error("contiguous, None", lambda: x.contiguous(memory_format=None))
    out.error("no format", lambda: x.clone(memory_format=1))
    out.error("no format of zeros", lambda: mg.zeros_like(x, memory_format="C"))


def shown(module):
    """Its three mappings, as names and what is there."""
    return [
        {name: part if part is None else type(part).__name__ for name, part in parts.items()}
        for parts in (module._parameters, module._buffers, module._modules)
    ]


@case("_parameters, _buffers and _modules: read, set, deleted, and what follows for the module")
def case_mappings(mg, out):
    nn = mg.nn
    net = nn.Sequential(nn.Linear(2, 2, bias=False), nn.BatchNorm1d(2), nn.ReLU())
    out("net", [shown(module) for module in net.modules()])
    parameters = net[0]._parameters
    has = ["weight" in parameters, "nothing" in parameters, len(parameters), list(parameters)]
    out("has", [has, parameters["weight"] is net[0].weight, parameters.get("nothing", 3)])
    out.error("nothing", lambda: parameters["nothing"])
    out.error("delete nothing", lambda: parameters.pop("nothing"))
    net._modules["1"] = nn.Identity()
    net._modules["last"] = nn.Tanh()
    out("other modules", [shown(net), repr(net), [name for name, _ in net.named_modules()]])
    parameters["weight"] = nn.Parameter(mg.ones(2, 2))
    parameters["bias"] = nn.Parameter(mg.zeros(2))
    out("other parameters", [net(mg.ones(1, 2)).detach(), [name for name in net.state_dict()]])
    parameters["bias"] = None
    net[0]._buffers["mask"] = mg.ones(2)
    out("a buffer more", [shown(net[0]), net[0].bias, net[0].mask, list(net.state_dict())])
    del net[0]._buffers["mask"], net._modules["last"]
    out("gone", [shown(net[0]), hasattr(net[0], "mask"), list(net._modules)])
    out("popped", [net[0]._parameters.pop("weight"), hasattr(net[0], "weight"), shown(net[0])])
    out("printed", repr(nn.Linear(1, 1)._buffers) + repr(nn.Sequential(nn.ReLU())._modules))
    net._modules.update(one=nn.Linear(1, 1))
    net._parameters = {"own": nn.Parameter(mg.ones(1))}
    out("in their place", [shown(net), [name for name, _ in net.named_parameters()]])


@case("weight_norm and pruning by hand, on a module's own mappings")
def case_weight_norm(mg, out):
    line = mg.nn.Linear(2, 2)
    with mg.no_grad():
        line.weight.copy_(mg.tensor([[3.0, 4.0], [0.0, 2.0]]))
        line.bias.fill_(0.5)

    def normed(module, _):
        v = module.weight_v
        module.weight = module.weight_g * v / v.norm(dim=1, keepdim=True)

    weight = line.weight
    del line._parameters["weight"]
    line.register_parameter("weight_g", mg.nn.Parameter(weight.norm(dim=1, keepdim=True).data))
    line.register_parameter("weight_v", mg.nn.Parameter(weight.data))
    handle = line.register_forward_pre_hook(normed)
    y = line(mg.tensor([[1.0, 2.0]]))
    y.sum().backward()
    out("normed", [y.detach(), line.weight_g.grad, line.weight_v.grad, list(line._parameters)])
    out("hooks", [len(line._forward_pre_hooks), list(line._forward_pre_hooks.values()) == [normed]])
    handle.remove()
    out("hooks, removed", [len(line._forward_pre_hooks), len(line._forward_hooks)])
    mask = mg.tensor([[1.0, 0.0], [0.0, 1.0]])
    del line._parameters["weight_g"], line._parameters["weight_v"]
    line.register_parameter("weight_orig", weight)
    line.register_buffer("weight_mask", mask)
    line.weight = line.weight_orig * line.weight_mask
    line.register_forward_hook(lambda module, given, y: y + 1)
    line._forward_hooks.clear()
    out("pruned", [line(mg.tensor([[1.0, 2.0]])).detach(), list(line.state_dict()), shown(line)])


@case("_apply: what a function makes of each tensor of a module")
def case_apply_inner(mg, out):
    net = mg.nn.Sequential(mg.nn.Linear(1, 1), mg.nn.BatchNorm1d(1))
    with mg.no_grad():
        net[0].weight.fill_(2.0)
    net[0].bias = None
    weight = net[0].weight
    net(mg.ones(3, 1)).sum().backward()
    weight.grad = mg.ones(1, 1)
    out("itself", net._apply(lambda t: t * 3) is net)
    out("tensors", [*net.parameters(), *net.buffers(), weight is net[0].weight, weight.grad])
    seen = []
    net[1]._apply(lambda t: seen.append([*t.shape, t.requires_grad, mg.is_grad_enabled()]) or t)
    out("told", seen)
    out("not below", net._apply(lambda t: 1 / 0, recurse=False) is net)


@case("forward hooks that are always called, and what they see of a failure")
def case_always_called(mg, out):
    class Fails(mg.nn.Module):
        def forward(self, x):
            return x.no_such_name

    told = []
    net, x = Fails(), mg.ones(1)
    net.register_forward_hook(lambda *given: told.append(["plain", len(given)]))
    net.register_forward_hook(lambda *given: told.append(["always", given[2]]), always_call=True)
    net.register_forward_hook(
        lambda *given: told.append([given[2], given[3]]), with_kwargs=True, always_call=True
    )
    handle = net.register_forward_hook(lambda *given: 1 / 0, always_call=True)
    out("warned", out.warned("fails", lambda: [out.error("forward", net, x), None][1]))
    out("told", told)
    handle.remove()
    net.forward = lambda x: x * 2
    told.clear()
    out("runs", [net(x), told])
    net.register_forward_hook(lambda *given: 1 / 0)
    told.clear()
    out.error("a later one fails", net, x)
    out("told once", told)


@case("hooks on a module's state, before and after it is given and taken")
def case_state_hooks(mg, out):
    net = mg.nn.Sequential(mg.nn.Linear(1, 1), mg.nn.ReLU())
    net[0].weight.data.fill_(2.0)
    net[0].bias.data.fill_(1.0)
    told = []
    handle = net[0].register_state_dict_pre_hook(lambda m, *more: told.append(["pre", *more]))
    net.register_state_dict_post_hook(
        lambda m, state, prefix, local: told.append([list(state), prefix, local])
    )
    out("state", [net.state_dict(), told])
    net._register_state_dict_hook(lambda m, state, prefix, local: {"all": len(state)})
    out("another state", net.state_dict())
    handle.remove()
    net.register_state_dict_post_hook(_says_something)
    out.error("a public one answers", net.state_dict)
    out.error("and is no private one", net._register_state_dict_hook, _says_something)
    del _says_something._from_public_api
    state = {"0.old_weight": mg.ones(1, 1), "0.bias": mg.zeros(1)}

    def rename(state, prefix, *more):
        told.append([prefix, more])
        state[prefix + "weight"] = state.pop(prefix + "old_weight")

    told.clear()
    net[0]._register_load_state_dict_pre_hook(rename)
    net[0].register_load_state_dict_pre_hook(lambda m, *more: told.append([m is net[0], len(more)]))
    net.register_load_state_dict_post_hook(lambda m, keys: told.append([m is net, keys]))
    out("loaded", [net.load_state_dict(state), told, net[0].weight, net[0].bias])
    told.clear()
    del state["0.bias"]
    state["0.old_weight"] = mg.ones(1, 1)
    net.register_load_state_dict_post_hook(lambda m, keys: keys.missing_keys.clear())
    out("not strict", [net.load_state_dict(state), told])
    net.register_load_state_dict_post_hook(lambda m, keys: keys)
    out.error("an answer", net.load_state_dict, state)
    out("copied", copy.deepcopy(net[0]).register_state_dict_pre_hook(print).id > 0)


def _says_something(module, state, prefix, local):
    return 3


@case("hooks on an optimizer: its steps, and its state given and taken")
def case_optimizer_hooks(mg, out):
    required = importlib.import_module(f"{mg.optim.__name__}.optimizer").required
    w, told = mg.tensor([1.0], requires_grad=True), []
    w.grad = mg.ones(1)
    made = mg.optim.SGD([w], lr=0.5)
    before = made.register_step_pre_hook(lambda o, args, kwargs: told.append(["pre", args[1:], w]))
    made.register_step_post_hook(lambda o, args, kwargs: told.append([o is made, kwargs, w]))
    made.step(closure=None)
    out("step", told)
    mg.optim.lr_scheduler.StepLR(made, 1).step()
    before.remove()
    told.clear()
    made.step()
    out("with a scheduler", [told, w])
    made.register_step_pre_hook(lambda o, args, kwargs: (args, {"closure": lambda: 7}))
    out("another closure", made.step())
    made.register_step_pre_hook(lambda o, args, kwargs: 3)
    try:
        made.step()
    except RuntimeError as error:
        said = str(error).partition(">")[2]
    told.clear()
    made.register_state_dict_pre_hook(lambda o: told.append("pre"))
    made.register_state_dict_post_hook(lambda o, state: told.append([*state]))
    made.register_state_dict_post_hook(lambda o, state: {**state, "more": 1}, prepend=True)
    state = made.state_dict()
    out("state", [told, [*state]])
    told.clear()
    made.register_load_state_dict_pre_hook(lambda o, state: state.update(seen=1))
    made.register_load_state_dict_pre_hook(lambda o, state: told.append([*state]))
    made.register_load_state_dict_post_hook(lambda o: told.append(o.param_groups[0]["lr"]))
    state["param_groups"][0]["lr"] = 0.25
    made.load_state_dict(state)
    out("loaded", [told, [*state], said])
    out("required", repr(required))

    class Own(mg.optim.Optimizer):
        def __init__(self, params, lr=required):
            super().__init__(params, {"lr": lr})

        def step(self, closure=None):
            return "stepped"

    out.error("an option that must be given", Own, [w])
    own = Own([{"params": [w], "lr": 1}])
    own.register_step_post_hook(lambda *given: told.append("after"))
    out("its own step", [own.step(), told[-1]])
    out("_LRScheduler", issubclass(mg.optim.lr_scheduler._LRScheduler, object))


@case("a learning rate that is a tensor of one element")
def case_tensor_rates(mg, out):
    optim = mg.optim
    for name in ("SGD", "Adam", "AdamW", "Adagrad", "RMSprop", "LBFGS"):
        w = mg.tensor([1.0, -2.0], requires_grad=True)
        lr = mg.tensor(0.1)
        made = getattr(optim, name)([w], lr=lr)
        for _ in range(2):
            w.grad = mg.tensor([0.5, 1.0])
            made.step(lambda: mg.tensor(1.0))
        out(name, [w, made.param_groups[0]["lr"] is lr, made.state_dict()["param_groups"]])
    made = optim.SGD([w], lr=lr)
    steps = optim.lr_scheduler.StepLR(made, 1, 0.5)
    last = steps.get_last_lr()
    w.grad = mg.ones(2)
    made.step()
    steps.step()
    out("a scheduler", [made.param_groups[0]["lr"] is lr, lr, last, steps.get_last_lr()])
    out("the first", [steps.base_lrs, made.param_groups[0]["initial_lr"]])
    for name in ("SGD", "Adam"):
        out.error(name + ", two", lambda name=name: getattr(optim, name)([w], lr=mg.ones(2)))
        out.error(name + ", less than 0", getattr(optim, name), [w], mg.tensor(-0.5))


@case("init: the fans of a tensor")
def case_fans(mg, out):
    fans = mg.nn.init._calculate_fan_in_and_fan_out
    out("fans", [fans(mg.ones(2, 3)), fans(mg.ones(2, 3, 4, 5))])
    out.error("of a row", fans, mg.ones(2))


@case("PolynomialLR and CosineAnnealingWarmRestarts: rates, state, errors")
def case_restarts(mg, out):
    schedulers = mg.optim.lr_scheduler
    made = mg.optim.SGD([mg.ones(1, requires_grad=True)], lr=1.0)

    def rates(kind, *given, epochs=(), **named):
        optimizer = mg.optim.SGD([mg.ones(1, requires_grad=True)], lr=1.0)
        steps, found = getattr(schedulers, kind)(optimizer, *given, **named), []
        for epoch in [None] * 7 + [*epochs]:
            found.append(steps.get_last_lr())
            optimizer.step()
            steps.step(epoch)
        state = {name: value for name, value in steps.state_dict().items() if name[:1] != "_"}
        out(f"{kind} {given} {named}", [found, state, optimizer.param_groups[0]["lr"]])

    rates("PolynomialLR", 4, 2.0, epochs=[2])
    rates("PolynomialLR")
    rates("CosineAnnealingWarmRestarts", 2, 2, epochs=[0.5, 3.25, 9])
    rates("CosineAnnealingWarmRestarts", 3, eta_min=0.25, epochs=[1, 7])
    restarts = schedulers.CosineAnnealingWarmRestarts
    out.error("T_0", restarts, made, 0)
    out.error("T_mult", restarts, made, 1, 0.5)
    out.error("eta_min", restarts, made, 1, 1, "0")
    out.error("an epoch before all", restarts(made, 2).step, -1)
    told = mg.tensor(1.0)
    made = mg.optim.SGD([mg.ones(1, requires_grad=True)], lr=told)
    restarts(made, 4).step()
    out("a tensor", [told, made.param_groups[0]["lr"] is told])
