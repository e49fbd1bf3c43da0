"""RMSprop, Adagrad, learning rates by epoch, clipped gradients, data sets and loaders."""

from tests.twin.registry import case

OPTIMIZERS = {
    "RMSprop": ("RMSprop", {}),
    "RMSprop, all": (
        "RMSprop",
        {"lr": 0.1, "alpha": 0.8, "eps": 1e-3, "weight_decay": 0.1, "momentum": 0.7},
    ),
    "RMSprop, centered": ("RMSprop", {"lr": 0.1, "centered": True, "momentum": 0.5}),
    "Adagrad": ("Adagrad", {}),
    "Adagrad, all": (
        "Adagrad", {"lr": 0.1, "lr_decay": 0.2, "weight_decay": 0.1, "initial_accumulator_value": 2}
    ),
}  # fmt: skip


def leaves(mg):
    w = ((mg.arange(6.0) * 7) % 23 / 10 - 1).view(2, 3).requires_grad_()
    return w, ((mg.arange(6.0) * 5) % 11 / 10 - 0.3).view(2, 3).t().requires_grad_()


@case("RMSprop, Adagrad: five steps, their state, what they refuse")
def case_more_optimizers(mg, out):
    for label, (name, options) in OPTIMIZERS.items():
        w, v = leaves(mg)
        optimizer = getattr(mg.optim, name)([w, v], **options)
        for _ in range(5):
            optimizer.zero_grad()
            (w @ v).tanh().sum().backward()
            optimizer.step()
        out(label, [w, v])
        state = optimizer.state[v]
        out("state", {key: value for key, value in state.items() if key != "step"})
    for name, option in [("RMSprop", "lr"), ("RMSprop", "alpha"), ("RMSprop", "eps"),
                         ("RMSprop", "momentum"), ("RMSprop", "weight_decay"),
                         ("Adagrad", "lr_decay"), ("Adagrad", "initial_accumulator_value"),
                         ("Adagrad", "eps")]:  # fmt: skip
        out.error(f"{name} {option}", getattr(mg.optim, name), [w], **{option: -1.0})


SCHEDULES = {
    "StepLR": {"step_size": 2, "gamma": 0.5},
    "MultiStepLR": {"milestones": [1, 4, 4], "gamma": 0.3},
    "ExponentialLR": {"gamma": 0.9},
    "CosineAnnealingLR": {"T_max": 3, "eta_min": 0.01},
    "LambdaLR": {"lr_lambda": lambda epoch: 1 / (1 + epoch)},
}


@case("learning rates by epoch: each schedule, a changed rate, its state, its words")
def case_schedules(mg, out):
    for name, options in SCHEDULES.items():
        optimizer = mg.optim.SGD([mg.ones(1, requires_grad=True)], lr=0.4)
        schedule = getattr(mg.optim.lr_scheduler, name)(optimizer, **options)
        rates = [optimizer.param_groups[0]["lr"]]
        for epoch in range(8):
            optimizer.step()
            schedule.step()
            rates.append(schedule.get_last_lr()[0])
            if epoch == 5:
                optimizer.param_groups[0]["lr"] = 1.0
        out(name, [rates, schedule.last_epoch, optimizer.param_groups[0]["initial_lr"]])
        again = mg.optim.SGD([mg.ones(1, requires_grad=True)], lr=0.4)
        other = getattr(mg.optim.lr_scheduler, name)(again, **options)
        other.load_state_dict(schedule.state_dict())
        out("loaded", [other.last_epoch, other.get_last_lr(), other.base_lrs])
    StepLR = mg.optim.lr_scheduler.StepLR
    fresh = mg.optim.SGD([mg.ones(1, requires_grad=True)], lr=0.4)
    out.error("no optimizer", StepLR, 3, 2)
    out.error("resumed", StepLR, fresh, 2, last_epoch=3)
    out.error("lambdas", mg.optim.lr_scheduler.LambdaLR, fresh, [max, min])
    out.warned("too early", StepLR(fresh, 2).step)
    fresh.step()
    out.warned("in order", StepLR(fresh, 2).step)


