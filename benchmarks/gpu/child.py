"""One stage: `python -m benchmarks.gpu.child module:function card|simulated SECONDS`.

Each row is a line of JSON on its stdout, as soon as it is known; all else that is printed goes to
stderr. The exit code tells nothing but whether the stage came to its end.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys

from benchmarks.gpu.plan import Stage


def main(where: str, simulated: str, seconds: str) -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what an engine prints is no row
    from benchmarks.gpu.place import Place

    place = Place(simulated == "simulated", float(seconds))
    for row in Stage("", "", 0, where).function(place):
        print(json.dumps(dataclasses.asdict(row)), file=answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
