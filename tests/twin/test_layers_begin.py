"""What draws the numbers that a layer begins with: reset_parameters(), which a class may override.

Layers by chance, made, reset and overridden. PyTorch's methods give the numbers that minigrad
draws, so that the order of the draws and their bounds are compared; so are the bytes.
"""

import os
import random

import pytest

import minigrad
from tests.twin import registry
from tests.twin.first_numbers import minigrads_numbers

FIRST = int(os.environ["MINIGRAD_MOVED"])
LAYERS = """
Linear(3, 2)|Linear(3, 2, bias=False)|Linear(0, 2)|Linear(2, 0)|Linear(2, 3, False)|PReLU(3, 0.5)
LayerNorm((2, 3))|LayerNorm(3, bias=False)|LayerNorm(3, 0.1, False)|PReLU()|BatchNorm1d(3)
BatchNorm2d(2, affine=False)|BatchNorm2d(2, track_running_stats=False)|BatchNorm1d(3, bias=False)
Embedding(4, 3)|Embedding(4, 3, padding_idx=-1)|Embedding(4, 3, None, None, 2.0, True)
Conv1d(2, 4, 3)|Conv2d(2, 4, (3, 2), groups=2, bias=False)|ConvTranspose1d(2, 4, 3)
ConvTranspose2d(4, 2, 3, groups=2)|RNN(3, 2, 2, 'relu')|RNN(3, 2, 1, 'tanh', False, True)
LSTM(3, 2, 2, True, True)|LSTM(3, 2, bidirectional=True)|GRU(3, 2, bias=False)|RNNCell(3, 2)
LSTMCell(3, 2, False)|GRUCell(3, 2)|MultiheadAttention(4, 2)|MultiheadAttention(4, 2, bias=False)
GroupNorm(2, 4)|GroupNorm(1, 2, bias=False)|InstanceNorm1d(2)|InstanceNorm2d(3, affine=True)
InstanceNorm3d(2, track_running_stats=True)|RMSNorm(3)|RMSNorm((2, 3), 1e-3)
TransformerEncoderLayer(4, 2, 5)|MultiheadAttention(4, 2, 0.0, False, False, False, None, 4, True)
"""
NAMES = "reset_parameters", "_reset_parameters", "reset_running_stats"
CHANGES = None, "nothing", "its own", "twice", "constants"  # of an override, if there is one
PLACED = "", ", device='cpu'", ", dtype=mg.float64", ", dtype=mg.float16, device='cpu'"


def overridden(mg, kind, change, calls):
    """A class whose ways to begin are noted."""

    def way(name):
        def reset(self):
            calls.append([name, sorted(self.state_dict())])
            if change == "constants":
                for p in self.parameters():
                    mg.nn.init.constant_(p, 0.25)
            for _ in range({"its own": 1, "twice": 2}.get(change, 0)):
                getattr(kind, name)(self)

        return reset

    return type("Own", (kind,), {name: way(name) for name in NAMES if hasattr(kind, name)})


def drawn(seed) -> tuple:
    """A layer, what an override does, what is called later, and where the layer shall lie."""
    draw = random.Random(seed)
    code = draw.choice([code for line in LAYERS.split("\n") for code in line.split("|") if code])
    return code, draw.choice(CHANGES), draw.choices(NAMES, k=draw.randint(0, 2)), placed(draw)


def placed(draw) -> str:
    return draw.choice(PLACED) if draw.random() < 0.4 else ""


def told(mg, out, seed, peaks) -> None:
    """The state of a layer, after it was made and after it was reset."""
    code, change, again, where = drawn(seed)
    minigrad.manual_seed(seed)
    name, calls = code.partition("(")[0], []
    kind = getattr(mg.nn, name)
    names = {"mg": mg, "kind": overridden(mg, kind, change, calls) if change else kind}
    text = f"kind{code.removeprefix(name)[:-1]}{where})".replace("(, ", "(")
    live = mg.memory_allocated()
    mg.reset_peak_memory_stats()
    module = out.warned("warns", eval, text, names)
    out("bytes", mg.memory_allocated() - live)
    peaks.append(mg.max_memory_allocated() - live)
    for name in again:
        if hasattr(module, name):
            out.warned(name, getattr(module, name))
    kept = list(module.state_dict(keep_vars=True).items())
    out("kinds", [[name, t._version, t.requires_grad, str(t.dtype)] for name, t in kept])
    if change != "nothing" and "64" not in where:  # of which minigrad draws fewer digits
        out("state", [[name, t.detach()] for name, t in kept])
    out("calls", calls)
    out("left out", [name for name in ("weight", "bias") if getattr(module, name, 0) is None])
    out("looks", repr(module))


def program(seed, peaks):
    def run(mg, out):
        with minigrads_numbers(mg):
            told(mg, out, seed, peaks)

    return run


@pytest.mark.parametrize("turn", range(4))
def test_a_layer_begins_as_pytorchs(live_torch, turn):
    for seed in range(FIRST + 1000 * turn, FIRST + 1000 * turn + 60):
        peaks, what = [], f"seed {seed}, {drawn(seed)}"
        close = (2e-3, 2e-3) if "float16" in drawn(seed)[3] else (2e-6, 1e-6)
        registry.check_alike(program(seed, peaks), live_torch, close, what)
        assert peaks[1] <= peaks[0], what
