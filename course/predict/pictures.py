"""A small curve is a staircase one can tell from its neighbours at a glance, and read aloud.

Plain numbers in, inline SVG out; colours follow the page. Refuses to know what was measured.
"""

import html

WIDTH, HEIGHT, PAD = 168, 72, 6
LINE = "stroke: var(--jp-brand-color1, #1976d2); stroke-width: 2; stroke-linejoin: round; "
LINE += "vector-effect: non-scaling-stroke;"
AREA = "fill: var(--jp-brand-color1, #1976d2); fill-opacity: 0.14; stroke: none;"
FLOOR = "stroke: var(--jp-border-color1, #bdbdbd); stroke-width: 1;"
WIDE, TALL, AXIS, KIB = 480, 150, 52, 1024
STEPS = (1, 2, 4, 5, 10, 20, 50, 100, 200, 500)
SCALE = "fill: var(--jp-content-font-color2, #616161); font-size: 11px;"


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


def figure(points):
    """One curve with a scale: wide enough to read its heights, in KiB."""
    values = [int(n) for _, n in points]
    top, floor = max(values) or 1, TALL - PAD
    stairs, left, right = _stairs(values, top, AXIS, WIDE, TALL)
    marks = "".join(
        f'<path d="M{left} {_short(y)}H{right}" style="{FLOOR} stroke-opacity: 0.6;"/>'
        f'<text x="{left - 6}" y="{_short(y + 4)}" text-anchor="end" style="{SCALE}">{label}</text>'
        for label, y in _marks(top, floor)
    )
    return (
        f'<svg viewBox="0 0 {WIDE} {TALL}" width="{WIDE}" height="{TALL}" role="img" '
        f'aria-label="{html.escape(in_words(points))}" style="max-width: 100%;">{marks}'
        f'<path d="M{left} {floor}L{stairs[1:]}V{floor}Z" style="{AREA}"/>'
        f'<path d="{stairs}" fill="none" style="{LINE}"/></svg>'
    )


def _marks(top, floor):
    """(label, y) of a few lines, from zero up; the last one says the unit."""
    step = next((n for n in STEPS if top / KIB / n < 8), STEPS[-1])
    heights = range(0, int(top / KIB) + 1, step)
    unit = {heights[-1]: " KiB"}
    return [(f"{n}{unit.get(n, '')}", floor - (floor - PAD) * n * KIB / top) for n in heights]


def _stairs(values, top, left=PAD, width=WIDTH, height=HEIGHT):
    """Each value is a tread of the same width, from the left edge to the right one."""
    tread = (width - PAD - left) / len(values)
    heights = [height - PAD - (height - 2 * PAD) * n / (top or 1) for n in values]
    steps = [f"V{_short(y)}H{_short(left + tread * (i + 1))}" for i, y in enumerate(heights)]
    return f"M{left} {_short(heights[0])}" + "".join(steps), left, width - PAD


def _short(number):
    return f"{number:.1f}".removesuffix(".0")


def in_words(points):
    """What the picture says: every height, in order."""
    return ", ".join(str(int(n)) for _, n in points) + " bytes"
