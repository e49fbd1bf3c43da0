"""Layers in all of PyTorch's forms: by position, with a size that is asked for, overridden."""

import os
import random

import pytest

import minigrad

FIRST = int(os.environ["MINIGRAD_MOVED"])
FORMS = """
Linear(2, 3, True, 'cpu', mg.float64)|LayerNorm(3, 1e-5, True, False, None, mg.float16)
BatchNorm1d(3, 1e-5, 0.1, True, True, None, mg.float64)|BatchNorm2d(3, bias=False)
BatchNorm1d(3, 1e-5, 0.1, False, bias=False)|Embedding(3, 2, None, None, 2., False, False)
Embedding(3, 2, 1, None, 2., True, False, None, False, 'cpu', mg.float64)
Embedding(3, 2, _weight=mg.ones(3, 2), _freeze=True)|Embedding(3, 2, None, _weight=mg.ones(2, 2))
Embedding(3, 2, _freeze=True)|Embedding.from_pretrained(mg.ones(3, 2), False, 1, None, 2., True)
Conv1d(1, 2, 3, 1, 0, 1, 1, False, 'zeros', None, mg.float64)|Linear(2, 3, dtype=mg.int64)
ConvTranspose1d(1, 2, 3, 2, 0, 1, 1, True, 1, 'zeros', 'cpu', mg.float64)|PReLU(2, 0.5, None, None)
RNN(2, 3, 1, 'tanh', True, True)|RNN(2, 3, 2, 'relu', False, False, 0.5, True, 0, None, mg.float64)
LSTM(2, 3, 2, True, True, 0., True, 0, 'cpu', mg.float64)
GRU(2, 3, 1, False, True, dtype=mg.float64)
RNNCell(2, 3, True, 'relu', None, mg.float64)|LSTMCell(2, 3, False, 'cpu', mg.float64)
MultiheadAttention(4, 2, 0.1, True, False, False, None, 4, True, 'cpu', mg.float64)
TransformerEncoderLayer(4, 2, 8, 0.1, 'gelu', 1e-3, True, True, False, None, mg.float64)
functional.embedding(mg.tensor([0]), mg.ones(2, 2), None, None, 2.0, True, False)
functional.interpolate(mg.ones(1, 1, 2, 2), None, 2, 'nearest', None, None)
functional.interpolate(mg.ones(1, 1, 2, 2), None, 2, 'bilinear', False, False, False)
functional.softmax(mg.ones(2), 0, mg.float64)|functional.softmax(mg.ones(2), 0, 3, mg.float64)
functional.log_softmax(mg.ones(2), 0, 5, mg.float64)
functional.softmin(mg.ones(2), 0, 3, mg.float64)
functional.softmin(mg.ones(2), 0, _stacklevel=4)|functional.log_softmax(mg.ones(2), 0, mg.float16)
functional.batch_norm(mg.ones(3, 2), None, mg.ones(2), training=True)
functional.batch_norm(mg.ones(3, 2), mg.ones(2), None)|Sequential(None)|Sequential(ReLU(), None)(1)
functional.batch_norm(mg.ones(3, 2), mg.ones(2), None, mg.ones(4))
CELU(0.5)|CELU(1, True)|Softshrink()|Softshrink(1)|Hardshrink(0.25)|Threshold(1, 2.0)
Threshold(0.5, -1, True)|functional.celu(mg.ones(2), 0.5, True)
functional.threshold(mg.ones(2), 1, 2.0, True)|functional.softshrink(mg.ones(2), 0.25)
SoftMarginLoss(None, None, 'sum')|GLU(0)|Hardswish(True)|Hardsigmoid(True)|RMSNorm(3, 0.1, False)
RMSNorm([2, 3], None, True, 'cpu', mg.float64)|Unflatten(1, (2, 2))|Unflatten(0, [1, 2])
functional.rms_norm(mg.ones(2, 3), (3,), None, 0.1)|functional.glu(mg.ones(2, 2), 1)
functional.soft_margin_loss(mg.ones(2), mg.ones(2), None, None, 'sum')
MarginRankingLoss(0.5, None, None, 'sum')|HingeEmbeddingLoss(2, True, False)
CosineEmbeddingLoss(0.5, None, None, 'none')
TripletMarginLoss(1., 2., 1e-3, True, None, None, 'sum')
PoissonNLLLoss(False, True, None, 0.5, None, 'sum')|GaussianNLLLoss(full=True, eps=1.)
functional.poisson_nll_loss(mg.ones(2), mg.ones(2), False, True, None, 0.5, None, 'sum')
functional.triplet_margin_loss(mg.ones(2), mg.ones(2), mg.ones(2), 1., 2., 1e-3, True, None, None)
GroupNorm(2, 4, 1e-3, False, 'cpu', mg.float64)|InstanceNorm1d(3, 1e-3, 0.2, True, True, None)
InstanceNorm2d(3, bias=False)|functional.group_norm(mg.ones(2, 4), 2, None, None, 0.1)
functional.instance_norm(mg.ones(1, 2, 3), None, None, None, None, True, 0.1, 1e-3)
MaxPool1d(2, 1, 0, 1, True, False)(mg.ones(1, 4))|AvgPool1d(2, 1, 1, True, False)(mg.ones(1, 4))
Embedding(3, 2, _freeze=True).sparse
"""


