"""Asks `whoholds.who` of each program in corpus/holders, on the engine that is named.

`python tests/whoholds/ask.py torch|minigrad` prints {program: [answers, what is accepted]} as JSON;
of a program that the engine cannot run, the error instead.
"""

import contextlib
import io
import json
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).with_name("corpus") / "holders"
ASK = "import whoholds\nANSWERS = whoholds.who(TARGET())"


def asked(path, engine):
    source = path.read_text("utf-8")
    if engine == "minigrad":
        source = re.sub(r"\bimport torch\b", "import minigrad as torch", source)
        source = re.sub(r"\bfrom torch\b", "from minigrad", source)
    space = {"__name__": "holders", "__file__": str(path)}
    try:
        exec(compile(source, str(path), "exec"), space)
        exec(ASK, space)
    except (AttributeError, ImportError, NotImplementedError) as error:
        return f"{type(error).__name__}: {error}"
    return [list(space["ANSWERS"]), space["EXPECT"]]


if __name__ == "__main__":
    with contextlib.redirect_stdout(io.StringIO()):
        found = {path.stem: asked(path, sys.argv[1]) for path in sorted(FOLDER.glob("*.py"))}
    print(json.dumps(found))
