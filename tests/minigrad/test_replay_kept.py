"""What a replay that fails leaves behind, and ways in which a recording was silently wrong."""

import pytest

import minigrad as mg
from minigrad.replay import ReplayError, record

ON_GPU = True  # too: see conftest.py


@pytest.fixture
def w():
    return mg.ones(4, requires_grad=True)


@pytest.fixture
def x():
    return mg.arange(4.0)


def test_a_replay_that_fails_half_way_leaves_the_gradient_from_before(w, x):
    def step(x, i):
        (w * x).sum().backward()
        return x[i]

    replayed, inside = record(step), mg.tensor([0, 1])
    replayed(x, inside)
    with pytest.raises(IndexError):
        replayed(x * 3, mg.tensor([0, 9]))
    assert w.grad.tolist() == x.tolist()
    replayed(x, inside)
    assert w.grad.tolist() == (x * 2).tolist()


@pytest.mark.parametrize("text, error", [("3", ReplayError), ("stop", KeyboardInterrupt)])
def test_a_check_that_fails_leaves_the_gradient_from_before(w, x, tmp_path, text, error):
    path = str(tmp_path / "number")

    def step(x):
        with open(path) as file:
            number = file.read()
        if number == "stop":
            raise KeyboardInterrupt
        (w * x * float(number)).sum().backward()

    (tmp_path / "number").write_text("2")
    replayed = record(step, check=1)
    replayed(x)
    (tmp_path / "number").write_text(text)
    with pytest.raises(error):
        replayed(x)
    assert w.grad.tolist() == (x * 2).tolist()


def test_a_refusal_that_the_function_catches_is_a_refusal(x):
    def step(x):
        try:
            scale = x.sum().item()
        except Exception:
            scale = 0.0
        return x * scale

    with pytest.raises(ReplayError, match="looks at a number"):
        record(step)(x)


def test_an_argument_on_the_bytes_that_the_function_writes(x):
    state = mg.ones(4)

    def step(x):
        state.mul_(2)
        return x + state

    with pytest.raises(ReplayError, match="writes into its argument"):
        record(step)(state)
    replayed = record(step)
    replayed(x)
    with pytest.raises(ReplayError, match="shares its bytes with a tensor that the function"):
        replayed(state)


def test_minus_zero_is_another_argument(x):
    replayed = record(lambda x, k: x / k)
    replayed(x, 0.0)
    with pytest.raises(ReplayError, match=r"was 0\.0 and is -0\.0"):
        replayed(x, -0.0)


def test_a_gradient_that_does_not_arrive_leaves_the_one_from_before(monkeypatch):
    w = mg.ones(4, requires_grad=True)
    w.grad = mg.ones(4)

    def stop(node, grad):
        raise KeyboardInterrupt

    def step():
        w.sum().backward()

    monkeypatch.setattr("minigrad.core.node.AccumulateGrad.accumulate", stop)
    with pytest.raises(KeyboardInterrupt):
        record(step)()
    assert w.grad.tolist() == [1, 1, 1, 1]


def test_a_replay_adds_to_a_gradient_and_to_nothing_on_its_bytes(w, x):
    outside = mg.ones(4)

    def step(x):
        given = x * 2
        w.view(2, 2).backward(given.view(2, 2))
        w.view(2, 2).backward(outside.view(2, 2))
        return given

    replayed = record(step)
    for s in (1.0, 2.0, 3.0):
        assert replayed(x * s).tolist() == (x * s * 2).tolist()
    assert w.grad.tolist() == (x * 12 + 3).tolist() and outside.tolist() == [1.0] * 4
