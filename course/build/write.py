"""Bytes on the disk: always the same for the same notebook, and never half a file."""

import os
from pathlib import Path

import nbformat


class WriteError(OSError):
    """Nothing was changed, and the text says why."""


def to_bytes(notebook):
    """The notebook as nbformat writes it: sorted keys, one space, a newline at the end."""
    nbformat.validate(notebook)
    return (nbformat.writes(notebook, version=nbformat.NO_CONVERT) + "\n").encode()


def replace_all(files):
    """Write {path: bytes}: all are staged first, so that a full disk leaves the old files whole.

    Gives the paths whose bytes changed.
    """
    changed = {Path(path): data for path, data in files.items() if _bytes(Path(path)) != data}
    staged = {path: path.with_name(f".{path.name}.tmp") for path in changed}
    try:
        for path, data in changed.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(staged[path], data)
        for path in changed:
            os.replace(staged[path], path)
    except OSError as error:
        raise WriteError(
            f"cannot write {error.filename or path}: {error.strerror}; "
            "the old files are as they were"
        ) from None
    finally:
        for path in staged.values():
            path.unlink(missing_ok=True)
    return list(changed)


def _write(path, data):
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _bytes(path):
    return path.read_bytes() if path.is_file() else None
