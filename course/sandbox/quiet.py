"""A learner's cells as they run while they are graded: what a line only prints takes no values out
of the engine, nor does a check whose failure nobody catches.

Nobody needs either beside an answer, and a list of numbers is numbers that a measured run has taken
to where nobody counts them. An argument of `print` that takes values is "..." then, and such a
check of NumPy's is left out. No values are taken, so nothing need be believed of where they go.
"""

import ast

TAKING = {"item", "tolist", "numpy"}
PLAIN = TAKING | {"detach", "clone", "cpu", "float", "double", "t"}  # methods without arguments
ROUNDS = {"round", "len", "abs", "float", "str"}
CATCH = {"suppress", "raises", "assertRaises", "excepthook"}
PIECES = (
    ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.JoinedStr,
    ast.FormattedValue, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.List, ast.Tuple,
    ast.Call, ast.keyword, ast.ListComp, ast.GeneratorExp, ast.comprehension, ast.expr_context,
)  # fmt: skip


class Quiet(ast.NodeTransformer):
    """Takes out of a tree what is printed only, by what all the learner's cells say."""

    def __init__(self, sources):
        nodes = [node for source in sources for node in ast.walk(_tree(source))]
        self._prints = not any(_binds(node, "print") for node in nodes)
        self._checks = not any(_catches(node) for node in nodes)
        self._found = False

    def quieted(self, source):
        """The cell's tree, if anything is taken out of it; else the source, as it is."""
        self._found, tree = False, _tree(source)
        try:
            tree = self.visit(tree)
        except RecursionError:
            return source
        return tree if self._found else source

    def visit_Expr(self, node):
        call = node.value
        if not isinstance(call, ast.Call):
            return node
        if self._prints and _is_print(call):
            said = [_unsaid(one) if _takes(one) else one for one in call.args]
            self._found = self._found or said != call.args
            call.args = said
        elif self._checks and _is_check(call.func) and all(map(_harmless, _arguments(call))):
            self._found = True
            return ast.copy_location(ast.Pass(), node)
        return node


def _tree(source):
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])  # it cannot run, either


def _unsaid(node):
    return ast.copy_location(ast.Constant("..."), node)


def _arguments(call):
    return [*call.args, *(one.value for one in call.keywords)]


def _takes(node):
    """Whether values are taken in it, and nothing else is done."""
    called = [one.func for one in ast.walk(node) if isinstance(one, ast.Call)]
    taking = any(isinstance(one, ast.Attribute) and one.attr in TAKING for one in called)
    return taking and _harmless(node)


def _harmless(node):
    """Whether it only looks at things: without it, all that follows is as with it."""
    return all(isinstance(one, PIECES) and _looks(one) for one in ast.walk(node))


def _looks(node):
    """Whether a call is of a name that is known, and a loop is over what is made for it."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in PLAIN and not _arguments(node)
        case ast.Call(func=function):
            return isinstance(function, ast.Name) and function.id in ROUNDS
        case ast.comprehension(iter=made):
            return isinstance(made, ast.Call)
    return True


def _is_print(call):
    """Whether it is `print`, to where all is printed."""
    named = isinstance(call.func, ast.Name) and call.func.id == "print"
    return named and all(one.arg in ("sep", "end", "flush") for one in call.keywords)


def _is_check(function):
    """Whether it is `np.testing.assert_...`."""
    match function:
        case ast.Attribute(ast.Attribute(ast.Name("np" | "numpy"), "testing"), name):
            return name.startswith("assert_")
    return False


def _binds(node, name):
    """Whether the name is the learner's own there."""
    match node:
        case ast.Name(id, ctx):
            return id == name and not isinstance(ctx, ast.Load)
        case ast.FunctionDef(found) | ast.ClassDef(found) | ast.arg(found):
            return found == name
        case ast.alias(found, other):
            return name in (found, other)
    return False


def _catches(node):
    """Whether an error may come to its end there: in a `with` that is not the engine's, too."""
    match node:
        case ast.Try() | ast.TryStar() | ast.AsyncWith():
            return True
        case ast.With(items):
            return not all(_is_engines(item.context_expr) for item in items)
        case ast.Name(name) | ast.Attribute(_, name):
            return name in CATCH
    return False


def _is_engines(node):
    return isinstance(node, ast.Call) and ast.unparse(node.func).startswith("mg.")