@case("clip_grad_norm_, clip_grad_value_: gradients in place, and the norm that they had")
def case_clipping(mg, out):
    utils = mg.nn.utils
    for order in (2.0, 1, float("inf"), 3):
        for most in (0.5, 100):
            w, v = leaves(mg)
            rest = mg.ones(2, requires_grad=True)
            (w @ v).square().sum().backward()
            grad, before = w.grad, mg.memory_allocated()
            norm = utils.clip_grad_norm_([w, v, rest], most, order)
            out(f"{order} {most}", [norm, w.grad, v.grad, rest.grad, w.grad is grad])
            out("bytes", mg.memory_allocated() - before)
    out("one", [utils.clip_grad_norm_(w, 1.0), norm.requires_grad])
    out("value", [utils.clip_grad_value_([w, v, rest], 0.2), w.grad, v.grad])
    out("nothing", utils.clip_grad_norm_([], 1.0))
    out.warned("empty", utils.clip_grad_norm_, (p for p in ()), 1.0)
    w.grad = mg.full((2, 3), float("inf"))
    out.error("not finite", utils.clip_grad_norm_, [w], 1.0, error_if_nonfinite=True)
    out("total", utils.get_total_norm([mg.ones(3), mg.ones(1)]))


@case("parameters_to_vector, vector_to_parameters: all elements in a row, and back on its bytes")
def case_vectors(mg, out):
    utils = mg.nn.utils
    w, v = leaves(mg)[0], mg.ones(3, requires_grad=True)
    flat = utils.parameters_to_vector([w, v])
    out("flat", [flat, type(flat.grad_fn).__name__])
    flat.square().sum().backward()
    out("gradients", [w.grad, v.grad])
    moved = mg.arange(9.0)
    utils.vector_to_parameters(moved, (p for p in (w, v)))
    moved.mul_(2)
    out("written", [w, v, w.is_leaf, w._version, w.data_ptr() == moved.data_ptr()])
    out.error("no tensor", utils.vector_to_parameters, [1.0], [w])
    out.error("too short", utils.vector_to_parameters, mg.ones(2), [w])


@case("broadcast_tensors: one shape for all, or none")
def case_broadcast(mg, out):
    x, y = mg.ones(2, 1, requires_grad=True), mg.ones(3, requires_grad=True)
    for tensors in ((), (x,), (x, y), (y, x, mg.ones(()))):
        found = mg.broadcast_tensors(*tensors)
        out("shapes", [type(found).__name__, [list(t.shape) for t in found]])
    (found[0] * found[1]).sum().backward()
    out("gradients", [x.grad, y.grad])
    out.error("apart", mg.broadcast_tensors, mg.ones(2), mg.ones(3))


@case("data: sets, batches, collation, what a loader refuses")
def case_data(mg, out):
    data = mg.utils.data
    x = mg.arange(10.0).view(5, 2)
    pairs = data.TensorDataset(x, mg.arange(5))
    out("set", [pairs[1], pairs[1:3], len(pairs), len(pairs + pairs), (pairs + pairs)[7]])
    out("subset", [data.Subset(pairs, [3, 1])[0], len(data.Subset(pairs, [3, 1]))])
    for options in ({}, {"batch_size": 2}, {"batch_size": 2, "drop_last": True},
                    {"batch_size": None}, {"batch_sampler": [[0, 4], [2]]},
                    {"sampler": [4, 0, 0], "batch_size": 2}):  # fmt: skip
        loader = data.DataLoader(pairs, **options)
        out(f"{options}", [list(loader), len(loader)])
    rows = [(1, 2.0, "a", {"k": True}, [mg.ones(2)]), (3, 4.0, "b", {"k": False}, [x[0]])]
    out("collated", list(data.DataLoader(rows, 2)))
    out("own", list(data.DataLoader(rows, 2, collate_fn=len)))
    loader = data.DataLoader(pairs, batch_size=2, shuffle=True)
    seen = [sorted(i for _, part in loader for i in part.tolist()) for _ in range(2)]
    out("shuffled", seen)
    orders = []
    for seed in (1, 1, 2):
        mg.manual_seed(seed)
        long = data.DataLoader(range(100), 100, shuffle=True)
        orders.append([batch.tolist() for batch in long])
    out(
        "seeded", [orders[0] == orders[1], orders[0] == orders[2], orders[0][0] == list(range(100))]
    )
    parts = data.random_split(pairs, [0.5, 0.5])
    out("split", [[len(part) for part in parts], sorted(i for p in parts for i in p.indices)])
    refused(mg, out, data, pairs)


