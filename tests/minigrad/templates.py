"""Text of code within code: a template of generate.py, seen as a syntax tree like any other source.

What stands in braces becomes a name of the same length, `{first}` a `_first_`, so that a place in
the tree is a place in the file; a line that is nothing else stands for several, and is a `pass`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

HOLE = re.compile(r"\{(\w+)\}")
ALONE = re.compile(r"(?<=\n)( *)(.*\n)\{\w+\}$", re.MULTILINE)  # with the line before


class Template(NamedTuple):
    """A string of a module, named in capitals, and the tree of the code that it holds."""

    name: str
    tree: ast.AST
    holes: frozenset

    def written(self, new: str) -> str:
        """Source made from the tree, as the template writes it."""
        for hole in self.holes:
            new = new.replace(f"_{hole}_", f"{{{hole}}}")
        return new


def templates(tree) -> Iterator[Template]:
    """Those of a module: `NAME = \"\"\"\\`, and from the next line on the text."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            name, text = ast.unparse(node.targets[0]), node.value.value
            yield Template(name, parsed(text, node.lineno), frozenset(HOLE.findall(text)))


def parsed(text, line) -> ast.AST:
    """The tree of a template that begins on the line below this one."""
    code = HOLE.sub(r"_\1_", ALONE.sub(passed, text))
    return ast.increment_lineno(ast.parse(code), line)


def passed(lines) -> str:
    deeper = "    " if lines[2].rstrip().endswith(":") else ""
    return f"{lines[1]}{lines[2]}{lines[1]}{deeper}pass"
