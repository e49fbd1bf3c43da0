"""Ways out of growth: what is kept is kept without its graph, as a number, or no longer."""

from __future__ import annotations

import ast
import re

from whoholds.ways.source import Source, dotted, given, method, reads
from whoholds.ways.way import Way

KEEPERS = "append", "add", "appendleft", "insert", "put", "extend", "setdefault"
FORMS = (
    ("{0}.item()", "as a number"),
    ("{0}.detach()", "without its graph"),
    ("{{key: one.detach() for key, one in {0}.items()}}", "without its graph"),
    ("tuple(one.detach() for one in {0})", "without its graph"),
    ("[one.detach() for one in {0}]", "without its graph"),
    ("str({0})", "as a text"),
)


def ways(source: Source, holders):
    """`holders`: who holds what grows, as paths; "net.cache" is found as `self.cache`, too."""
    roots = [m.group() for who in holders if (m := re.match(r"[A-Za-z_][\w.]*", who))]
    for root in dict.fromkeys(roots):
        for statement, value in kept(source, root):
            yield from lighter(source, statement, value)
        yield from carried(source, root)
    for statement in kept_by_ctx(source):
        yield from saved(source, *statement)


def kept(source, root):
    """(statement, the expression) of what is put into this holder."""
    last = root.rpartition(".")[2]
    for _, block in source.blocks:
        for statement in block:
            call = method(statement, *KEEPERS)
            if call is not None and call.args and named(call.func.value, last):
                yield statement, call.args[-1]
            elif isinstance(statement, ast.Assign | ast.AugAssign):
                yield from _assigned(statement, last)


def named(node, last) -> bool:
    return dotted(node).rpartition(".")[2] == last


def _assigned(statement, last):
    """`root[...] = value`, `self.root = value`, `root = root + value` and `root += value`."""
    target = getattr(statement, "target", None) or statement.targets[0]
    if isinstance(target, ast.Subscript) and named(target.value, last):
        yield statement, statement.value
    elif named(target, last):
        value = statement.value
        if isinstance(statement, ast.AugAssign):
            yield statement, value
        elif isinstance(value, ast.BinOp) and named(value.left, last):
            yield statement, value.right
        elif isinstance(value, ast.BinOp) and named(value.right, last):
            yield statement, value.left
        elif isinstance(target, ast.Attribute):
            yield statement, value


def lighter(source, statement, value):
    """The same statement, which keeps less."""
    code = source.code(value)
    whole = (
        code
        if isinstance(value, ast.Name | ast.Call | ast.Attribute | ast.Subscript)
        else f"({code})"
    )
    for form, how in FORMS:
        new = form.format(whole)
        yield Way(f"line {statement.lineno}: `{new}` in place of `{code}`, kept {how}",
                  source.edited(source.put(value, new)))  # fmt: skip


def carried(source, root):
    """A name made of itself in each turn is detached when it is made."""
    for _, block in source.blocks:
        for statement in block:
            if isinstance(statement, ast.Assign) and root in given(statement) & reads(statement):
                line = f"{root} = {root}.detach()"
                yield Way(f"`{line}` after line {statement.lineno}",
                          source.edited(source.after(statement, line)))  # fmt: skip


def kept_by_ctx(source):
    """(the function, the statement) of each `ctx.name = value` in a forward of a Function."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef) and node.name == "forward" and node.args.args:
            ctx = node.args.args[0].arg
            for statement in ast.walk(node):
                if isinstance(statement, ast.Assign) and dotted(statement.targets[0]).startswith(
                    f"{ctx}."
                ):
                    yield node, ctx, statement


def saved(source, forward, ctx, statement):
    """The tensor goes through save_for_backward."""
    attribute = statement.targets[0].attr
    inside = [node for node in ast.walk(forward) if dotted(node) == f"{ctx}.{attribute}"]
    uses = [node for node in ast.walk(source.tree) if isinstance(node, ast.Attribute)
            and node.attr == attribute and dotted(node) == f"{ctx}.{attribute}" and node not in inside]  # fmt: skip
    calls = [s for s in ast.walk(forward) if method(s, "save_for_backward")]
    new = f"{attribute}_"
    changes = [source.put(node, new) for node in inside]
    at = len(calls[0].value.args) if calls else 0
    if calls:
        code = source.code(calls[0].value)
        changes.append(source.put(calls[0].value, f"{code[:-1]}{', ' if at else ''}{new})"))
    else:
        changes.append(source.after(statement, f"{ctx}.save_for_backward({new})"))
    changes += [source.put(node, f"{ctx}.saved_tensors[{at}]") for node in uses]
    starred = [s for s in ast.walk(source.tree) if isinstance(s, ast.Assign)
               and dotted(s.value) == f"{ctx}.saved_tensors" and isinstance(s.targets[0], ast.Tuple)]  # fmt: skip
    changes += [source.put(s.value, f"{ctx}.saved_tensors[:{at}]") for s in starred]
    yield Way(f"line {statement.lineno}: `{ctx}.save_for_backward(...)` in place of "
              f"`{ctx}.{attribute} = ...`", source.edited(*changes))  # fmt: skip
