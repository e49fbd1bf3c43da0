"""state_dict and load_state_dict of modules and optimizers: names, and words for misfits."""

import copy
import io
import pickle
import tempfile
from pathlib import Path

from tests.twin.registry import case


def network(mg):
    nn = mg.nn
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.BatchNorm1d(3))
    for i, p in enumerate(net.parameters()):
        p.data.copy_(mg.arange(p.numel()).view(p.shape) + i)
    return net


@case("save and load: a checkpoint, who shares bytes, what is refused")
def case_saved(mg, out):
    net = network(mg)
    opt = mg.optim.Adam(net.parameters(), lr=0.5)
    net(mg.ones(4, 2)).sum().backward()
    opt.step()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.pt"
        mg.save({"epoch": 3, "net": net.state_dict(), "opt": opt.state_dict()}, path)
        found = mg.load(str(path))
        out.error("no folder", mg.save, net, "/there/is/none.pt")
        out.error("no file", mg.load, "none.pt")
    other = network(mg)
    opt = mg.optim.Adam(other.parameters())
    out("loaded", [str(other.load_state_dict(found["net"])), opt.load_state_dict(found["opt"])])
    out("same", [found["epoch"], opt.param_groups[0]["lr"], *other.parameters()])
    x = mg.ones(3, requires_grad=True)
    mg.save(
        [x, x * 2, x[1:].detach(), mg.nn.Parameter(mg.ones(2)), mg.Size([1])], f := io.BytesIO()
    )
    f.seek(0)
    x, y, part, p, size = mg.load(f)
    with mg.no_grad():
        x.mul_(5)
    out("shared", [part, part._version, x._version, y.is_leaf, y.requires_grad, p, size])
    mg.save(net, f := io.BytesIO())
    out("a module", error_of(mg.load, io.BytesIO(f.getvalue())))
    out("trusted", repr(mg.load(io.BytesIO(f.getvalue()), weights_only=False)))
    mg.save({"all": [net.state_dict()]}, f := io.BytesIO())
    f.seek(0)
    brought = mg.load(f, map_location="cpu")["all"][0]
    out("devices", {k: str(v.device) for k, v in brought.items()})
    for wrong in (3, None, [1]):
        out.error("saved to", mg.save, x, wrong)
        out.error("loaded from", mg.load, wrong)
    out("empty", error_of(mg.load, io.BytesIO()))


def error_of(function, *given) -> str:
    """The class of the error: the words of a file's reader are its own."""
    try:
        function(*given)
    except Exception as error:
        return type(error).__name__
    return ""


@case("M18 a module's state")
def case_state(mg, out):
    net = network(mg)
    state = net.state_dict()
    out("kind", [type(state).__name__, list(state), dict(state._metadata)])
    out("values", dict(state))
    out("detached", [t.requires_grad for t in state.values()])
    out("shared", state["0.bias"].data_ptr() == net[0].bias.data_ptr())
    out("prefix", list(net.state_dict(prefix="a.")))
    out("kept", [t.requires_grad for t in net.state_dict(keep_vars=True).values()])
    given = {}
    out("destination", [net.state_dict(destination=given) is given, list(given)])
    net.register_buffer("shown", mg.ones(1))
    net.register_buffer("hidden", mg.ones(1), persistent=False)
    net.register_buffer("empty", None)
    out("buffers", [list(net.state_dict()), [name for name, _ in net.named_buffers()]])
    out("said", str(net.load_state_dict(net.state_dict())))


