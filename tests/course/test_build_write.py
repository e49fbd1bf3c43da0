"""Files are replaced whole or not at all."""

import errno
import os

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from course.build import write
from course.build.write import WriteError, replace_all, to_bytes


def test_bytes_are_nbformats_own():
    notebook = new_notebook(cells=[new_code_cell("é", id="b")])
    data = to_bytes(notebook)
    assert data == to_bytes(notebook) and data.endswith(b"}\n") and "é".encode() in data
    assert data.index(b'"cells"') < data.index(b'"metadata"') < data.index(b'"nbformat"')


def test_only_changed_files_are_written(tmp_path):
    one, two = tmp_path / "a" / "one", tmp_path / "two"
    assert replace_all({one: b"1", two: b"2"}) == [one, two]
    assert replace_all({one: b"1", two: b"3"}) == [two]
    assert (one.read_bytes(), two.read_bytes()) == (b"1", b"3")


@pytest.mark.parametrize(
    "failing", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()]
)
def test_a_full_disk_or_ctrl_c_leaves_the_old_files_and_no_other(tmp_path, monkeypatch, failing):
    old = {tmp_path / name: name.encode() for name in ("one", "two")}
    replace_all(old)
    real = os.fsync
    calls = []

    def second_fails(descriptor):
        calls.append(descriptor)
        if len(calls) == 2:
            raise failing
        real(descriptor)

    monkeypatch.setattr(write.os, "fsync", second_fails)
    wanted = WriteError if isinstance(failing, OSError) else KeyboardInterrupt
    with pytest.raises(wanted) as caught:
        replace_all({path: b"new" for path in old})
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == old
    if wanted is WriteError:
        assert "two: No space left on device; the old files are as they were" in str(caught.value)
