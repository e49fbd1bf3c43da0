"""What a small program printed under real PyTorch: recorded, where minigrad has no twin of it.

Program and record stand in `course/data/on_torch`, the record's first line says what ran it.
`python -m course.on_torch` runs all programs and writes their records; a test does the same where
PyTorch is installed, and compares.
"""

import html
import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).with_name("data") / "on_torch"
WHERE = "import platform, torch; print('PyTorch', torch.__version__, 'on', platform.system())\n"
ENVIRONMENT = {"PYTHONMALLOC": "malloc", "OMP_NUM_THREADS": "1"}


class on_torch:
    """A program by its name, and the record of what it printed; nothing is run here."""

    def __init__(self, name):
        self.program = (FOLDER / f"{name}.py").read_text("utf-8")
        self.where, self.printed = (FOLDER / f"{name}.txt").read_text("utf-8").split("\n", 1)

    def __repr__(self):
        return f"{self._head()}\n\n{self.printed}\nThe program:\n\n{self.program.rstrip()}"

    def _repr_html_(self):
        printed, program = map(html.escape, (self.printed, self.program))
        return (
            f"<p>{self._head()}</p><pre>{printed}</pre>"
            f"<details><summary>The program</summary><pre>{program}</pre></details>"
        )

    def _head(self):
        return f"Recorded with {self.where}; nothing was run here. It printed:"


def names():
    """The names of all programs."""
    return sorted(path.stem for path in FOLDER.glob("*.py"))


def run(name):
    """What the program prints now, below a line that says which PyTorch that is."""
    text = WHERE + (FOLDER / f"{name}.py").read_text("utf-8")
    command = [sys.executable, "-c", text]
    done = subprocess.run(
        command,
        cwd=FOLDER.parents[2],
        env=os.environ | ENVIRONMENT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


if __name__ == "__main__":
    for name in names():
        (FOLDER / f"{name}.txt").write_text(run(name), "utf-8")
