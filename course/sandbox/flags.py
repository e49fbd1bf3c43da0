"""Hints for a person who reads a grade: what in a learner's cells is unusual. Never a penalty.

What code does is seen while it runs (`guard/`). Here is what nothing can see: memory reached by
way of an array that says itself where it lies, and a tensor's array itself.
"""

import ast

POINTERS = {"__array_interface__", "__array_struct__", "__cuda_array_interface__"}
POINTER = "makes an array of memory that is not its own"
INSIDE = {"_array", "_storage"}
STORAGE = "untyped_storage"  # which has the array as well
REACHES = "reaches into the engine for a tensor's array"


def of_cells(cells):
    """The sentences about all cells; a cell that cannot be parsed has none."""
    trees = {cell["name"]: tree for cell in cells if (tree := _parsed(cell["source"]))}
    nodes = {name: list(ast.walk(tree)) for name, tree in trees.items()}
    storages = any(_name(node) == STORAGE for every in nodes.values() for node in every)
    found = []
    for name, every in nodes.items():
        called = {id(node.func) for node in every if isinstance(node, ast.Call)}
        arrays = [node for node in every if storages and _name(node) == "array"]
        inside = [node for node in every if _name(node) in INSIDE]
        inside += [node for node in arrays if id(node) not in called]  # np.array(...) is no such
        pointers = [node for node in every if _name(node) in POINTERS]
        for nodes_of, does in ((pointers, POINTER), (inside, REACHES)):
            lines = sorted(getattr(node, "lineno", 0) for node in nodes_of)
            found += [f"{name} line {line}: {does}" for line in lines[:1]]
    return found


def _parsed(source):
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _name(node):
    """The name or the text that stands there."""
    match node:
        case ast.Constant(value=str(name)) | ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.FunctionDef(name=name):
            return name
    return None
