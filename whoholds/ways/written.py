"""Ways out of "modified by an inplace operation", a developer's first one first."""

from __future__ import annotations

import ast

from whoholds.ways.second import carried, detaching, walk_at
from whoholds.ways.source import Source, given, method, needed, reads
from whoholds.ways.way import Way, named


def ways(source: Source, failing: int, write: int, made: int, first: int = 0):
    """The backward of line `failing` needs what an operation of line `made` saved; line `write`
    wrote into it. `first`: the line of the backward before the write, if there is one."""
    _, block, i = source.block(write)
    two = walk_at(source, failing)
    if two is None or two not in block:
        return
    if method(block[i], "step") is not None:
        yield from carried(source, failing)
        yield from split(source, block, i, two, walk_at(source, first))
        yield from again(source, block, i, two, made)
    else:
        yield from out_of_place(source, block[i])
        yield from cloned(source, made)
    yield from earlier(source, block, i, two)
    if method(block[i], "step") is None:
        yield from copied(source, block[i])


def split(source, block, write, two, one):
    """The first loss gets what both share detached; the second is computed anew after the step."""
    if one is None or one not in block:
        return
    ours = needed(block, block.index(two), reads(two.value.func.value))
    theirs = needed(block, block.index(one), reads(one.value.func.value))
    shared = {name for i in ours for name in given(block[i])}
    later = next((block[i] for i in ours if i > write), two)
    for i in reversed([i for i in ours if i in theirs and i < write]):
        for name in sorted(reads(block[i]) & shared):
            changes = detaching(source, block[i], name)
            if not changes:
                continue
            text = source.edited(*changes, source.before(later, source.code(block[i])),
                                 source.put(one.value, unretained(source, one)))  # fmt: skip
            yield Way(f"line {block[i].lineno}: `{name}.detach()` for the step of line "
                      f"{block[write].lineno}, and the line as it is again after it, before line "
                      f"{later.lineno}", text)  # fmt: skip


def unretained(source, walk) -> str:
    """The backward without retain_graph."""
    call = walk.value
    kept = [source.code(a) for a in call.args]
    kept += [source.code(k) for k in call.keywords if k.arg != "retain_graph"]
    return f"{source.code(call.func)}({', '.join(kept)})"


def again(source, block, write, two, made):
    """What the backward needs is computed anew after the optimizer's step."""
    ours = needed(block, block.index(two), reads(two.value.func.value))
    before = [i for i in ours if i < write]
    spans = [i for i in before if block[i].lineno <= made <= block[i].end_lineno]
    later = next((block[i] for i in ours if i > write), two)
    for start in dict.fromkeys([*spans, *before[-1:], *reversed(before)]):
        chosen = [i for i in before if i >= start]
        lines = named([block[i].lineno for i in chosen])
        code = [source.code(block[i]) for i in chosen]
        yield Way(f"{lines} again after the step of line {block[write].lineno}, before line "
                  f"{later.lineno}",
                  source.edited(source.before(later, *code)))  # fmt: skip


def earlier(source, block, write, two):
    """The backward comes before the write, with all that it needs."""
    at = block.index(two)
    if at < write:
        return
    moved = [i for i in needed(block, at, reads(two.value.func.value)) if i > write] + [at]
    code = [source.code(block[i]) for i in moved]
    changes = [source.before(block[write], *code), *(source.without(block[i]) for i in moved)]
    again = [s for s in block[at + 1 :] if source.code(s) == source.code(block[write])]
    words = f"{named([block[i].lineno for i in moved])} before line {block[write].lineno}"
    if again and method(block[write], "step"):
        first, last, _ = source.without(block[write])
        start = source.before(block[write], *code)[2]
        one_step = [(first, last, start), *changes[1:]]
        yield Way(
            f"{words}, and one step, that of line {again[0].lineno}", source.edited(*one_step)
        )
    yield Way(words, source.edited(*changes), "earlier")


def out_of_place(source, write):
    """The write makes a new tensor."""
    code = ""
    call = _writer(write)
    if isinstance(write, ast.AugAssign) and isinstance(write.target, ast.Name):
        sign = source.text[source.span(write.target)[1] : source.span(write.value)[0]]
        code = f"{write.target.id} = {write.target.id} {sign.replace('=', '').strip()} "
        code += f"({source.code(write.value)})"
    elif call is not None and isinstance(call.func.value, ast.Name):
        plain = source.code(call).replace(f"{call.func.attr}(", f"{call.func.attr[:-1]}(", 1)
        code = f"{call.func.value.id} = {plain}"
    if code:
        yield Way(f"line {write.lineno} out of place: `{code}`",
                  source.edited(source.put(write, code)), "out")  # fmt: skip


def cloned(source, made):
    """The operation saves a copy: of its result, or of what it reads."""
    _, block, i = source.block(made)
    if not block or not isinstance(block[i], ast.Assign | ast.Expr):
        return
    value = block[i].value
    code = source.code(value)
    yield Way(f"line {made}: `({code}).clone()` in place of `{code}`",
              source.edited(source.put(value, f"({code}).clone()")), "cloned")  # fmt: skip
    for name in sorted(name for name in reads(value) if "." not in name):
        loads = [n for n in ast.walk(value) if isinstance(n, ast.Name) and n.id == name]
        yield Way(f"line {made}: `{name}.clone()` in place of `{name}`",
                  source.edited(*(source.put(load, f"{name}.clone()") for load in loads)),
                  "cloned")  # fmt: skip


def _writer(statement):
    """The call of a method whose name ends in "_", if the statement is one."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        name = call.func.attr
        return call if name.endswith("_") and not name.endswith("__") else None
    return None


def copied(source, write):
    """The write goes into a copy."""
    target: ast.AST | None = write.target if isinstance(write, ast.AugAssign) else None
    if isinstance(write, ast.Assign):
        target = write.targets[0]
    call = _writer(write)
    target = call.func.value if call is not None else target
    while isinstance(target, ast.Subscript | ast.Attribute):
        target = target.value
    if isinstance(target, ast.Name):
        line = f"{target.id} = {target.id}.clone()"
        yield Way(f"`{line}` before line {write.lineno}: the write goes into a copy",
                  source.edited(source.before(write, line)))  # fmt: skip
