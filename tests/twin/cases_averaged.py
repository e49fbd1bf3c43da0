"""optim.swa_utils: averages of a model's weights, and the learning rate that goes with them."""

from tests.twin.registry import case


def filled(mg, net, value):
    """The net, its parameters and buffers of floats as these numbers."""
    with mg.no_grad():
        for i, t in enumerate(net.state_dict().values()):
            if t.is_floating_point():
                t.copy_((mg.arange(float(t.numel())).reshape(t.shape) / 7 + 1) * value / (i + 1))
    return net


@case("AveragedModel: the mean, or what a function makes of it, and its buffers")
def case_averaged_model(mg, out):
    swa, nn = mg.optim.swa_utils, mg.nn
    ways = {
        "mean": {}, "mean by hand": {"avg_fn": swa.get_swa_avg_fn()},
        "ema": {"avg_fn": swa.get_ema_avg_fn(0.9)},
        "several": {"multi_avg_fn": swa.get_ema_multi_avg_fn(0.75)},
        "several, mean": {"multi_avg_fn": swa.get_swa_multi_avg_fn()},
        "buffers": {"use_buffers": True}, "on": {"device": "cpu"},
        "several with buffers": {"multi_avg_fn": swa.get_ema_multi_avg_fn(0.75),
                                 "use_buffers": True},
    }  # fmt: skip
    for name, options in ways.items():
        net = filled(mg, nn.Sequential(nn.Linear(2, 1), nn.BatchNorm1d(1)), 1.0)
        mean = swa.AveragedModel(net, **options)
        for value in (1.0, 3.0, -0.5):
            mean.update_parameters(filled(mg, net, value))
        out(name, [mean.n_averaged, dict(mean.state_dict())])
        out(f"{name}, once more", [mean.training, mean.module is not net, mean.use_buffers])
    out("repr", mean)
    out("call", mean(mg.ones(2, 2)))
    out("graph", [p.requires_grad and p.is_leaf for p in mean.parameters()])
    again = swa.AveragedModel(net)
    again.load_state_dict(mean.state_dict())
    out("loaded", again.n_averaged)
    one = swa.get_swa_avg_fn()
    out.error("two ways", lambda: swa.AveragedModel(net, avg_fn=one, multi_avg_fn=one))
    out.error("decay", lambda: swa.get_ema_avg_fn(1.5))
    out.error("decay of several", lambda: swa.get_ema_multi_avg_fn(-1.0))


@case("SWALR: to its rate along a cosine or a line, and its state")
def case_swalr(mg, out):
    swa = mg.optim.swa_utils
    p = [mg.ones(1, requires_grad=True), mg.ones(1, requires_grad=True)]
    ways = [{}, {"anneal_epochs": 3}, {"anneal_epochs": 0},
            {"anneal_strategy": "linear", "anneal_epochs": 4}]  # fmt: skip
    for options in ways:
        opt = mg.optim.SGD([{"params": p[:1]}, {"params": p[1:], "lr": 0.01}], lr=0.5)
        schedule = swa.SWALR(opt, [0.05, 0.1], **options)
        rates = [schedule.get_last_lr()]
        for _ in range(6):
            opt.step()
            schedule.step()
            rates.append(schedule.get_last_lr())
        out("rates", rates)
        state = schedule.state_dict()
        out("state", {name: state[name] for name in sorted(state)})
        out("groups", [sorted(group) for group in opt.param_groups])
    other = swa.SWALR(mg.optim.SGD(p, lr=0.5), swa_lr=0.2)
    other.load_state_dict(state)
    out("loaded", [other.anneal_epochs, other.last_epoch])
    out.error("strategy", lambda: swa.SWALR(opt, 0.1, anneal_strategy="up"))
    out.error("epochs", lambda: swa.SWALR(opt, 0.1, anneal_epochs=-1))
    out.error("half an epoch", lambda: swa.SWALR(opt, 0.1, anneal_epochs=1.5))
    out.error("rates", lambda: swa.SWALR(opt, [0.1]))


@case("update_bn: running means of all that a loader gives")
def case_update_bn(mg, out):
    nn = mg.nn
    net = filled(mg, nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3, momentum=0.3)), 0.5).eval()
    x = mg.arange(24.0).reshape(3, 4, 2) / 5
    mg.optim.swa_utils.update_bn(x, net)
    out("state", dict(net.state_dict()))
    out("as before", [net[1].momentum, net.training, net[1].training])
    mg.optim.swa_utils.update_bn([(t, 1) for t in x[:2]], net, device="cpu")
    out("pairs", dict(net[1].named_buffers()))
    out("no layer", mg.optim.swa_utils.update_bn(3, net[0]))
