"""What a replay cannot repeat truly is refused in one sentence that names the cause."""

import copy
import ctypes
import functools
import math
import pickle
import random
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import minigrad as mg
from minigrad.replay import ReplayError, record


def setup_module():
    """Tensors of a module would live on in the ledgers of all other tests."""
    global X, W, INNER
    X, W = mg.arange(4.0) - 1.5, mg.ones(4, requires_grad=True)
    INNER, Counter.one = record(lambda x: x * 2), Counter()


def teardown_module():
    global X, W, INNER
    del X, W, INNER, Counter.one
    STORE.clear()


def refuses(function, words, *inputs):
    with pytest.raises(ReplayError, match=words) as caught:
        record(function)(*(inputs or (X,)))
    return str(caught.value)


def test_a_gpu_that_comes_into_use_on_the_way():
    def inside(x):
        with mg.cuda.simulate(1 << 20):
            return x * 2 + mg.rand(4, device="cuda").cpu()

    refuses(inside, "uses a GPU that was not in use before: start it")


def test_a_gpu_that_is_not_the_one_of_the_recording():
    with mg.cuda.simulate(1 << 20):
        x = mg.ones(2, device="cuda")
        replayed = record(lambda x: x * 2)
        assert replayed(x).tolist() == replayed(x).tolist() == [2.0, 2.0]
        with pytest.raises(ReplayError, match="argument 0 was float32 .* on cuda and is .* on cpu"):
            replayed(x.cpu())
    with mg.cuda.simulate(1 << 20), pytest.raises(ReplayError, match="the GPU in use was"):
        replayed(x)


# -- while recording: numbers that leave their tensor --

