"""Records which keywords PyTorch's functions and classes take where minigrad's of that name do
not: `python -m tests.minigrad.torch_options` writes minigrad/missing/options.txt. Needs the torch
that pyproject.toml names.
"""

import ast
import importlib
import inspect
import re
from pathlib import Path

from tests.twin.golden import VERSION

FILE = Path(__file__).parents[2] / "minigrad" / "missing" / "options.txt"
HEAD = (
    f"# Keywords of PyTorch {VERSION.rpartition('.')[0]} that minigrad's functions lack, and their "
    "values if nobody gives them;\n# `python -m tests.minigrad.torch_options` writes them.\n"
)
PLACES = (
    "torch", "torch.Tensor", "torch.nn.functional", "torch.nn", "torch.nn.init", "torch.nn.utils",
    "torch.linalg", "torch.optim", "torch.optim.lr_scheduler", "torch.utils.data",
    "torch.utils.checkpoint", "torch.autograd", "torch.autograd.functional", "torch.distributions",
)  # fmt: skip
CALL = re.compile(r"^\s*(?:\w+\.)?(\w+)\((.*?)\) *->", re.M | re.S)
ANYWHERE = {"size", "self", "args", "kwargs", "f", "input", "other"}  # by place, or of no name


def there(place):
    """The module or the class of that place, in the engine whose name it begins with."""
    engine, _, rest = place.partition(".")
    found = importlib.import_module(engine)
    for name in rest.split(".") if rest else ():
        found = getattr(found, name)
    return found


def of_doc(name, text) -> dict:
    """{keyword: default} of the signatures that a docstring begins with."""
    found = {}
    for called, listed in CALL.findall(text or ""):
        if called == name:
            for part in re.split(r",\s*(?![^(\[]*[)\]])", listed):
                key, _, value = part.partition("=")
                if re.fullmatch(r"\w+", key.strip()):
                    found[key.strip()] = value.strip()
    return found


def of_function(name, thing) -> dict:
    """{keyword: its value if nobody gives it, as text}."""
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (ValueError, TypeError):
        return of_doc(name, inspect.getdoc(thing))
    found = {}
    for one in parameters:
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            found |= of_doc(name, inspect.getdoc(thing))
        else:
            found[one.name] = "" if one.default is one.empty else repr(one.default)
    return found


def literal(text) -> str:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return ""
    return text


def lacking(name, torchs, minigrads) -> dict:
    """The keywords that minigrad's does not take."""
    theirs = of_function(name, torchs)
    try:
        ours = inspect.signature(minigrads).parameters
    except (ValueError, TypeError):
        return {}
    if any(one.kind is one.VAR_KEYWORD for one in ours.values()):
        return {}
    return {
        key: literal(value)
        for key, value in theirs.items()
        if key not in ours and key not in ANYWHERE and key[0] != "_" or key.startswith("_use")
    }


def text() -> str:
    found: dict = {}
    for place in PLACES:
        torchs, minigrads = there(place), there(place.replace("torch", "minigrad", 1))
        for name in sorted(vars(minigrads)):
            thing = vars(minigrads)[name]
            other = getattr(torchs, name, None)
            if name[0] == "_" or not callable(thing) or other is None or inspect.ismodule(other):
                continue
            if inspect.isclass(thing) != inspect.isclass(other):
                continue
            new = lacking(name, other, thing)
            if "layout" in new:  # PyTorch's texts do not say so of each
                new.setdefault("pin_memory", "False")
            if new:
                found[name] = new | found.get(name, {})
    rows = []
    for name, those in sorted(found.items()):
        parts = [f"{key}={value}" if value else key for key, value in those.items()]
        rows.append(" | ".join([name, *parts]))
    return HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), "utf-8")
    print(f"{FILE.name} written")
