"""Lesson 02: the parts of a graph, and the tensors that live or die beside them."""

import minigrad as mg
from course.trying import Raised, any_form, beyond, by_hand, case, measure
from course.trying.banned import ban

from .several import along

ban("topological", "minigrad.memory.saves", "`mg.memory.saved`")
ban("topological", "course.pictures", "`course.pictures`")

# --- count_parts

PATH = "tanh", "double", "square", "plus x"
LEAVES = *PATH, "plus w", "plus new"
ALL = *LEAVES, "no grad"


def steps(draw, options, count):
    return [draw.choice(options) for _ in range(count)]


THREE = "Return three counts: operation nodes, AccumulateGrad nodes, edges to nowhere."


def about_parts(got, want):
    if isinstance(got, Raised):
        return None
    if got[0] != want[0]:
        return (
            "Operations: each step whose input wants a gradient makes one node, `y * y` too. "
            "Tensors are no nodes."
        )
    if got[1] != want[1]:
        return (
            "AccumulateGrad: a leaf that wants a gradient has one, however many edges lead there. "
            "How many different leaves are there?"
        )
    return "Edges: an input that wants no gradient has one, too, and it leads nowhere."


def after_no_grad(got, want):
    if isinstance(got, list) and got[0] > want[0]:
        return (
            "A result of `no_grad()` has no node. Can you still get from the last `y.grad_fn` to "
            "what was before it?"
        )
    return about_parts(got, want)


@case("count_parts", "a path", draws=4, hint=about_parts, returns=THREE)
def parts_path(f, draw):
    return list(f(["square", *steps(draw, PATH, 11), "square", "plus x"]))


@case("count_parts", "with more leaves", draws=3, hint=about_parts, returns=THREE)
def parts_leaves(f, draw):
    return list(f(["plus w", "plus new", *steps(draw, LEAVES, 10), "plus w"]))


@case("count_parts", "with no_grad", points=2, draws=4, hint=after_no_grad, returns=THREE)
def parts_no_grad(f, draw):
    before, after = steps(draw, LEAVES, 6), steps(draw, LEAVES, 6)
    return list(f([*before, "double", "tanh", "no grad", "plus x", "plus w", *after]))


@by_hand("count_parts", "count the parts in the list of steps")
def parts_by_hand(draw):
    return (steps(draw, ALL, 9),)


# --- peeks


def chain(draw):
    """(v, layers, keep)."""
    v = mg.tensor(draw.array(3, draw.int(4, 9)), requires_grad=True)
    layers = draw.int(6, 9)
    return v, layers, sorted(draw.some(range(1, layers - 1), 2))


SWAPPED = "You return the dictionary first. The card asks for `y`, and then the dictionary."
KEYS = "The second thing is to be a dictionary with the numbers of `keep` as its keys."
NO_TENSOR = (
    "Under each number of `keep` stands the tensor itself. A node does not lead to it, nor "
    "does a weak reference hold it."
)


def pair(found, keep):
    """(y, seen) as the learner gave them, or in words what cannot be looked at."""
    if not isinstance(found, tuple | list) or len(found) != 2:
        return "no pair", found
    y, seen = found
    if isinstance(y, dict) and not isinstance(seen, dict):
        return "swapped", found
    if not isinstance(seen, dict) or not set(keep) <= {*seen}:
        return "no such keys", found
    return ("tensors" if all(type(seen[i]) is mg.Tensor for i in keep) else "no tensor"), found


TWO_THINGS = "Return two things: the last `y`, and the dictionary."
TOLD = {"no pair": TWO_THINGS, "swapped": SWAPPED, "no such keys": KEYS, "no tensor": NO_TENSOR}


def about_pair(sentence):
    """A hint that looks first at what kind of pair was returned."""

    @any_form
    def hint(got, want):
        if isinstance(got, Raised):
            return None
        return TOLD.get(got, sentence) if isinstance(got, str) else sentence

    return hint


