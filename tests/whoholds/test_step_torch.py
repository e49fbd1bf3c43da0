"""Real PyTorch in the same events: told as minigrad's are, and nothing measured changes."""

import gc
import os
from textwrap import indent

import pytest

torch = pytest.importorskip("torch")

from course.twin.tracker import TorchTwin  # noqa: E402
from tests.whoholds.promised import told  # noqa: E402
from tests.whoholds.random_snippets import STATEMENTS, snippet  # noqa: E402
from whoholds.step import step  # noqa: E402
from whoholds.step.instrument import Run, compile_snippet  # noqa: E402
from whoholds.step.magic import run  # noqa: E402

FRESH = int(os.environ["MINIGRAD_MOVED"])  # drawn anew in each run
LINEAR = "import torch\na = torch.ones(2, 3)\nx = torch.nn.Linear(3, 3)\n"
THREAD = {
    "forward and backward in the loop": LINEAR
    + "for i in range(3):\n    y = torch.sum(x(a))\n    y.backward()",
    "backward alone in the loop": LINEAR
    + "y = torch.sum(x(a))\nfor i in range(3):\n    y.backward()",
    "a new sum on an old layer": LINEAR
    + "x_out = x(a)\nfor i in range(3):\n    y = torch.sum(x_out)\n    y.backward()",
    "a layer that saves nothing": "import torch\na = torch.ones(2, 3, requires_grad=True)\n"
    "x_out = a + 1\nfor i in range(3):\n    y = torch.sum(x_out)\n    y.backward()",
    "retained once": LINEAR
    + "y = torch.sum(x(a))\ny.backward(retain_graph=True)\ny.backward()\ny.backward()",
    "a number is saved": "import torch\na = torch.ones(1, requires_grad=True)\nc = a * 5\n"
    "c.backward()\nc.backward()",
    "the in-place trick": "import torch\nx = torch.ones(10, requires_grad=True)\na = x + 0\n"
    "b = torch.ones(10)\nc = a * b\nb += 1\nc.sum().backward()",
    "an operation of one's own": "import torch\nclass Double(torch.autograd.Function):\n"
    "    @staticmethod\n    def forward(ctx, x):\n        ctx.save_for_backward(x)\n"
    "        return x * 2\n    @staticmethod\n    def backward(ctx, grad):\n"
    "        return grad * 2\nh = torch.ones(9, requires_grad=True)\nfor i in range(2):\n"
    "    h = Double.apply(h)\nh.sum().backward()",
    "a view, a layer, a factor": "import torch\nleaf = torch.ones(6, requires_grad=True)\n"
    "a = leaf.view(2, 3)\nl = torch.nn.Linear(3, 3)\ny = l(a)\nz = y * 5\n"
    "o = z.sum()\no.backward()",
}
UNCHANGED = {
    "gradients that meet": "w = torch.ones(1000, requires_grad=True)\na = w * 2\n"
    "y = a * a + a.exp() + a.sin() + a\nz = (y + y * w + a).sum()\nz.backward()",
    "recurrent": "h = torch.zeros(1, 50)\nw = torch.ones(50, 50, requires_grad=True)\n"
    "for i in range(5):\n    h = torch.tanh(h @ w + h)\nloss = h.pow(2).sum()\n"
    "loss.backward(retain_graph=True)\nloss.backward()\ndel h, loss",
    "training": "net = torch.nn.Sequential(torch.nn.Linear(20, 30), torch.nn.ReLU())\n"
    "opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)\nx = torch.ones(64, 20)\n"
    "for i in range(3):\n    opt.zero_grad()\n    net(x).sum().backward()\n    opt.step()",
    "a gradient of a gradient": "x = torch.ones(100, requires_grad=True)\n"
    "g, = torch.autograd.grad((x * x * x).sum(), x, create_graph=True)\ng.sum().backward()",
    "checkpoints": "from torch.utils.checkpoint import checkpoint\n"
    "x = torch.ones(1000, requires_grad=True)\ndef f(v):\n    return v.exp().sin().exp()\n"
    "y = checkpoint(f, x * 2, use_reentrant=True)\ny = checkpoint(f, y, use_reentrant=False)\n"
    "y.sum().backward()",
    "views and writes": "x = torch.ones(10, 10, requires_grad=True)\n"
    "c = x.t().reshape(100).expand(3, 100).contiguous()\nc[0] += 1\n"
    "(c[0] * c[1]).sum().backward()\n"
    "x.grad = None\nx.requires_grad_(False)\nx += 1",
}


