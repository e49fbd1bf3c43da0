"""How the engine works at the moment: what code may switch, and what is put back when it has ended.

A learner's cell, or a call of theirs, may leave hooks for saved tensors open, or a mode on. Then
the case's own lines would run in it, and a hook would hear of what it works out to compare. So
whatever is switched lasts as long as the code that has switched it.
"""

from contextlib import contextmanager

from minigrad.autograd import anomaly
from minigrad.core import dtypes, modes

OPEN = (
    "`saved_tensors_hooks` was entered and not left, so all that came later would have gone by its "
    "hooks. It was closed for you: write `with saved_tensors_hooks(pack, unpack):`"
)
FIELDS = "inference", "recomputing", "no_hooks", "saved_hooks"
USUAL: tuple = False, False, "", ()


class Settings:
    """What the engine is set to, to be put back."""

    def __init__(self):
        pairs = zip(FIELDS, USUAL, strict=True)
        self._fields: list = [getattr(modes.state, *pair) for pair in pairs]
        self._asked, self._packing = modes.state.asked, modes.packing
        self._dtype = dtypes.get_default_dtype()
        self._anomaly = anomaly.is_anomaly_enabled(), anomaly.is_anomaly_check_nan_enabled()

    def put_back(self):
        """Set what is another now; whether hooks for saved tensors were left open."""
        hooks = self._fields[-1]
        is_open = len(modes.state.saved_hooks) > len(hooks)
        if modes.state.saved_hooks is not hooks:
            modes.state.packed = ()
        for name, value in zip(FIELDS, self._fields, strict=True):
            setattr(modes.state, name, value)
        modes.packing = self._packing
        modes._switch(self._asked)  # after `inference`, by which it goes
        if dtypes.get_default_dtype() is not self._dtype:
            dtypes.set_default_dtype(self._dtype)
        if (anomaly.is_anomaly_enabled(), anomaly.is_anomaly_check_nan_enabled()) != self._anomaly:
            anomaly.set_anomaly_enabled(*self._anomaly)
        return is_open


@contextmanager
def kept():
    """What the block switches is as it was when the block ends."""
    before = Settings()
    try:
        yield
    finally:
        before.put_back()


@contextmanager
def usual():
    """In the block the engine records, and nobody's hooks or modes are at work; then all is as it
    was. For what a case works out itself."""
    before = Settings()
    for name, value in zip(FIELDS, USUAL, strict=True):
        setattr(modes.state, name, value)
    modes.packing -= len(before._fields[-1])
    modes._switch(True)
    anomaly.set_anomaly_enabled(False)
    try:
        yield
    finally:
        before.put_back()
