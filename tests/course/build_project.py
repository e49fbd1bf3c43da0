"""Tiny checkouts in a temporary folder, with an engine and a torch of ten lines each."""

import textwrap

from course.build.project import Project

ENGINE = """
class Tensor:
    __module__ = "minigrad"
    def __init__(self, value):
        self.value = value
    def __repr__(self):
        return f"tensor({self.value})"
    def _repr_html_(self):
        return "<b>3</b>"
def tensor(value):
    return Tensor(value)
def fail():
    error = RuntimeError("Trying to backward a second time; see torch.autograd")
    error.add_note("lesson 05 explains it")
    raise error
def memory_allocated():
    return 4
"""

FACADE = """
import types
def as_mg():
    import fake_torch
    return fake_torch
"""

TWIN_LESSON = """
# %% [markdown]
# # 02  Graphs
# What is a graph made of? Words enough to be more than the code below it needs, five for each.

# %% twin=true
import fake_mg as mg

# %% [markdown]
# ## One
# A section.

# %% twin=true at="02.one"
x = mg.tensor(3)
print(type(x))
x

# %% [markdown]
# ## Two
# Another.

# %% twin=true raises="RuntimeError"
mg.fail()
"""


def text(source):
    return textwrap.dedent(source).lstrip("\n")


def project(root, coverage="", **lessons):
    """A checkout with these lessons: `project(tmp_path, **{"02_graphs": source})`."""
    (root / "lessons").mkdir()
    (root / "lessons" / "coverage.toml").write_text(coverage)
    for name, source in lessons.items():
        (root / "lessons" / f"{name}.py").write_text(text(source))
    return Project(root, engine="fake_mg", torch="fake_torch", facade="fake_facade", cases="")


def engines(root, ours=ENGINE, theirs=ENGINE):
    """Put the stand-ins for minigrad and torch into the checkout."""
    (root / "fake_mg.py").write_text(ours)
    (root / "fake_torch.py").write_text(theirs.replace('"minigrad"', '"torch"'))
    (root / "fake_facade.py").write_text(FACADE)