@case("M18 a state that does not fit")
def case_misfits(mg, out):
    net = network(mg)
    state = net.state_dict()

    def load(label, strict=True, without=(), **more):
        changed = {k: v for k, v in state.items() if k not in without}
        changed |= {name.replace("_", "."): value for name, value in more.items()}
        out.error(
            label, lambda: out(f"{label}: returned", repr(net.load_state_dict(changed, strict)))
        )

    load("missing", without=["0.weight", "2.bias"])
    load("missing, not strict", False, without=["0.weight"])
    load("unknown", strange=mg.ones(1), a_b=mg.ones(1), _0_x=mg.ones(1))
    load("both", without=["0.weight"], strange=mg.ones(1))
    load("both, not strict", False, without=["0.weight"], strange=mg.ones(1))
    load("sizes", **{"0.weight": mg.ones(4, 2), "2.bias": mg.ones(1)})
    load("sizes, not strict", False, **{"0.weight": mg.ones(4, 2)})
    load("a list", **{"0.weight": [1, 2]})
    load("another dtype", **{"0.weight": mg.ones(3, 2, dtype=mg.float64) * 7})
    load("an old count", **{"2.num_batches_tracked": mg.tensor([4])})
    load("no count in an old state", without=["2.num_batches_tracked"])
    out.error("no dict", net.load_state_dict, [1])
    out.error("None", net.load_state_dict, None)
    out("after all", dict(net.state_dict()))
    without = net.state_dict()
    del without["2.num_batches_tracked"]
    out.error("no count in a new state", net.load_state_dict, without)
    out.error("mode", net.train, 3)


@case("M18 a state put in the place of the old one")
def case_assigned(mg, out):
    net = network(mg)
    net[0].requires_grad_(False)
    before, state = net[0].weight, {k: t.clone() for k, t in net.state_dict().items()}
    version = before._version
    net.load_state_dict(state)
    out("copied", [net[0].weight is before, before._version - version])
    net.load_state_dict(state, assign=True)
    weight = net[0].weight
    out("assigned", [weight is before, type(weight).__name__, weight.requires_grad])
    out("shared", weight.data_ptr() == state["0.weight"].data_ptr())
    out("a buffer", net[2].running_mean is state["2.running_mean"])


@case("M18 the state of an optimizer")
def case_optimizer(mg, out):
    net = network(mg)
    for kind, options in (("SGD", {}), ("SGD", {"momentum": 0.5}), ("Adam", {})):
        one = getattr(mg.optim, kind)(net.parameters(), lr=0.25, **options)
        net(mg.linspace(-1, 1, 8).view(4, 2)).square().sum().backward()
        one.step()
        state = one.state_dict()
        out("numbers", [list(state), state["param_groups"][0]["params"], list(state["state"])])
        out("names", [list(kept) for kept in state["state"].values()])
        other = getattr(mg.optim, kind)(net.parameters(), lr=0.5, **options)
        other.load_state_dict(pickle.loads(pickle.dumps(state)))
        out(
            "taken over",
            [other.param_groups[0]["lr"], len(other.state), type(other.state).__name__],
        )
        own = other.param_groups[0]["params"]
        out("of its own", [a is b for a, b in zip(own, net.parameters(), strict=True)])
        smaller = getattr(mg.optim, kind)([net[0].weight], lr=0.5, **options)
        out.error("another size", smaller.load_state_dict, state)
        out.error("nothing", other.load_state_dict, {})
        twice = state | {"param_groups": state["param_groups"] * 2}
        out.error("another number of groups", other.load_state_dict, twice)
        model, linked = copy.deepcopy((net, one))
        out("linked", linked.param_groups[0]["params"][0] is model[0].weight)


@case("M18 a buffer that is a Parameter")
def case_parameter_in_a_buffer(mg, out):
    nn = mg.nn

    def told(label, m):
        names = [[*m._parameters], [*m._buffers], [*m.state_dict()]]
        named = [[name for name, _ in m.named_parameters()], [n for n, _ in m.named_buffers()]]
        out(label, [names, named, [type(b).__name__ for b in m.buffers()], m.w.requires_grad])

    m = nn.Module()
    m.register_buffer("w", nn.Parameter(mg.ones(1)))
    m.b = nn.Parameter(mg.zeros(2))
    told("it stays one", m)
    told("copied", copy.deepcopy(m))
    told("of another dtype", m.double())
    m.load_state_dict({"w": mg.zeros(1), "b": mg.ones(2)})
    told("loaded", m)
    out("its number", m.w)
    m.w = nn.Parameter(mg.ones(3))
    told("another Parameter is none", m)
    m._buffers["v"] = nn.Parameter(mg.ones(1))
    told("by the mapping", m)
    m.v = None
    out("taken out", [m.v, [*m.state_dict()]])
