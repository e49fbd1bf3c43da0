"""What a category looks like and how bytes are written: the same in browser, picture and text."""

LOOK = (  # of each category but `elsewhere`: its label, colour and pattern
    ("parameter", "#3f80c8", ""),
    ("grad", "#2a9d5c", "dots"),
    ("saved", "#d9730d", "hatch"),
    ("in flight", "#c2408f", "cross"),
    ("input", "#3fa3b5", "back"),
    ("result", "#8a63c9", ""),
    ("scratch", "#858585", "lines"),
)
ELSEWHERE = len(LOOK)
UNITS = ((30, "GiB"), (20, "MiB"), (10, "KiB"))


def size_text(n) -> str:
    """Exact while it is short, then with one decimal; rounded as the view's script rounds."""
    if abs(n) < 10_000:
        return f"{n} B"
    for power, unit in UNITS:
        if abs(n) >= 1 << power:
            tenths = (abs(n) * 10 + (1 << power - 1)) >> power
            whole, rest = divmod(tenths, 10)
            return f"{'-' * (n < 0)}{whole}{f'.{rest}' if rest else ''} {unit}"
    raise AssertionError("10,000 bytes are more than a KiB")


def cut(text, most) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def shape_text(shape) -> str:
    return str(tuple(shape))


def chip_text(slot) -> str:
    """What is written on a saved slot of a node."""
    return f"{slot['slot']} {size_text(slot['size'])}" + (", 0 new" if slot["shared"] else "")
