"""The table of PyTorch's public names, place by place: what minigrad has and what it lacks.

`python -m course.build.torch_names` writes docs/names.md, from the list that was recorded of
PyTorch (minigrad/missing/names.txt) and from minigrad as it is; it needs no torch.
"""

import inspect
import sys
import textwrap

import minigrad as mg
from minigrad import missing
from minigrad.missing import everywhere, pytorch

from .project import REPOSITORY

FILE = REPOSITORY / "docs" / "names.md"
NO_PLACES = "torch.cuda"  # lesson 14 says what there is of it
HEAD = """\
# PyTorch's names in minigrad

`python -m course.build.torch_names` writes this page; a test says when it is stale. The names are
those that PyTorch {version} makes public. **Has**: it is there; what of its arguments is not there
is refused with a sentence. **Instead**: it is not there, and the error's note says what to write in
its place. **Lacks**: it is not there; the note names PyTorch and `%%step --engine torch`.

| place | has | instead | lacks |
|---|--:|--:|--:|
"""


def things() -> dict:
    """{place: the module or the tensor that is asked there}."""
    modules = {name.replace("minigrad", "torch", 1): name for name in everywhere.MODULES}
    found = {place: sys.modules[name] for place, name in sorted(modules.items())}
    return {"torch": mg, "torch.Tensor": mg.ones(1, 1)} | found


def has(thing, name) -> bool:
    """Whether it is there, asked in a way that nobody hears of."""
    if inspect.ismodule(thing):
        return name in vars(thing)
    found = inspect.getattr_static(thing, name, None)
    return found is not None and type(found) is not missing.Lacking


def sorted_out(place, thing) -> dict:
    """The place's names under has, instead and lacks."""
    rows: dict = {"has": [], "instead": [], "lacks": []}
    for name in sorted(pytorch.names()[place]):
        suggested = f"{place}.{name}" in pytorch.instead()
        kind = "has" if has(thing, name) else "instead" if suggested else "lacks"
        rows[kind].append(name)
    return rows


def text() -> str:
    """The page."""
    tables = {place: sorted_out(place, thing) for place, thing in things().items()}
    tables = {place: rows for place, rows in tables.items() if place not in NO_PLACES.split()}
    page = HEAD.format(version=_version())
    for place, rows in tables.items():
        page += f"| `{place}` | {' | '.join(str(len(those)) for those in rows.values())} |\n"
    for place, rows in tables.items():
        page += f"\n## {place}\n"
        for kind, those in rows.items():
            if those:
                listed = textwrap.fill(" ".join(those), 75, break_long_words=False)
                page += f"\n{kind.capitalize()}:\n\n```\n{listed}\n```\n"
    return page


def _version() -> str:
    return (pytorch.HERE / "names.txt").read_text("utf-8").split("PyTorch ")[1].split("'")[0]


if __name__ == "__main__":
    FILE.write_text(text(), "utf-8")
    print(f"{FILE.relative_to(REPOSITORY)} written")
