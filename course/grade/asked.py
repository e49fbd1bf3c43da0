"""What a case first asks of a function, as text: so that a failure can be worked out by hand.

Nobody's answer runs for it: the case is given a spy, and ends at the spy's first call.
"""

from minigrad import Tensor

from . import plain
from .draw import Draw

LONGEST = 110  # characters


class _Asked(BaseException):
    """Ends the case; the text is the call."""


class _Spy:
    """Stands for the exercise's function or class."""

    def __init__(self, name):
        self.__name__ = name

    def __getattr__(self, name):
        return _Spy(f"{self.__name__}.{name}")

    def __call__(self, *arguments, **named):
        parts = [_shown(argument) for argument in arguments]
        parts += [f"{name}={_shown(argument)}" for name, argument in named.items()]
        raise _Asked(f"{self.__name__}({', '.join(parts)})")


def asked(case, seed):
    """`held_by_chain(['tanh', 'exp'], 12, 33)`, or "" where that cannot be told."""
    try:
        case.run(_Spy(case.exercise), Draw(seed, case.exercise, case.name))
    except _Asked as call:
        text = str(call)
        return text if len(text) <= LONGEST else f"{text[: LONGEST - 4]}...)"
    except Exception:
        return ""  # it asks something else of the function than to be called
    return ""


def _shown(value):
    if isinstance(value, Tensor):
        return f"<{' x '.join(map(str, value.shape)) or 'one'} tensor>"
    if callable(value):
        return f"<{getattr(value, '__name__', 'function').replace('<lambda>', 'function')}>"
    if isinstance(value, list | tuple):
        inner = ", ".join(map(_shown, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    try:
        plain.encode(value)
    except plain.NotPlain:
        return f"<{type(value).__name__}>"
    return repr(value)
