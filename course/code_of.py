"""A function's own text as the value of a cell, so that a lesson shows the code that it runs."""

import inspect
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDED = "<details><summary>Show the code of {}</summary>\n\n{}\n\n</details>"


def code_of(*things, folded=False):
    """The code of functions or classes, with a link to each file; `folded`: a click opens it."""
    return Code(things, folded)


class Code:
    """What `code_of` returns: highlighted where Markdown is shown, else as text."""

    def __init__(self, things, folded):
        self.names, self.folded = [thing.__name__ for thing in things], folded
        self.texts: dict = {}  # path from the root of the project -> the code that is shown of it
        for thing in things:
            file = Path(inspect.getfile(thing)).resolve().relative_to(ROOT).as_posix()
            self.texts.setdefault(file, []).append(inspect.getsource(thing).rstrip())

    def __repr__(self):
        return "\n\n\n".join(f"# {file}\n\n{code}" for file, code in self._codes())

    def _repr_markdown_(self):
        parts = [f"```python\n{code}\n```\n\nin {_link(file)}" for file, code in self._codes()]
        text = "\n\n".join(parts)
        names = ", ".join(f"<code>{name}</code>" for name in self.names)
        return FOLDED.format(names, text) if self.folded else text

    def _codes(self):
        return [(file, "\n\n\n".join(texts)) for file, texts in self.texts.items()]


def _link(file):
    """From the notebook's folder to the file; a build runs at the root what is stored below it.

    Where the course is installed beside other packages, no notebook can lead there.
    """
    if not (ROOT / "notebooks").is_dir():
        return file
    here = Path.cwd()
    path = os.path.relpath(ROOT / file, here / "notebooks" if here == ROOT else here)
    return f"[{file}]({Path(path).as_posix()})"
