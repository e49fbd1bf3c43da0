"""A learner who copies and hides it: other names, another order, comments, lines broken up.

What is made still does the same; it is only looked at here, and never run.
"""

import ast
import builtins

WORDS = "tmp val res acc buf item node cur prev head tail left right total part step".split()
COMMENTS = "# first", "# now the rest", "# careful here", "# ok", "# see the lesson"


def copied(source, draw):
    """The source, disguised by chance; `draw` is a random.Random."""
    tree = ast.parse(source)
    tree = Renamer(names_of(tree), draw).visit(tree)
    for node in list(ast.walk(tree)):
        for field in "body", "orelse", "finalbody":
            rows = getattr(node, field, None)
            if isinstance(rows, list) and rows and isinstance(rows[0], ast.stmt):
                setattr(node, field, reordered(broken_up(rows, draw), draw))
    return commented(ast.unparse(ast.fix_missing_locations(tree)), draw)


def rewritten(source, draw):
    """As `copied`, with other numbers and texts, and helpers and attributes under other names."""
    tree = ast.parse(source)
    inner = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    stored = sorted({node.attr for node in inner if isinstance(node.ctx, ast.Store)})
    helpers = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    new = {name: f"{draw.choice(WORDS)}_h{n}" for n, name in enumerate([*helpers, *stored])}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            node.value += draw.randrange(1, 9)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = draw.choice(WORDS)
        elif isinstance(node, ast.FunctionDef) and node.name in helpers:
            node.name = new[node.name]
        elif isinstance(node, ast.Name) and node.id in helpers:
            node.id = new[node.id]
        elif isinstance(node, ast.Attribute) and node.attr in stored:
            node.attr = new[node.attr]
    return copied(ast.unparse(tree), draw)


def names_of(tree):
    """The names that a program makes inside its functions, and nobody calls from outside."""
    outer = {node.name for node in tree.body if hasattr(node, "name")}
    held = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    held |= {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    fixed = {node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword)}
    return sorted(held - outer - fixed - {"self", "ctx", "cls", "mg", "np"} - set(dir(builtins)))


class Renamer(ast.NodeTransformer):
    def __init__(self, names, draw):
        self.new = {name: f"{draw.choice(WORDS)}_{n}" for n, name in enumerate(names)}

    def visit_Name(self, node):
        node.id = self.new.get(node.id, node.id)
        return node

    def visit_arg(self, node):
        node.arg = self.new.get(node.arg, node.arg)
        return node


def broken_up(rows, draw):
    """`return f(x)` as two lines, for some."""
    made = []
    for row in rows:
        if isinstance(row, ast.Return) and isinstance(row.value, ast.Call) and draw.random() < 0.5:
            name = f"out_{draw.randrange(99)}"
            made.append(ast.Assign([ast.Name(name, ast.Store())], row.value))
            row = ast.Return(ast.Name(name, ast.Load()))
        made.append(row)
    return made


def reordered(rows, draw):
    """Two neighbours that do not know of each other change places, for some."""
    rows = list(rows)
    for place in range(len(rows) - 1):
        one, other = rows[place : place + 2]
        both = isinstance(one, ast.Assign) and isinstance(other, ast.Assign)
        if both and not names_in(one) & names_in(other) and draw.random() < 0.5:
            rows[place : place + 2] = [other, one]
    return rows


def names_in(row):
    return {node.id for node in ast.walk(row) if isinstance(node, ast.Name)}


def commented(source, draw):
    made = []
    for row in source.split("\n"):
        indent = row[: len(row) - len(row.lstrip())]
        if row.strip() and draw.random() < 0.3:
            made.append(indent + draw.choice(COMMENTS))
        made.append(row + "  # " + draw.choice(WORDS) if draw.random() < 0.2 and row else row)
    return "\n".join(made)
