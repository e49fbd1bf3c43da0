"""Reversible networks: backward computes the activations again, from the output.

To read it: coupling.py (the algebra), recompute.py (to run F a second time, exactly), chain.py (one
node for the whole chain), baton.py (one node per block, and no saved byte in any of them).
"""

from __future__ import annotations

from minigrad.reversible.block import ReversibleBlock, ReversibleSequential

__all__ = ["ReversibleBlock", "ReversibleSequential"]
