"""Which tests can never meet PyTorch: nothing that they are made of knows of it.

A test of the engine is made of its own file, of those below tests/ that it names, and of minigrad,
of which tests/test_layers.py shows that it imports nothing else. What such a test does it does the
same, whether PyTorch is installed or not; so where it is not, it need not be done once more.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KNOW_NOTHING = {"minigrad", "numpy", "cupy", "pytest", "tests", *sys.stdlib_module_names}
OTHERS = "torch|whoholds|course|for_torch"
# Code for another process, a module's name, or a word that could become one.
NAMED = re.compile(rf"(\bimport|\bfrom|-m)\s[\w ,.]*\b({OTHERS})\b|\A({OTHERS})(\.\w+)*\Z")
NAME = re.compile(r"[a-z_]\w*(\.\w+)*")


def from_pytorch(folder: str, root: Path = ROOT) -> list[str]:
    """The test files of a folder that are."""
    found = sorted((root / folder).glob("test_*.py"))
    return [path.relative_to(root).as_posix() for path in found if is_apart(path, root)]


def is_apart(path: Path, root: Path = ROOT) -> bool:
    """Whether neither the file nor any other below tests/ that it leads to knows of PyTorch.

    Its folder's fixtures are among these. Those of all tests give PyTorch to none.
    """
    seen: set[Path] = set()
    left = [path, *path.parent.glob("conftest.py")]
    while left:
        one = left.pop()
        if one in seen:
            continue
        seen.add(one)
        nodes = list(ast.walk(ast.parse(one.read_text("utf-8"))))
        texts = [node.value for node in nodes if isinstance(node, ast.Constant)]
        words = [text for text in texts if isinstance(text, str)]
        if any(map(NAMED.search, words)):
            return False
        for name in _imported(nodes):
            found = _files(name, one.parent, root)
            if not found and name.partition(".")[0] not in KNOW_NOTHING:
                return False
            left += found
        for word in filter(NAME.fullmatch, words):  # of a script or a module, perhaps
            left += _files(word.removesuffix(".py"), one.parent, root)
    return True


def _imported(nodes: list[ast.AST]) -> Iterator[str]:
    """The full names of the modules imported anywhere, and of the names taken from them."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def _files(name: str, beside: Path, root: Path) -> list[Path]:
    """The file below tests/ that a module, or a name in one, is found in."""
    parts = name.split(".")
    parents = [Path(*parts[:length]).with_suffix(".py") for length in range(len(parts), 0, -1)]
    places = [base / parent for parent in parents for base in (root, beside)]
    tests = root / "tests"
    return [path for path in places if tests in path.parents and path.is_file()][:1]
