"""Chains drawn anew in each run: they give and leave what the same blocks do, stored."""

import os
import random
from collections import Counter

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from tests.for_torch.chance import KINDS, draw, wrong  # noqa: E402

SEED = int(os.environ.get("MINIGRAD_SEED", random.randrange(10**6)))
CASES = int(os.environ.get("MINIGRAD_CHAINS", "60"))


@pytest.mark.parametrize("exact", [True, False])
def test_a_chain_is_its_stored_twin(exact):
    met = Counter()
    for seed in range(SEED, SEED + CASES):
        case = draw(seed, exact)
        assert wrong(case, 1e-12 if exact else 1e-4) == [], f"MINIGRAD_SEED={seed}\n{case}"
        met.update([case.kind, *(name for layers in case.layers for name in layers)])
    print(f"MINIGRAD_SEED={SEED}:", dict(met))
    assert set(KINDS) <= set(met)


def test_what_is_planted_is_found(monkeypatch):
    """Or nobody would know whether the cases can find anything."""
    from for_torch import reversible

    monkeypatch.setattr(reversible, "_equal", lambda *states: True)  # no random state is kept
    found = sum(bool(wrong(draw(seed, True), 1e-12)) for seed in range(SEED, SEED + 40))
    assert found > 5
