"""What PyTorch has: its public names, place by place, and what to write here instead of some.

Nothing of it is read before somebody asks for a name that minigrad lacks, but for Tensor's names.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
LACKS = "minigrad has no `{}`"
INSTEAD = ": write `{}` for `{}`"
ON_PYTORCH = "; `%%step --engine torch` runs it on PyTorch."


@cache
def names() -> dict:
    """{place, such as "torch.nn": the set of its public names in PyTorch 2.13}."""
    blocks = (HERE / "names.txt").read_text("utf-8").split("[")[1:]
    pairs = (block.split("]") for block in blocks)
    return {place: set(those.split()) for place, those in pairs}


@cache
def instead() -> dict:
    """{full name: (a use of it in PyTorch, what does the same in minigrad)}."""
    lines = (HERE / "instead.txt").read_text("utf-8").splitlines()
    rows = (line.split(" | ", 2) for line in lines if line and line[0] != "#")
    return {name.strip(): (theirs.strip(), ours.strip()) for name, theirs, ours in rows}


def known(places, name: str) -> str:
    """The full name that PyTorch knows it by, or ""; a private name is nobody's business."""
    if name[:1] in "_":  # or the empty name
        return ""
    return next((f"{place}.{name}" for place in places if name in names().get(place, ())), "")


def sentence(full_name: str, alias: str = "mg") -> str:
    """What to do without it; `alias` is the reader's own name of minigrad."""
    text = LACKS.format(full_name)
    if full_name in instead():
        theirs, ours = instead()[full_name]
        text += INSTEAD.format(re.sub(r"\bmg\.", f"{alias}.", ours), theirs)
    return text + ON_PYTORCH
