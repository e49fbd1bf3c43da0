"""What a learner's code does to the engine or the grader is seen, whatever it is called.

Made in the warden, armed in a child before the learner's first cell. Python tells an audit hook of
forks, ctypes, the collector and the like (`events.py`); of closures, of a function's globals and of
changed modules and classes it tells nobody, so those are watched here (`looks.py`, `modules.py`,
`classes.py`, `calls.py`, `names.py`). What counts is who asks (`asker.py`).

What is seen is told at once, before it is done. A change of ours is refused as well. In a process
of the learner's nothing is certain: docs/grading.md says what is not seen.
"""

from __future__ import annotations

from course.sandbox.guard import (
    calls,
    classes,
    events,
    hulls,
    imported,
    looks,
    memory,
    modules,
    names,
    proxies,
)
from course.sandbox.guard.asker import Asker


class Guard:
    """Of one process: `arm` it in a child, where it cannot be disarmed."""

    def __init__(self, root):
        asker = Asker()
        self.arm = asker.arm
        proxies.watch()
        classes.watch(asker)
        looks.watch(asker)
        hulls.watch(asker)
        calls.watch(asker)
        memory.watch(asker)
        names.watch()
        modules.watch(asker)
        imported.watch(asker)
        events.watch(asker, root)
