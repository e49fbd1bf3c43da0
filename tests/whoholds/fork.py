"""Runs programs of the corpus plain, recorded and under PyTorch's own profiler.

`python tests/whoholds/fork.py program.py ...`: PyTorch is imported once, then each run is a fork of
this process. It prints a line of JSON for each program: what differs between the first two, what
the trace says, and the bytes that outlived the op that allocated them, told or not.
"""

import gc
import json
import os
import signal
import sys
import tempfile
import types
from collections import Counter
from pathlib import Path

import torch

from whoholds.__main__ import main
from whoholds.on_torch.ledger import warm_up

SECONDS = 120
NUMBER = 8  # bytes, at most


def plain(path, _):
    """The script as Python runs it."""
    module = types.ModuleType("__main__")
    module.__file__, sys.argv, sys.path[0] = path, [path], str(Path(path).parent)
    sys.modules["__main__"] = module
    exec(compile(Path(path).read_text("utf-8"), path, "exec"), vars(module))


def recorded(path, report):
    main(["--save", str(report), path])


def profiled(path, report):
    """Write the sizes of the storages that outlive the op that allocated them."""
    with torch.profiler.profile(profile_memory=True) as profiler:
        try:
            plain(path, None)
        except BaseException as error:  # the two other runs have told it
            said(error, path)
    tree = profiler.profiler.kineto_results.experimental_event_tree()
    report.write_text(json.dumps(outlived(tree)), encoding="utf-8")


def outlived(tree) -> list:
    """Sizes of what was alive when the outermost op around its allocation was over.

    Outside of an op a Python number becomes a tensor for the op: no ledger counts it.
    """
    alive: dict = {}  # address -> (bytes, when the op is over)
    found = []
    for when, address, size, end in sorted(allocations(tree, 0)):
        if size > NUMBER or (size > 0 and end):
            alive[address] = size, end
        elif address in alive:
            size, end = alive.pop(address)
            found += [size] * (when >= end)
    return found + [size for size, _ in alive.values()]


def allocations(events, end):
    """(when, address, bytes, end of the outermost op or 0) of each change; freed bytes below 0."""
    for event in events:
        if is_allocation(event):
            change = event.typed[1]
            yield event.start_time_ns, change.ptr, change.alloc_size, end
        yield from allocations(event.children, end or event.end_time_ns)


def is_allocation(event) -> bool:
    return event.tag == torch._C._profiler._EventType.Allocation


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
        told = Counter(event["size"] for event in trace["events"] if event["kind"] == "born")
        forked(profiled, path, folder)
        bytes = Counter(json.loads((folder / "report.json").read_text("utf-8")))
        return dict(
            differs=differs, lost=lost, events=len(trace["events"]),
            bytes=sum(bytes.elements()), missed=sum((bytes - told).elements()),
        )  # fmt: skip


if __name__ == "__main__":
    warm_up()
    sys.stdout.flush()
    for one in sys.argv[1:]:
        print(json.dumps([one, compare(one)]), flush=True)
