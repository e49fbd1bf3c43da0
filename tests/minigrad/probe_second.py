"""Probes of second derivatives, of modules' hooks, and of what holds modules."""

import copy
import gc
import pickle
import warnings
import weakref

from probing import N, equal, grad, graph, leaf, live, mg, names, own, refuses

from minigrad.core.node import Freed
from minigrad.core.observer import Observer
from minigrad.memory.saves import nodes, tensors_in

F, nn = mg.nn.functional, mg.nn


def image(*shape):
    return (mg.arange(mg.ones(*shape).numel()).view(*shape) / 7 - 1).requires_grad_()


def places():
    return mg.tensor([1, 0])


def written(x):
    y = x * 1
    y[0] = 2
    return y.square()


SECOND = {  # of x: 2 x 2
    "tanh": mg.Tensor.tanh,
    "softmax": lambda x: x.softmax(1).square(),
    "log_softmax": lambda x: x.log_softmax(1).square(),
    "relu": mg.Tensor.relu,
    "leaky_relu": lambda x: F.leaky_relu(x, 0.5).square(),
    "logsigmoid": F.logsigmoid,
    "mish": F.mish,
    "bce": lambda x: F.binary_cross_entropy_with_logits(x, x.detach() * 0),
    "mse": lambda x: F.mse_loss(x, x.detach() * 2, reduction="none"),
    "nll": lambda x: F.cross_entropy(x, places()).square(),
    "prod": lambda x: (x + 1).prod(),
    "of zeros": lambda x: (x * mg.tensor([0.0, 1.0])).prod(1),
    "gather": lambda x: x.gather(1, places()[:, None]).square(),
    "index": lambda x: x[places()].square(),
    "max_pool": lambda x: F.max_pool2d(x[None], 2).square(),
    "avg_pool": lambda x: F.avg_pool2d(x[None], 2).square(),
    "pool": lambda x: F.adaptive_avg_pool2d(x[None], 1).square(),
    "split": lambda x: x.split(1)[0].square(),
    "chunk": lambda x: x.unbind()[1].square(),
    "conv": lambda x: F.conv2d(x[None, None].square(), mg.ones(1, 1, 2, 2)),
    "layer_norm": lambda x: F.layer_norm(x, (2,), mg.ones(2).requires_grad_()).square(),
    "batch_norm": lambda x: F.batch_norm(x, None, None, training=True).square(),
    "where": lambda x: mg.where(x > 0, x, 0.5).square(),
    "max": lambda x: x.max(1)[0].square(),
    "cumsum": lambda x: x.cumsum(0).square(),
    "std": lambda x: x.std(),
    "clamp": lambda x: x.clamp(-0.95, 0.5).square(),
    "masked_fill": lambda x: x.masked_fill(x.detach() > -0.8, x[0, 0]).square(),
    "bce of a target": lambda x: F.binary_cross_entropy_with_logits(x.detach(), x.sigmoid()),
    "bce of chances": lambda x: F.binary_cross_entropy(x.sigmoid(), x.detach().sigmoid()),
    "scatter_add": lambda x: x.scatter_add(0, places()[None], mg.ones(1, 2)).square(),
    "embedding": lambda x: F.embedding(places(), x, scale_grad_by_freq=True).square(),
    "written": written,
    "a view that follows": lambda x: followed(x * 1),
    "addcdiv": lambda x: mg.addcdiv(x.detach(), x, x.square() + 1).square(),
    "lerp": lambda x: mg.lerp(x, x.detach(), x.square()),
    "maximum": lambda x: mg.maximum(x, x.detach()).square(),
}


class Owned(Observer):
    """Each tensor lies in the bytes that are counted for it, also those that live for a moment."""

    def made(self, tensor, owns):
        own(tensor)


def check_each_owns_what_it_computes_and_saves():
    with Owned():
        try_all()


def try_all():
    cell = nn.LSTMCell(2, 1)
    for name, function in {**SECOND, "cell": lambda x: cell(x)[0]}.items():
        x = image(2, 2)
        result = function(x)
        seed = mg.ones_like(result).requires_grad_()
        every(result)
        (first,) = grad(result, x, seed, create_graph=True)
        every(first)
        (plain,) = grad(function(x), x, seed.detach())
        assert mg.allclose(first, plain, atol=1e-6), name
        grad(first.sum(), (x, seed), allow_unused=True, retain_graph=True)
        grad(first.sum(), seed, allow_unused=True, retain_graph=True)
        (second,) = grad(first.square().sum(), x, create_graph=True, allow_unused=True)
        if second is not None and second.requires_grad:
            grad(second.sum(), x, allow_unused=True)


def followed(y):
    view = y[:1]
    with mg.no_grad():
        y.mul_(1)
    return view.square()


def saved_by(node) -> list:
    entries = () if isinstance(node._saved, Freed) else node._saved
    return [t for entry in entries for t in tensors_in(entry)]


