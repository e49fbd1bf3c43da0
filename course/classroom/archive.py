"""Files of a folder or a zip as names and bytes: nothing is unpacked, followed or believed.

No byte of a zip reaches the disk, so no name in it can lead anywhere; sizes are counted while
reading, whatever the zip says they are. `pack` writes zips that are the same for the same files.
"""

import io
import os
import stat
import zipfile
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

MOST_FILES = 10_000  # of one zip within another
NAMED = b"PK\1\2"  # stands before each name in a zip's own list of files
PART = "is not a zip, or only part of one: make it again"
METHODS = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
JUNK = {"__MACOSX", "__pycache__", "node_modules", "venv", "site-packages"}


class Trouble(Exception):
    """A file that cannot be read; the text goes on where its name ends: "is encrypted: ..."."""


@dataclass(frozen=True)
class Entry:
    """`read(most)` gives at most `most + 1` bytes or raises Trouble; a folder's last part is ""."""

    parts: tuple[str, ...]
    read: Callable[[int], bytes]

    @property
    def name(self):
        return self.parts[-1]

    def below(self, parts):
        return Entry((*parts, *self.parts), self.read)


@contextmanager
def opened(path):
    """The entries of the folder, zip or single file at `path`; raises OSError or Trouble."""
    if path.is_dir():
        os.scandir(path).close()  # raises where it may not be looked into
        yield _sorted(_walked(path))
    elif path.suffix.lower() == ".zip":
        with _zip(path) as archive:
            yield _entries(archive)
    else:
        path.stat()
        yield [Entry((path.name,), _file(path))]


def inside(data):
    """The entries of a zip that lies in another file, or raises Trouble."""
    if b"PK\5\6" not in data:
        raise Trouble(PART)
    if data.count(NAMED) > MOST_FILES:  # what the zip itself says of its list is not believed
        raise Trouble(f"holds more than {MOST_FILES} files: hand in the notebooks only")
    return _entries(_zip(io.BytesIO(data)))


def pack(files, programs=()):
    """The bytes of a zip of {name: bytes, or the path of a file that has them}.

    Those named in `programs` may be executed.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name)  # of 1980, whenever it is made
            info.create_system = 3  # the same zip on every system
            info.external_attr = (0o100755 if name in programs else 0o100644) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            file = files[name]
            archive.writestr(info, file.read_bytes() if isinstance(file, Path) else file)
    return buffer.getvalue()


def clean(text, most=100):
    """A name that can be shown: one line, no control or direction characters, not too long."""
    text = text.encode("utf-8", "replace").decode()
    shown = "".join(c if c.isprintable() else "?" for c in text)
    return shown if len(shown) <= most else f"{shown[: most - 3]}..."


# --- folders -------------------------------------------------------------------------------


def _walked(top):
    """All files below a folder, links and unreadable folders too, which only say what they are."""
    errors: list[OSError] = []
    for folder, names, files in os.walk(top, onerror=errors.append):
        names[:] = filter(_is_wanted, names)
        here = os.path.relpath(folder, top)
        parts = () if here == "." else tuple(here.split(os.sep))
        links = [name for name in names if os.path.islink(os.path.join(folder, name))]
        for name in filter(_is_wanted, files):
            yield Entry((*parts, name), _file(os.path.join(folder, name)))
        for name in links:
            yield Entry((*parts, name, ""), _file(os.path.join(folder, name)))
        if parts and not names and not files:
            yield Entry((*parts, ""), _nothing)
    for error in errors:
        parts = tuple(os.path.relpath(error.filename, top).split(os.sep))
        yield Entry((*parts, ""), _refusing(f"cannot be read ({error.strerror})"))


def _file(path):
    def read(most):
        try:
            if not stat.S_ISREG(os.lstat(path).st_mode):
                raise Trouble("is a link or a device: hand in the file itself")
            with open(path, "rb") as file:
                return file.read(most + 1)
        except OSError as error:
            raise Trouble(f"cannot be read ({error.strerror})") from None

    return read


# --- zips ----------------------------------------------------------------------------------


def _zip(source):
    try:
        return zipfile.ZipFile(source)
    except OSError:
        raise
    except Exception as error:  # zipfile lets out whatever broken bytes lead to
        why = clean(str(error))
        raise Trouble(f"{PART}, or download it again ({why})") from None


def _entries(archive):
    infos = archive.infolist()
    if len(infos) > MOST_FILES and isinstance(archive.fp, io.BytesIO):
        raise Trouble(f"holds more than {MOST_FILES} files: hand in the notebooks only")
    return _sorted(entry for info in infos if (entry := _entry(archive, info)))


def _entry(archive, info):
    """The entry of one name in a zip; None for what no one wrote by hand."""
    parts = info.filename.replace("\\", "/").split("/")
    kept = [part for part in parts if part not in ("", ".", "..") and not part.endswith(":")]
    if not kept or not all(map(_is_wanted, kept)):
        return None
    if info.filename.endswith(("/", "\\")):
        return Entry((*kept, ""), _nothing)
    trouble = _trouble(info, parts != kept)
    return Entry(tuple(kept), _refusing(trouble) if trouble else _member(archive, info))


def _trouble(info, astray):
    if astray:
        return "has a name that leads out of the zip"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "is a link: hand in the file itself"
    if info.flag_bits & 1:
        return "is encrypted: zip it without a password"
    if info.compress_type not in METHODS:
        return "is packed in an unusual way: zip it with your system's own tool"
    return ""


def _member(archive, info):
    def read(most):
        try:
            with archive.open(info) as file:
                return file.read(most + 1)
        except Exception as error:  # as in _zip
            why = clean(str(error) or type(error).__name__)
            raise Trouble(f"is damaged: zip it again ({why})") from None

    return read


# --- both ----------------------------------------------------------------------------------


def _refusing(why):
    def read(most):
        raise Trouble(why)

    return read


def _nothing(most):
    return b""


def _is_wanted(part):
    return not part.startswith(".") and part not in JUNK


def _sorted(entries):
    return sorted(entries, key=lambda entry: entry.parts)
