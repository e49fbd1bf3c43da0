"""What a snippet holds, and where it fails: both are looked up by running it.

A snippet is a function of `torch`, which is PyTorch or minigrad. Refuses to know its text.
"""

import gc
from contextlib import contextmanager

import minigrad


def held(snippet, engine=minigrad, **given):
    """The bytes that are alive because of what `snippet` returned."""
    with collecting_later():
        before = engine.memory_allocated()
        kept = snippet(engine, **given)
        after = engine.memory_allocated()
        del kept
    return after - before


@contextmanager
def collecting_later():
    """No collection inside, so that a ring of somebody else's cannot vanish from a difference."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def fails(snippet, engine=minigrad, **given):
    """The line of `snippet` that raises a RuntimeError, counted below its `def`; 0 if none does."""
    try:
        snippet(engine, **given)
    except RuntimeError as error:
        return _line(snippet, error.__traceback__)
    return 0


def _line(snippet, step):
    """Where the snippet itself was, however deep below the error came."""
    while step.tb_frame.f_code is not snippet.__code__:
        step = step.tb_next
    return step.tb_lineno - snippet.__code__.co_firstlineno
