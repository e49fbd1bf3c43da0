"""Which names of a learner's are Python's own where they stand: a variable may be called `eval`.

Python says so itself, by what it makes of the cell: a name of a function's own is loaded otherwise
than a global one. And a global one is the learner's after the line that binds it.
"""

import ast
import dis
from types import CodeType

LOADS = "LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"


def may_be_pythons(trees, names):
    """The nodes of these cells, which run one after the other, that load one of these names."""
    every = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)]
    names = set(names)
    deleted = {node.id for node in every if isinstance(node.ctx, ast.Del)}
    for tree in trees:
        loads = {place: name for place, name in _global_loads(tree) if name in names}
        bound = {name: line for line, name in reversed(_bindings(tree)) if name not in deleted}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and loads.get(_place(node)) == node.id:
                if node.lineno <= bound.get(node.id, node.lineno):
                    yield node
        names -= bound.keys()


def of_builtins(nodes, names):
    """Those of the nodes that have one of these names from `builtins`, under whatever name."""
    every = [one for node in nodes if isinstance(node, ast.Import) for one in node.names]
    whose = {one.asname or one.name for one in every if one.name == "builtins"} | {"__builtins__"}
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Name(id=module), attr=name):
                if module in whose and name in names:
                    yield node
            case ast.ImportFrom(module="builtins"):
                yield from (one for one in node.names if one.asname and one.name in names)


def _place(node):
    return node.lineno, node.col_offset


def _global_loads(tree):
    """[((line, column), name)] of what is no function's own."""
    try:
        codes = [compile(tree, "<cell>", "exec", dont_inherit=True)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # it cannot run, either
    while codes:
        code = codes.pop()
        codes += [one for one in code.co_consts if isinstance(one, CodeType)]
        for one in dis.get_instructions(code):
            if one.opname in LOADS and one.positions is not None:
                yield (one.positions.lineno, one.positions.col_offset), one.argval


def _bindings(tree):
    """[(last line, name)] of what the cell binds on its way, whatever else it does."""
    found = []
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [node]
        for one in targets:
            match one:
                case (
                    ast.Name(id=name)
                    | ast.FunctionDef(name=name)
                    | ast.AsyncFunctionDef(name=name)
                    | ast.ClassDef(name=name)
                ):
                    found.append((node.end_lineno, name))
    return found
