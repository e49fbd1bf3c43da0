"""Ways out of growth: what is kept is kept without its graph, as a number, or no longer."""

from __future__ import annotations

import ast
import re

from whoholds.ways.second import carried_forms, detaching
from whoholds.ways.source import Source, dotted, given, method, reads
from whoholds.ways.way import Way

KEEPERS = "append", "add", "appendleft", "insert", "put", "extend", "setdefault"
LIGHTER = (
    ("{0}.item()", "as a number"),
    ("{0}.detach()", "without its graph"),
    ("{{key: one.detach() for key, one in {0}.items()}}", "without its graph"),
    ("tuple(one.detach() for one in {0})", "without its graph"),
)
ERRORS = (("str({0})", "as a text"),)  # an error keeps its frames and their variables
WHOLE = ast.Name | ast.Call | ast.Attribute | ast.Subscript  # needs no brackets


def ways(source: Source, holders):
    """`holders`: who holds what grows, as paths; "net.cache" is found as `self.cache`, too."""
    roots: dict = {}  # the name that a path begins with -> whether an error holds it
    for who in holders:
        if found := re.match(r"[A-Za-z_][\w.]*", who):
            roots[found.group()] = "traceback" in who or roots.get(found.group(), False)
    for root, error in roots.items():
        for statement, value in [*kept(source, root), *passed(source, root)]:
            yield from lighter(source, statement, value, ERRORS if error else LIGHTER)
        yield from joined(source, root)
        yield from carried_forms(source, root, assigning(source, root))
        yield from parted(source, root)
    for attribute in on_classes(source):
        yield from dropped(source, attribute)
    for forward, ctx, statement in kept_by_ctx(source):
        yield from saved(source, forward, ctx, statement)


def kept(source, root):
    """(statement, the expression) of what is put into this holder."""
    last = root.rpartition(".")[2]
    for _, block in source.blocks:
        for statement in block:
            call = method(statement, *KEEPERS)
            if call is not None and call.args and named(holding(call.func.value), last):
                yield statement, call.args[-1]
            elif isinstance(statement, ast.Assign | ast.AugAssign):
                yield from _assigned(statement, last)


def passed(source, root):
    """(statement, the expression) of what is given to a method of an object that has the holder:
    `log.add(loss=loss)` for "log.rows".
    """
    for statement in [s for _, block in source.blocks for s in block if isinstance(s, ast.Expr)]:
        call = statement.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            owner = dotted(call.func.value)
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            for value in given if owner and root.startswith(f"{owner}.") else ():
                if not isinstance(value, ast.Constant | ast.Starred):
                    yield statement, value


