"""Be the engine: the learner plays the backward of a recorded trace by hand.

Knows traces and the words of errors; it computes no gradient and asks no engine.
"""

from course.play.widget import play

__all__ = ["play"]
