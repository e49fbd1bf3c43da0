"""The folders that rooms have on the disk: each is locked by its grader, as long as that lives.

A grader that is killed leaves its folders behind; the next one finds that nobody holds them.
"""

import fcntl
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

PREFIX = "minigrad-grade-"


def make():
    """(a new folder, what holds it until `remove`)."""
    clear_once()
    while True:
        folder = tempfile.mkdtemp(prefix=PREFIX)
        lock = _locked(folder)
        if lock is not None:  # else another grader has just taken it for an old one
            return folder, lock


def remove(folder, lock):
    shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)


@cache
def clear_once():
    """Remove the folders of graders that are gone, if this process has not done so."""
    clear()


def clear():
    """Remove the folders of graders that are gone."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        lock = _locked(folder)
        if lock is not None:
            # What a learner's code made there may forbid its removal.
            subprocess.run(["chmod", "-R", "u+rwX", "--", folder], capture_output=True, check=False)
            remove(folder, lock)


def _locked(folder):
    """A lock on it, or None: somebody has one, or it is not ours, no folder, or gone."""
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(lock).st_uid == os.geteuid() and os.path.samestat(
            os.fstat(lock), os.lstat(folder)
        ):
            return lock
    except OSError:
        pass
    os.close(lock)
    return None
