"""The exam of lesson 16: curves of hidden programs, measured snippets, the score and the gain.

Nothing here is printed by the lesson before a choice is locked; read it after the exam.
"""

from .asked import again, edges, left, next_epoch, plain, stepped, walked
from .curves import curve, gallery, whose
from .gain import gain
from .score import score
from .snippets import fails, held

__all__ = [
    "again", "curve", "edges", "fails", "gain", "gallery", "held", "left", "next_epoch", "plain",
    "score", "stepped", "walked", "whose",
]  # fmt: skip
