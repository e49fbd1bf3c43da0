#!/usr/bin/env python3
"""Two commands on a fresh machine: `python3 run.py lab` to learn, `python3 run.py test` to prove.

Makes `.venv` from requirements.lock and starts the course in it; refuses to know what a lesson or
a test is (course/cli.py does). Standard library only, because it runs before anything is
installed; and it must still start under an old Python, to say in one sentence that it is too old.
"""

import argparse
import errno
import functools
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent
VENV = ROOT / ".venv"
LOCK = ROOT / "requirements.lock"
STAMP = VENV / "minigrad-stamp.txt"
LOG = VENV / "install.log"
OLDEST = (3, 11)
NEEDED_MB = 900
UV_SECONDS = 300
EXIT_CODES = (
    "Exit codes: 0 done; 1 done, and something is not as it should be (a proof failed, say), "
    "which is named; 2 not done, and a sentence says why; 130 stopped with Ctrl-C."
)
GRADED = (
    "Exit codes: 0 all books are written; 1 they are, and somebody's work could not be graded at "
    "all or somebody has less than --fail-under; 2 nothing was graded, and a sentence says why; "
    "130 stopped with Ctrl-C: who was graded is kept."
)


class Stop(Exception):
    """A sentence for the person at the keyboard; the command ends with exit code 2."""


def main(argv=None):
    try:
        options = parser().parse_args(argv)
        check_python(sys.version_info, options.command)
        if options.command == "gpu":
            return hand_over(module_call(options), gpu_python("simulate" in options))
        if options.command == "truth" and "torch" in options:
            use(ROOT / (".venv-torch-" + options.torch))
        if options.command == "site":
            require_whole()
            use(ROOT / ".venv-site", ROOT / "site.lock")
        ensure_environment()
        return hand_over(module_call(options))
    except Stop as stop:
        return refuse(str(stop))
    except OSError as error:
        return refuse(explain(error))
    except KeyboardInterrupt:
        print("\nStopped. Nothing is lost: the same command goes on from here.", file=sys.stderr)
        return 130


def refuse(sentence):
    print(sentence, file=sys.stderr)
    return 2


def explain(error):
    """One sentence for an error of the operating system."""
    if error.errno == errno.ENOSPC:
        return "The disk is full: make room and run the same command again."
    return "{}: {}.".format(error.filename or ROOT, error.strerror or error)


# --- commands ------------------------------------------------------------------------------


def parser():
    """Every option of every command, once; what is not given is not in the result.

    A place is made whole here, because the command runs in the course's folder.
    """
    top = argparse.ArgumentParser(
        prog="python3 run.py",
        description="minigrad: which buffer is freed, which is not?",
        epilog=EXIT_CODES,
    )
    silent = functools.partial(argparse.ArgumentParser, argument_default=argparse.SUPPRESS)
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=silent)
    commands.required = True
    add = functools.partial(add_command, commands)
    lab = commands.add_parser("lab", help="open the lessons in JupyterLab")
    lab.add_argument("--port", type=port, metavar="N", help="use this port and no other")
    only = {"dest": "browser", "action": "store_false", "help": "only print the address"}
    lab.add_argument("--no-browser", **only)
    lab.add_argument("--torch", action="store_true", help="bring PyTorch along, if it can be had")
    test = add("test", "tests", "prove everything: code, lessons, stored outputs")
    test.add_argument("--ci", action="store_true", help="installs, old kernels, no PyTorch too")
    test.add_argument("--long", action="store_true", help="all that, every kernel, all twice")
    build = add("build", "lessons", "make the notebooks from lessons/")
    check = add("check", "lessons", "prove that the notebooks are current")
    for command in build, check:
        command.add_argument("lessons", nargs="*", metavar="NN", help="only these (or playground)")
    nbgrader = "write an nbgrader source set to DIR"
    other = build.add_mutually_exclusive_group()
    other.add_argument("--nbgrader", type=os.path.abspath, metavar="DIR", help=nbgrader)
    add_private(other, "make and prove a teacher's own exercises, in DIR")
    check.add_argument("--jitter", metavar="SEED", help="numbers moved, as another processor may")
    commands.add_parser("update", help="bring new lesson versions to my/, keep what you wrote")
    add_bench(add)
    add_gpu(add)
    add_grade(add)
    add_truth(add)
    add_site(add)
    submit = commands.add_parser("submit", help="make the one zip that you hand in")
    submit.add_argument("--name", metavar="NAME", help="yours, for the name of the zip")
    progress = commands.add_parser("progress", help="take what you did to another machine")
    way = progress.add_mutually_exclusive_group(required=True)
    for option, what in ("--save", "write it to one file"), ("--load", "join such a file to my/"):
        way.add_argument(option, type=os.path.abspath, metavar="FILE", help=what)
    release = add("release", "solutions", "make the zip for a class, without solutions")
    out = {"type": os.path.abspath, "default": "minigrad-class.zip", "metavar": "FILE"}
    release.add_argument("-o", "--out", help="the zip to write (minigrad-class.zip)", **out)
    add_private(release, "bring a teacher's own exercises along")
    return top


