"""The same chain on one number at a time, which is all that micrograd knows."""

import sys

import numpy as np

from benchmarks.case import Case
from benchmarks.cases.chain import N, numbers, with_tensors


def one_number():
    data = numbers(())
    data.x = np.array(0.5, np.float32)
    return data


def with_micrograd(micrograd, data):
    from micrograd.engine import Value

    sys.setrecursionlimit(10_000)  # its backward calls itself once per operation
    x, factor, term = Value(float(data.x)), float(data.factor), float(data.term)

    def step():
        x.grad = 0
        y = x
        for _ in range(N // 2):
            y = y * factor
            y = y + term
        y.backward()
        return y.data, x.grad

    return step


CASES = [
    Case(
        "chain-scalar",
        "1000 mul/add on a single number, forward and backward",
        one_number,
        {"minigrad": with_tensors, "torch": with_tensors, "micrograd": with_micrograd},
        also=(("minigrad", "micrograd"),),
    )
]
