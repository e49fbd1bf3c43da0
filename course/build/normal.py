"""What may differ between two runs of the same cell: addresses, temp files, `~measured` figures.

Everything else in an output is a claim. Byte counts above all: they are exact, and the lesson.
The build stores text that went through here, `check` compares such text, and nbval reads the
same rules from `nbval.cfg` (a test proves it equal to `nbval_config()`).
"""

import re

from course.twin.compare import ENGINE, INTERNAL

RULES = (
    ("addresses", r"\b0x[0-9a-fA-F]{6,16}\b", "0x..."),
    ("files of cells", r"[^\s\"'<>]*ipykernel_\d+[\\/]\d+\.py", "<cell>"),
    ("files of plain IPython", r"<ipython-input-\d+-[0-9a-f]+>", "<cell>"),
    ("figures marked ~measured", r"~[0-9][0-9.,]*( ?[^\W\d]+)? measured", "~... measured"),
)


def stable(text):
    """`text` without what no two runs share."""
    for _, pattern, replacement in RULES:
        text = re.sub(pattern, replacement, text)
    return text


def uncounted(text):
    """`text` without execution counts, for runs that number their cells differently."""
    return re.sub(r"\b(In|Out) ?\[\d+\]", r"\1[n]", text)


def engineless(text):
    """A printed text or a repr, with torch's name in place of minigrad's."""
    return ENGINE.sub("torch.", text)


def placeless(text):
    """A message without where in torch's C++ it came from."""
    return INTERNAL.sub("", text)


def nbval_config():
    """The same rules in the form that `--nbval-sanitize-with` reads."""
    parts = [f"[{name}]\nregex: {regex}\nreplace: {new}\n" for name, regex, new in RULES]
    return "\n".join(parts)
