"""Sentences about a dtype, a shape of rows and a loss's arguments, word for word."""

import pytest

import minigrad
from tests.twin import wrong_kinds

DTYPES = "'float'", "3", "[1]"
MADE = (
    "mg.zeros(2, {}) | mg.ones(2, {}) | mg.empty(2, {}) | mg.full((2,), 1, {}) | "
    "mg.zeros_like(x, {}) | mg.ones_like(x, {}) | mg.tensor([1.0], {}) | mg.as_tensor([1], {}) | "
    "x.new_zeros(2, {}) | x.new_tensor([2], {}) | x.softmax(0, {})"
).split(" | ")
ROWS = "3", "'a'", "None", "x", "2.5", "[3.0]", "(True,)", "[None]"
LOSSES = (
    "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy"
    " binary_cross_entropy_with_logits".split()
)
GIVEN = "x, 3", "3, x", "x, None", "[1.0], x", "'a', x"
LINES = [line.format(f"dtype={dtype}") for line in MADE for dtype in DTYPES]
LINES += [f"mg.nn.functional.layer_norm(x, {rows})" for rows in ROWS]
LINES += [f"mg.nn.functional.{loss}({given})" for loss in LOSSES for given in GIVEN]
LINES += [f"mg.nn.{name}()({g})" for name in ("L1Loss", "MSELoss", "BCELoss") for g in GIVEN]


@pytest.mark.parametrize("line", LINES)
def test_the_sentence_is_pytorchs(torch, line):
    assert wrong_kinds.said(minigrad, line) == wrong_kinds.said(torch, line)
