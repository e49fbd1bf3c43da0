"""How long a class takes, and how much memory: `python -m benchmarks.classroom [N] [--seed S]`.

N learners (60) with every exercise written: solutions, other right ways, planted mistakes, a few
stubs, mixed at random. They are graded by the command itself, isolated, two at a time. What counts
on a machine that others use too are the CPU seconds; memory is that of the grader and all that it
started, pages that they share counted once.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from course.build import planted
from course.classroom import notebook
from course.sandbox import watch

ROOT = Path(__file__).resolve().parents[1]
STUBS = 0.03  # of all answers
LOOK = 1  # seconds between two looks at memory: each takes some 20 ms of the processor
MB = 1e6


def main():
    options = argparse.ArgumentParser(prog="python -m benchmarks.classroom")
    options.add_argument("learners", type=int, nargs="?", default=60, metavar="N")
    options.add_argument("--seed", default="class", help="of the class and of its numbers")
    options.add_argument("--keep", type=Path, metavar="DIR", help="work there, and leave it")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="minigrad-bench-") as scratch:
        place = given.keep or Path(scratch)
        write_class(place / "handed", given.learners, given.seed)
        measure(place, given)


# --- the class -----------------------------------------------------------------------------


def write_class(folder, count, seed):
    """So many learners; the same for the same seed."""
    course = [(json.loads(p.read_text("utf-8")), p.name, ways(p)) for p in exercises()]
    for number in range(count):
        draw = random.Random(f"{seed}/{number}")
        for made, name, found in course:
            cells = [answered(cell, found, draw, number) for cell in made["cells"]]
            path = folder / f"learner_{number:04d}" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(made | {"cells": cells}), "utf-8")


def exercises():
    return sorted((ROOT / "exercises").glob("[0-9]*.ipynb"))


def ways(path):
    """{exercise: its solution and all planted answers}."""
    solved = notebook.read((ROOT / "solutions" / path.name).read_bytes(), path.name)
    found = {cell.exercise: [cell.source] for cell in solved.code if cell.role == "answer"}
    for file in sorted((ROOT / "tests/answers").glob(f"{path.name[:2]}_*.py")):
        for one in planted.read(file, path.name[:2]):
            found[one.exercise].append(one.source)
    return found


def answered(cell, found, draw, number):
    """The cell with an answer of this learner's: no two learners hand in the same text."""
    mark = cell["metadata"].get("minigrad", {})
    if mark.get("role") != "answer" or draw.random() < STUBS:
        return cell
    return cell | {"source": f"{draw.choice(found[mark['exercise']])}\n# learner {number}"}


# --- the grader ----------------------------------------------------------------------------


def measure(place, given):
    """Grade them, once anew and once again with nothing to do, and print the figures."""
    first = graded(place, given)
    print(f"{given.learners} learners, 2 jobs, isolated: exit code {first['code']}")
    each = first["cpu"] / given.learners
    print(f"CPU: {first['cpu']:.0f} s, {each:.2f} s a learner: 1,000 in {1000 * each / 7200:.2f} h "
          "on 2 quiet cores")  # fmt: skip
    rate = 60 * given.learners / first["wall"]
    print(f"on the clock: {first['wall']:.0f} s, {rate:.1f} learners a minute, on a machine whose "
          f"load is {os.getloadavg()[0]:.1f}")  # fmt: skip
    print(
        f"memory: {first['all'] / MB:.0f} MB in all, {first['own'] / MB:.0f} MB of them the grader"
    )
    out = [path.stat().st_size for path in (place / "out").rglob("*") if path.is_file()]
    print(f"OUT: {sum(out) / MB:.1f} MB, {len(out)} files")
    again = graded(place, given)
    print(f"again, with nothing to grade: {again['cpu']:.1f} s of CPU, {again['all'] / MB:.0f} MB")


def graded(place, given):
    options = {"submissions": str(place / "handed"), "out": str(place / "out"), "seed": given.seed}
    before, began = used(), time.monotonic()
    command = [sys.executable, "-m", "course.cli", "grade", json.dumps(options)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as process:
        most = {"all": 0, "own": 0}
        while process.poll() is None:
            pids = [process.pid, *watch.below(process.pid)]
            now = {"all": sum(map(share, pids)), "own": share(process.pid)}
            most = {name: max(most[name], now[name]) for name in most}
            time.sleep(LOOK)
    found = {"code": process.returncode, "cpu": used() - before, "wall": time.monotonic() - began}
    return found | most


def used():
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def share(pid):
    """Bytes that it uses; of a page that several use, its part."""
    rows = [row.split() for row in read(Path(f"/proc/{pid}/smaps_rollup")).splitlines()]
    return next((1024 * int(row[1]) for row in rows if row[0] == "Pss:"), 0)


def read(path):
    try:
        return path.read_text()
    except OSError:  # it has just ended
        return ""


if __name__ == "__main__":
    main()
