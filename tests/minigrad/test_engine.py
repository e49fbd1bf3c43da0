"""Backward frees by reference counts alone, at any depth, in any thread, whatever goes wrong."""

import gc
import threading
import time

import pytest

import minigrad as mg
from minigrad import nn
from minigrad.autograd import Function
from minigrad.autograd.function import BackwardCFunction
from minigrad.core import modes
from minigrad.memory.saves import nodes
from tests.minigrad.rules import RULES, uses
from tests.minigrad.threads import in_threads

ON_GPU = True  # too: see conftest.py

N = 1000  # elements of the tensors whose bytes are watched: 4 * N bytes each


class Double(Function):
    """2 x, saving what it could do without."""

    @staticmethod
    def forward(ctx, x):
        result = x * 2
        ctx.save_for_backward(x, result)
        ctx.factor = 2
        return result

    @staticmethod
    def backward(ctx, grad):
        x, result = ctx.saved_tensors
        return grad * ctx.factor


# -- nothing is left behind --


def training_step(model, optimizer, x, target):
    optimizer.zero_grad()
    hidden = Double.apply(model(x))
    hidden.retain_grad()
    handle = hidden.register_hook(lambda grad: grad * 1.0)
    hidden.grad_fn.register_prehook(lambda grads: None)
    loss = nn.functional.mse_loss(hidden, target)
    mg.autograd.grad(loss, [hidden, model[0].weight], retain_graph=True)
    loss.backward()
    assert hidden.grad is not None
    handle.remove()
    optimizer.step()


def test_a_training_step_leaves_no_byte_and_no_object(no_collector, ledger):
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3), nn.Tanh())
    optimizer = mg.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    x, target = mg.rand(5, 4), mg.rand(5, 3)
    model[0].weight.register_hook(lambda grad: None)
    model[2].bias.register_post_accumulate_grad_hook(lambda p: None)
    training_step(model, optimizer, x, target)
    optimizer.zero_grad()
    steady = ledger.check()
    for _ in range(3):
        training_step(model, optimizer, x, target)
        optimizer.zero_grad()
        assert ledger.check() == steady
    assert ours_unreachable() == []
    del model, optimizer, x, target
    assert ledger.check() == 0
    assert ours_unreachable() == []


def ours_unreachable():
    """The engine's objects that only the collector could have freed."""
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        gc.collect()
        return [o for o in gc.garbage if type(o).__module__.startswith("minigrad")]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()


def test_the_search_for_leftovers_can_find_one(no_collector):
    y = mg.ones(2, requires_grad=True) * 2
    y.grad_fn.metadata["a cycle"] = y
    del y
    assert ours_unreachable()


def test_no_rule_leaves_a_byte(no_collector, ledger):
    for name in RULES:
        before = ledger.check()
        for function, leaves in uses(name):
            out = function(*leaves)
            wanted = [t for t in leaves if t.requires_grad]
            mg.autograd.grad(out, wanted, mg.ones_like(out), allow_unused=True)
        del out, function, leaves, wanted
        assert ledger.check() == before, name


def keeper(kept):
    def prehook(grads):
        kept.extend((g, g._array.copy(), g._version) for g in grads if g is not None)

    return prehook


@pytest.mark.parametrize("retain_graph", [True, False])
def test_backward_writes_into_no_gradient_that_somebody_holds(retain_graph):
    for name in RULES:
        for function, leaves in uses(name):
            out = function(*leaves) * 1
            kept: list = []
            for node in nodes(out):
                node.register_prehook(keeper(kept))
            for _ in range(1 + retain_graph):  # the second time adds to .grad
                out.backward(mg.ones_like(out) * 1.5, retain_graph=retain_graph)
            assert len(kept) >= 2
            for g, values, version in kept:
                assert (g._array == values).all() and g._version == version, name


# -- threads --


def test_threads_add_up_in_a_shared_leaf(fast_switches, ledger, leaf):
    x = leaf(50)

    def work():
        for _ in range(100):
            (x * 2 + x).sum().backward()

    assert in_threads(6, work) == [None] * 6
    assert x.grad.tolist() == [6 * 100 * 3] * 50
    assert ledger.check() == 2 * 200


def test_adding_to_a_leaf_is_one_step(monkeypatch, leaf):
    def slowly(self, other):
        total = self._array + other._array
        time.sleep(0.002)  # the moment in which another thread's gradient would be lost
        self._array[...] = total

    monkeypatch.setattr(mg.Tensor, "_add_in_place", slowly)
    x = leaf(3)
    x.grad = mg.zeros(3)
    assert in_threads(8, lambda: (x * 2).sum().backward()) == [None] * 8
    assert x.grad.tolist() == [16] * 3


def test_threads_may_share_one_retained_graph(fast_switches, leaf):
    x = leaf(50)
    y = (x.exp() * 0).sum() + x.sum()

    def work():
        for _ in range(50):
            y.backward(retain_graph=True)

    assert in_threads(4, work) == [None] * 4
    assert x.grad.tolist() == [200] * 50


# -- a backward inside a backward --


def nested(depth):
    class Nested(Function):
        """The gradient is computed by another backward."""

        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            with mg.enable_grad():
                inner = x.detach().requires_grad_()
                (nested(depth - 1)(inner) if depth else inner * 1).backward(grad)
            return inner.grad

    return Nested.apply


