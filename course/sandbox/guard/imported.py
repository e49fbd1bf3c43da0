"""What stands in `sys.modules`, a dict that anybody may write into and C code goes by.

A learner may add names, and take away those that were there. Another module under the name of one
is told; a key that is no plain text, whose `__eq__` would run wherever a module is looked up, is
told and taken out. Nobody's key is compared here but texts.
"""

from __future__ import annotations

import sys

from course.trying import calls

KEY = "puts a key of its own into sys.modules"


def watch(asker):
    """As the modules stand there now, whatever of a learner's has ended is looked at."""
    modules = sys.modules
    there, kept = [pair for pair in modules.items() if pair[0] != "__main__"], []

    def look():
        frame = sys._getframe(1)
        every = list(modules)
        if any(type(name) is not str for name in every):
            asker.see(KEY, frame)
            kept.append(_without_keys(modules))
        for name, module in there:
            if modules.get(name, module) is not module:
                asker.see(f"replaces {name} in sys.modules", frame)

    calls.after.append(look)


def _without_keys(modules):
    """Leave plain texts alone; what was there, none of which is let go of."""
    every = list(modules.items())
    modules.clear()
    for name, module in every:
        if type(name) is str:
            modules[name] = module
    return every
