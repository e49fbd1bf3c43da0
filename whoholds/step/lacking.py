"""Which name under `torch` does a program use that PyTorch has and minigrad lacks?

Or which package that is built on PyTorch. It is found in the text: what the imports bind, and the
attributes asked of that. A slip of the pen, which PyTorch lacks as well, is no such name.
"""

from __future__ import annotations

import ast
import importlib
from types import ModuleType

BUILT_ON_IT = frozenset(
    "lightning pytorch_lightning timm torchaudio torchmetrics torchvision transformers".split()
)
TOPS = {"torch", *BUILT_ON_IT}


def lacking(tree: ast.AST, modules: dict) -> str:
    """The first such name, like `torch.nn.MSELoss`, or "".

    `modules` has the full names of the modules that the program's names stand for from the start.
    In a program that imports minigrad itself there is none.
    """
    uses = Uses(modules, _rebound(tree))
    uses.visit(tree)
    if uses.minigrad:
        return ""
    return next(filter(None, map(missing, uses.names)), "")


def missing(full_name: str) -> str:
    """The part of this name up to where minigrad ends and PyTorch goes on, or ""."""
    first, *rest = full_name.split(".")
    if first in BUILT_ON_IT:
        return first
    thing, place = importlib.import_module("minigrad"), first
    for name in rest:
        place += f".{name}"
        try:
            thing = getattr(thing, name)
        except AttributeError as error:  # minigrad tells of PyTorch's public names in a note
            private = name.startswith("_") and isinstance(thing, ModuleType)
            return place if private or hasattr(error, "__notes__") else ""
    return ""


def _rebound(tree) -> set:
    """Names that the program itself gives another meaning somewhere."""
    aliases = {id(n.targets[0]) for n in ast.walk(tree) if isinstance(n, ast.Assign) and _alias(n)}
    names = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and id(n) not in aliases]
    found = {n.id for n in names if not isinstance(n.ctx, ast.Load)}
    found |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    kinds = ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler
    return found | {n.name for n in ast.walk(tree) if isinstance(n, kinds)}


def _alias(node) -> bool:
    """Whether an assignment is of the kind `F = torch.nn.functional`."""
    return isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Attribute)


class Uses(ast.NodeVisitor):
    """The full names under `torch` that a program asks for, in order, each once."""

    def __init__(self, modules: dict, rebound: set):
        self.bound = {n: full for n, full in modules.items() if full.split(".")[0] in TOPS}
        self.rebound = rebound
        self.names: dict = {}
        self.minigrad = False

    def visit_Import(self, node):
        for alias in node.names:
            top = alias.name.split(".")[0]
            self._import(alias.asname or top, alias.name if alias.asname else top)
            self._use(alias.name)

    def visit_ImportFrom(self, node):
        if node.level or not node.module:
            return
        self._use(node.module)
        for alias in node.names:
            self._import(alias.asname or alias.name, f"{node.module}.{alias.name}")
            self._use(f"{node.module}.{alias.name}")

    def visit_Assign(self, node):
        self.generic_visit(node)
        if _alias(node):
            self.bound[node.targets[0].id] = self._full(node.value)

    def visit_Attribute(self, node):
        full = self._full(node)
        if full:
            self._use(full)
        else:
            self.generic_visit(node)

    def _import(self, name: str, full: str) -> None:
        self.bound[name] = full
        self.minigrad |= full.split(".")[0] == "minigrad"

    def _use(self, full: str) -> None:
        if full.split(".")[0] in TOPS:
            self.names[full] = None

    def _full(self, node) -> str:
        """`torch.nn.MSELoss` for that expression, by whatever name; "" for any other."""
        if isinstance(node, ast.Attribute):
            above = self._full(node.value)
            return above and f"{above}.{node.attr}"
        known = isinstance(node, ast.Name) and node.id not in self.rebound
        return self.bound.get(node.id, "") if known else ""
