"""Runs programs of the corpus twice each, plain and recorded, and prints where they differ.

`python tests/whoholds/fork.py program.py ...`: PyTorch is imported once, then each run is a fork of
this process. It prints a line of JSON for each program: what differs, and what the trace says.
"""

import gc
import json
import os
import signal
import sys
import tempfile
import types
from pathlib import Path

from whoholds.__main__ import main
from whoholds.on_torch.ledger import warm_up

SECONDS = 120


def plain(path, _):
    """The script as Python runs it."""
    module = types.ModuleType("__main__")
    module.__file__, sys.argv, sys.path[0] = path, [path], str(Path(path).parent)
    sys.modules["__main__"] = module
    exec(compile(Path(path).read_text("utf-8"), path, "exec"), vars(module))


def recorded(path, report):
    main(["--save", str(report), path])


def forked(run, path, folder):
    """Exit status, standard output and standard error of one run."""
    out, err = folder / "out", folder / "err"
    child = os.fork()
    if child == 0:
        for stream, file in (1, out), (2, err):
            os.dup2(os.open(file, os.O_CREAT | os.O_WRONLY | os.O_TRUNC), stream)
        signal.alarm(SECONDS)
        # The collector comes when enough objects were made, the recorder's counted: that moment is
        # promised by nobody, and 023 prints how many tensors still wait for it.
        gc.disable()
        status = 1
        try:
            run(path, folder / "report.json")
            status = 0
        except SystemExit as left:
            status = left.code if isinstance(left.code, int) else int(left.code is not None)
        except BaseException as error:
            said(error, path)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    _, status = os.waitpid(child, 0)
    return status, out.read_text("utf-8"), err.read_text("utf-8")


def said(error, path):
    """Print the error with the frames of the program and below, as Python does."""
    entry = error.__traceback__
    while entry and entry.tb_frame.f_code.co_filename != path:
        entry = entry.tb_next
    sys.excepthook(type(error), error.with_traceback(entry), entry)


def compare(path):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        before = forked(plain, path, folder)
        status, out, err = forked(recorded, path, folder)
        lines = err.splitlines(keepends=True)
        mine = [line for line in lines if line.startswith("written: ")]
        after = status, out, "".join(line for line in lines if line not in mine)
        parts = "status", "output", "errors"
        rows = zip(parts, before, after, strict=True)
        differs = {part: [a, b] for part, a, b in rows if a != b}
        trace = json.loads((folder / "report.json").read_text("utf-8"))
        lost = [event["text"] for event in trace["events"] if event["kind"] == "lost"]
        return dict(differs=differs, lost=lost, events=len(trace["events"]))


if __name__ == "__main__":
    warm_up()
    sys.stdout.flush()
    for one in sys.argv[1:]:
        print(json.dumps([one, compare(one)]), flush=True)
