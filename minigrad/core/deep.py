"""A backward far inside other backwards runs on a thread of its own, as in PyTorch.

Python counts the calls under way, and stops a program that has too many: on each thread anew.
"""

from __future__ import annotations

from _thread import allocate_lock, start_new_thread
from contextvars import copy_context

from minigrad.core.modes import state

MANY = 25  # backwards inside each other on one thread


def on_a_thread(work) -> None:
    """work() on a new thread; its error is raised here. An interrupt waits until it has ended."""
    # What is given is taken out: a thread that is slow to end holds nothing.
    given, hooks, again = [work, copy_context().run], state.saved_hooks, state.recomputing
    ended, errors = allocate_lock(), list[BaseException | None]()
    ended.acquire()

    def run():
        state.saved_hooks, state.recomputing = hooks, again
        try:
            given.pop()(given.pop())
        except BaseException as error:
            errors.append(error)
        errors.append(None)
        ended.release()

    try:
        try:
            start_new_thread(run, ())
            ended.acquire()
        except KeyboardInterrupt as error:
            while not errors or errors[-1]:
                ended.acquire()
            errors.insert(0, error)
        if errors[0]:
            raise errors[0]
    finally:
        errors.clear()  # or a traceback that somebody keeps would hold itself
