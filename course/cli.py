"""What `run.py` starts inside `.venv`: JupyterLab on the working copies, the update, the proof.

What comes in has been read and checked by run.py: `course.cli lab '{"port": 8890}'`, say. Knows
which runners prove the course and in which order; refuses to know what they prove.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from course import beside, copies

ROOT = Path(__file__).resolve().parent.parent
WELCOME = "notebooks/00_welcome.ipynb"


class Stop(Exception):
    """A sentence for the person at the keyboard; the command ends with exit code 2."""


def main(command: str, **options: Any) -> int:
    try:
        require_whole(command)
        return COMMANDS[command](**options)
    except (Stop, copies.BrokenNotebook) as stop:
        print(stop, file=sys.stderr)
    except OSError as error:
        print(explain(error), file=sys.stderr)
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    return 2


NEEDED = {"test": "tests", "bench": "benchmarks", "grade": "solutions", "truth": "tests"}


def require_whole(command: str) -> None:
    """Refuse what a class's copy cannot do: its zip leaves folders out."""
    folder = NEEDED.get(command)
    if folder and not (ROOT / folder).is_dir():
        raise Stop(
            f"`run.py {command}` needs {folder}/, which is no part of a class's copy: clone the "
            "course to run it."
        )


def explain(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return "The disk is full: make room and run the same command again; no file was harmed."
    return f"{error.filename or ROOT}: {error.strerror or error}."


# --- lab and update ------------------------------------------------------------------------


def lab(port: int | None = None, browser: bool = True, torch: bool = False) -> int:
    """Make the working copies on first use, then become JupyterLab; PyTorch beside, if wanted."""
    require_lessons()
    require_free(port)
    beside.discard_half()
    if torch:
        beside.bring()
    made = copies.make(ROOT)
    if made:
        print(f"{len(made)} working copies made in my/: write in them as you like.")
    if copies.outdated(ROOT):
        print("Some lessons have a new version: `python3 run.py update` brings it to my/.")
    close_side_bars()
    print("Starting JupyterLab: leave this window open, Ctrl-C ends it.", flush=True)
    command = lab_command(port, browser)
    if os.name == "posix":
        os.execve(command[0], command, lab_environment())
    return subprocess.call(command, env=lab_environment())


def require_lessons() -> None:
    if not (ROOT / WELCOME).is_file():
        raise Stop(
            f"{WELCOME} is missing: `python3 run.py build` makes the notebooks from lessons/, "
            "or clone the course again."
        )


def require_free(port: int | None) -> None:
    if not port:
        return
    with socket.socket() as probe:
        if os.name == "posix":  # a port in TIME_WAIT is free, for us as for the server
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            raise Stop(
                f"Port {port} cannot be used (another program has it, or it is reserved): choose "
                "another, or leave --port out and JupyterLab finds a free one."
            ) from None


def lab_command(port: int | None, browser: bool) -> list[str]:
    command = [sys.executable, "-m", "jupyterlab"]
    command += ["--ServerApp.log_level=WARN", "--LabApp.log_level=WARN"]
    command += [f"--ServerApp.root_dir={ROOT}", f"--LabApp.default_url=/lab/tree/my/{WELCOME}"]
    if port is not None:
        command += [f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
    if not browser:
        command += ["--no-browser"]
    if os.name == "posix" and os.geteuid() == 0:
        command += ["--allow-root"]  # in a container root is the usual user
    return command


def close_side_bars() -> None:
    """The first time, JupyterLab shows the lesson alone; later, what the reader had left open."""
    ours, theirs = ROOT / ".jupyter/lab/workspaces", ROOT / "my/.lab"
    if ours.is_dir() and not theirs.exists():
        shutil.copytree(ours, theirs)


def lab_environment() -> dict[str, str]:
    """Jupyter reads our settings too, and keeps its open tabs here, away from the user's own.

    A lab is for learners: its kernels never reveal answers, whatever the shell has set.
    """
    config = [str(ROOT / ".jupyter"), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    return {
        **{name: value for name, value in os.environ.items() if name != "MINIGRAD_REVEAL"},
        "JUPYTER_CONFIG_PATH": os.pathsep.join(filter(None, config)),
        "JUPYTERLAB_WORKSPACES_DIR": str(ROOT / "my" / ".lab"),
    }


def update() -> int:
    require_lessons()
    if not (ROOT / "my").exists():
        print("There is no my/ yet: `python3 run.py lab` makes it, with the newest lessons.")
        return 0
    said: list[str] = []
    fine = copies.update(ROOT, said.append)
    print("\n".join(said) or "my/ is up to date.")
    return 0 if fine else 1


def bench(**options: Any) -> int:
    """Time the engine beside others."""
    from benchmarks import bench as benchmarks

    try:
        return benchmarks.bench(benchmarks.Options(**with_paths(options)))
    except benchmarks.UnknownCase as unknown:
        raise Stop(str(unknown)) from None


def with_paths(options: dict[str, Any]) -> dict[str, Any]:
    places = "submissions", "out", "klass", "private"
    return options | {name: Path(options[name]) for name in places if name in options}


def grade(**options: Any) -> int:
    """Grade a class. Its own parts are loaded here only: fcntl, say, is not on every platform."""
    if os.name != "posix":
        raise Stop("Grading a class needs Linux: use a Linux machine, WSL or a container.")
    from course.classroom import grade as grader
    from course.classroom.tables import BadFile

    try:
        return grader.grade(grader.Options(**with_paths(options)), ROOT)
    except (grader.CannotGrade, grader.Refused, BadFile) as error:
        raise Stop(str(error)) from None


def truth(torch: str | None = None, strict: bool = False) -> int:
    """List what another PyTorch says otherwise."""
    from course import truth as listing

    try:
        differ = listing.tell(torch)
    except listing.NoTorch as reason:
        raise Stop(str(reason)) from None
    return 1 if differ and strict else 0


# --- submit and release --------------------------------------------------------------------


def submit(name: str = "") -> int:
    """Make the learner's zip; say what is not solved yet."""
    from course.classroom import submit as zips  # a lab starts sooner without it

    try:
        zips.submit(ROOT, name)
    except zips.NothingToSubmit as nothing:
        raise Stop(str(nothing)) from None
    return 0


def progress(save: str | None = None, load: str | None = None) -> int:
    """Write the file that a learner takes to another machine, or join it to what is here."""
    from course import carry

    require_lessons()
    copies.make(ROOT)
    try:
        said = carry.save(ROOT / "my", save) if save else carry.load(ROOT / "my", load)
        print("\n".join(said))
    except carry.CannotCarry as reason:
        raise Stop(str(reason)) from None
    return 0


def release(out: str, private: str | None = None) -> int:
    """Make the zip for a class, with a teacher's own exercises if they are asked for."""
    from course.classroom import release as zips

    try:
        names = zips.make(ROOT, out, private)
    except zips.CannotRelease as reason:
        raise Stop(str(reason)) from None
    print(f"Made {out}: {len(names)} files, without {', '.join(zips.LEFT_OUT)}.")
    if private:
        print(f"Of {private}: {', '.join(zips.own_exercises())}, with cases and no solution.")
    return 0


# --- test ----------------------------------------------------------------------------------


def test(ci: bool = False, long: bool = False) -> int:
    """Prove everything that the tier asks for."""
    from course.proof import runner, tiers  # a lab starts sooner without them

    tier = tiers.long if long else tiers.ci if ci else tiers.suite
    return runner.prove(tier())


COMMANDS: dict[str, Callable[..., int]] = {
    "lab": lab,
    "update": update,
    "bench": bench,
    "grade": grade,
    "submit": submit,
    "progress": progress,
    "release": release,
    "test": test,
    "truth": truth,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1], **json.loads("".join(sys.argv[2:]) or "{}")))
