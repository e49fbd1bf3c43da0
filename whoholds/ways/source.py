"""A program's text, changed in one place and left as it is in all others."""

from __future__ import annotations

import ast

Edit = tuple  # (first character, the one after the last, what stands there instead)
BLOCKS = ("body", "orelse", "finalbody")


class Source:
    """The text of a program, its statements, and edits of them.

    Raises SyntaxError if it is no Python.
    """

    def __init__(self, text: str):
        self.text, self.tree = text, ast.parse(text)
        self.starts = [0]  # of each line, in characters
        for line in text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.blocks = list(_blocks(self.tree))  # (the statement around, its statements)

    def block(self, line) -> tuple:
        """The innermost block that has a statement on this line: the statement around, the block,
        and where in it; (None, [], 0) if there is none."""
        found: tuple = (None, [], 0)
        for around, block in self.blocks:  # the outer ones first
            for i, statement in enumerate(block):
                if statement.lineno <= line <= statement.end_lineno:
                    found = around, block, i
        return found

    def around(self, line) -> list:
        """The statements around a line, the outermost first."""
        return [around for around, block in self.blocks if around is not self.tree
                and any(s.lineno <= line <= s.end_lineno for s in block)]  # fmt: skip

    def code(self, node) -> str:
        first, end = self.span(node)
        return self.text[first:end]

    def span(self, node) -> tuple:
        """Its first character and the one after its last."""
        end = self._at(node.end_lineno, node.end_col_offset)
        return self._at(node.lineno, node.col_offset), end

    def _at(self, line, column) -> int:
        start = self.starts[line - 1]
        text = self.text[start : self.starts[line]]  # columns are counted in bytes
        return start + len(text.encode()[:column].decode())

    # -- edits --

    def put(self, node, code) -> Edit:
        return (*self.span(node), code)

    def before(self, statement, *lines) -> Edit:
        """New lines before the statement, indented as it is."""
        start = self.starts[statement.lineno - 1]
        return start, start, self._lines(statement, lines)

    def after(self, statement, *lines) -> Edit:
        end = self.starts[statement.end_lineno]
        broken = "" if self.text[:end].endswith("\n") else "\n"
        return end, end, broken + self._lines(statement, lines)

    def without(self, statement) -> Edit:
        """The statement's lines go; `pass` stays, for a block must not be empty."""
        start, end = self.starts[statement.lineno - 1], self.starts[statement.end_lineno]
        return start, end, self._lines(statement, ["pass"])

    def _lines(self, statement, lines) -> str:
        indent = " " * statement.col_offset
        return "".join(f"{indent}{line}\n" for one in lines for line in one.splitlines())

    def edited(self, *edits) -> str:
        """The text with these edits; "" where that is no Python, or where they overlap."""
        text, end = self.text, len(self.text)
        for first, last, new in sorted(edits, reverse=True):
            if last > end:
                return ""
            text, end = text[:first] + new + text[last:], first
        try:
            ast.parse(text)
        except SyntaxError:
            return ""
        return text


def _blocks(tree):
    """Every block, with the statement that it belongs to; the outer ones first."""
    for node in ast.walk(tree):
        for field in BLOCKS:
            block = getattr(node, field, None)
            if isinstance(block, list) and block:
                yield node, block


# -- what a statement reads and gives --


def given(statement) -> set:
    """The names that a statement binds; of `a.b = 1` "a.b"."""
    found: set = set()
    for node in ast.walk(statement):
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        for target in targets if isinstance(node, ast.Assign | ast.AugAssign | ast.For) else ():
            parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
            found |= {dotted(part) for part in parts} - {""}
    return found


def reads(node) -> set:
    """The names, and the dotted names, that an expression or a statement reads."""
    found: set = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name | ast.Attribute) and isinstance(part.ctx, ast.Load):
            found.add(dotted(part))
        elif isinstance(part, ast.AugAssign):
            found.add(dotted(part.target))
    return found - {""}


def dotted(node) -> str:
    """`a.b.c` as it stands, "" for what is no name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        head = dotted(node.value)
        return f"{head}.{node.attr}" if head else ""
    return ""


def method(statement, *names):
    """The call that this statement is, if it is one of a method called so, else None."""
    call = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        return call if call.func.attr in names else None
    return None


def needed(block, end, names) -> list:
    """Where in the block, before `end`, stand the statements that these names come from."""
    wanted = set(names)
    found: list = []
    for i in range(end - 1, -1, -1):
        gives = given(block[i])
        if gives & wanted:
            found.insert(0, i)
            if isinstance(block[i], ast.Assign):
                wanted -= gives
            wanted |= reads(block[i])
    return found