def every(tensor):
    """It, and all that its graph has saved, lies in the bytes that are counted for it."""
    own(tensor)
    for node in nodes(tensor):
        for saved in saved_by(node):
            own(saved)


def check_a_leaking_relu_leaks_below_zero():
    x = mg.tensor([-1.0, 1.0], requires_grad=True)
    F.leaky_relu(x, 0.5).sum().backward()
    equal(x.grad.tolist(), [0.5, 1])


def check_gradients_are_kept_with_their_graph():
    x = leaf()
    h = x * x
    h.retain_grad()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (h * h).sum().backward(create_graph=True)
    equal((h.grad.requires_grad, h.grad.tolist()[0]), (True, 2))
    kept, h.grad, x.grad = h.grad, None, None
    equal(kept.grad_fn.name(), "CloneBackward0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(2):
            (h * h).sum().backward(create_graph=True)
    equal((h.grad.tolist()[0], h.grad.requires_grad), (4, True))
    h.grad = x.grad = None
    y = mg.ones(2, 3).requires_grad_() * 1
    y.retain_grad()
    (y.t() * mg.ones(3, 2)).sum().backward()
    equal(y.grad.stride(), (3, 1))
    y = x * x
    y.retain_grad()
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    equal((y.grad.tolist()[0], y.grad.requires_grad), (2, False))
    x.grad = None


def check_what_is_differentiable_once_is_so_once():
    class Once(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        @mg.autograd.function.once_differentiable
        def backward(ctx, g):
            return g * 2

    x = leaf()
    (plain,) = grad(Once.apply(x).sum(), x)
    equal((plain.requires_grad, plain.tolist()[0]), (False, 2))
    (first,) = grad((Once.apply(x) ** 2).sum(), x, create_graph=True)
    refuses("once_differentiable", first.sum().backward)


def check_a_block_is_left_when_nobody_has_its_exit():
    block = mg.no_grad()
    leave = block.__exit__
    block.__enter__()
    equal(mg.is_grad_enabled(), False)
    del leave
    equal(mg.is_grad_enabled(), True)
    other = mg.no_grad()
    other.__exit__  # noqa: B018
    alive = weakref.ref(other)
    del other
    equal(alive(), None)


def check_data_has_no_bytes_of_its_own():
    x = leaf()
    y = x.data
    equal((live(), y._storage.bytes), (4 * N, 0))
    del y
    equal(live(), 4 * N)


def check_copies_own_their_bytes():
    x = leaf()
    x.register_hook(print)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        text = pickle.dumps(x)
        pickle.dumps(x.detach())
    equal(len(told), 1)
    back = pickle.loads(text)
    equal((back._version, back.requires_grad, live()), (1, True, 8 * N))
    own(back), own(copy.deepcopy(back)), own(copy.deepcopy(back.detach().view(2, -1)[:, 1:]))


def check_a_second_derivative_saves_what_it_needs():
    for function in F.logsigmoid, lambda x: F.mse_loss(x, x.detach(), reduction="none"):
        x, g = leaf(), leaf()
        (first,) = grad(function(x), x, g.detach(), create_graph=True)
        kept = {name for node, name in names(first)}
        (first,) = grad(function(x), x, g, create_graph=True)
        every_one = {name for node, name in names(first)}
        equal((sorted(kept), sorted(every_one - kept)), SAVED[first.grad_fn.name()])


SAVED = {
    "LogSigmoidBackwardBackward0": (["buffer", "grad_output", "self"], []),
    "MseLossBackwardBackward0": (["grad_output", "self", "target"], []),
}


def check_a_cell_has_gates():
    cell = nn.LSTMCell(2, 1)
    for parameter in cell.parameters():
        parameter.data.zero_()
    h, c = cell(mg.ones(1, 2), (mg.ones(1, 1), mg.ones(1, 1)))
    equal((c.tolist(), round(h.item(), 4)), ([[0.5]], 0.2311))


def check_an_error_far_inside_holds_nothing():
    before, packed = live(), []

    def nested(depth):
        x = leaf()
        y = x * 1

        def hook(g):
            with mg.enable_grad():
                x * x
                if not depth:
                    raise ValueError("far inside")
                nested(depth - 1)

        y.register_hook(hook)
        y.sum().backward()

    gc.collect()
    gc.disable()
    try:
        with graph.saved_tensors_hooks(lambda t: packed.append(1) or t, lambda t: t):
            refuses("far inside", lambda: nested(27), ValueError)
        equal((live(), len(packed)), (before, 2 * 28))
    finally:
        gc.enable()


# -- modules --


def check_a_dictionary_of_modules_lets_go():
    modules = nn.ModuleDict({"a": nn.Linear(1, 1), "b": nn.Linear(2, 1)})
    taken = modules.pop("a")
    equal((len(modules), [*modules.keys()], taken.in_features), (1, ["b"], 1))
    del taken
    equal(live(), 12)


def check_hooks_of_modules_run_in_their_order():
    layer, heard = nn.Linear(1, 1), []
    for name, first in (("b", False), ("c", False), ("a", True)):
        layer.register_forward_hook(lambda *_, name=name: heard.append(name), prepend=first)
    layer(mg.ones(1, 1))
    equal(heard, ["a", "b", "c"])


def check_a_hook_of_a_module_returns_as_many():
    layer = nn.Linear(2, 1, bias=False)
    layer.register_full_backward_hook(lambda module, inputs, outputs: (inputs[0] * 3,))
    x = leaf(1, 2)
    layer(x).sum().backward()
    equal(x.grad.tolist(), (layer.weight * 3).tolist())
    other = nn.Linear(2, 1)
    other.register_full_backward_hook(lambda module, inputs, outputs: (inputs[0], None))
    refuses("invalid number of grad_input", lambda: other(leaf(1, 2)).sum().backward())


def check_hooks_of_a_module_hold_no_gradient():
    layer, heard = nn.Linear(2, 1, bias=False), []
    before = live()
    before_hook = layer.register_full_backward_pre_hook(lambda *_: heard.append("pre"))
    x = leaf(1, 2)
    layer(x).sum().backward()
    equal(heard, ["pre"])
    hook = layer.register_full_backward_hook(lambda *_: heard.append("post"))
    y = layer(x)
    y.sum().backward(retain_graph=True)
    equal(heard, ["pre", "pre", "post"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that no input wants a gradient
        z = layer(x.detach())
        z.sum().backward(retain_graph=True)
    equal(heard[3:], ["pre", "post"])
    layer.weight.grad = x.grad = None
    equal(live() - before, 8 + 4 + 4)
    before_hook.remove(), hook.remove()


def check_only_what_has_a_gradient_is_clipped():
    w, other = leaf(4), leaf(4)
    w.grad = mg.full((4,), 3.0)
    equal(nn.utils.clip_grad_norm_([w, other], 3.0).item(), 6)
    equal((round(w.grad.tolist()[0], 4), other.grad), (1.5, None))


def check_an_older_state_of_batch_norm_is_taken():
    layer = nn.BatchNorm2d(2)
    state = layer.state_dict()
    lacking = _without(state, "num_batches_tracked")
    refuses("num_batches_tracked", lambda: layer.load_state_dict(lacking))
    equal(state._metadata[""]["version"], 2)
    equal(nn.Linear(1, 1).state_dict()._metadata[""]["version"], 1)
    for version in (1, None):
        old = _without(state, "num_batches_tracked")
        old._metadata[""]["version"] = version
        layer.load_state_dict(old)
    plain = nn.BatchNorm2d(2, track_running_stats=False)
    old = plain.state_dict()
    old._metadata[""]["version"] = 1
    plain.load_state_dict(old)


def check_batch_norm_that_is_told_not_to_track_leaves_its_statistics():
    layer = nn.BatchNorm1d(2)
    layer.track_running_stats = False
    layer(mg.tensor([[1.0, 2.0], [3.0, 5.0]]))
    equal((layer.running_mean.tolist(), layer.num_batches_tracked.item()), ([0, 0], 0))


def check_the_functions_of_a_schedule_stand_at_the_end_of_its_state():
    optimizer = mg.optim.SGD([mg.ones(1, requires_grad=True)], lr=1.0)
    state = mg.optim.lr_scheduler.LambdaLR(optimizer, lambda turn: 1 / (turn + 1)).state_dict()
    equal([*state][-1], "lr_lambdas")


def _without(state, name):
    new = state.copy()
    new._metadata = {key: dict(value) for key, value in state._metadata.items()}
    del new[name]
    return new


def check_states_of_several_schedules_end_with_theirs():
    optimizer = mg.optim.SGD([leaf()], lr=1.0)
    each = [
        mg.optim.lr_scheduler.ConstantLR(optimizer, 0.5),
        mg.optim.lr_scheduler.ExponentialLR(optimizer, 0.5),
    ]
    both = mg.optim.lr_scheduler.ChainedScheduler(each, optimizer)
    assert [*both.state_dict()][-1] == "_schedulers"


def check_rates_go_evenly_to_that_of_the_average():
    optimizer = mg.optim.SGD([leaf()], lr=1.0)
    schedule = mg.optim.swa_utils.SWALR(
        optimizer, swa_lr=0.0, anneal_epochs=4, anneal_strategy="linear"
    )
    seen = []
    for _ in range(4):
        optimizer.step()
        schedule.step()
        seen.append(schedule.get_last_lr()[0])
    equal([round(rate, 6) for rate in seen], [0.75, 0.5, 0.25, 0.0])
