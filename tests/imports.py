"""Which modules a file imports; for the tests of who may know whom."""

import ast


def imports(path):
    """The full names of the modules a file imports anywhere, and of the names taken from them."""
    return _named(ast.walk(ast.parse(path.read_text())))


def at_top(path):
    """As imports(), of what is imported with the file itself: not inside of its functions."""
    tree = ast.parse(path.read_text())
    inside = {id(n) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for n in ast.walk(f)}
    return _named(node for node in ast.walk(tree) if id(node) not in inside)


def _named(nodes):
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide which layer is meant"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def modules(root, folder) -> dict:
    """{full name: path} of the modules below a package; the folder as seen from the root."""
    names = ((p, p.relative_to(root).with_suffix("")) for p in (root / folder).rglob("*.py"))
    return {".".join(name.parts).removesuffix(".__init__"): path for path, name in sorted(names)}


def cycle(known: dict) -> list:
    """Modules that import each other in a ring, of {module: those it imports}; [] if none do."""
    done: set = set()
    for start in known:
        way, left = [start], [iter(known[start])]
        while left:
            step = next(left[-1], None)
            if step is None:
                done.add(way.pop())
                left.pop()
            elif step in way:
                return [*way[way.index(step) :], step]
            elif step not in done and step in known:
                way.append(step)
                left.append(iter(known[step]))
    return []
