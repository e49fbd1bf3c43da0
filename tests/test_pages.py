"""What the pages say of commands, files and names is so; each folder has a page, and each is short.

A file is named by a path from the top or from the page's own folder, a name by what stands between
backticks. `NN`, `NAME` and `*` in a path stand for anything.
"""

import ast
import builtins
import functools
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from course.proof import tiers

ROOT = Path(__file__).parents[1]
HOLDING = {path.parent.name for ending in ("py", "ipynb") for path in ROOT.glob(f"*/*.{ending}")}
FOLDERS = sorted(name for name in HOLDING if not name.startswith("."))
READMES = [ROOT / name / "README.md" for name in FOLDERS]
ARCHITECTURE, CONTRIBUTING, CHANGELOG = (
    ROOT / f"{name}.md" for name in ("ARCHITECTURE", "CONTRIBUTING", "CHANGELOG")
)
BUILDERS = [ARCHITECTURE, CONTRIBUTING, *READMES]  # for who changes the course: all names are ours
PAGES = [ROOT / "README.md", CHANGELOG, *BUILDERS, *sorted((ROOT / "docs").glob("[!R]*.md"))]
LONGEST = {ARCHITECTURE: 100, CONTRIBUTING: 120}  # a page that grows is not read
CODE = re.compile(r"^```\w*\n.*?^```$", re.DOTALL | re.MULTILINE)
PLACE = re.compile(rf"(?<![\w/.])(?:{'|'.join(FOLDERS)})/[\w./*-]+")
FILE = re.compile(r"[\w.*-]+\.(?:py|md|toml|json|txt|lock|ipynb|svg|png|yaml|html)|(?:[\w.*-]+/)+")
NAME = re.compile(r"@?([A-Za-z_][\w.]*)(?:\(.*\))?")
ELSEWHERE = {"y", "self", "other", "expm1", "pip", "CI"}  # operands, saved names, an op to come


def named(pages):
    return pytest.mark.parametrize(
        "page", pages, ids=lambda page: page.relative_to(ROOT).as_posix().removesuffix(".md")
    )


def inline(page):
    """What stands between backticks, outside of the blocks."""
    return set(re.findall(r"`([^`\n]+)`", CODE.sub("", page.read_text("utf-8"))))


@functools.cache
def usage(*command):
    call = [sys.executable, ROOT / "run.py", *command, "--help"]
    return subprocess.run(call, capture_output=True, text=True).stdout


# -- commands --


@named(PAGES)
def test_commands_are_those_of_run_py(page):
    for command in re.findall(r"python3 run\.py (\w+)", page.read_text("utf-8")):
        assert re.search(rf"^    {command}  ", usage(), re.MULTILINE), command


@named(PAGES)
def test_every_option_it_names_is_one(page):
    for command, options in re.findall(r"run\.py (\w+)([^`\n#]*)", page.read_text("utf-8")):
        for option in re.findall(r"-{1,2}[a-z-]+", options):
            assert option in usage(command), (command, option)


@named(PAGES)
def test_modules_to_run_exist(page):
    for module in re.findall(r"python -m ((?:tests|course|benchmarks)[\w.]*)", _text(page)):
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file(), module


# -- files --


def _text(page):
    return page.read_text("utf-8")


def found(path, *folders):
    pattern = re.sub(r"NN_topic|NN|NAME", "*", path.rstrip("./"))
    return any(any(folder.glob(pattern)) for folder in folders)


@named(PAGES)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#]+)\)", _text(page)):
        assert "://" in link or (page.parent / link).exists(), link


@named([page for page in PAGES if page.parent.name != "docs" or page in BUILDERS])
def test_files_exist(page):
    text = re.sub(r"\]\([^)]*\)", "]", _text(page))
    assert [place for place in PLACE.findall(text) if not found(place, ROOT, page.parent)] == []


@named(BUILDERS)
def test_files_named_for_short_exist(page):
    folders = [page.parent, ROOT, *[ROOT / "minigrad"] * (page == ARCHITECTURE)]
    paths = [
        code for code in inline(page) if re.fullmatch(rf"(?:[\w.*-]+/)*(?:{FILE.pattern})", code)
    ]
    mine = [path for path in paths if not path.startswith(("my/", ".venv"))]
    assert [path for path in mine if not found(path, *folders)] == []


# -- names --


@functools.cache
def defined():
    """Every name that some file defines: functions, classes, arguments, what is assigned to."""
    names = set(dir(builtins))
    apart = {"corpus", "posted", "answers", "hostile", "honest"}
    for folder in ("minigrad", "whoholds", "course", "for_torch", "tests"):
        for path in (ROOT / folder).rglob("*.py"):
            if apart.isdisjoint(path.relative_to(ROOT).parts):
                names |= {path.stem, *_defined(path)}
    return names


def _defined(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


@named(BUILDERS)
def test_names_are_defined(page):
    codes = [NAME.fullmatch(code) for code in inline(page) if not FILE.fullmatch(code)]
    names = {match.group(1).rpartition(".")[2] for match in codes if match}
    unknown = {name for name in names if name.strip("_") and not name.startswith("_saved_")}
    assert unknown - defined() - ELSEWHERE - set(FOLDERS) == set()


# -- each folder has a page, and each page is short --


@pytest.mark.parametrize("folder", FOLDERS)
def test_each_folder_has_a_page_of_ten_to_twenty_five_lines(folder):
    assert 10 <= len(_text(ROOT / folder / "README.md").splitlines()) <= 25


@named(list(LONGEST))
def test_a_page_stays_a_page(page):
    assert len(_text(page).splitlines()) <= LONGEST[page]


# -- versions and hooks --


def test_the_change_log_invents_no_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    versions = re.findall(r"^## \[(.*)\]", _text(CHANGELOG), re.MULTILINE)
    assert versions[0] == "Unreleased" and set(versions[1:]) <= {project["version"]}
    assert f"says {project['version']}" in _text(CHANGELOG)
    days = re.findall(r"^### (\d+) November 2026$", _text(CHANGELOG), re.MULTILINE)
    assert days == sorted(days, key=int, reverse=True) != []


def test_the_hooks_are_what_the_proof_begins_with():
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    entries = {hook["id"]: hook["entry"].split()[2:] for hook in repository["hooks"]}
    steps = {step.name: list(step.call) for step in next(tiers.suite())}
    assert repository["repo"] == "local" and entries.pop("notebooks") == ["course.build.text"]
    assert entries == {name: steps[name] for name in ("lint", "format", "types")}


def test_the_torch_to_be_installed_is_the_recorded_one():
    bench = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    (version,) = (text for text in bench["bench"] if text.startswith("torch=="))
    assert re.findall(r"torch==[\d.]+", _text(CONTRIBUTING)) == [version]
