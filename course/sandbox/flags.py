"""Hints for a person who reads a grade: what in a learner's cells is unusual. Never a penalty.

What code does is seen while it runs (`guard/`). Here is what nothing can see: memory reached by
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
        lines = [getattr(node, "lineno", 0) for node in ast.walk(tree) if _name(node) in POINTERS]
        found += [f"{cell['name']} line {line}: {POINTER}" for line in lines[:1]]
    return found


def _name(node):
    """The name or the text that stands there."""
    match node:
        case ast.Constant(value=str(name)) | ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.FunctionDef(name=name):
            return name
    return None
