"""The other Pythons of this machine that pyproject.toml allows."""

from __future__ import annotations

import functools
import glob
import os
import shutil
import subprocess
import sys

OLDEST, NEWEST = 11, 20  # 3.11, and further than anybody needs for a while
VERSION = "import ensurepip, sys, venv; print('{}.{}'.format(*sys.version_info))"
# Where pyenv and uv keep those that they install, which need not be on the PATH.
KEPT = "~/.pyenv/versions/{}.*/bin/python", "~/.local/share/uv/python/cpython-{}.*/bin/python"


@functools.cache
def others() -> dict[str, str]:
    """{"3.12": its program}, of all that can make an environment, but for the one that runs."""
    names = [f"3.{minor}" for minor in range(OLDEST, NEWEST)]
    found = {name: next(filter(None, _programs(name)), "") for name in names}
    here = "{}.{}".format(*sys.version_info)
    return {name: program for name, program in found.items() if program and name != here}


def _programs(name):
    kept = [glob.glob(os.path.expanduser(pattern.format(name))) for pattern in KEPT]
    for program in filter(None, [shutil.which(f"python{name}"), *sorted(sum(kept, []))]):
        done = subprocess.run([program, "-c", VERSION], capture_output=True, text=True)
        if done.stdout.strip() == name:  # pyenv has a command of that name for each it knows
            yield program
