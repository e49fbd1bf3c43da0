"""Every method that writes, on views of all kinds: PyTorch refuses some of them, and only these."""

import itertools

import pytest

import minigrad

ROW = "m.ones(1, 2)"
GIVEN = {  # what a method is called with, if with anything
    "add_": ROW, "sub_": ROW, "copy_": ROW, "mul_": "2", "div_": "2", "pow_": "2", "fill_": "3",
    "fill_diagonal_": "3",
    "multiply_": "2", "divide_": "2", "true_divide_": "2", "subtract_": ROW,
    "remainder_": "2", "fmod_": "2", "floor_divide_": "2", "clamp_": "0, 1", "clip_": "0, 1",
    "lerp_": f"{ROW}, 0.5", "addcmul_": f"{ROW}, {ROW}", "addcdiv_": f"{ROW}, {ROW}",
    "masked_fill_": "m.tensor([[True, False]]), 1", "index_add_": f"0, m.tensor([0]), {ROW}",
    "scatter_": f"0, m.tensor([[0, 0]]), {ROW}", "scatter_add_": f"0, m.tensor([[0, 0]]), {ROW}",
}  # fmt: skip
VIEWS = {
    "a chunk": "y.chunk(2)[0]",
    "a split": "y.split(1)[0]",
    "a row": "y.unbind(0)[0].unsqueeze(0)",
    "a chunk, detached": "y.chunk(2)[0].detach()",
    "a slice": "y[:1]",
    "a slice of no_grad": "m.no_grad()(lambda: y[:1])()",
}
WRITERS = [n for n in dir(minigrad.Tensor) if n.endswith("_") and not n.startswith("_")]


def said(m, name, view, wanted) -> tuple:
    """What wants a gradient after it, or the error; of `wanted`, x does, or what is written."""
    y = m.full((2, 2), 0.5)
    given = GIVEN.get(name, "")
    if "x" in wanted:
        y = y.requires_grad_() * 1
    if "other" in wanted:
        given = given.replace("ones(1, 2)", "ones(1, 2, requires_grad=True)")
    try:
        out = eval(f"({VIEWS[view]}).{name}({given})")
    except Exception as error:
        return type(error).__name__, str(error)
    return out.requires_grad, y.requires_grad, y.is_leaf


@pytest.mark.parametrize("name", WRITERS)
def test_it_writes_to_what_pytorch_lets_it(torch, name):
    for view, wanted in itertools.product(VIEWS, ("", "x", "other", "x other")):
        ours, theirs = (said(m, name, view, wanted) for m in (minigrad, torch))
        assert ours == theirs, (view, wanted)