def add_command(commands, name, folder, what, **more):
    """A command that needs a folder; where a class's copy lacks it, no help names the command."""
    shown = {"help": what} if (ROOT / folder).is_dir() else {}
    return commands.add_parser(name, **dict(shown, **more))


def add_private(command, what):
    command.add_argument("--private", type=os.path.abspath, metavar="DIR", help=what)


def add_bench(add):
    bench = add("bench", "benchmarks", "time minigrad beside PyTorch and others")
    bench.add_argument("cases", nargs="*", metavar="CASE", help="only these")
    bench.add_argument("--rounds", type=jobs, metavar="N", help="so many rounds (25)")
    bench.add_argument("--quick", action="store_true", help="what has a bar, for a minute or two")
    where = "where the figures go (benchmarks/results)"
    bench.add_argument("--out", type=os.path.abspath, metavar="DIR", help=where)


def add_gpu(add):
    gpu = add("gpu", "benchmarks/gpu", "prove it on an NVIDIA card, and time it there")
    gpu.add_argument("stages", nargs="*", metavar="STAGE", help="only these")
    gpu.add_argument("--simulate", action="store_true", help="on a stand-in, as far as that goes")
    where = "where the files go (benchmarks/results)"
    gpu.add_argument("--out", type=os.path.abspath, metavar="DIR", help=where)
    gpu.add_argument("--share", type=float, metavar="S", help="so much of each stage's time (1.0)")


def add_grade(add):
    what = "grade a class: its notebooks in, its books out"
    grade = add("grade", "solutions", what, epilog=GRADED)
    what = "a folder, or a Moodle/Canvas zip"
    grade.add_argument("submissions", type=os.path.abspath, metavar="SUBMISSIONS", help=what)
    out = {
        "type": os.path.abspath,
        "required": True,
        "metavar": "OUT",
        "help": "where the books go",
    }
    grade.add_argument("-o", "--out", **out)
    grade.add_argument("--seed", metavar="S", help="draw the hidden cases from this")
    mode = grade.add_mutually_exclusive_group()
    locked = "lock each submission in: no network, no files, no privileges (the default)"
    mode.add_argument("--isolate", action="store_true", help=locked)
    plain = "do not: learners' code runs as you"
    mode.add_argument("--plain", dest="isolate", action="store_false", help=plain)
    grade.add_argument(
        "--fail-under", type=share, metavar="P", help="exit code 1 if anybody has less than P %%"
    )
    klass = "a class.toml: lessons, roster, late days, weights (docs/class.toml.md)"
    grade.add_argument("--class", dest="klass", type=os.path.abspath, metavar="FILE", help=klass)
    only = "grade only these, such as 04,05"
    grade.add_argument("--lessons", type=names, metavar="NN,NN", help=only)
    add_private(grade, "grade a teacher's own exercises, too (or class.toml says it)")
    grade.add_argument("--again", action="store_true", help="grade everybody anew")
    grade.add_argument("--jobs", type=jobs, metavar="N", help="so many submissions at once (2)")


def add_truth(add):
    truth = add("truth", "tests", "list what another PyTorch says otherwise")
    own = "that one, in an environment of its own (what is installed)"
    truth.add_argument("--torch", type=version, metavar="VERSION", help=own)
    truth.add_argument("--strict", action="store_true", help="exit code 1 if anything differs")


def add_site(add):
    site = add("site", "doors", "make the course as pages that need nothing installed")
    base = "where it will stand, for its sitemap: https://example.org/course/"
    site.add_argument("--base-url", type=address, metavar="URL", help=base)
    out = "where the pages go (_site)"
    site.add_argument("-o", "--out", type=os.path.abspath, metavar="DIR", help=out)