LOOKS = {
    "if": lambda x: x if x.sum() > 0 else -x,
    "item": lambda x: x * x.sum().item(),
    "float": lambda x: x * float(x.max()),
    "int": lambda x: x * int(x.sum() * 2),
    "tolist": lambda x: mg.tensor(x.tolist()),
    "numpy": lambda x: mg.tensor(x.numpy() * 2),
    "np.asarray": lambda x: mg.tensor(np.asarray(x)),
    "np.array": lambda x: mg.tensor(np.array(x)),
    "tensor": lambda x: mg.tensor([x.sum(), x.max()]),
    "format": lambda x: x * len(f"{x.sum():.2f}"),
    "repr": lambda x: x * len(repr(x)),
    "index": lambda x: x[(x.argmax())],
    "range": lambda x: x * len(range((x > 0).sum())),
    "in": lambda x: x * (1 if 0.5 in x else 2),
    "allclose": lambda x: x * (1 if mg.allclose(x, x + 1) else 2),
    "one_hot": lambda x: mg.nn.functional.one_hot((x > 0).long()) * x[:, None],
    "equal": lambda x: x * (1 if mg.equal(x, -x) else 2),
    "max of Python": lambda x: max(list(x)),
    "data_ptr": lambda x: x * (x.data_ptr() % 7),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", LOOKS)
def test_a_number_may_not_leave_its_tensor(name):
    message = refuses(LOOKS[name], "looks at a number computed from tensors")
    assert "line" in message and "lambda x" in message


def test_pickle_looks_too():
    refuses(lambda x: pickle.loads(pickle.dumps(x)) * 2, "looks at a number")


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copy_is_repeated(copied):
    replay = record(lambda x: copied(x) * 2)
    assert replay(X).tolist() == (X * 2).tolist()
    assert replay(X + 1).tolist() == (X * 2 + 2).tolist()


def test_a_parameters_number_may_not_leave_either():
    w = mg.ones(4, requires_grad=True)
    refuses(lambda x: x * w.detach().sum().item(), "looks at a number")


def test_a_mask_makes_a_shape_that_depends_on_numbers():
    refuses(lambda x: x[x > 0], "shape depends on numbers")


def test_an_index_out_of_bounds_is_seen_in_the_replay():
    replayed = record(lambda x, i: x[i])
    replayed(X, mg.tensor([0, 1]))
    assert replayed(X, mg.tensor([3, 0])).tolist() == [1.5, -1.5]
    with pytest.raises(IndexError):
        replayed(X, mg.tensor([0, 4]))


# -- while recording: what it does besides --

STORE: list = []
COUNT = 0


def count(x):
    global COUNT
    COUNT += 1
    return x * 2


class Counter:
    one: "Counter"

    def __init__(self):
        self.calls, self.last = 0, None

    def forward(self, x):
        self.last = x * 2
        return self.last


HIDDEN = threading.local()
HIDDEN.rate = 2.0


cached = functools.lru_cache(lambda: STORE)


def importing(x):
    import random as other

    return x * other.random()


def zeroing(x):
    W.grad = None
    (W * x).sum().backward()


def reading(x):
    return x if W.grad is None else x * W.grad


EFFECTS = {
    "appends": (lambda x: STORE.append(1) or x * 2, "length of STORE was 0 and is 1"),
    "counts": (count, "COUNT was 0 and is 1"),
    "keeps a tensor": (lambda x: Counter.one.forward(x), "changes what it reads: .*last"),
    "writes its argument": (lambda x: x.mul_(2), "writes into its argument"),
    "zeroes gradients": (zeroing, "touches .grad"),
    "reads old gradients": (reading, "touches .grad"),
    "seeds": (lambda x: mg.manual_seed(3) or x * 2, "calls manual_seed"),
    "hooks a leaf": (lambda x: W.register_hook(print) and x * 2, "the hooks of W"),
    "returns a graph": (lambda x: (W * x).sum(), "returns a tensor with a graph"),
    "returns an object": (lambda x: SimpleNamespace(x=x), "returns a SimpleNamespace"),
    "is cached": (lambda x: x * cached(), "cached is a _lru_cache_wrapper"),
    "imports": (importing, "uses the module random"),
    "reads an object": (lambda x: x * HIDDEN.rate, "HIDDEN is a _local, into which"),
    "random": (lambda x: x * random.random(), "uses the module random"),
    "np.random": (lambda x: x * np.random.rand(), "uses the module numpy.random"),
    "shuffles": (lambda x: x * mg.default_generator.random.integers(3), "draws random numbers"),
    "replays": (lambda x: INNER(x), "INNER is a Replay, into which"),
    "unknown": (lambda x: x * np.linalg.svd(x._array)[1], "calls svd"),
}


@pytest.mark.parametrize("name", EFFECTS)
def test_what_a_replay_would_not_repeat(name):
    global COUNT
    function, words = EFFECTS[name]
    refuses(function, words, X.view(2, 2) if name == "unknown" else X.clone())
    STORE.clear()
    COUNT = 0
    W._tensor_hooks = W.grad = None
    Counter.one = Counter()


def test_an_iterator_is_not_asked_again():
    batches = iter([mg.ones(4)] * 3)
    refuses(lambda x: x * next(batches), "gives something else at each call")


def test_a_graph_from_before_is_not_walked_again():
    h = mg.ones(4, requires_grad=True) * 2
    refuses(lambda x: (h * x).sum().backward(), "h has a graph from before")


def test_a_tensor_reached_by_an_unknown_way():
    number = id(W)
    refuses(lambda x: x * ctypes.cast(number, ctypes.py_object).value, "did not find on its way")


def test_an_argument_that_wants_a_gradient():
    refuses(lambda x: x.sum().backward(), "requires a gradient", mg.ones(4, requires_grad=True))
    refuses(lambda x: x, "an argument is a list", [1.0])


# -- at replay: what is not as it was --


def changed(function, change, words, inputs=None, again=None):
    """The call after the change is refused; with on_change="record" it gives the truth."""
    inputs = inputs or (X,)
    replayed, other = record(function), record(function, on_change="record")
    replayed(*inputs), other(*inputs)
    change()
    again = again or inputs
    with pytest.raises(ReplayError, match=words):
        replayed(*again)
    truth = function(*again)
    for _ in range(2):
        result = other(*again)
        assert truth is None or (result.tolist(), result.dtype) == (truth.tolist(), truth.dtype)


def nothing():
    pass


@pytest.mark.parametrize(
    "again, words",
    [
        (lambda: mg.ones(5), r"argument 0 was float32 \[4\] and is float32 \[5\] now"),
        (lambda: mg.ones(2, 2), r"is float32 \[2, 2\] now"),
        (lambda: mg.ones(4, dtype=mg.float64), "float64"),
        (lambda: mg.arange(4), "int64"),
        (lambda: mg.ones(8)[::2], r"\[4\] in steps of .4. bytes and .* in steps of .8. bytes now"),
    ],
)
def test_other_arguments(again, words):
    changed(lambda x: x.view(-1) * 2, nothing, words, again=(again(),))


def test_other_plain_arguments_and_fewer():
    changed(lambda x, k: x * k, nothing, "argument 1 was 2 and is 3", (X, 2), (X, 3))
    changed(lambda x, k: x * k, nothing, "was 1 and is True", (X, 1), (X, True))
    changed(lambda x, k=2: x * k, nothing, "argument 1 was 2 and is None", (X, 2), (X,))


RATE, SETTINGS = 0.5, {"depth": 2}
CONFIG = SimpleNamespace(rate=2.0)


class Scale(mg.nn.Module):
    factor = 3.0

    def __init__(self):
        self.inner = mg.nn.Linear(4, 4)
        self.sizes = [1, 2]
        self.names = {"a"}

    def forward(self, x):
        x = self.inner(x) if self.training else x
        return x.detach() * self.factor * len(self.sizes) * len(self.names)


def setting(owner, name, value):
    return lambda: setattr(owner, name, value)


def test_a_global_a_dict_a_constant_of_a_module(monkeypatch):
    patch = functools.partial(monkeypatch.setitem, globals())
    changed(lambda x: x * RATE, lambda: patch("RATE", 0.25), "RATE was 0.5 and is 0.25")
    changed(
        lambda x: x * SETTINGS["depth"], lambda: SETTINGS.update(depth=3), "SETTINGS.*2 and is 3"
    )
    changed(lambda x: x * len(SETTINGS), lambda: patch("len", lambda x: 7), "len was gone")
    changed(lambda x: x * math.pi, lambda: monkeypatch.setattr(math, "pi", 3.0), "math.pi")


def test_a_closure_a_default_a_function_that_is_called():
    depth, helper = 2, lambda x: x * 2

    def step(x):
        return helper(x) * depth

    def deeper():
        nonlocal depth
        depth = 3

    def replaced():
        nonlocal helper
        helper = lambda x: x * 5  # noqa: E731

    changed(step, deeper, "depth was 2 and is 3")
    changed(step, replaced, "helper was another object")

    def default(x, k=2):
        return x * k

    changed(default, setting(default, "__defaults__", (7,)), "a default of default")
    changed(default, setting(default, "__code__", (lambda x, k=2: x + k).__code__), "the code of")


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda net: net.eval(), "names in net are not the same .training"),
        (lambda net: setattr(Scale, "factor", 4.0), "factor was 3.0"),
        (lambda net: net.sizes.append(3), "length of .*sizes was 2 and is 3"),
        (lambda net: net.names.add("b"), "names"),
        (lambda net: setattr(net, "inner", mg.nn.Linear(4, 4)), "inner was another object"),
        (lambda net: setattr(net.inner, "bias", mg.nn.Parameter(mg.ones(4))), "bias"),
        (lambda net: setattr(net.inner.weight, "data", mg.ones(4, 4)), "data of .*weight"),
        (lambda net: net.requires_grad_(False), "requires_grad of"),
        (lambda net: net.inner.weight.register_hook(lambda g: g * 2), "hooks of .*weight"),
        (lambda net: setattr(net, "extra", 1), "names in net .*extra"),
    ],
)
def test_what_a_module_is_made_of(change, words):
    net = Scale()
    x = mg.ones(2, 4)
    try:
        changed(lambda x: net(x), lambda: change(net), words, (x,))
    finally:
        Scale.factor = 3.0