@case(
    "peeks",
    "what can be looked at",
    hint=about_pair("For each i of `keep`: what y was after layer i, the first layer being 0."),
)
def peeks_values(f, draw):
    v, layers, keep = chain(draw)
    kind, found = pair(f(v, layers, keep), keep)
    return [found[1][i].detach().tolist() for i in keep] if kind == "tensors" else kind


@case(
    "peeks",
    "the gradient through the whole chain",
    given=True,
    what="v.grad",
    hint=about_pair(
        "The graph must lead from y back to v, through every layer: compute as before."
    ),
)
def peeks_gradient(f, draw):
    v, layers, keep = chain(draw)
    kind, found = pair(f(v, layers, keep), keep)
    if kind in ("no pair", "swapped") or type(found[0]) is not mg.Tensor:
        return kind
    if found[0].requires_grad:
        (found[0] * found[0]).sum().backward()
    return None if v.grad is None else v.grad.tolist()


@any_form
def about_themselves(got, want):
    if isinstance(got, str):
        return TOLD[got]
    if isinstance(got, list) and "without a node" in got:
        return "Under a number of `keep` stands a tensor without a node: it was cut off the chain."
    if isinstance(got, Raised):
        return None
    return (
        "Under a number of `keep` stands a copy, or a value that was computed once more. Put the "
        "tensor there that the chain goes through: its node is one of those that y leads to."
    )


@case("peeks", "are they the tensors of the chain?", invariant=True, hint=about_themselves)
def peeks_themselves(f, draw):
    v, layers, keep = chain(draw)
    kind, found = pair(f(v, layers, keep), keep)
    if kind != "tensors":
        return kind
    nodes = [found[0].grad_fn]
    while nodes[-1] and nodes[-1].next_functions:
        nodes.append(nodes[-1].next_functions[0][0])
    words = {True: "the chain's", False: "of another node"}
    seen = [found[1][i].grad_fn for i in keep]
    return ["without a node" if node is None else words[node in nodes] for node in seen]


@case(
    "peeks",
    "bytes that the result holds",
    points=2,
    needs=("what can be looked at", "the gradient through the whole chain"),
    hint=beyond(
        "More is held than y and what was asked for. The graph does without the results of "
        "`y * 2.0`: which arrow of yours leads to them?"
    ),
)
def peeks_kept(f, draw):
    run = measure(f, *chain(draw))
    return run.at_end(run.kept)


@case(
    "peeks",
    "bytes at the peak",
    at_most="5 U",  # right 4, wrong from 9
    needs=("what can be looked at", "the gradient through the whole chain"),
    hint="While the chain runs, more is alive than what you keep, y, and the next y. Do you hold "
    "results for later, or copies?",
)
def peeks_peak(f, draw):
    v, layers, keep = chain(draw)
    return measure(f, v, layers, keep).at_peak(U=v.nbytes)


# --- topological


ENGINE = "the engine's backward ran"


def walk(f, root):
    """What is wrong with the list of nodes that `f` gives, or that the engine has walked for it."""
    with mg.memory.count_ops() as counted:
        order = f(root)
    return ENGINE if counted.visits else judged(root, order)


def judged(root, order):
    """What is wrong with the list of nodes, as counts."""
    if not isinstance(order, list | tuple):
        return f"a {type(order).__name__}"
    there = {id(node) for node in reached(root)}
    if strange := sum(id(node) not in there for node in order):
        return f"a list with {strange} things that are no nodes of this graph"
    place = {node: i for i, node in enumerate(order)}
    edges = [(n, target) for n in order for target, _ in n.next_functions if target is not None]
    return {
        "nodes": len(order),
        "edges": len(edges),
        "twice": len(order) - len(place),
        "not there": len({target for _, target in edges} - set(place)),
        "edges back": sum(place.get(target, place[n]) < place[n] for n, target in edges),
    }


def reached(root):
    """All nodes of the graph, in no order."""
    found = dict.fromkeys([root.grad_fn] if root.grad_fn else ())
    for node in (todo := [*found]):
        new = [one for one, _ in node.next_functions if one is not None and one not in found]
        found |= dict.fromkeys(new)
        todo += dict.fromkeys(new)
    return found


