"""The end of a program that a test has started."""

import subprocess

TRIES, SECONDS = 10, 2


def stop(process):
    """Ask it to end, and again: JupyterLab forgets a signal that comes while it begins."""
    for _ in range(TRIES):
        process.terminate()
        try:
            process.wait(SECONDS)
            return
        except subprocess.TimeoutExpired:
            pass
    process.kill()
    process.wait()
