"""Ways out of "backward through the graph a second time", a developer's first one first."""

from __future__ import annotations

import ast

from whoholds.ways.source import Source, given, method, needed, reads
from whoholds.ways.way import Way, named

FORMS = (
    "{0} = {0}.detach()",
    "{0} = tuple(one.detach() for one in {0})",
    "{0} = {{key: one.detach() for key, one in {0}.items()}}",
)


def ways(source: Source, failing: int, first: int, made: int, operations=()):
    """The backward of line `failing` met a node of line `made`, which that of line `first` freed.

    `operations`: the lines of the operations that the failing one would have walked.
    """
    yield from carried(source, failing)
    yield from added(source, first, failing)
    yield from apart(source, first, failing)
    yield from apart(source, failing, first)
    yield from cut(source, made)
    yield from again(source, failing, made, operations)
    yield from retained(source, first)


def carried(source, failing):
    """What one turn of a loop hands on to the next is detached at the turn's end."""
    for loop in reversed([s for s in source.around(failing) if isinstance(s, ast.For | ast.While)]):
        for name in handed_on(loop.body):
            yield from carried_forms(source, name, loop.body[-1:])


def carried_forms(source, name, statements):
    """After each of these statements the name is detached, in whatever form its value has."""
    for statement in statements:
        for form in FORMS:
            line = form.format(name)
            yield Way(f"`{line}` after line {statement.end_lineno}: {name} is carried on without "
                      "its graph", source.edited(source.after(statement, line)),
                      f"carried {name}")  # fmt: skip


def handed_on(block) -> list:
    """The names that a block reads before it gives them, and gives."""
    known: set = set()
    found: list = []
    for statement in block:
        found += sorted(reads(statement) - known - {*found})
        known |= given(statement)
    return [name for name in found if name in known]


def added(source, first, failing):
    """Two losses of one block are added, and go backward once."""
    one, two = walk_at(source, first), walk_at(source, failing)
    if one and two and one is not two and source.block(first)[1] is source.block(failing)[1]:
        losses = [source.code(call.value.func.value) for call in (one, two)]
        if losses[0] == losses[1]:
            return
        both = f"({' + '.join(losses)}).backward()"
        yield Way(f"line {failing}: `{both}`, and no backward on line {first}",
                  source.edited(source.without(one), source.put(two.value, both)))  # fmt: skip


def apart(source, first, failing):
    """The first of these two losses gets what both share detached."""
    one, two = walk_at(source, first), walk_at(source, failing)
    block = source.block(failing)[1]
    if not (one and two) or one is two or source.block(first)[1] is not block:
        return
    ours = needed(block, block.index(two), reads(two.value.func.value))
    theirs = needed(block, block.index(one), reads(one.value.func.value))
    shared = {name for i in ours for name in given(block[i]) if i in theirs}
    for i in reversed([i for i in theirs if i not in ours]):
        for name in sorted(reads(block[i]) & shared):
            words = f"line {block[i].lineno}: `{name}.detach()` in place of `{name}`, which line "
            yield Way(f"{words}{failing} walks through",
                      source.edited(*detaching(source, block[i], name)))  # fmt: skip


def cut(source, made):
    """What both losses share is detached where it is made."""
    _, block, i = source.block(made)
    if block and isinstance(block[i], ast.Assign):
        value = block[i].value
        yield Way(f"line {made}: its result detached",
                  source.edited(source.put(value, f"({source.code(value)}).detach()")),
                  "cut")  # fmt: skip


def detaching(source, statement, name) -> list:
    loads = [n for n in ast.walk(statement) if isinstance(n, ast.Name) and n.id == name
             and isinstance(n.ctx, ast.Load)]  # fmt: skip
    return [source.put(load, f"{name}.detach()") for load in loads]


def again(source, failing, made, operations):
    """The forward runs again before the backward that failed."""
    two = walk_at(source, failing)
    block = source.block(failing)[1]
    if two is None:
        return
    wanted = [block[i] for i in needed(block, block.index(two), reads(two.value.func.value))]
    spans = {made, *operations}
    repeated = [s for s in wanted if runs(s, spans)]
    from_first = wanted[wanted.index(repeated[0]) :] if repeated else []
    outside = [s for _, other in source.blocks for s in other if other is not block
               and isinstance(s, ast.Assign) and s.lineno < failing and runs(s, spans)]  # fmt: skip
    for chosen in (repeated, from_first, [*outside, *wanted]):
        if chosen:
            code = [source.code(statement) for statement in chosen]
            lines = named([statement.lineno for statement in chosen])
            yield Way(f"{lines} again before line {failing}: the forward runs twice",
                      source.edited(source.before(two, *code)), "again")  # fmt: skip


def runs(statement, lines) -> bool:
    """Whether it stands on one of these lines."""
    return any(statement.lineno <= line <= statement.end_lineno for line in lines)


def retained(source, first):
    one = walk_at(source, first)
    if one is not None:
        call = source.code(one.value)
        keep = call[:-1] + ("" if call.endswith("(") or call.endswith("()") else ", ")
        yield Way(f"line {first}: `backward(retain_graph=True)`, which keeps all that it saved",
                  source.edited(source.put(one.value, f"{keep}retain_graph=True)")),
                  "retained")  # fmt: skip


def walk_at(source, line):
    """The statement `loss.backward(...)` on this line, or None."""
    _, block, i = source.block(line)
    statement = block[i] if block else None
    is_walk = isinstance(statement, ast.Expr) and method(statement, "backward")
    return statement if is_walk else None
