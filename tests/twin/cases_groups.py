"""Groups of parameters, NAdam and Adamax, nn.init, apply(), checkpoint_sequential."""

from tests.twin.registry import case


@case("groups of parameters, what optimizers take, how they look")
def case_grouped_optimizers(mg, out):
    w = mg.tensor([1.0, -2.0], requires_grad=True)
    v = mg.tensor([0.5], requires_grad=True)
    optim = mg.optim
    opt = optim.SGD([{"params": [w]}, {"params": v, "lr": 0.5, "momentum": 0.9}], lr=0.1)
    out("repr", repr(opt))
    for _ in range(3):
        (w * w).sum().backward()
        (v**3).sum().backward()
        opt.step()
        opt.zero_grad()
    out("groups", [w, v, w.grad, [len(group["params"]) for group in opt.param_groups]])
    extra = mg.ones(2, requires_grad=True)
    opt.add_param_group({"params": extra, "weight_decay": 0.5})
    out("options", [sorted(group) for group in opt.param_groups])
    out("defaults", sorted(opt.defaults.items(), key=str))
    out.error("twice", opt.add_param_group, {"params": [w]})
    out.error("no dict", opt.add_param_group, [w])
    out.error("a set", optim.SGD, [{"params": {w}}], lr=0.1)
    out.error("no params", optim.SGD, [{"lr": 1.0}], lr=0.1)
    out.error("several for LBFGS", optim.LBFGS, [{"params": [w]}, {"params": [v]}])
    out.warned("one twice", optim.SGD, [w, w], lr=0.1)
    named = optim.SGD([("first", w), ("second", v)], lr=0.1, momentum=0.5)
    out("names", named.param_groups[0]["param_names"])
    out.error("not all named", named.add_param_group, {"params": [extra]})
    (w * v).sum().backward()
    named.step()
    state = opt.state_dict()
    out("numbers", [group["params"] for group in state["param_groups"]])
    fresh = optim.SGD([{"params": w}, {"params": [v]}, {"params": extra}])
    fresh.load_state_dict(state)
    out("taken over", [[g["lr"], g["weight_decay"]] for g in fresh.param_groups])
    out("its memory", fresh.state[v])
    out.error("nesterov", optim.SGD, [w], lr=0.1, nesterov=True)
    kinds = {
        "SGD": {"momentum": 0.9, "nesterov": True},
        "SGD ": {"momentum": 0.9, "dampening": 0.3, "maximize": True},
        "Adam": {"maximize": True},
        "Adamax": {"weight_decay": 0.1},
        "NAdam": {"weight_decay": 0.1},
        "NAdam ": {"momentum_decay": 0.1, "foreach": False},
        "RMSprop": {"maximize": True},
        "Adagrad": {"maximize": True},
        "Adadelta": {"rho": 0.5, "weight_decay": 0.1, "maximize": True},
        "AdamW": {"amsgrad": True},
    }
    for name, options in kinds.items():
        x = mg.tensor([1.0, -2.0], requires_grad=True)
        opt = getattr(optim, name.strip())([x], lr=0.1, **options)
        for step in range(4):
            opt.zero_grad()
            (x * x * (step + 1)).sum().backward()
            opt.step()
        out(name, [x, sorted(opt.state[x]), repr(opt)])
        if name == "Adadelta":
            kept = opt.state[x]
            out("kept", [kept, kept["square_avg"]._version, kept["acc_delta"]._version])
    out.error("momentum_decay", optim.NAdam, [w], momentum_decay=-1)
    out.error("betas", optim.Adamax, [w], betas=(2.0, 0.5))
    for option, value in (("rho", 1.5), ("rho", -1), ("lr", -1), ("eps", -1), ("weight_decay", -1)):
        out.error(f"Adadelta {option}", optim.Adadelta, [w], **{option: value})


