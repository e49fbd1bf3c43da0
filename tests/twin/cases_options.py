"""Numbers that are options: where a gradient would be lost, and what else may stand there."""

import numpy as np

from tests.twin.registry import case


@case("a number that wants a gradient is refused")
def case_wanting_numbers(mg, out):
    functions, x, y = mg.nn.functional, mg.tensor([[0.5, -1.0]]), mg.tensor([[1.0, 2.0]])
    w, plain = mg.nn.Parameter(mg.tensor(0.5)), mg.tensor(0.5)
    q = mg.ones(1, 2, 2)
    calls = {
        "leaky_relu": lambda w: functions.leaky_relu(x, w),
        "LeakyReLU": lambda w: mg.nn.LeakyReLU(w)(x),
        "elu": lambda w: functions.elu(x, alpha=w),
        "softplus": lambda w: functions.softplus(x, w),
        "scale": lambda w: functions.scaled_dot_product_attention(q, q, q, scale=w),
        "alpha": lambda w: x.add(y, alpha=w),
        "value": lambda w: x.addcmul(x, y, value=w),
        "index_add": lambda w: x.index_add(0, mg.tensor([0]), y, alpha=w),
        "full": lambda w: mg.full((2,), w),
        "huber_loss": lambda w: functions.huber_loss(x, y, delta=w),
        "smooth_l1_loss": lambda w: functions.smooth_l1_loss(x, y, beta=w),
        "triplet_margin_loss": lambda w: functions.triplet_margin_loss(x, y, x, margin=w),
        "pad": lambda w: functions.pad(x, (1, 1), value=w),
        "momentum": lambda w: functions.batch_norm(
            mg.tensor([[1.0], [3.0]]), mg.ones(1), mg.ones(1), training=True, momentum=w
        ),
        "isclose": lambda w: mg.isclose(x, y, rtol=w),
    }
    for name, call in calls.items():
        out.error(f"{name}, of a parameter", call, w)
        out.error(f"{name}, in a graph", call, w * 1)
        out(name, call(plain))
    out.error("uniform_", lambda: x.clone().uniform_(0, w))
    out.error("normal_", lambda: mg.nn.init.normal_(x.clone(), std=w))
    out("linspace", mg.linspace(0, w, 3))
    out("softplus of numpy", functions.softplus(x, np.float64(2.0)))


@case("max and min along the axis that a tensor names, or of each two")
def case_max_of_two(mg, out):
    x = mg.tensor([[1.0, 5.0], [4.0, 3.0]])
    out("dim", list(x.max(dim=mg.tensor(1))) + list(mg.min(x, dim=mg.tensor(0), keepdim=True)))
    out("other", [x.max(mg.tensor(2.0)), x.min(other=mg.tensor(2.0)), *x.max(1), *x.max(1, True)])
    out.error("both", lambda: x.max(1, dim=1))


@case("Function: defaults of forward reach setup_context")
def case_defaults(mg, out):
    class Times(mg.autograd.Function):
        @staticmethod
        def forward(x, factor=2.0):
            return x * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            _, ctx.factor = inputs

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor, None

    x = mg.tensor([1.0, 2.0], requires_grad=True)
    for result in Times.apply(x), Times.apply(x, 3.0), Times.apply(x, factor=4.0):
        result.sum().backward()
        out("result", [result, x.grad])
    out("by hand", [(x + 1).grad_fn(mg.ones(2)), (mg.ones(2) * x).grad_fn(mg.ones(2))])
    loss = x.sum()
    out.error("no batch", lambda: mg.autograd.grad(loss, x, is_grads_batched=True))


@case("DataLoader: its samplers, and the options of workers")
def case_samplers_of_loader(mg, out):
    loaders = mg.utils.data.DataLoader
    for options in ({}, {"shuffle": True}, {"batch_size": None}, {"worker_init_fn": print}):
        loader = loaders([1, 2, 3], **options)
        kinds = [type(one).__name__ for one in (loader.sampler, loader.batch_sampler)]
        out(f"{[*options]}", [kinds, len(loader.sampler), len(loader), loader.timeout])
    wrong = {"timeout": -1, "prefetch_factor": 2, "persistent_workers": True, "drop_last": 1}
    for name, value in wrong.items():
        out.error(name, lambda name=name, value=value: loaders([1], **{name: value}))
    out.error("timeout", lambda: list(loaders([1], timeout=3)))


@case("a property that finds no attribute")
def case_property(mg, out):
    class Net(mg.nn.Module):
        @property
        def bad(self):
            return self.nothing

    out.error("its name, not that within", lambda: Net().bad)
    out("is there", hasattr(Net(), "bad"))


@case("edges of elu, powers and layer_norm")
def case_edges(mg, out):
    functions = mg.nn.functional
    out("elu", functions.elu(mg.tensor([0.0, -0.0, 1.0]), float("inf")))
    x = mg.tensor([-1.0, 1.0], requires_grad=True)
    for exponent in (2**24 + 1, 16777217.0, 10**10 + 1, 1e10):
        y = x.pow(exponent)
        out(f"power {exponent}", [y, mg.autograd.grad(y.sum(), x)])
    y = x.pow(mg.tensor([True, False]))
    out.error("exponents that are bools", lambda: y.sum().backward())
    out.error("rows of no axis", lambda: functions.layer_norm(x, []))
    out("roll", x.roll(1, None))
