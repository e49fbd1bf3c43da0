"""Hints for a person who reads a grade: what in a learner's cells is unusual. Never a penalty.

What code does is seen while it runs (`guard/`). Here is what nothing can see: memory reached by
way of an array that says itself where it lies, and a tensor's array itself.
"""

import ast

POINTERS = {"__array_interface__", "__array_struct__", "__cuda_array_interface__"}
POINTER = "makes an array of memory that is not its own"
INSIDE = {"_array", "_storage"}
REACHES = "reaches into the engine for a tensor's array"


def of_cells(cells):
    """The sentences about all cells; a cell that cannot be parsed has none."""
    found = []
    for cell in cells:
        try:
            tree = ast.parse(cell["source"])
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for what, does in ((POINTERS, POINTER), (INSIDE, REACHES)):
            lines = [getattr(node, "lineno", 0) for node in ast.walk(tree) if _is_of(node, what)]
            found += [f"{cell['name']} line {line}: {does}" for line in lines[:1]]
    return found


def _is_of(node, names):
    """Whether it is one of these names, or the array of what a call has given."""
    array_of_call = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call)
    return _name(node) in names or (names is INSIDE and array_of_call and node.attr == "array")


def _name(node):
    """The name or the text that stands there."""
    match node:
        case ast.Constant(value=str(name)) | ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.FunctionDef(name=name):
            return name
    return None
