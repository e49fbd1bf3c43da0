"""Hints for a person who reads a grade: what in a learner's cells is unusual. Never a penalty.

What code does is seen while it runs (`guard.py`). Here is what nothing can see: memory reached by
way of an array that says itself where it lies.
"""

import ast

POINTERS = {"__array_interface__", "__array_struct__", "__cuda_array_interface__"}
POINTER = "makes an array of memory that is not its own"


def of_cells(cells):
    """The sentences about all cells; a cell that cannot be parsed has none."""
    found = []
    for cell in cells:
        try:
            tree = ast.parse(cell["source"])
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        lines = [node.lineno for node in ast.walk(tree) if _names(node) & POINTERS]
        found += [f"{cell['name']} line {line}: {POINTER}" for line in lines[:1]]
    return found


def _names(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return {node.value}
    names = getattr(node, "id", None), getattr(node, "attr", None), getattr(node, "name", None)
    return {name for name in names if isinstance(name, str)} if hasattr(node, "lineno") else set()
