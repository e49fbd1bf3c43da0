"""A small graph, drawn: a box for each node, an arrow for each edge, the newest node at the top.

It asks `grad_fn` and `next_functions`, so it draws minigrad's graphs and PyTorch's. It keeps text
alone and holds no tensor. The text says all that the picture says. matplotlib is imported when a
picture is asked for.
"""

from course.pictures.style import INK, LINES, titled
from whoholds.figure import Picture

MOST = 24  # nodes: more would be no small picture
WIDE, HIGH, LETTER = 2.0, 0.62, 0.09  # inches: of a column, of a level, of a title's letter
NOWHERE = "None"  # where an edge leads whose input wants no gradient
END = "AccumulateGrad"


def graph(result, title="", **leaves):
    """The graph of a tensor, or below a node, as a picture and as text.

    `graph(loss, w=w)` names the leaf `w`. Raises ValueError where there is no graph, or one of more
    than 24 nodes.
    """
    root = getattr(result, "grad_fn", result)
    if root is None:
        raise ValueError("this tensor has no graph: no operation on it was recorded")
    found = nodes(root)
    if len(found) > MOST:
        raise ValueError(f"a graph of {len(found)} nodes; draw a part of at most {MOST}")
    depths = _depths(found)
    order = sorted(found, key=lambda node: depths[found.index(node)])
    rows = [
        (_label(node, leaves), [t and order.index(t) for t in _targets(node)]) for node in order
    ]
    return Graph(rows, title)


def nodes(root):
    """Every node that can be reached from `root`, each once, `root` first."""
    found = {root: None}
    todo = [root]
    for node in todo:  # the list grows under way
        new = [t for t in dict.fromkeys(_targets(node)) if t is not None and t not in found]
        found |= dict.fromkeys(new)
        todo += new
    return todo


def state(node, name) -> str:
    """What a node has of what it may save as `name`: "kept", "freed" or "never kept"."""
    try:
        return "never kept" if getattr(node, "_saved_" + name) is None else "kept"
    except RuntimeError:
        return "freed"


def _targets(node):
    return [target for target, _ in node.next_functions]


def _label(node, leaves):
    """Its name; at the end of the graph, the leaf that it holds."""
    name = type(node).__name__
    if name != END:
        return name
    leaf = node.variable
    known = (called for called, tensor in leaves.items() if tensor is leaf)
    return f"{name} of {next(known, 'a leaf')} {tuple(leaf.shape)}"


def _depths(nodes):
    """How many edges the longest way from the result to each node has."""
    depths, targets = [0] * len(nodes), [_targets(node) for node in nodes]
    for _ in nodes:  # a way is no longer than that
        for i, here in enumerate(targets):
            for target in here:
                if target is not None:
                    to = nodes.index(target)
                    depths[to] = max(depths[to], depths[i] + 1)
    return depths


class Graph(Picture):
    """What `graph` returns. `rows` has (label, [number of each edge's target, or None])."""

    def __init__(self, rows, title=""):
        self.rows, self.title = rows, title
        self.places = _places(rows)
        across = max(x for x, _ in self.places.values()) - min(x for x, _ in self.places.values())
        down = max(y for _, y in self.places.values())
        wide = max(WIDE * (across + 1.1), LETTER * len(title))
        self.size = (wide, HIGH * (down + 1) + 0.3 * bool(title))

    def __repr__(self):
        wide = max(len(label) for label, _ in self.rows)
        lines = [self.title] if self.title else []
        for i, (label, targets) in enumerate(self.rows):
            ends = ", ".join(NOWHERE if t is None else f"{t}" for t in targets)
            lines.append(f"{i:>2}  {label:{wide}}  {f'-> {ends}' if ends else ''}".rstrip())
        return "\n".join(lines)

    def draw(self, figure):
        axes = figure.add_subplot()
        xs, ys = zip(*self.places.values(), strict=True)
        axes.set_xlim(min(xs) - 0.55, max(xs) + 0.55)
        axes.set_ylim(max(ys) + 0.5, -0.5)
        axes.axis("off")
        titled(axes, self.title)
        boxes = {place: self._node(axes, place, *at) for place, at in self.places.items()}
        for start, (_, targets) in enumerate(self.rows):
            for i, target in enumerate(targets):
                end = target if target is not None else (start, i)
                self._edge(axes, boxes, start, end, targets[:i].count(target))

    def _node(self, axes, place, x, y):
        """Its frame, for the arrows to end at; None has none."""
        label = self.rows[place][0] if isinstance(place, int) else NOWHERE
        colour = LINES[1 if END in label else 0][0] if isinstance(place, int) else "none"
        box = dict(boxstyle="round,pad=0.35", facecolor="none", edgecolor=colour, linewidth=1.4)
        text = label.replace(f"{END} of", f"{END}\nof")
        style = dict(ha="center", va="center", fontsize=9.5, bbox=box)
        return axes.text(x, y, text, color=INK, **style).get_bbox_patch()

    def _edge(self, axes, boxes, start, end, again):
        past = self.places[end][1] - self.places[start][1] > 1  # others may stand between
        bend = f"arc3,rad={0.3 if past else 0.3 * again}"
        style = dict(arrowstyle="-|>", color=INK, linewidth=1.2, shrinkA=0, shrinkB=1)
        ends = dict(patchA=boxes[start], patchB=boxes[end], connectionstyle=bend)
        axes.annotate("", self.places[end], self.places[start], arrowprops=style | ends)


def _places(rows):
    """{number: (x, y)}, and {(number, edge): (x, y)} of the ends of edges that lead nowhere."""
    levels: dict = {0: 0}
    above: dict = {}  # who leads to it
    for i, (_, targets) in enumerate(rows):  # the deepest come last
        for edge, target in enumerate(targets):
            place = (i, edge) if target is None else target
            levels[place] = levels[i] + 1
            above.setdefault(place, []).append(i)
    found = {0: (0.0, 0)}
    for level in range(1, 1 + max(levels.values())):
        here = [place for place in levels if levels[place] == level]
        wanted = {one: sum(found[i][0] for i in above[one]) / len(above[one]) for one in here}
        found |= {place: (x, level) for place, x in _apart(wanted).items()}
    return found


def _apart(wanted) -> dict:
    """{place: x}, at least 1 between two, as near as can be to what each wanted."""
    found: dict = {}
    for place in sorted(wanted, key=wanted.__getitem__):  # in the order of the edges, where equal
        found[place] = max(wanted[place], max(found.values(), default=-99.0) + 1)
    shift = sum(wanted.values()) / len(wanted) - sum(found.values()) / len(found)
    return {place: x + shift for place, x in found.items()}
