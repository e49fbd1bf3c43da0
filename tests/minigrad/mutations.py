"""The ways to break a place: what a node of the tree must be, and the source that takes its place.

Each operator is given a Place and returns such sources, none if it has nothing to do there. What
it breaks must touch the vocabulary: the names of things that the ledger hangs on.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

# A name that is changed in the engine has to be changed here: test_mutations.py tells. With a dot:
# only as an attribute.
VOCABULARY = {
    "bytes": "live peak bytes",
    "versions": "version _version versions stamp written _detached _made_at",
    "saved entries": "saved _saved saves plan entries entry kept keep keep_output"
    " _to_save _outputs_kept",
    "their release": "Freed freed keep_graph _release",
    "references": "grads waiting arrived captured _grad _storage _views _remember_view"
    " _views_follow _was _accumulator step_aside",
    "hooks": "hooks retain _tensor_hooks _grad_hooks _retains_grad",
    "packing": "packing saved_hooks packed history",
    "reference counts": "_count only_mine alone_in",
    "whose bytes": ".base _new _share",
}
WORDS = {word for words in VOCABULARY.values() for word in words.split()}
NUMBERS = set(f"{VOCABULARY['bytes']} version _version stamp".split())
SHARING = "_new", "_share"  # touched by every line that makes a tensor: no sign of anything else


class Place(NamedTuple):
    """A node, and what is around it."""

    node: ast.AST
    function: str  # "Class.method" or "function.inner"; "" outside of all
    statement: ast.stmt  # the innermost
    shared: frozenset  # the names that the function declares global


# -- what a node is --


def names(node) -> set:
    """The variables and attributes in a node; attributes also with their dot."""
    found = [*ast.walk(node)]
    attributes = {n.attr for n in found if isinstance(n, ast.Attribute)}
    variables = {n.id for n in found if isinstance(n, ast.Name)}
    return attributes | variables | {f".{name}" for name in attributes}


def touches(node) -> bool:
    return bool(names(node) & WORDS.difference(SHARING))


def named(node) -> str:
    """The last name of `a.b.c`, also if it is called or indexed; "" for anything else."""
    while isinstance(node, (ast.Call, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return getattr(node, "id", getattr(node, "attr", ""))


def called(node) -> str:
    """The last name of what a call calls; "" for what is no call."""
    return named(node.func) if isinstance(node, ast.Call) else ""


def targets(statement) -> list:
    """What an assignment assigns to."""
    if isinstance(statement, ast.AugAssign):
        return [statement.target]
    return statement.targets if isinstance(statement, ast.Assign) else []


# -- the operators --


def dropped(place) -> list:
    """A statement goes that lets go of something, or that changes what outlives its function."""
    node = place.node
    if isinstance(node, ast.Expr):
        gone = called(node.value) == "clear" or (called(node.value) and touches(node.value.func))
    else:
        gone = isinstance(node, ast.Delete) or sets_to_none(node) or changes(node, place.shared)
    return ["pass"] if place.function and gone else []


def sets_to_none(node) -> bool:
    return isinstance(node, ast.Assign) and ast.unparse(node.value) == "None"


def changes(node, shared) -> bool:
    """True for an assignment to a word that is an attribute, an item, or global."""
    return any(
        touches(t) for t in targets(node) if not isinstance(t, ast.Name) or t.id in shared
    )  # fmt: skip


OPPOSITE = {
    ast.Eq: ast.NotEq, ast.Is: ast.IsNot, ast.In: ast.NotIn, ast.Lt: ast.GtE, ast.Gt: ast.LtE,
}  # fmt: skip
OPPOSITE |= {other: one for one, other in OPPOSITE.items()}


def negated(place) -> list:
    """A comparison, a `not`, or a condition that is a word, says the opposite."""
    node = place.node
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and touches(node):
        other = OPPOSITE[type(node.ops[0])]()
        return [ast.unparse(ast.Compare(node.left, [other], node.comparators))]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and touches(node):
        return [ast.unparse(node.operand)]
    is_condition = node is getattr(place.statement, "test", None) and named(node) in WORDS
    return [f"not {ast.unparse(node)}"] if is_condition else []


def off_by_one(place) -> list:
    """A number that counts is one larger; a reference count also one smaller."""
    node = place.node
    if called(node) == "_count":
        return [f"{ast.unparse(node)} + 1", f"{ast.unparse(node)} - 1"]
    read = isinstance(getattr(node, "ctx", None), ast.Load) and named(node) in NUMBERS
    return [f"{ast.unparse(node)} + 1"] if read or is_count(place) else []


def is_count(place) -> bool:
    """True for what is assigned, or added, to a number that counts."""
    whole = place.node is getattr(place.statement, "value", None)
    return whole and any(named(t) in NUMBERS for t in targets(place.statement))


def held(place) -> list:
    """What is taken out stays in; a weak reference is a strong one."""
    node, how = place.node, called(place.node)
    if how == "ref":
        return [f"(lambda it: lambda: it)({ast.unparse(node.args[0])})"]
    if how == "WeakKeyDictionary":
        return ["{}"]
    if how != "pop" or not isinstance(node.func, ast.Attribute) or not touches(node.func.value):
        return []
    home, key = ast.unparse(node.func.value), [*map(ast.unparse, node.args), "-1"][0]
    return [f"{home}.get({key})" if len(node.args) > 1 else f"{home}[{key}]"]


def kept_otherwise(place) -> list:
    """An input is saved as an output, or an output as an input."""
    other = {"keep": "keep_output", "keep_output": "keep"}.get(called(place.node))
    return [f"{other}({arguments(place.node)})"] if other else []


def owned_otherwise(place) -> list:
    """What has new bytes is said to share another's, or what shares them gets a copy."""
    if called(place.node) not in SHARING or not isinstance(place.node.func, ast.Attribute):
        return []
    tensor, array = ast.unparse(place.node.func.value), arguments(place.node)
    new = called(place.node) == "_new"
    return [f"{tensor}._share({array})" if new else f"{tensor}._new(({array}).copy())"]


def arguments(call) -> str:
    return ", ".join(map(ast.unparse, call.args))


def saved_always(place) -> list:
    """A rule keeps a tensor also where the gradient that needs it is not wanted."""
    node = place.node
    if isinstance(node, ast.Dict) and "saves" in map(named, targets(place.statement)):
        return rules_that_save_more(ast.literal_eval(node))
    if called(node) != "plan":
        return []
    op = ast.unparse(node.func.value)
    return [f"{op}.plan((True,) * len({op}.inputs))"]


def rules_that_save_more(rule: dict) -> list:
    """{"self": "other", ...} with one tensor kept for the gradients of all, each in its turn."""
    every = {name for needs in rule.values() for name in needs.split()}
    few = [name for name, needs in rule.items() if set(needs.split()) != every]
    return [repr(rule | {name: " ".join(sorted(every))}) for name in few]


def unconditional(place) -> list:
    """One part of an `and` or `or` goes; an `a if b else c` is always the one."""
    node = place.node
    if isinstance(node, ast.IfExp) and touches(node):
        return [ast.unparse(node.body), ast.unparse(node.orelse)]
    if not isinstance(node, ast.BoolOp) or not touches(node):
        return []
    fewer = [[value for value in node.values if value is not part] for part in node.values]
    return [ast.unparse(rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)) for rest in fewer]


OPERATORS = (
    dropped, negated, off_by_one, held, kept_otherwise, owned_otherwise, saved_always,
    unconditional,
)  # fmt: skip