def holding(node):
    """What has the item: `history` of `history["loss"]`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def named(node, last) -> bool:
    return dotted(node).rpartition(".")[2] == last


def _assigned(statement, last):
    """`root[...] = value`, `self.root = value`, `root = root + value` and `root += value`."""
    target = getattr(statement, "target", None) or statement.targets[0]
    value = statement.value
    if isinstance(target, ast.Subscript) and named(holding(target), last):
        yield statement, value
    elif named(target, last):
        if isinstance(statement, ast.AugAssign):
            yield statement, value
        elif (part := _added(value, last)) is not None:
            yield statement, part
        elif isinstance(target, ast.Attribute):
            yield statement, value


def _added(value, last):
    """Of `root + part` the part, else None."""
    if not isinstance(value, ast.BinOp):
        return None
    if named(value.left, last):
        return value.right
    return value.left if named(value.right, last) else None


def lighter(source, statement, value, forms):
    """The same statement, which keeps less."""
    code = source.code(value)
    whole = code if isinstance(value, WHOLE) else f"({code})"
    for form, how in forms:
        new = form.format(whole)
        yield Way(f"line {statement.lineno}: `{new}` in place of `{code}`, kept {how}",
                  source.edited(source.put(value, new)), f"line {statement.lineno}")  # fmt: skip


def assigning(source, root) -> list:
    """The statements that make a name of itself."""
    return [s for _, block in source.blocks for s in block
            if isinstance(s, ast.Assign) and root in given(s) & reads(s)]  # fmt: skip


def joined(source, root):
    """`root = torch.cat([root, part])`: the part is detached."""
    for statement in assigning(source, root):
        if not isinstance(statement.value, ast.Call):
            continue
        called = {dotted(n.func) for n in ast.walk(statement) if isinstance(n, ast.Call)}
        plain = {n for n in reads(statement) if "." not in n} - {root}
        for name in sorted(plain - {full.split(".")[0] for full in called if "." not in full}):
            yield Way(f"line {statement.lineno}: `{name}.detach()` in place of `{name}`",
                      source.edited(*detaching(source, statement, name)),
                      f"line {statement.lineno}")  # fmt: skip


def parted(source, root):
    """A sum that goes backward after its loop: each part goes backward in its own turn."""
    for loop in [s for _, block in source.blocks for s in block if isinstance(s, ast.For)]:
        block = source.block(loop.lineno)[1]
        ends = [s for s in block if method(s, "backward") and dotted(s.value.func.value) == root]
        for statement in loop.body if len(ends) == 1 else ():
            part = _summand(statement, root)
            if part is None:
                continue
            name = f"{root}_part"
            yield Way(f"line {statement.lineno}: `{name}.backward()` in each turn, and "
                      f"`{name}.detach()` added; no backward on line {ends[0].lineno}",
                      source.edited(source.put(part, f"{name}.detach()"),
                                    source.before(statement, f"{name} = {source.code(part)}",
                                                  f"{name}.backward()"),
                                    source.without(ends[0])), f"sum {root}")  # fmt: skip


def _summand(statement, root):
    """What this statement adds to the name, or None."""
    if isinstance(statement, ast.AugAssign) and dotted(statement.target) == root:
        return statement.value if isinstance(statement.op, ast.Add) else None
    if isinstance(statement, ast.Assign) and dotted(statement.targets[0]) == root:
        return _added(statement.value, root)
    return None


def on_classes(source) -> list:
    """The attributes of the program's own classes that it sets: `Rev.outs`, in order."""
    names = {node.name for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef)}
    found = [name for _, block in source.blocks for s in block for name in sorted(given(s))
             if name.count(".") == 1 and name.split(".")[0] in names]  # fmt: skip
    return list(dict.fromkeys(found))


def dropped(source, root):
    """An attribute is let go of at the end of each turn of a loop of the main program."""
    for loop in [s for s in source.tree.body if isinstance(s, ast.For | ast.While)]:
        yield Way(f"`{root} = None` at the end of each turn of line {loop.lineno}'s loop",
                  source.edited(source.after(loop.body[-1], f"{root} = None")), root)  # fmt: skip


def kept_by_ctx(source):
    """(the function, the statement) of each `ctx.name = value` in a forward of a Function."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef) and node.name == "forward" and node.args.args:
            ctx = node.args.args[0].arg
            for statement in ast.walk(node):
                if isinstance(statement, ast.Assign) and isinstance(
                    target := statement.targets[0], ast.Attribute
                ):
                    if dotted(target.value) == ctx:
                        yield node, ctx, statement


def saved(source, forward, ctx, statement):
    """The tensor goes through save_for_backward."""
    attribute = statement.targets[0].attr
    full, new = f"{ctx}.{attribute}", f"{attribute}_"
    inside = {id(node) for node in ast.walk(forward)}
    uses = [n for n in ast.walk(source.tree) if isinstance(n, ast.Attribute) and dotted(n) == full]
    calls = [s for s in ast.walk(forward) if method(s, "save_for_backward")]
    at = len(method(calls[0], "save_for_backward").args) if calls else 0
    changes = [
        source.put(use, new if id(use) in inside else f"{ctx}.saved_tensors[{at}]") for use in uses
    ]
    if calls:
        call = method(calls[0], "save_for_backward")
        changes.append(source.put(call, f"{source.code(call)[:-1]}{', ' if at else ''}{new})"))
    else:
        changes.append(source.after(statement, f"{ctx}.save_for_backward({new})"))
    changes += [source.put(s.value, f"{ctx}.saved_tensors[:{at}]") for s in _unpacked(source, ctx)]
    yield Way(f"line {statement.lineno}: `{ctx}.save_for_backward(...)` in place of "
              f"`{full} = ...`", source.edited(*changes), full)  # fmt: skip


def _unpacked(source, ctx) -> list:
    """The statements `a, b = ctx.saved_tensors`."""
    return [s for _, block in source.blocks for s in block
            if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Tuple)
            and dotted(s.value) == f"{ctx}.saved_tensors"]  # fmt: skip
