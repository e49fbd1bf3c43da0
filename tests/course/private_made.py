"""A teacher's own folder with one exercise, that of docs/private.md; it has 4 points."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs/private.md").read_text("utf-8")
LESSON, CASES, ANSWERS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
HEAD = "def batch_bytes(images, side, channels):\n"
RIGHT = HEAD + "    return 4 * channels * images * side**2"
WRONG = HEAD + "    return images * side * side * channels"
# Looks where the cases came from, and where it was told that the folder is.
THIEF = """
import json, sys
from pathlib import Path

places = [Path(FOLDER)]
places += [Path(m.__file__).parent for n, m in list(sys.modules.items()) if n == "cases_31"]
found = {}
for place in places:
    for name in ("solutions/31_bytes_of_a_batch.ipynb", "31_bytes_of_a_batch.py",
                 "expected/31.json", "cases_31.py", "answers_31.py"):
        try:
            found[name] = (place / name).read_text()
        except OSError:
            pass
for name in list(found)[:1]:
    for cell in json.loads(found[name])["cells"]:
        text = "".join(cell["source"])
        if text.startswith("def batch_bytes"):
            exec(text.replace("batch_bytes", "stolen"))


def batch_bytes(images, side, channels):
    return stolen(images, side, channels) if found else "nothing to be had"
"""


def write(folder, lesson=LESSON, cases=CASES, answers=ANSWERS, number="31"):
    """The folder; None leaves a file out."""
    folder.mkdir(parents=True, exist_ok=True)
    names = f"{number}_bytes_of_a_batch.py", f"cases_{number}.py", f"answers_{number}.py"
    for name, text in zip(names, (lesson, cases, answers), strict=True):
        if text is not None:
            (folder / name).write_text(text, "utf-8")
    return folder


def line(text, start):
    """The number of the first line that begins so."""
    return next(n for n, row in enumerate(text.splitlines(), 1) if row.startswith(start))
