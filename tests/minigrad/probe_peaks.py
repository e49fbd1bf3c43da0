"""Probes of what is alive for a moment, and of what is let go in time."""

from probe_second import every, saved_by
from probing import Function, N, equal, grad, leaf, live, mg, own, peak, refuses, storage

from minigrad.core.observer import Observer
from minigrad.memory.saves import nodes

nn = mg.nn
ARRAYS = {
    "sin": 2,
    "log1p": 2,
    "sinh": 2,
    "cosh": 2,
    "expm1": 2,
    "exp2": 2,
    "tan": 3,
    "atan": 3,
    "atanh": 4,
    "asinh": 4,
    "acosh": 4,
    "asin": 5,
    "erf": 5,
    "erfc": 5,
    "acos": 6,
    "log2": 2,
    "log10": 2,
    "abs": 2,
    "sqrt": 2,
    "cos": 3,
    "square": 3,
    "rsqrt": 3,
    "reciprocal": 3,
}


def most(function):
    """The bytes above what is alive before, while `function` runs."""
    mg.reset_peak_memory_stats()
    before = live()
    kept = function()
    return peak() - before, kept


def check_a_rule_has_more_for_a_moment_than_what_comes_of_it():
    for name, arrays in ARRAYS.items():
        x, g = leaf(), mg.ones(N)
        y = getattr(x, name)()
        for walk in (
            lambda y=y, x=x, g=g: y.backward(g, retain_graph=True),
            lambda y=y, x=x, g=g: grad(y, x, g),
        ):
            x.grad = None
            equal(most(walk)[0], arrays * 4 * N)


def check_what_passes_is_the_peak_and_no_more():
    mg.reset_peak_memory_stats()
    for size, highest in (0, 0), (1, 1), (1000, 1000), (10, 1000):
        storage.pass_by(size)
        equal((live(), peak()), (0, highest))


def check_a_cell_lets_go_of_what_it_has_added():
    cell, x = nn.LSTMCell(2, N), mg.ones(1, 2)
    with mg.no_grad():
        state = mg.zeros(1, N), mg.zeros(1, N)
        # Of both layers 4 N numbers each; then one of them, c, what enters it, tanh(c) and h.
        equal(most(lambda: cell(x, state))[0], 8 * 4 * N)


def check_smoothing_lets_go_of_the_weighted_rows():
    x, target, weight = leaf(1, N), mg.zeros(1, dtype=mg.int64), mg.ones(N)
    cross_entropy = nn.functional.cross_entropy
    # log_softmax and its rows by weight; the loss and its count, the rows' sum and that below 0.
    equal(most(lambda: cross_entropy(x, target, weight, label_smoothing=0.5))[0], 4 * (2 * N + 4))


def check_what_is_asked_of_each_element_has_bytes_of_its_own():
    kept = leaf().isfinite()
    equal(live(), N)
    assert kept.all()


def check_var_of_one_number_has_a_graph_of_its_own_bytes():
    x, g = (mg.ones(*shape, dtype=mg.float64, requires_grad=True) for shape in ((1,), ((),)))
    (first,) = grad(x.var(), x, g, create_graph=True)
    assert first != first
    every(first)


def check_a_layer_was_written_into_once():
    equal([p._version for p in nn.Linear(2, 1).parameters()], [1, 1])
    statistics = nn.BatchNorm1d(2, dtype=mg.float64).buffers()
    equal([b._version for b in statistics], [1, 1, 1])


def check_cumprod_has_a_second_derivative():
    x = mg.tensor([2.0, 3.0], requires_grad=True)
    (first,) = grad(x.cumprod(0).sum(), x, create_graph=True)
    equal([first.tolist(), grad(first[0], x)[0].tolist()], [[4.0, 2.0], [0.0, 1.0]])


def check_a_scaler_begins_each_turn_anew():
    x = nn.Parameter(mg.ones(1))
    optimizer, scaler = mg.optim.SGD([x], 0.5), mg.amp.GradScaler("cpu", init_scale=4.0)
    for _ in range(2):
        optimizer.zero_grad()
        scaler.scale(x * 1).backward()
        scaler.step(optimizer)
        scaler.update()
    equal(x.tolist(), [0.0])
    refuses("No inf checks", scaler.update, AssertionError)


class Passed(Observer):
    def __init__(self):
        self.sizes = []

    def passed(self, size):
        self.sizes.append(size)


def check_a_rule_that_has_no_more_says_nothing():
    for y in leaf() * 2, leaf().exp(), leaf().sum():
        with Passed() as told:
            y.backward(mg.ones(y.shape))
        equal(told.sizes, [])


def check_what_is_put_nowhere_has_bytes_of_its_own():
    y = mg.ones(2, 0, requires_grad=True) * 1
    y[[5]] = mg.ones(1, 0)
    (index,) = [t for node in nodes(y) for t in saved_by(node) if t.numel()]
    own(index)


class Kept(Function):
    """Saves what it is given, and asks for it."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x


def check_a_function_may_use_what_was_detached_in_place():
    x = leaf()
    y = x * 3
    kept = Kept.apply(y)
    y.detach_()
    kept.backward(mg.ones(N))
    equal(x.grad[0].item(), 9)
    y = x * 3
    kept = Kept.apply(y)
    y.detach_().mul_(2)
    refuses("which is output 0 of Kept, is at", lambda: kept.backward(mg.ones(N)))
    y = x * 3
    kept = Kept.apply(y)
    y.data.mul_(1)
    with mg.no_grad():
        y.mul_(2)
    refuses("which is output 0 of Mul", lambda: kept.backward(mg.ones(N)))