def test_a_numpy_array_and_an_object():
    table = np.ones(4)
    changed(lambda x: x * mg.tensor(table), lambda: table.fill(2), "table")
    changed(lambda x: x * CONFIG.rate, lambda: setattr(CONFIG, "rate", 3.0), "CONFIG")


class Slotted:
    __slots__ = ("rate",)


def test_smaller_things():
    sign, slotted, raw = 0.0, Slotted(), bytearray(b"2")
    slotted.rate = 2.0

    def negative():
        nonlocal sign
        sign = -0.0

    changed(lambda x: x / sign, negative, "sign was 0.0 and is -0.0")
    changed(lambda x: x * slotted.rate, setting(slotted, "rate", 3.0), "slotted.rate")
    changed(lambda x: x * raw[0], lambda: raw.extend(b"3"), "raw was")


def test_hooks_on_what_is_saved_at_the_time():
    replayed = record(lambda x: (W * x).sum().backward())
    replayed(X)
    with mg.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        with pytest.raises(ReplayError, match="saved_tensors_hooks was"):
            replayed(X)
    W.grad = None


def test_the_grad_mode():
    replayed = record(lambda x: x * 2)
    replayed(X)
    with mg.no_grad(), pytest.raises(ReplayError, match="the grad mode was True and is False"):
        replayed(X)


