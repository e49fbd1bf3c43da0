"""Hints for a person who reads a grade: what in a learner's cells is unusual. Never a penalty.

What code does is seen while it runs (`guard/`). Here is what nothing can see: a tensor's array
itself, and what is reached by `ctypes` or beyond its own folder.
"""

import ast

from course.sandbox.scopes import may_be_pythons, of_builtins

INSIDE = {"_array", "_storage"}
ASKED = {"__getstate__", "__reduce__", "__reduce_ex__", "__del__"}  # of what has all in it
STORAGES = {"untyped_storage", "born", "died"}  # by which a storage is had, which has the array
BELOW = {"ctypes", "dir_fd"}  # to import the one is told nobody, nor what the other says
REACHES_BELOW = "reaches below Python, or beyond its own folder"
RUNS = {"exec", "eval", "compile"}  # called by others they run a text in the others' names
HANDED = "hands on what runs a text"
REACHES = "reaches into the engine for a tensor's array"


def of_cells(cells):
    """The sentences about all cells; a cell that cannot be parsed has none."""
    trees = {cell["name"]: tree for cell in cells if (tree := _parsed(cell["source"]))}
    nodes = {name: list(ast.walk(tree)) for name, tree in trees.items()}
    every_node = [node for every in nodes.values() for node in every]
    storages = any(_asked(node) in STORAGES for node in every_node)
    runs = {id(node) for node in may_be_pythons([*trees.values()], RUNS)}
    runs |= {id(node) for node in of_builtins(every_node, RUNS)}
    theirs = _theirs(every_node)
    found = []
    for name, every in nodes.items():
        called = {id(node.func) for node in every if isinstance(node, ast.Call)}
        arrays = [node for node in every if storages and _asked(node) == "array"]
        inside = [node for node in every if INSIDE & {*_names(node)} and id(node) not in theirs]
        inside += [node for node in every if isinstance(node, ast.Attribute) and node.attr in ASKED]
        inside += [node for node in arrays if id(node) not in called]  # np.array(...) is no such
        below = [node for node in every if _name(node) in BELOW]
        handed = [node for node in every if id(node) in runs and id(node) not in called]
        kinds = (inside, REACHES), (below, REACHES_BELOW), (handed, HANDED)
        for nodes_of, does in kinds:
            lines = sorted(getattr(node, "lineno", 0) for node in nodes_of)
            found += [f"{name} line {line}: {does}" for line in lines[:1]]
    return found


def _theirs(nodes):
    """The ids of those that are about something of the learner's own, whatever it is called."""
    asked = {_name(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    return {id(one) for node in nodes for one in _of_itself(node, asked)}


def _of_itself(node, asked):
    """What the methods of a class that derives from nothing ask their own object for, and set.

    Not if the class is asked for something: its methods may be called with others' objects.
    """
    if not isinstance(node, ast.ClassDef) or node.bases or node.keywords or node.name in asked:
        return []
    methods = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.args.args]
    found = [one for method in methods for one in _of_the_first(method)]
    given = {one.attr for one in found if isinstance(one.ctx, ast.Store)}
    return [one for one in found if one.attr in given]


def _of_the_first(method):
    """What the method asks its first parameter for, if that stays what it is."""
    own, every = method.args.args[0].arg, list(ast.walk(method))
    names = [one for one in every if isinstance(one, ast.Name) and one.id == own]
    if method.decorator_list or any(not isinstance(one.ctx, ast.Load) for one in names):
        return []
    return [one for one in every if isinstance(one, ast.Attribute) and one.value in names]


def _asked(node):
    """The name, if something is asked for it or has it: a variable may be called anything."""
    return None if isinstance(node, ast.Name) else _name(node)


def _parsed(source):
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _names(node):
    """All names and texts that stand there, whatever kind of place it is."""
    for _, value in ast.iter_fields(node):
        yield from (
            one for one in (value if isinstance(value, list) else [value]) if type(one) is str
        )


def _name(node):
    """The name or the text that stands there."""
    match node:
        case ast.Constant(value=str(name)) | ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.FunctionDef(name=name) | ast.alias(name=name) | ast.keyword(arg=name):
            return name
    return None
