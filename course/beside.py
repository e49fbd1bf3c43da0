"""`run.py lab --torch`: PyTorch's build for the processor alone, beside the course.

The course needs no PyTorch: what goes wrong here is told in one sentence, and the lab starts. It
refuses to know what PyTorch is used for.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
SITE = Path(sysconfig.get_path("platlib"))
LOG = Path(sys.prefix) / "install.log"
UNFINISHED = Path(sys.prefix) / "torch-unfinished.txt"  # is there while an installer works
INDEX = "https://download.pytorch.org/whl/cpu"
FOLDERS = "torch", "torchgen", "functorch"  # what its wheel holds
NEEDED_MB = 1200
NO_NETWORK = "connection", "retrying", "name resolution", "timed out", "proxy"


def bring() -> None:
    """Install the PyTorch that pyproject.toml names, unless it is there; say how that went."""
    wanted = requirement()
    if not whole(wanted):
        said = fetched(wanted)
        print("PyTorch is there." if whole(wanted) else missing(wanted, said), flush=True)


def fetched(wanted: str) -> str:
    """Install it into this environment, if it can be had; what the installers said."""
    said = ""
    print(f"Bringing {wanted} beside the course: once, about 200 MB ...", flush=True)
    try:
        UNFINISHED.touch()
        for source in ["--index-url", INDEX], []:
            said += "" if whole(wanted) else installed(wanted, source)
    except OSError as error:
        said += str(error)
    finally:
        discard_half()
    return said


def requirement() -> str:
    """`torch==` and its version, as the extra `bench` of pyproject.toml has it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extra = project["optional-dependencies"]["bench"]
    return next(line for line in extra if line.startswith("torch=="))


def installed(wanted: str, source: list[str]) -> str:
    """Let pip install it from there; its words, which the log keeps. What the lock pins stays."""
    pip = [PYTHON, "-m", "pip", "--disable-pip-version-check", "--no-input", "install"]
    pip += ["--no-compile", "--retries", "2", "--constraint", str(ROOT / "requirements.lock")]
    with open(LOG, "a+", encoding="utf-8", errors="replace") as log:
        start = log.tell()
        to_its_end([*pip, *source, wanted], log)
        log.seek(start)
        return log.read()


def to_its_end(command: list[str], log) -> None:
    """Run it; Ctrl-C ends it too, before anybody looks at what it has left."""
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
    )
    try:
        process.wait()
    finally:
        process.kill()
        process.wait()


# --- what is there -------------------------------------------------------------------------


def whole(wanted: str) -> bool:
    """Whether an installer has finished this version, of whatever build."""
    names = [info.name.removesuffix(".dist-info").split("+")[0] for info in finished()]
    return wanted.replace("==", "-") in names and (SITE / "torch").is_dir()


def finished() -> list[Path]:
    """What says that PyTorch is installed; an installer writes its own name after all the rest."""
    return [info for info in SITE.glob("torch-*.dist-info") if (info / "INSTALLER").is_file()]


def discard_half() -> None:
    """Remove what a stopped installer has left: it would be found, and could not be imported."""
    if not UNFINISHED.exists():
        return
    done = finished()
    left = [info for info in SITE.glob("torch-*.dist-info") if info not in done]
    left += [] if done else [SITE / name for name in FOLDERS]
    for path in left:
        if path.exists():
            shutil.rmtree(path)
    UNFINISHED.unlink()


# --- what is missing -----------------------------------------------------------------------


def missing(wanted: str, said: str) -> str:
    return f"{wanted} cannot be had here, {reason(said.lower())}: the lab starts without it."


def reason(said: str) -> str:
    """What the installer lacked, by its words in lower case."""
    if shutil.disk_usage(SITE).free < NEEDED_MB * 2**20 or "no space left" in said:
        return f"as it needs about {NEEDED_MB:,} MB of disk"
    if any(word in said for word in NO_NETWORK):
        return "as the package index cannot be reached"
    if "no matching distribution" in said:
        version = ".".join(platform.python_version_tuple()[:2])
        machine = f"{platform.system()} {platform.machine()}"
        return f"as there is no build of it for Python {version} on {machine}"
    return f"as its installer failed (its words are in {LOG})"
