"""What each door's programs do on real PyTorch, recorded: `doors/results/NAME.json`.

`python -m course.site.record [NAME ...]` runs them and writes it; the site is made from it where
no PyTorch is. A test runs them again where PyTorch is, and compares.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import re
import sys
import warnings

from course.site.door import FOLDER, Door, doors
from whoholds.events import Trace, shown
from whoholds.names_first import ordered
from whoholds.step.magic import run

RESULTS = FOLDER / "results"
COUNTED = re.compile(r"<step \d+>")  # the file of a stepped cell: how many there were before it
BEHIND = {"live"}  # of an event: the sum of its bytes


def result(door: Door) -> list:
    """For each program what it printed, its error, and what it cost; of a stepped one the trace."""
    gc.collect()
    gc.disable()  # else what a ring holds goes when so many objects have been made
    try:
        return [_ran(cell) for cell in door.programs]
    finally:
        gc.enable()


def _ran(cell) -> dict:
    """A cell that is only run (`run`) is not recorded: it may record others."""
    import torch

    torch.manual_seed(0)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        if cell.kind == "run":
            exec(compile(cell.text, "<run>", "exec"), {"__name__": "__main__"})
        else:
            outcome = run(cell.text, "torch", {})
    if cell.kind == "run":
        return {"printed": printed.getvalue(), "error": "", "warnings": []}
    trace, error = outcome.trace, outcome.error
    found = {"printed": printed.getvalue(), "error": _said(error), **price(trace)}
    outcome.forget()
    found["warnings"] = list(dict.fromkeys(f"{w.category.__name__}: {w.message}" for w in warned))
    return found | ({"trace": brief(trace)} if cell.kind == "step" else {})


def _said(error) -> str:
    return f"{type(error).__name__}: {error}" if error else ""


def price(trace: Trace) -> dict:
    """Bytes at the peak and at the end; operations that were recorded, and that backward ran."""
    events = trace.events
    ops = {e["node"] for e in events if e["kind"] == "node" and e["name"] != "AccumulateGrad"}
    walked = sum(e["kind"] == "visit" and e["node"] in ops for e in events)
    left = shown(events[-1]) if events else 0
    return {"peak": trace.peak, "end": left, "nodes": len(ops), "walked": walked}


def brief(trace: Trace) -> dict:
    """The plain data of a trace, without what can be computed."""
    data = trace.to_json()
    events = [{k: v for k, v in e.items() if k not in BEHIND} for e in data["events"]]
    places = [[COUNTED.sub("<step>", file), *rest] for file, *rest in data["places"]]
    return {"source": data["source"], "events": events, "places": places}


def told(data: dict, title: str, version: str) -> Trace:
    """The trace that `brief` was made from."""
    events = [{"live": sum(event["bytes"]), **event} for event in data["events"]]
    return ordered(Trace(events, data["source"], "torch", title, data["places"], version))


def stored(door: Door) -> dict:
    """{"torch": version, "programs": [...]}, as it was recorded."""
    return json.loads((RESULTS / f"{door.name}.json").read_text("utf-8"))


def written(programs, version) -> str:
    """One line for each event, so that a change can be read."""
    text = json.dumps({"torch": version, "programs": programs}, ensure_ascii=False)
    return text.replace('{"kind"', '\n{"kind"') + "\n"


def main(names, folder=RESULTS) -> int:
    import torch

    version = torch.__version__.partition("+")[0]
    known = {door.name: door for door in doors()}
    folder.mkdir(exist_ok=True)
    for name in names or known:
        if name not in known:
            print(f"There is no door {name!r}; the doors are {', '.join(known)}.", file=sys.stderr)
            return 2
        text = written(result(known[name]), version)
        (folder / f"{name}.json").write_text(text, "utf-8")
        print(name)
    return 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main(sys.argv[1:]))
