"""Who may import whom: engine, watcher, course; and inside of the engine, which layer."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.imports import at_top, cycle, imports, modules
from tests.minigrad.test_size import ENGINE, NAMES, RULES

ROOT = Path(__file__).resolve().parents[1]
# Nothing looks up: minigrad <- whoholds <- course; and only what is for an engine knows it.
FLOORS = {
    "minigrad": {"whoholds", "course", "for_torch"},
    "whoholds": {"course", "minigrad", "torch", "for_torch"},
    "whoholds/on_minigrad": {"course", "torch"},
    "whoholds/on_torch": {"course", "minigrad"},
    "course/pictures": {"course.build", "course.classroom", "course.predict", "course.trying"},
    "course/trying": {"course.sandbox", "course.classroom", "course.build"},
    "course/sandbox": {"course.classroom", "course.build"},
}
NO_RINGS = "minigrad", "course/pictures", "course/trying", "course/sandbox", "course/classroom"
# Of each file of the engine, what it may not import with itself.
ABOVE = """
    autograd cuda memory nn ops optim replay reversible second utils
""".split()
# The core from the bottom up: a file knows none that stands on a line after its own.
CORE = """
    dtypes modes frames hooks
    stand_ins
    arrays messages observer
    deep
    backend storage packing node
    saved tensor
    words
    promotion generate
    op
    resized
    backward
    inplace
    function
""".strip().splitlines()
FORBIDDEN = {
    f"core/{name}.py": [
        *ABOVE,
        *(f"core.{later}" for line in CORE[i + 1 :] for later in line.split()),
    ]
    for i, line in enumerate(CORE)
    for name in line.split()
}
FORBIDDEN |= {n: [a for a in ABOVE if a != "ops"] for n in NAMES if n.startswith("ops/")}


@pytest.mark.parametrize("floor", FLOORS)
def test_nothing_looks_up(floor):
    wrong = set()
    for path in sorted((ROOT / floor).rglob("*.py")):
        nearest = max((f for f in FLOORS if path.is_relative_to(ROOT / f)), key=len)
        if nearest == floor:
            wrong |= {(path.name, m) for m in imports(path) if _in_any(m, FLOORS[floor])}
    assert wrong == set()


def _in_any(module, packages):
    return any(f"{module}.".startswith(f"{package}.") for package in packages)


@pytest.mark.parametrize("name", NAMES)
def test_the_engine_imports_numpy_and_the_standard_library_only(name):
    roots = {module.split(".")[0] for module in imports(ENGINE / name)}
    assert roots - set(sys.stdlib_module_names) - {"minigrad", "numpy", "cupy"} == set()


@pytest.mark.parametrize("name", ["reversible", "fits"])
def test_a_file_to_copy_imports_pytorch_and_the_standard_library_only(name):
    roots = {module.split(".")[0] for module in imports(ROOT / "for_torch" / f"{name}.py")}
    assert roots - set(sys.stdlib_module_names) == {"torch"}


def test_importing_the_engine_loads_no_course():
    code = (
        "import sys, minigrad; "
        "print(*{m.split('.')[0] for m in sys.modules} "
        "& {'IPython', 'matplotlib', 'ipywidgets', 'anywidget', 'course', 'torch'})"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == []


def test_each_file_of_the_core_has_its_floor():
    floors = {f"core/{name}.py" for line in CORE for name in line.split()} | {"core/__init__.py"}
    assert floors == {name for name in NAMES if name.startswith("core/")}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_a_layer_knows_only_those_below(name):
    found = set(at_top(ENGINE / name))
    wrong = {m for m in found if _in_any(m, [f"minigrad.{upper}" for upper in FORBIDDEN[name]])}
    assert wrong - {f"minigrad.{name.removesuffix('.py').replace('/', '.')}"} == set()


@pytest.mark.parametrize("folder", NO_RINGS)
def test_no_modules_of_a_package_import_each_other(folder):
    """In functions neither. A package stands for the names of its own that are no modules."""
    known = modules(ROOT, folder)
    packages = {name for name, path in known.items() if path.name == "__init__.py"}
    found = {
        name: [one for one in dict.fromkeys(imports(path)) if one in known and one not in packages]
        for name, path in known.items()
        if name not in packages
    }
    assert cycle(found) == []


def test_a_ring_of_imports_is_found():
    assert cycle({"a": ["b"], "b": ["c"], "c": ["b"]}) == ["b", "c", "b"]
    assert cycle({"a": ["b", "c"], "b": ["c"], "c": []}) == []


@pytest.mark.parametrize("name", RULES)
def test_rules_never_see_a_tensor(name):
    """A rule is a class of the file; the methods that Tensor gets are attached."""
    tree = ast.parse((ENGINE / name).read_text())
    rules = [n for n in tree.body if isinstance(n, ast.ClassDef) and not n.decorator_list]
    names = {n.id for rule in rules for n in ast.walk(rule) if isinstance(n, ast.Name)}
    assert "Tensor" not in names
