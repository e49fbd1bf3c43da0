"""Which cells of a lesson must run, so that its views, cards and games can be made.

Those that show one, and, again and again, those that bind a name which a needed cell reads. What a
lesson only prints stands in its notebook already.
"""

from __future__ import annotations

import ast
import re

SHOWS = re.compile(r"^%%step\b|\b(predict|play|show)\(", re.MULTILINE)
MAGIC = re.compile(r"^\s*%.*$", re.MULTILINE)


def needed(sources) -> list:
    """For each cell whether it must run."""
    names = [_names(source) for source in sources]
    wanted = [bool(SHOWS.search(source)) for source in sources]
    for i in reversed(range(len(sources))):
        if not wanted[i]:
            continue
        for j in range(i):
            wanted[j] |= bool(names[j][0] & names[i][1])
    return wanted


def _names(source):
    """(the names that a cell binds, those that it reads), in its functions, too."""
    bound: set = set()
    read: set = set()
    for node in ast.walk(ast.parse(MAGIC.sub("", source))):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            bound |= {(one.asname or one.name).partition(".")[0] for one in node.names}
    return bound, read
