"""Environments beside .venv that lack a package, or have another version of one.

Each is a virtual environment whose packages are links to those of the running Python: made in a
second, true for every child, whatever its PYTHONPATH, and .venv stays as it is. Another Python's
has packages of its own.
"""

from __future__ import annotations

import importlib.metadata
import os
import site
import subprocess
import sys
import venv
from collections.abc import Iterable
from pathlib import Path

SHARED = "share", "etc"  # Jupyter's kernels, settings and pages


class CannotMake(Exception):
    """One sentence: why this machine cannot have such an environment."""


def without(packages: Iterable[str], folder: Path) -> Path:
    """The Python of a new environment in `folder` with all of this one's packages but these."""
    if os.name != "posix":
        raise CannotMake("An environment of links to another's packages needs Linux or a Mac.")
    venv.create(folder, symlinks=True)
    there = _packages(folder)
    left_out = set().union(*map(_files, packages))
    for place in map(Path, site.getsitepackages()):
        for path in place.iterdir():
            if path.name not in left_out and not (there / path.name).exists():
                (there / path.name).symlink_to(path)
    for name in SHARED:
        shared = Path(sys.prefix) / name
        if shared.is_dir() and not (folder / name).exists():
            (folder / name).symlink_to(shared)
    return _python(folder)


def with_another(requirement: str, folder: Path) -> Path:
    """The same with this version of a package instead of the one here; needs the network."""
    python = without([requirement.partition("==")[0]], folder)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
    done = subprocess.run([*pip, _packages(folder), requirement], capture_output=True, text=True)
    if done.returncode:
        raise CannotMake(f"{requirement} cannot be installed here: {_last(done.stderr)}")
    return python


def with_python(program: str, folder: Path) -> Path:
    """The course and the lock's packages under another Python; needs the network."""
    root = Path(__file__).resolve().parents[2]
    made = program, "-m", "venv", folder
    pip = _python(folder), "-m", "pip", "install", "--quiet"
    filled = *pip, "--requirement", root / "requirements.lock", "--editable", root
    for command in (made, filled):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise CannotMake(f"{program} cannot have the lock's packages: {_last(done.stderr)}")
    return _python(folder)


def _last(said: str) -> str:
    return (said.strip().splitlines() or ["pip says nothing"])[-1]


def _files(package: str) -> set[str]:
    """The names of what a package put into site-packages, its own description included."""
    try:
        files = importlib.metadata.files(package) or []
    except importlib.metadata.PackageNotFoundError:
        return set()
    return {path.parts[0] for path in files if path.parts[0] != ".."}


def _packages(folder: Path) -> Path:
    return next(folder.glob("lib/python3*/site-packages"))


def _python(folder: Path) -> Path:
    return folder / "bin" / "python"
