"""What PyTorch records for the gradients of lerp and addcdiv: other operations than the rules'."""

from __future__ import annotations

import numpy as np

from minigrad.core.promotion import scalar
from minigrad.ops.arithmetic import DivBackward0, MulBackward1, SubBackward0
from minigrad.ops.blends import AddcdivBackward0, LerpBackward1, check_quotient


def _lerp(node, grad, end, x, weight):
    for_x, for_end, _ = node.needs_input_grad
    return (
        grad * SubBackward0.call(scalar(1), weight) if for_x else None,
        grad * weight if for_end else None,
        grad * (end - x) if x is not None else None,
    )


def _addcdiv(node, grad, a, b):
    (value,) = node.arguments
    if node.needs_input_grad[1]:
        check_quotient(value, b._array)
    values = b._new(np.full_like(b._array, value))  # PyTorch's are as many
    return (
        grad,
        grad * DivBackward0.call(values, b) if node.needs_input_grad[1] else None,
        -grad * (MulBackward1.call(a, value) / (b * b)) if a is not None else None,
    )


LerpBackward1.recorded, AddcdivBackward0.recorded = _lerp, _addcdiv