@case("an optimizer of one's own that forgets super().__init__(); what LBFGS keeps")
def case_half_made_optimizers(mg, out):
    class Forgets(mg.optim.Optimizer):
        def __init__(self, params, **more):
            self.param_groups = [{"params": [*params]}]
            vars(self).update(more)

        def step(self):
            return 5

    w = mg.ones(1, requires_grad=True)
    for more in ({}, {"defaults": {}}, {"defaults": {}, "state": {}}):
        opt = Forgets([w], **more)
        state = {"param_groups": [{"params": [0]}], "state": {}}
        out("repr", repr(opt))
        for name, given in (
            ("zero_grad", ()), ("state_dict", ()), ("load_state_dict", (state,)), ("step", ()),
            ("register_step_pre_hook", (print,)), ("register_step_post_hook", (print,)),
            ("register_state_dict_pre_hook", (print,)), ("register_state_dict_post_hook", (print,)),
            ("register_load_state_dict_pre_hook", (print,)),
            ("register_load_state_dict_post_hook", (print,)), ("__getattribute__", ("state",)),
            ("__getstate__", ()), ("add_param_group", ({"params": [w]},)),
        ):  # fmt: skip
            try:
                out(name, getattr(opt, name)(*given))
            except Exception as error:
                out(name, [type(error).__name__, str(error)])
    p = mg.tensor([2.0, -1.0], requires_grad=True)
    opt = mg.optim.LBFGS([p], max_iter=4, history_size=5)

    def closure():
        opt.zero_grad()
        loss = (p**4).sum()
        loss.backward()
        return loss

    for _ in range(2):
        opt.step(closure)
        kept = opt.state_dict()["state"][0]
        out("LBFGS", [p.detach(), sorted(kept), kept["al"], len(kept["ro"])])


@case("init writes into parameters, apply() goes through modules")
def case_grouped_init(mg, out):
    init = mg.nn.init
    gains = ("linear", "tanh", "relu", "selu", "leaky_relu")
    out("gains", [init.calculate_gain(name) for name in gains] + [init.calculate_gain("relu", 3)])
    out("sloped", init.calculate_gain("leaky_relu", 0.1))
    out.error("no gain", init.calculate_gain, "foo")
    w = mg.nn.Parameter(mg.zeros(40, 50))
    for function in (init.xavier_uniform_, init.kaiming_uniform_):
        function(w)
        out("largest", round(w.abs().max().item(), 1))
    for function, want in ((init.xavier_normal_, 0.1491), (init.kaiming_normal_, 0.2)):
        function(w)
        out("deviation", abs(w.std().item() - want) < 0.02)
    out("written", [w.requires_grad, w.grad_fn, init.ones_(w) is w, w._version])
    out("constant", [init.constant_(mg.zeros(2), 3.0), init.zeros_(mg.ones(2))])
    out("unit", [init.eye_(mg.ones(2, 3)), init.eye_(mg.ones(2, 2))._version])
    out.error("no matrix", init.eye_, mg.ones(2))
    out.error("no fan", init.xavier_uniform_, mg.ones(3))
    out.error("no mode", init.kaiming_normal_, mg.ones(2, 2), mode="fan")
    out.warned("nothing", init.kaiming_uniform_, mg.ones(0, 2))
    seen = []
    net = mg.nn.Sequential(mg.nn.Linear(1, 1), mg.nn.Sequential(mg.nn.ReLU()))
    out("same", net.apply(lambda module: seen.append(type(module).__name__)) is net)
    out("order", seen)


@case("checkpoint_sequential")
def case_grouped_rest(mg, out):
    from_module = mg.utils.checkpoint.checkpoint_sequential
    x = mg.linspace(-1.0, 1.0, 12).view(3, 4).requires_grad_()
    runs = []

    def named(k):
        return lambda x: runs.append(k) or (x * (k + 1)).tanh()

    for reentrant in (True, False):
        y = from_module([named(k) for k in range(5)], 2, x, use_reentrant=reentrant)
        out("runs", list(runs))
        y.sum().backward()
        out("after", [list(runs), x.grad])
        runs.clear()
        x.grad = None
    out.error("unknown", from_module, [mg.sin], 1, x, use_reentrant=False, foo=1)
    out.error("too many", from_module, [mg.sin], 3, x, use_reentrant=False)
    out.warned("say which", from_module, [mg.sin, mg.sin], 2, x)