@any_form
def walking(got, want):
    if isinstance(got, Raised) and got.kind == "RecursionError":
        return "A function that calls itself runs out of stack: let nodes wait in a list instead."
    if isinstance(got, Raised) and got.kind == "AttributeError" and "NoneType" in got.text:
        return "A `None` was taken for a node: an edge may lead nowhere, and a leaf has no node."
    if isinstance(got, Raised):
        return None
    if got == ENGINE:
        return "The engine's own backward ran. Follow `next_functions` yourself."
    if not isinstance(got, dict):
        return "Return a list of nodes."
    if got["twice"]:
        return "Two paths lead to the same node, and it stands in your list more than once."
    if got["edges"] and got["edges back"] == got["edges"]:
        return "Every edge leads back, so the order is right, and from end to start: turn it round."
    if got["edges back"]:
        return (
            "A node stands before one that leads to it. It was found early, on a short path, while "
            "a longer one was still under way."
        )
    if got["nodes"] < want["nodes"]:
        return "Nodes are missing: follow every edge, down to the AccumulateGrad nodes."
    return None


def branches(draw):
    """A root with paths of different lengths that meet again."""
    w = mg.tensor(draw.array(3), requires_grad=True)
    y = early = w.exp()
    kinds = "tanh", "early", "w", "both", "data"
    for step in draw.some(kinds, 5) + [draw.choice(kinds) for _ in range(draw.int(0, 9))]:
        y = {
            "tanh": y.tanh,
            "early": lambda y=y: early + y.tanh().tanh(),
            "w": lambda y=y: w * y,
            "both": lambda y=y: y * y + y,
            "data": lambda y=y: y + mg.ones(3),
        }[step]()
    return early + y


@case("topological", "paths that meet", points=2, draws=3, hint=walking)
def walk_branches(f, draw):
    return walk(f, branches(draw))


@case("topological", "a leaf, and the root of a short graph", draws=3, hint=walking)
def walk_short(f, draw):
    u, v = (mg.tensor(draw.array(4), requires_grad=True) for _ in range(2))
    y = v * 2
    for _ in range(draw.int(0, 9)):
        y = y.tanh()
    found = [walk(f, root) for root in (v, (u * y).sum())]
    first, second = found
    if any(isinstance(one, str) for one in found):
        return ENGINE if ENGINE in found else found
    return {key: first[key] + second[key] for key in first}


@case("topological", "a value used twice, sixteen lines in a row", draws=3, hint=walking)
def walk_ladder(f, draw):
    h, v = (mg.tensor(draw.array(4), requires_grad=True) for _ in range(2))
    for _ in range(draw.int(0, 9)):
        h = (v - h).tanh()
    for _ in range(16):
        h = h + h
    return walk(f, v.exp() + h)


@case("topological", "thousands of nodes", hint=walking)
def walk_deep(f, draw):
    h = mg.tensor(draw.array(4), requires_grad=True)
    early = h = h.exp()
    for _ in range(1000 + draw.int(0, 500)):
        h = (h + 1).tanh()
    return walk(f, early + h)


# --- only_the_node

LINES = (
    "`x`: how many elements, of 4 bytes each?",
    "`Linear` makes two tensors: a weight for each input and output, and a bias for each output.",
    "`out` has a row for each row of x. Does calling the layer copy anything?",
    "`total` has a single element.",
    "`del out`: does a node hold it? The next one is that of a sum, and the graph needs no tensors "
    "of its own.",
    "`del layer`: the module goes. But two ends of the graph hold something of it.",
    "`node = ...` is a name for something that is there already.",
    "`del total, x`: one of the two is saved by a node that `node` leads to.",
    "`del node`: who leads to the graph now?",
)


NINE = "Return a list, one number for each line."


def shapes(draw):
    """Sizes so small that most lists of bytes fit into a line of the table."""
    return draw.ints(3, 2, 101)


@case("only_the_node", "lines 1 to 9", points=4, hint=along(LINES), returns=NINE)
def node_lines(f, draw):
    return f(*shapes(draw))


@by_hand("only_the_node", "work the bytes out from the sizes")
def node_by_hand(draw):
    return shapes(draw)
