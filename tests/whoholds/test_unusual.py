"""Tensors of unusual kinds: each is followed, or it is said that it is not."""

import gc
from secrets import choice, randbelow

import pytest

import whoholds
from whoholds.views.head import head

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
TorchRecorder = pytest.importorskip("whoholds.on_torch.recorder").TorchRecorder
pytestmark = pytest.mark.filterwarnings("ignore")


def nested(n):
    return torch.nested.nested_tensor([torch.ones(n), torch.ones(n + 2)])


def per_channel(n):
    scales, zeros = torch.ones(n), torch.zeros(n)
    return torch.quantize_per_channel(torch.ones(n, 3), scales, zeros, 0, torch.qint8)


LAZY = {
    "parameter": lambda: torch.nn.LazyLinear(3),
    "buffer": lambda: torch.nn.LazyBatchNorm1d(),
}
KINDS = {  # a tensor of n, and the bytes that it keeps at least
    "plain": (lambda n: torch.ones(n), lambda n: 4 * n),
    "nested": (nested, lambda n: 8 * n + 8),
    "jagged": (lambda n: torch.nested.nested_tensor([torch.ones(n)], layout=torch.jagged),
               lambda n: 4 * n),
    "coo": (lambda n: torch.eye(n).to_sparse(), lambda n: 20 * n),
    "csr": (lambda n: torch.eye(n).to_sparse_csr(), lambda n: 20 * n + 8),
    "csc": (lambda n: torch.eye(n).to_sparse_csc(), lambda n: 20 * n + 8),
    "bsr": (lambda n: torch.eye(2 * n).to_sparse_bsr((2, 2)), lambda n: 16 * n),
    "quantised": (lambda n: torch.quantize_per_tensor(torch.ones(n), 1.0, 0, torch.qint8),
                  lambda n: n),
    "by channel": (per_channel, lambda n: 11 * n),
    "complex": (lambda n: torch.ones(n, dtype=torch.complex64).conj(), lambda n: 8 * n),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_what_grows_is_found_whatever_its_kind(kind):
    make, size = KINDS[kind]
    n, kept = randbelow(60) + 4, []
    growth = whoholds.grows(lambda: kept.append(make(n)), engine="torch")
    assert growth.bytes >= size(n) and not growth.unknown, (n, str(growth))
    assert all(who.startswith("kept") for _, who, _ in growth.rows), (n, str(growth))


@pytest.mark.parametrize("there", [*KINDS, *LAZY])
def test_what_grows_is_found_whatever_else_is_there(there):
    n, kept = randbelow(60) + 4, []
    other = LAZY[there]() if there in LAZY else KINDS[there][0](n)
    growth = whoholds.grows(lambda: kept.append(torch.ones(1000)), engine="torch")
    assert growth.bytes == 4000 and growth.rows[0][1] == "kept" and other is not None
    assert growth.lost == []
    assert not whoholds.grows(lambda: other is None, engine="torch")


def test_a_lazy_net_is_followed_when_it_has_become_real():
    net = torch.nn.Sequential(torch.nn.LazyLinear(8), torch.nn.ReLU(), torch.nn.LazyLinear(1))
    outputs = []

    def turn():
        outputs.append(net(torch.ones(32, 16)))

    growth = whoholds.grows(turn, engine="torch")
    assert growth.bytes >= 32 * 4 and "held by outputs" in str(growth) and not growth.lost


def test_an_encoder_that_makes_a_nested_tensor_is_followed():
    layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    encoder = torch.nn.TransformerEncoder(layer, 2).eval()
    mask = torch.tensor([[0, 0, 0, 0, 0], [0, 0, 0, 1, 1]]).bool()
    outputs = []

    def turn():
        with torch.no_grad():
            outputs.append(encoder(torch.ones(2, 5, 16), src_key_padding_mask=mask))

    growth = whoholds.grows(turn, engine="torch")
    assert growth.bytes == 640 and growth.rows[0][1] == "outputs"


def test_a_gradient_that_is_sparse_is_held_by_its_parameter():
    rows, wide = randbelow(9) + 2, randbelow(9) + 2
    emb = torch.nn.Embedding(100, wide, sparse=True)

    def turn():
        emb(torch.zeros(rows, dtype=torch.long)).sum().backward()

    growth = whoholds.grows(turn, engine="torch")
    assert growth.bytes == rows * (8 + 4 * wide) and {r[1] for r in growth.rows} == {"emb.grad"}
    kept = [emb.weight.grad]
    assert "kept[0]" in str(whoholds.who(emb.weight.grad._values())) and kept


# -- what cannot be followed --


def test_what_is_left_out_is_said_and_where_it_grows_nothing_is_called_steady():
    if not torch.backends.mkldnn.is_available():
        pytest.skip("no tensor without a storage here")
    kept = [torch.ones(4).to_mkldnn()]
    there = whoholds.grows(lambda: len(kept), engine="torch")
    assert not there
    grown = whoholds.grows(lambda: kept.append(torch.ones(4).to_mkldnn()), engine="torch")
    assert grown and "steady:" not in str(grown) and "it has no storage" in str(grown)
    with pytest.raises(AssertionError, match="not followed: Tensor: of layout _mkldnn"):
        whoholds.assert_steady(lambda: kept.append(torch.ones(4).to_mkldnn()), engine="torch")


@pytest.mark.parametrize("detail", ["tensor", "line", "module"])
def test_a_recorder_that_has_failed_says_so_in_every_text(detail):
    net = torch.nn.Linear(2, 2)
    with whoholds.record(engine="torch", detail=detail) as trace:
        net(torch.ones(1, 2))
        trace_of(trace).guarded(lambda: 1 / 0)
        net(torch.ones(1, 2))
    assert "not followed from here on: ZeroDivisionError" in str(trace)
    assert "ZeroDivisionError" in str(trace.to_json())
    if detail == "tensor":
        assert "ZeroDivisionError" in head({"": trace}) and "line 0" not in str(trace)


def trace_of(trace):
    """The recorder behind a trace or a table."""
    if hasattr(trace, "recorder"):
        return trace.recorder
    return next(one for one in gc.get_objects() if getattr(one, "report", None) is trace)


def test_growth_of_a_recorder_that_has_failed_is_not_called_steady():
    turns = iter([False, choice([False, True]), True, True, True])

    def turn():
        if next(turns):
            next(one for one in gc.get_objects() if type(one) is TorchRecorder).guarded(int, "x")

    with pytest.raises(AssertionError, match="not known to be steady\nnot followed from here on"):
        whoholds.assert_steady(turn, engine="torch")


def test_no_mode_and_no_class_of_the_program_is_asked():
    """What is asked of tensors is none of the program's business."""
    asked = []

    class Log(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            asked.append(func.__name__)
            return func(*args, **(kwargs or {}))

    class Mine(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            asked.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs or {})

    def work():
        asked.clear()
        with Log():
            x = torch.ones(3).as_subclass(Mine).requires_grad_()
            y = [(x * i).view(-1) for i in range(3)]
            y[0].sum().backward()
            y = None
        return list(asked)

    plain = work()
    for detail in "tensor", "line", "module":
        with whoholds.record(engine="torch", detail=detail):
            assert work() == plain, detail
