"""The exam of lesson 16: curves of hidden programs, measured snippets, and what was gained.

Nothing here is printed by the lesson before a choice is locked; read it after the exam.
"""

from .curves import curve, gallery, whose
from .gain import gain
from .snippets import fails, held

__all__ = ["curve", "fails", "gain", "gallery", "held", "whose"]