def said(m, code) -> list:
    """What it looks like, its parameters; or the error."""
    try:
        made = eval(code, {"mg": m, **vars(m.nn)})
    except Exception as error:
        return [type(error).__name__, *str(error).split("\n")[:1]]
    if not hasattr(made, "named_parameters"):
        return [str(made)]
    own = [[n, list(p.shape), str(p.dtype), p.requires_grad] for n, p in made.named_parameters()]
    buffers = [[n, t.tolist(), str(t.dtype)] for n, t in made.named_buffers()]
    return [repr(made), made.training, own, buffers]


@pytest.mark.parametrize("code", [c for line in FORMS.split("\n") for c in line.split("|") if c])
def test_a_form_is_taken_as_pytorch_takes_it(torch, code):
    theirs, ours = (said(m, code) for m in (torch, minigrad))
    assert repr(theirs) == repr(ours).replace("minigrad.", "torch.")


def enlarged(m, seed) -> list:
    """A transposed convolution, asked for a size that it can have, or can not."""
    draw = random.Random(seed)
    axes, step, kernel, padding = (draw.randint(1, 2), *(draw.randint(1, 3) for _ in range(3)))
    layer = getattr(m.nn, f"ConvTranspose{axes}d")
    made = layer(2, 3, kernel, step, padding % kernel, dilation=draw.randint(1, 2), bias=False)
    m.nn.init.constant_(made.weight, 0.5)
    x = m.ones(*[2][: draw.randint(0, 1)], 2, *(draw.randint(3, 5) for _ in range(axes)))
    least = made(x).shape
    size = [
        n + draw.choice([*range(step), -1, step]) * (draw.random() < 0.7) for n in least[-axes:]
    ]
    size = [*least[:-axes], *size] if draw.random() < 0.3 else size
    size = tuple(size) if draw.random() < 0.3 else size[draw.random() < 0.05 :]
    try:
        return made(x, size).tolist()
    except Exception as error:
        return [type(error).__name__, str(error)]


def test_a_size_is_asked_for(torch):
    for seed in range(FIRST, FIRST + 300):
        theirs, ours = (enlarged(m, seed) for m in (torch, minigrad))
        assert theirs == ours, f"seed {seed}"


def steps(m) -> list:
    """Layers some of whose steps are their class's own."""

    class Conv(m.nn.Conv2d):
        def _conv_forward(self, input, weight, bias):
            return super()._conv_forward(input, weight * 0 + 2, bias) + 1

    class Norm(m.nn.BatchNorm2d):
        def _check_input_dim(self, input):
            calls.append(input.dim())

    class Named(m.nn.ReLU):
        def _get_name(self):
            return "Zed"

    calls: list = []
    conv = Conv(1, 1, 1, bias=False)(m.ones(1, 1, 1, 1)).tolist()
    norm = Norm(2)(m.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])).tolist()
    return [
        conv,
        [[round(n, 4) for n in row] for row in norm],
        calls,
        repr(m.nn.Sequential(Named())),
    ]


def test_the_steps_of_a_layer_may_be_overridden(torch):
    assert steps(torch) == steps(minigrad)


def normed(m, seed) -> list:
    """A norm that may lack one of its statistics, in training or not."""
    draw = random.Random(seed)
    norm = m.nn.BatchNorm1d(2, momentum=draw.choice([None, 0.5]), affine=draw.random() < 0.5)
    for name in ("running_mean", "running_var", "num_batches_tracked"):
        if draw.random() < 0.4:
            setattr(norm, name, None)
    norm.track_running_stats = draw.random() < 0.7
    norm.train(draw.random() < 0.7)
    try:
        found = norm(m.tensor([[1.0, 2.0], [3.0, 5.0], [5.0, 6.0]])).tolist()
    except Exception as error:
        found = [type(error).__name__, str(error)]
    return [found, {name: t.tolist() for name, t in norm.named_buffers()}]


def test_a_norm_without_one_of_its_statistics(torch):
    for seed in range(FIRST, FIRST + 200):
        theirs, ours = (rounded(normed(m, seed)) for m in (torch, minigrad))
        assert theirs == ours, f"seed {seed}"


def rounded(found):
    """Lists and dicts, with numbers of few digits."""
    if isinstance(found, dict):
        return {name: rounded(one) for name, one in found.items()}
    if isinstance(found, list):
        return [rounded(one) for one in found]
    return round(found, 4) + 0.0 if isinstance(found, float) else found