@pytest.mark.parametrize("name", THREAD)
def test_both_engines_tell_the_same(name):
    gc.collect()
    ours, theirs = step(THREAD[name]), step(THREAD[name], "torch")
    assert told(ours) == told(theirs)
    kinds = {row[0] for row in told(theirs)}
    assert {"node", "visit", "backward", "end"} <= kinds


class Alone:
    """No recorder: only the tracker, asked before each statement."""

    def __init__(self, ledger):
        self.ledger, self.live = ledger, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def back(self, line, calls):
        pass

    def tick(self, line, frame, begins, calls, again):
        self.live += [] if again else [self.ledger.live()]

    def error(self, error):
        raise error


def _counted(get_rng_state, ledger):
    """With this a checkpoint begins. No op makes the bytes, so the tracker leaves them out, as the
    card's own figures would; they are the process's, and a recording tells them.
    """

    def counted():
        state = get_rng_state()
        ledger.see(state)
        return state

    return counted


@pytest.mark.parametrize("name", UNCHANGED)
def test_recording_changes_no_byte(name, monkeypatch):
    source = "import torch\n" + UNCHANGED[name]
    with TorchTwin() as twin, monkeypatch.context() as patched:
        patched.setattr(torch, "get_rng_state", _counted(torch.get_rng_state, twin.ledger))
        alone = Alone(twin.ledger)
        Run(lambda frame: alone).execute(compile_snippet(source), {})
        peak = twin.ledger.peak
    trace = step(source, "torch")
    assert trace.error == ""
    assert [e["live"] for e in trace.events if e["kind"] == "line"] == alone.live
    assert max(e["live"] for e in trace.events) == peak > 0
    assert all(sum(e["bytes"]) == e["live"] for e in trace.events)


def test_torch_is_as_it_was_afterwards():
    before = torch.autograd._engine_run_backward, torch.autograd._make_grads
    step("import torch\n" + UNCHANGED["recurrent"], "torch")
    step("import torch\ntorch.ones(2).sum().backward()", "torch")
    assert (torch.autograd._engine_run_backward, torch.autograd._make_grads) == before


def test_nodes_and_tensors_die_with_their_names():
    trace = step("import torch\nw = torch.ones(9, requires_grad=True)\ny = w.exp()\ndel y", "torch")
    gone = [e["node"] for e in trace.events if e["kind"] == "gone"]
    assert len(gone) == sum(e["kind"] == "node" for e in trace.events) == 2
    assert trace.events[-1]["live"] == 36


def test_a_graph_that_outlives_the_recording_works_on():
    namespace = {}
    source = "import torch\nw = torch.ones(9, requires_grad=True)\ny = (w * w).sum()\n"
    run(source + "y.backward(retain_graph=True)", "torch", namespace)
    namespace["y"].backward()
    assert namespace["w"].grad.sum() == 36


HOOKED = (
    "import torch\nwith torch.autograd.graph.saved_tensors_hooks(lambda t: [t], lambda p: p[0]):\n"
)
# PyTorch asks of a saved tensor whether it was written to, and of nothing else that is saved.
WRITES = {"write", "multiply", "piece of", "write outside"}
UNHOOKED = [name for name in STATEMENTS if name not in WRITES and "pack" not in name]


@pytest.mark.parametrize("engine", ["minigrad", "torch"])
def test_what_hooks_made_of_a_saved_tensor_is_freed_as_the_tensor_is(engine):
    freed = 0
    for seed in (*range(8), *range(FRESH, FRESH + 6)):
        text = snippet(seed, kinds=UNHOOKED)
        plain, hooked = walks(text, engine), walks(HOOKED + indent(text, "    "), engine)
        assert plain == hooked, f"seed {seed}"
        freed += sum(kind == "free" for kind, _ in plain)
    assert freed, "the snippets are worth their time"


def walks(text, engine) -> list:
    """The nodes that a snippet made, and those that walks visited and freed, in order."""
    events = run(text, engine, {"hide": id}).trace.events
    return [(e["kind"], e["node"]) for e in events if e["kind"] in ("node", "visit", "free")]