def refused(mg, out, data, pairs):
    loader = data.DataLoader
    out.error("sizes", data.TensorDataset, mg.ones(2), mg.ones(3))
    for options in ({"batch_size": 0}, {"batch_size": "a"}, {"batch_size": True},
                    {"num_workers": -1}, {"shuffle": True, "sampler": [1]},
                    {"batch_size": None, "drop_last": True},
                    {"batch_sampler": [[0]], "shuffle": True}):  # fmt: skip
        out.error(f"{options}", loader, pairs, **options)
    out.error("empty", loader, [], shuffle=True)
    out.error("none", lambda: list(loader([None])))
    out.error("unequal", lambda: list(loader([[1], [1, 2]], 2)))
    out.error("shapes", lambda: list(loader([mg.ones(2), mg.ones(3)], 2)))
    out.error("no item", lambda: data.Dataset()[0])
    out.error("split", data.random_split, pairs, [2, 2])
    out.error("far", lambda: data.ConcatDataset([pairs])[5])
    out.error("no sets", data.ConcatDataset, [])


IN_TURN = """
SequentialLR(o, [ConstantLR(o, 0.1, 2), ExponentialLR(o, 0.5), StepLR(o, 2, 0.1)], [3, 6])
ChainedScheduler([LinearLR(o, 0.5, total_iters=4), ExponentialLR(o, 0.9)])
ChainedScheduler([ConstantLR(o, 0.5), LambdaLR(o, lambda n: 1 / (1 + n))], o)
SequentialLR(o, [LinearLR(o, 0.1, total_iters=3), CosineAnnealingLR(o, 6)], [3])
CyclicLR(o, 0.1, 1.0, 2, 3)
CyclicLR(o, 0.1, 1.0, 2, mode="triangular2")
CyclicLR(o, 0.1, 1.0, 3, mode="exp_range", gamma=0.8, base_momentum=0.1)
CyclicLR(o, 0.1, 1.0, 2, scale_fn=lambda n: 0.9**n, scale_mode="iterations", cycle_momentum=False)
"""


@case("schedules in turn, all at once, and in cycles: rates, momentum, states")
def case_in_turn(mg, out):
    for text in IN_TURN.strip().splitlines():
        o = mg.optim.SGD([mg.ones(1, requires_grad=True)], 0.8, momentum=0.5)
        s = eval(text, {**vars(mg.optim.lr_scheduler), "o": o})
        rows = []
        for _ in range(9):
            o.step()
            s.step()
            rows.append([s.get_last_lr(), o.param_groups[0]["momentum"]])
        out(text, rows)
        state = s.state_dict()
        out(f"state of {text}", sorted(state))
        s.load_state_dict(state)
        s.step()
        out(f"after {text}", s.get_last_lr())
    adam = mg.optim.Adam([mg.ones(1, requires_grad=True)])
    s = mg.optim.lr_scheduler.CyclicLR(adam, 0.1, 1.0, 2)
    s.step()
    out("betas", adam.param_groups[0]["betas"])
    plain = mg.optim.Adagrad([mg.ones(1, requires_grad=True)])
    out.error("no momentum", mg.optim.lr_scheduler.CyclicLR, plain, 0.1, 1)
