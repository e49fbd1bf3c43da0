"""`%%step`: any snippet, on either engine, one statement at a time."""

from whoholds.step.magic import StepError, register, running_shell, step

__all__ = ["StepError", "load_ipython_extension", "step"]


def load_ipython_extension(shell) -> None:
    """What `%load_ext whoholds.step` calls."""
    register(shell)


if running_shell() is not None:
    register(running_shell())
