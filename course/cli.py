"""What `run.py` starts inside `.venv`: JupyterLab on the working copies, the update, the proof.

Knows which runners prove the course and in which order; refuses to know what they prove.
"""

from __future__ import annotations

import argparse
import errno
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from course import beside, copies

ROOT = Path(__file__).resolve().parent.parent
WELCOME = "notebooks/00_welcome.ipynb"


class Stop(Exception):
    """A sentence for the person at the keyboard; the command ends with exit code 2."""


def main(argv: Sequence[str] | None = None) -> int:
    options = parser().parse_args(argv)
    try:
        require_whole(options.command)
        if options.command == "lab":
            return lab(options.port, not options.no_browser, options.torch)
        if options.command == "bench":
            return bench(options)
        if options.command == "grade":
            return grade(options)
        if options.command == "submit":
            return submit(options.name)
        if options.command == "release":
            return release(options.out)
        if options.command == "truth":
            return truth(options)
        return test(options) if options.command == "test" else update()
    except (Stop, copies.BrokenNotebook) as stop:
        print(stop, file=sys.stderr)
    except OSError as error:
        print(explain(error), file=sys.stderr)
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    return 2


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="python -m course.cli")
    commands = top.add_subparsers(dest="command", required=True)
    options = commands.add_parser("lab")
    options.add_argument("--port", type=int)
    options.add_argument("--no-browser", action="store_true")
    options.add_argument("--torch", action="store_true")
    commands.add_parser("update")
    tests = commands.add_parser("test")
    tests.add_argument("--ci", action="store_true")
    tests.add_argument("--long", action="store_true")
    add_bench(commands)
    add_grade(commands)
    commands.add_parser("submit").add_argument("--name", default="")
    listing = commands.add_parser("truth")
    listing.add_argument("--torch", metavar="VERSION")
    listing.add_argument("--strict", action="store_true")
    commands.add_parser("release").add_argument("-o", dest="out", required=True)
    return top


def add_bench(commands) -> None:
    options = commands.add_parser("bench")
    options.add_argument("cases", nargs="*", metavar="CASE")
    options.add_argument("--rounds", type=jobs, metavar="N")
    options.add_argument("--quick", action="store_true")
    options.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")


def add_grade(commands) -> None:
    options = commands.add_parser("grade")
    options.add_argument("submissions", type=Path)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--seed")
    mode = options.add_mutually_exclusive_group()
    mode.add_argument("--isolate", action="store_true", default=True)
    mode.add_argument("--plain", dest="isolate", action="store_false")
    options.add_argument("--fail-under", type=percent, metavar="P")
    options.add_argument("--weights", type=Path)
    options.add_argument("--again", action="store_true")
    options.add_argument("--jobs", type=jobs, default=2, metavar="N")


def percent(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1
    if not 0 <= number <= 100:
        raise argparse.ArgumentTypeError(f"a share is a number from 0 to 100, not {text!r}")
    return number


def jobs(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if not 1 <= number <= 99:
        raise argparse.ArgumentTypeError(f"a number from 1 to 99 is wanted, not {text!r}")
    return number


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


def lab(port: int | None, browser: bool, torch: bool) -> int:
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
    said: list[str] = []
    fine = copies.update(ROOT, said.append)
    print("\n".join(said) or "my/ is up to date.")
    return 0 if fine else 1


def bench(options: argparse.Namespace) -> int:
    """Time the engine beside others."""
    from benchmarks import bench as benchmarks

    given = {name: value for name, value in vars(options).items() if name != "command"}
    try:
        return benchmarks.bench(benchmarks.Options(**given))
    except benchmarks.UnknownCase as unknown:
        raise Stop(str(unknown)) from None


def grade(options: argparse.Namespace) -> int:
    """Grade a class. Its own parts are loaded here only: fcntl, say, is not on every platform."""
    if os.name != "posix":
        raise Stop("Grading a class needs Linux: use a Linux machine, WSL or a container.")
    from course.grade import grade as grader
    from course.grade.weights import BadWeights

    given = {name: value for name, value in vars(options).items() if name != "command"}
    try:
        return grader.grade(grader.Options(**given), ROOT)
    except (grader.CannotGrade, grader.Refused, BadWeights) as error:
        raise Stop(str(error)) from None


def truth(options: argparse.Namespace) -> int:
    """List what another PyTorch says otherwise."""
    from course import truth as listing

    try:
        differ = listing.tell(options.torch)
    except listing.NoTorch as reason:
        raise Stop(str(reason)) from None
    return 1 if differ and options.strict else 0


# --- submit and release --------------------------------------------------------------------


def submit(name: str) -> int:
    """Make the learner's zip; say what is not solved yet."""
    from course.grade import submit as zips  # a lab starts sooner without it

    try:
        missing = zips.unsolved(ROOT)
        path = zips.make(ROOT, name)
    except zips.NothingToSubmit as nothing:
        raise Stop(str(nothing)) from None
    for file, exercises in missing.items():
        print(f"not solved yet in {file}: {', '.join(exercises)}")
    print(f"Made {path.relative_to(ROOT)} from what you have saved: hand in this file.")
    return 0


def release(out: str) -> int:
    """Make the zip for a class."""
    from course.grade import release as zips

    try:
        names = zips.make(ROOT, out)
    except zips.CannotRelease as reason:
        raise Stop(str(reason)) from None
    print(f"Made {out}: {len(names)} files, without {', '.join(zips.LEFT_OUT)}.")
    return 0


# --- test ----------------------------------------------------------------------------------


def test(options: argparse.Namespace) -> int:
    """Prove everything that the tier asks for."""
    from course.proof import runner, tiers  # a lab starts sooner without them

    tier = tiers.long if options.long else tiers.ci if options.ci else tiers.suite
    return runner.prove(tier())


if __name__ == "__main__":
    sys.exit(main())
