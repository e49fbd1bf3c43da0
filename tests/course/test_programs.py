"""The PyTorch programs that a lesson shows between fences do what the lesson says of them.

It says so after the word "print" in the paragraph above, between backticks, and by a number that
begins a comment; an ellipsis stands for anything. A program may end in an error only if that
paragraph says so, and then in its last line.
"""

import contextlib
import io
import json
import re
import traceback
import warnings
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed")

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"((?:^.+\n)+)\n?```python\n(import torch\n(?:(?!```).*\n)*)```", re.M)


def programs():
    """A test each: the paragraph above the program, and the program."""
    for path in sorted(ROOT.glob("notebooks/[0-9]*.ipynb")):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
        for number, (above, code) in enumerate(FENCE.findall("\n".join(texts)), 1):
            yield pytest.param(above, code, id=f"{path.stem}-{number}")


def promised(above, code):
    """The lines that it prints, as patterns; None if nothing is said of them."""
    after = re.split(r"\bprints?\b", " ".join(above.split()), maxsplit=1)[1:]
    said = re.findall(r"`(.+?)`", "".join(after)) + re.findall(r"print\(.*\) +# (\d+):", code)
    return [".+".join(map(re.escape, line.split("..."))) for line in said] or None


def says(wanted, lines):
    return wanted is None or len(lines) == len(wanted) and all(map(re.fullmatch, wanted, lines))


@pytest.mark.parametrize(("above", "code"), list(programs()))
def test_it_prints_what_its_lesson_says(above, code, record_property):
    printed, error_on = io.StringIO(), None
    program = compile(code, "<program>", "exec")
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(program, {"__name__": "program"})
        except RuntimeError as error:
            error_on = traceback.extract_tb(error.__traceback__)[1].lineno
    lines, wanted = printed.getvalue().splitlines(), promised(above, code)
    if not says(wanted, lines):
        record_property("prints", (wanted, lines))
    assert says(wanted, lines), (wanted, lines)
    assert error_on == (len(code.splitlines()) if "error" in above else None)
