"""What a category looks like and how bytes are written: the same in browser, picture and text."""

import re

LOOK = (  # of each category but `elsewhere`: its label, colour and pattern
    ("parameter", "#3f80c8", ""),
    ("grad", "#2a9d5c", "dots"),
    ("optimizer", "#8a6d3b", "lines"),
    ("buffer", "#7c8f3a", "back"),
    ("saved", "#d9730d", "hatch"),
    ("in flight", "#c2408f", "cross"),
    ("input", "#3fa3b5", "back"),
    ("result", "#8a63c9", ""),
    ("scratch", "#858585", "lines"),
)
ELSEWHERE = len(LOOK)


def size_text(n) -> str:
    """Bytes, everywhere and always: exact, with a comma at each thousand."""
    return f"{n:,} B"


def cut(text, most) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def row_text(name, shape, most=18) -> str:
    """The row of a tensor on its card; of a long name the end, which tells one from another."""
    name = re.sub(r".*\[\.\.\.\]\['(\w+)'\]$", r"\1", name)  # opt.state[...]['exp_avg']
    whole = f"{name} {shape}".strip()
    if len(whole) <= most or " " in name or not name:
        return cut(whole, 24 if " " in name else most)
    name = re.sub(r".*\[\.\.\.\]", "…", name)
    return name if len(name) <= most else "…" + name[1 - most :]


def shape_text(shape) -> str:
    return str(tuple(shape))


def chip_text(slot) -> str:
    """What is written on a saved slot of a node."""
    return f"{slot['slot']} {size_text(slot['size'])}" + (", 0 new" if slot["shared"] else "")