def test_a_gradient_edited_by_the_function_must_start_from_none():
    w = mg.ones(4, requires_grad=True)

    def clipped(x):
        (w * x).sum().backward()
        w.grad.clamp(-1, 1)
        w.grad.mul_(0.5)

    replayed = record(clipped)
    replayed(X)
    assert w.grad.tolist() == [-0.75, -0.25, 0.25, 0.75]
    with pytest.raises(ReplayError, match="changes .grad of a leaf that has one"):
        replayed(X)
    w.grad = None
    replayed(X)
    assert w.grad.tolist() == [-0.75, -0.25, 0.25, 0.75]


# -- what no guard can see, and who sees it --


def test_check_compares_with_the_function_itself(tmp_path):
    file = str(tmp_path / "rate")
    Path(file).write_text("2")

    def step(x):
        with open(file) as stream:
            return x * float(stream.read())

    blind, careful = record(step), record(step, check=2)
    for replayed in (blind, careful):
        replayed(X)
        assert replayed(X).tolist() == (X * 2).tolist()
    Path(file).write_text("3")
    assert blind(X).tolist() == (X * 2).tolist()  # silently wrong: what the docstring warns of
    with pytest.raises(ReplayError, match="differ in tensor 0"):
        careful(X)


def test_check_changes_nothing():
    w, mean = mg.ones(4, requires_grad=True), mg.zeros(4)

    def step(x):
        with mg.no_grad():
            mean.add_(x)
        ((w * x * mg.rand(4)).sum() + mean.sum()).backward()

    found = []
    for check in (0, 1):
        mg.manual_seed(3)
        mean.zero_()
        w.grad, replayed = None, record(step, check=check)
        for _ in range(3):
            replayed(X)
        found.append((w.grad.tolist(), mean.tolist(), mg.rand(1).item()))
    assert found[0] == found[1]


def test_a_recording_that_fails_leaves_nothing_to_replay():
    fails = False

    def step(x):
        return x * (1 / 0 if fails else 2)

    replayed = record(step, on_change="record")
    replayed(X)
    fails = True
    with pytest.raises(ZeroDivisionError):
        replayed(X + 1)
    fails = False
    assert replayed(X + 2).tolist() == ((X + 2) * 2).tolist()


def test_a_leaf_made_inside_is_made_anew():
    def step(x):
        inner = mg.ones(4, requires_grad=True)
        (inner * x).sum().backward()
        return inner.grad

    replayed = record(step, check=1)
    for s in (1.0, 2.0, 3.0):
        assert replayed(X * s).tolist() == (X * s).tolist()


def test_a_choice_made_by_numpy_has_one_shape():
    replayed = record(lambda x: x._new(np.flatnonzero(x._array)))
    assert replayed(mg.tensor([0.0, 1.0, 1.0])).tolist() == [1, 2]
    assert replayed(mg.tensor([1.0, 1.0, 0.0])).tolist() == [0, 1]
    with pytest.raises(ReplayError, match="shape depends on numbers"):
        replayed(mg.tensor([0.0, 1.0, 0.0]))


def test_options():
    with pytest.raises(ValueError, match="on_change must be"):
        record(lambda x: x, on_change="guess")

    @record(on_change="record")
    def step(x):
        """Twice."""
        return x * 2

    assert step(mg.ones(2)).tolist() == [2.0, 2.0]
    assert step(mg.ones(3)).tolist() == [2.0] * 3
    assert step.__doc__ == "Twice."


def test_a_result_whose_graph_no_backward_has_walked_is_refused():
    w, x = mg.ones(3, requires_grad=True), mg.ones(3)

    def another_graph(x):
        (w * x).sum().backward()
        return w * x * 2

    with pytest.raises(ReplayError, match="return it detached"):
        mg.replay.record(another_graph)(x)

    def inner_result(x):
        y = (w * x).exp()
        y.sum().backward()
        return y, y.detach()

    w.grad = None
    assert mg.replay.record(inner_result)(x)[0].tolist() == (w.detach() * x).exp().tolist()