def port(text):
    number = int(text) if text.isdigit() else -1
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535, not " + repr(text))
    return number


def address(text):
    if not re.match(r"https?://[^\s?#]+$", text):
        raise argparse.ArgumentTypeError("an address is wanted, https://..., not " + repr(text))
    return text


def share(text):
    if not re.match(r"(100|\d{1,2}(\.\d+)?)$", text):
        raise argparse.ArgumentTypeError("a share is a number from 0 to 100, not " + repr(text))
    return float(text)


def names(text):
    found = [name.strip() for name in text.split(",")]
    if not all(found):
        raise argparse.ArgumentTypeError("names with commas are wanted: 04,05, not " + repr(text))
    return found


def jobs(text):
    if not re.match(r"[1-9]\d?$", text):
        raise argparse.ArgumentTypeError("a number from 1 to 99 is wanted, not " + repr(text))
    return int(text)


def version(text):
    if not re.match(r"\d+(\.\d+){1,2}$", text):
        raise argparse.ArgumentTypeError("a version is wanted, such as 2.14.1, not " + repr(text))
    return text


def module_call(options):
    """What the interpreter of .venv is given: `-m module command`, and the options as JSON."""
    given = dict(vars(options))
    command = given.pop("command")
    if command == "gpu" and not (ROOT / "benchmarks" / "gpu").is_dir():
        raise Stop("What runs on a GPU is no part of a class's copy: clone the course to run it.")
    own = {
        "build": ["course.build", "build"],
        "check": ["course.build", "check"],
        "site": ["course.site"],
    }
    call = ["benchmarks.gpu"] if command == "gpu" else own.get(command, ["course.cli", command])
    return ["-m"] + call + [json.dumps(given, sort_keys=True)] * bool(given)


def require_whole():
    if not (ROOT / "doors").is_dir() or not (ROOT / "site.lock").is_file():
        raise Stop("The site is made from all of the course: clone it, a class's copy has a part.")


def hand_over(call, python=None):
    """Run the call in .venv; on POSIX this process becomes it, so that Ctrl-C reaches it alone.

    Another `python` is given its own environment.
    """
    command = [python or str(venv_python())] + call
    environment = dict(os.environ) if python else of_venv()
    os.chdir(str(ROOT))
    sys.stdout.flush()
    if os.name == "posix":
        os.execve(command[0], command, environment)
    return subprocess.call(command, env=environment)


def of_venv():
    environment = dict(os.environ, VIRTUAL_ENV=str(VENV), JUPYTER_PREFER_ENV_PATH="1")
    environment["PATH"] = os.pathsep.join([str(venv_python().parent), os.environ.get("PATH", "")])
    environment.pop("PYTHONHOME", None)
    return environment


def gpu_python(simulate):
    """None for .venv, if it is finished and has CuPy; else this Python, which needs no network."""
    if read(STAMP) != stamp() or not venv_python().exists():
        return sys.executable
    ask = "import importlib.util as u, sys; sys.exit(u.find_spec('cupy') is None)"
    if simulate or subprocess.call([str(venv_python()), "-c", ask]) == 0:
        return None
    return sys.executable


# --- the environment -----------------------------------------------------------------------


def check_python(version, command):
    if tuple(version[:2]) < OLDEST:
        raise Stop(
            "minigrad needs Python 3.11 or newer and this is {}.{}: install a newer one (from "
            "python.org, say) and start with it, for example: python3.13 run.py {}".format(
                version[0], version[1], command
            )
        )


def use(folder, lock=None):
    """Let this folder be the environment, in the place of .venv; with what this lock says."""
    global VENV, STAMP, LOG, LOCK
    VENV, STAMP, LOG = folder, folder / STAMP.name, folder / LOG.name
    LOCK = lock or LOCK


def ensure_environment():
    """Make .venv hold exactly what the lock says; does nothing when it already does."""
    for needed in LOCK, ROOT / "pyproject.toml":
        if not needed.is_file():
            raise Stop("{} is missing: clone the course again.".format(needed.name))
    if read(STAMP) == stamp() and venv_python().exists():
        return
    if VENV.is_symlink() and STAMP.exists():
        raise Stop(
            "{} is a link to {}, which was made for another folder or another lock, and belongs to "
            "it perhaps: remove the link, and run.py makes one here.".format(
                VENV.name, os.path.realpath(str(VENV))
            )
        )
    started = time.monotonic()
    print("Setting up {}: once, about a minute ...".format(VENV.name), flush=True)
    discard_if_unusable()
    if STAMP.exists():
        STAMP.unlink()  # from here on the environment counts as unfinished
    if not install_with_uv():
        install_with_pip()
    STAMP.write_text(stamp())
    print("Ready after {:.0f} s.".format(time.monotonic() - started), flush=True)