@pytest.mark.parametrize("waiting", [False, True])
def test_backward_inside_backward_60_deep(no_collector, ledger, leaf, waiting):
    """Nothing stays on the other thread, also where a hook waits for several gradients."""
    x = leaf(3)
    hook = mg.autograd.graph.register_multi_grad_hook((x,) * waiting, lambda grads: None)
    nested(60)(x).sum().backward()
    assert x.grad.tolist() == [1, 1, 1]
    assert ledger.check() == 24
    hook.remove()
    assert mg.is_grad_enabled()


# -- ctx is the learner's: any name may be written on it, as in PyTorch --

# What a Function calls itself is its own to break; two are read-only in PyTorch, too.
INTERFACE = {"apply", "save_for_backward", "saved_tensors", "metadata", "needs_input_grad"}
WRITABLE = sorted(
    name
    for name in dir(BackwardCFunction)
    if not name.startswith("_") and name not in INTERFACE | {"next_functions"}
)


@pytest.mark.parametrize("name", [*WRITABLE, "saved", "order", "run", "hooks", "meta", "anything"])
def test_a_name_written_on_ctx_changes_nothing_else(ledger, leaf, name):
    class Noted(Function):
        @staticmethod
        def forward(ctx, x):
            setattr(ctx, name, "mine")
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            assert getattr(ctx, name) == "mine"
            return grad * 2 * ctx.saved_tensors[0]

    x = leaf(3)
    y = Noted.apply(x)
    assert [row["node"] for row in mg.memory.saved(y)] == ["NotedBackward"]
    (y * 1).sum().backward()
    assert x.grad.tolist() == (2 * x.detach()).tolist()
    with pytest.raises(RuntimeError, match="second time"):
        y.sum().backward()
    del y
    assert ledger.check() == 24


# -- what goes wrong in the middle --


class Fails(Function):
    """Its backward raises."""

    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        raise ValueError("spoilt")


def stop(*_):
    raise KeyboardInterrupt


def divide(*_):
    return 1 // 0


def freed(a):
    """A node whose buffers are gone."""
    middle = a.exp()
    mg.autograd.grad(middle.sum(), a)
    return middle


def hooked(register, hook):
    def middle(a):
        out = a * 1
        getattr(out.grad_fn if register != "register_hook" else out, register)(hook)
        return out

    return middle


MIDDLES = {
    "custom backward": (Fails.apply, ValueError),
    "freed buffers": (freed, RuntimeError),
    "tensor hook": (hooked("register_hook", divide), ZeroDivisionError),
    "pre-hook": (hooked("register_prehook", divide), ZeroDivisionError),
    "post-hook": (hooked("register_hook", divide), ZeroDivisionError),
    "Ctrl-C in a hook": (hooked("register_hook", stop), KeyboardInterrupt),
    "Ctrl-C in a pre-hook": (hooked("register_prehook", stop), KeyboardInterrupt),
    "rubbish from a hook": (hooked("register_hook", lambda g: 5), TypeError),
}


def caught(function):
    try:
        function()
    except BaseException as error:
        return error


def broken_graph(x, middle):
    """Five branches whose gradients wait while the sixth, older ones, fails."""
    a = x * 1
    bad = middle(a)
    others = [a * k for k in (1.0, 2.0, 3.0, 4.0, 5.0)]
    return sum((other.sum() for other in others), (bad * 1).sum())


@pytest.mark.parametrize("name", MIDDLES)
def test_gradients_in_flight_do_not_outlive_an_exception(name, no_collector, ledger, leaf):
    middle, kind = MIDDLES[name]
    x = leaf(N)
    y = broken_graph(x, middle)
    before = ledger.check()
    error = caught(y.backward)
    assert type(error) is kind
    mine = 0 if name == "freed buffers" else 4 * N  # what the failing function was given
    assert ledger.check() - before <= mine + 4  # and the 1 that backward() began with
    del error
    assert ledger.check() == before
    assert x.grad is None
    assert mg.is_grad_enabled()


@pytest.mark.parametrize("name", MIDDLES)
def test_the_engine_works_after_an_exception(name, no_collector, ledger, leaf):
    x = leaf(N)
    y = broken_graph(x, MIDDLES[name][0])
    error = caught(y.backward)
    del y
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2] * N
    del error
    assert ledger.check() == 8 * N
    assert ours_unreachable() == []


def test_what_has_run_stays_freed_and_accumulated(leaf):
    first, second = leaf(2), leaf(2)
    bad = Fails.apply(second) * 1
    good = first.exp()
    y = (good + bad).sum()
    with pytest.raises(ValueError, match="spoilt"):
        y.backward()
    assert first.grad is not None and second.grad is None
    with pytest.raises(RuntimeError, match="a second time"):
        good.sum().backward()


def test_threads_that_switch_recording_off_leave_the_others_alone(fast_switches):
    before = modes.off
    recorded = []

    def work(quiet):
        x = mg.ones(2, requires_grad=True)
        for _ in range(2000):
            with mg.set_grad_enabled(not quiet):
                recorded.append((x * x).requires_grad is not quiet)

    threads = [threading.Thread(target=work, args=(i % 2 == 0,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(recorded) == 8000 and all(recorded)
    assert modes.off == before
