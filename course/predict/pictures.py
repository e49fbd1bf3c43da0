"""A small curve is a staircase one can tell from its neighbours at a glance, and read aloud.

Plain numbers in, inline SVG out; colours follow the page. Refuses to know what was measured.
"""

import html

WIDTH, HEIGHT, PAD = 168, 72, 6
LINE = "stroke: var(--jp-brand-color1, #1976d2); stroke-width: 2; stroke-linejoin: round; "
LINE += "vector-effect: non-scaling-stroke;"
AREA = "fill: var(--jp-brand-color1, #1976d2); fill-opacity: 0.14; stroke: none;"
FLOOR = "stroke: var(--jp-border-color1, #bdbdbd); stroke-width: 1;"


def picture(points, top):
    """One small multiple; `top` is the height that all pictures of a card share."""
    values = [int(n) for _, n in points]
    stairs, left, right = _stairs(values, top)
    floor = HEIGHT - PAD
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'preserveAspectRatio="none" role="img" '
        f'aria-label="{html.escape(in_words(points))}" style="max-width: 100%;">'
        f'<path d="M{left} {floor}L{stairs[1:]}V{floor}Z" style="{AREA}"/>'
        f'<path d="{stairs}" fill="none" style="{LINE}"/>'
        f'<path d="M{left} {floor}H{right}" style="{FLOOR}"/></svg>'
    )


def _stairs(values, top):
    """Each value is a tread of the same width, from the left edge to the right one."""
    tread = (WIDTH - 2 * PAD) / len(values)
    heights = [HEIGHT - PAD - (HEIGHT - 2 * PAD) * n / (top or 1) for n in values]
    steps = [f"V{_short(y)}H{_short(PAD + tread * (i + 1))}" for i, y in enumerate(heights)]
    return f"M{PAD} {_short(heights[0])}" + "".join(steps), PAD, WIDTH - PAD


def _short(number):
    return f"{number:.1f}".removesuffix(".0")


def in_words(points):
    """What the picture says: every height, in order."""
    return ", ".join(str(int(n)) for _, n in points) + " bytes"
