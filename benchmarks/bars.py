"""The most that each figure may be. What has no bar is a fact to know, not a promise."""

from __future__ import annotations

RATIOS = {
    ("chain", "minigrad", "torch"): 0.70,
    ("mlp-small", "minigrad", "torch"): 1.50,
    ("mlp-small", "minigrad nn", "torch nn"): 1.00,
    ("mlp-medium", "minigrad", "numpy"): 1.06,
    ("residual-w4", "minigrad", "torch"): 1.10,
    ("residual-w64", "minigrad", "torch"): 1.05,
    ("residual-w256", "minigrad", "torch"): 0.90,
    ("depth", "minigrad reversible", "minigrad standard"): 1.45,
    ("record-chain", "minigrad recorded", "minigrad"): 2.20,
    ("record-chain-block", "minigrad recorded", "minigrad"): 3.00,
    ("record-elementwise", "minigrad recorded", "minigrad"): 1.25,
    ("record-elementwise-block", "minigrad recorded", "minigrad"): 1.60,
    ("million", "minigrad", "torch"): 0.60,
}
ONCE = {"bytes of a node, minigrad over torch": 0.60, "first %%step, s": 0.50}


def of(case: str, engine: str, over: str) -> float | None:
    return RATIOS.get((case, engine, over))


def verdict(figure: float, bar: float) -> str:
    return "met" if figure <= bar else "missed"
