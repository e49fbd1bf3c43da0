"""Nothing recurses along the graph: 50,000 nodes are built, run and dropped as three are."""

import _thread
import os
import signal
import threading
import traceback
import weakref

import pytest

import minigrad as mg
from minigrad.autograd import Function
from minigrad.core import deep
from tests.minigrad.threads import in_threads

DEEP = 50_000


def chain(x):
    for _ in range(DEEP):
        x = x * 1.0
    return x


def saving_chain(x):
    y = x
    for _ in range(DEEP):
        y = y * x
    return y


def ladder(x):
    for _ in range(DEEP):
        x = x * 0.5
        x = x + x
    return x


def long_views(x):
    for _ in range(DEEP):
        x = x.view(1)
    return x


def fan(x):
    return sum((x * 1.0 for _ in range(DEEP)), x) / (DEEP + 1)


GRAPHS = {"chain": chain, "ladder": ladder, "views": long_views, "fan": fan}


@pytest.mark.parametrize("graph", [*GRAPHS.values(), saving_chain])
def test_deep_graphs_run_backward(graph, no_collector, ledger, leaf):
    x = leaf(1)
    y = graph(x)
    y.backward()
    expected = DEEP + 1 if graph is saving_chain else 1
    assert x.grad.item() == pytest.approx(expected, rel=1e-3)
    del y
    assert ledger.live == 8  # x and x.grad


@pytest.mark.parametrize("graph", [*GRAPHS.values(), saving_chain])
def test_deep_graphs_can_be_dropped_unused(graph, no_collector, ledger, leaf):
    x = leaf(1)
    y = graph(x)
    assert y.item() is not None
    del y
    assert ledger.live == 4
    assert x._accumulator() is None  # the last node is gone too


def test_a_deep_graph_is_built_run_and_dropped_in_a_thread_too(no_collector, ledger, leaf):
    x = leaf(1)
    done = in_threads(1, lambda: (saving_chain(x).backward(), saving_chain(x).detach())[0])
    assert done == [None]
    assert ledger.live == 8


def test_grad_through_a_deep_graph(leaf):
    x = leaf(1)
    assert mg.autograd.grad(ladder(x), x)[0].item() == 1


# -- a backward inside a backward inside a backward --

INSIDE = 2000


class Inside(Function):
    """Its backward runs one that is its own, one less deep; at the bottom `bottom()` is called."""

    @staticmethod
    def forward(ctx, x, depth, bottom):
        ctx.depth, ctx.bottom = depth, bottom
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        if not ctx.depth:
            ctx.bottom()
            return grad, None, None
        with mg.enable_grad():
            inner = mg.ones(1, requires_grad=True)
            Inside.apply(inner, ctx.depth - 1, ctx.bottom).sum().backward()
        return inner.grad, None, None


def test_a_backward_2000_deep_in_others(no_collector, ledger, leaf):
    x, reached = leaf(1), []
    hooks = mg.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t)
    with hooks, mg.no_grad(), mg.enable_grad():
        Inside.apply(x, INSIDE, lambda: reached.append(mg.core.modes.state.saved_hooks)).backward()
    assert x.grad.tolist() == [1] and reached == [(hooks.hooks,)]
    assert ledger.check() == 8
    assert mg.core.modes.off == 0


def test_an_error_2000_deep_tells_each_level_once(no_collector, ledger, leaf):
    def fail():
        raise ValueError("at the bottom")

    x = leaf(1)
    y = Inside.apply(x, INSIDE, fail)
    with pytest.raises(ValueError, match="at the bottom") as caught:
        y.backward()
    frames = traceback.extract_tb(caught.tb)
    assert [f.name for f in frames].count("backward") >= INSIDE
    assert frames[-1].name == "fail"
    del caught, frames, y
    assert ledger.check() == 4
    assert mg.is_grad_enabled()


def test_an_interrupt_at_the_bottom_comes_up(leaf):
    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Inside.apply(leaf(1), INSIDE // 10, stop).backward()
    assert mg.is_grad_enabled() and mg.core.modes.off == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork()")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_that_is_forked_while_a_thread_accumulates_does_not_hang():
    shared, stop = mg.ones(200_000, requires_grad=True), threading.Event()

    def work():
        while not stop.is_set():
            (shared * 2).sum().backward()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        assert [child_ends() for _ in range(20)] == [0] * 20
    finally:
        stop.set()
        thread.join()


def child_ends():
    """A child runs a backward of its own; how it ended. One that hangs is killed by its alarm."""
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(20)
    x = mg.ones(3, requires_grad=True)
    (x * 2).sum().backward()
    os._exit(0 if x.grad.tolist() == [2] * 3 else 1)


class Late:
    """A lock whose owner lingers after it has let go."""

    def __init__(self):
        self.lock = _thread.allocate_lock()
        self.acquire = self.lock.acquire

    def release(self):
        self.lock.release()
        LINGER.acquire()


LINGER = _thread.allocate_lock()


def test_a_thread_that_is_slow_to_end_holds_nothing(monkeypatch):
    monkeypatch.setattr(deep, "allocate_lock", Late)
    x = mg.ones(3)
    gone = weakref.ref(x)
    with LINGER:
        deep.on_a_thread(lambda x=x: x + 1)
        del x
        assert gone() is None