def stamp():
    """Python's version, then a digest of all that decides what .venv holds."""
    digest = hashlib.sha256()
    for part in LOCK.read_bytes(), (ROOT / "pyproject.toml").read_bytes(), str(ROOT).encode():
        digest.update(part + b"\0")
    return "{}.{}.{} {}\n".format(*sys.version_info[:3], digest.hexdigest())


def discard_if_unusable():
    """A .venv of another Python, or one without its Python, cannot be repaired in place."""
    if VENV.exists() and venv_version() != sys.version_info[:3]:
        shutil.rmtree(str(VENV))


def venv_version():
    ask = "import sys; print(*sys.version_info[:3])"
    try:
        answer = subprocess.run(
            [str(venv_python()), "-c", ask], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
    except OSError:
        return None
    return tuple(int(part) for part in answer.stdout.split()) or None


def venv_python():
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def base_python():
    """The interpreter behind a virtual environment, which may be the .venv being rebuilt."""
    return getattr(sys, "_base_executable", None) or sys.executable


def install_with_uv():
    """True when uv did the whole job. It is only an accelerator: pip follows whenever it fails."""
    uv = shutil.which("uv")
    if uv is None:
        return False
    install = [uv, "pip", "install", "--python", str(venv_python())]
    calls = [install + ["-r", str(LOCK), "-e", str(ROOT)]]
    if not venv_python().exists():
        # --seed brings pip along: without it `%pip` in a notebook breaks.
        calls.insert(0, [uv, "venv", "--seed", "--python", base_python(), str(VENV)])
    if all(quietly(call) for call in calls):
        return True
    print("uv could not do it: going on with pip.", flush=True)
    if VENV.exists():
        shutil.rmtree(str(VENV))
    return False


def quietly(call):
    # uv would fetch a Python of its own when it dislikes ours.
    environment = dict(os.environ, UV_PYTHON_DOWNLOADS="never")
    try:
        done = subprocess.run(
            call,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=UV_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def install_with_pip():
    for module in "venv", "ensurepip":
        if importlib.util.find_spec(module) is None:
            raise Stop(
                "This Python has no {} module: install it (Debian and Ubuntu: sudo apt install "
                "python3-venv) and run the same command again.".format(module)
            )
    logged([base_python(), "-m", "venv", str(VENV)])
    # --no-compile saves a quarter of the time: most of these modules are never imported.
    pip = [str(venv_python()), "-m", "pip", "--disable-pip-version-check", "--no-input"]
    logged(pip + ["install", "--no-compile", "-r", str(LOCK), "-e", str(ROOT)])


def logged(command):
    """Run an installer, show how far it is, keep its words in a log for the day it fails."""
    VENV.mkdir(exist_ok=True)
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, **pipes) as process:
        with open(str(LOG), "a") as log:
            show_progress(process.stdout, log)
    if process.returncode:
        raise Stop(installer_failed())


def show_progress(lines, log):
    total, collected = len(read(LOCK).splitlines()), 0
    for line in lines:
        log.write(line.decode("utf-8", "replace"))
        if line.startswith(b"Collecting "):
            collected += 1
            if sys.stdout.isatty():
                print("\r  {} of {} packages".format(collected, total), end="", flush=True)
    if sys.stdout.isatty() and collected:
        print()


def installer_failed():
    sys.stderr.write("".join(read(LOG).splitlines(True)[-12:]))
    if shutil.disk_usage(str(ROOT)).free < NEEDED_MB * 2**20:
        return "The disk is nearly full: the set-up needs about {} MB.".format(NEEDED_MB)
    return (
        "The packages could not be installed (the last lines above, all of it in {}): check the "
        "network and run the same command again.".format(LOG.relative_to(ROOT))
    )


def read(path):
    return path.read_text(errors="replace") if path.is_file() else ""


if __name__ == "__main__":
    sys.exit(main())
