"""Arguments by PyTorch's names: each right call says so what it says by place.

The names are those of PyTorch's signatures; where it is written in C, those of its docstring.
"""

import ast
import inspect
import itertools
import re
import warnings

import pytest

import minigrad
from course.twin.compare import same_names
from tests.twin import wrong_kinds
from tests.twin.wrong_calls import CALLS, SETTING

SHORTER = {"dim": "axis", "keepdim": "keepdims"}  # what NumPy's users write
LEFT = {
    "mg.manual_seed": "minigrad's returns None",
    "y.size": "axis= of size() is known to no program; the method is one of the quick ones",
}


def documented(function, name) -> list:
    """The parameters' names of each signature in a docstring."""
    found = []
    for line in (function.__doc__ or "").split("\n"):
        line = re.sub(r"^\.\. (function|method)::\s*", "", line.strip())
        if given := re.match(rf"(?:torch\.|Tensor\.)?(?:\w+\.)?{name}\((.*)\)\s*(->.*)?$", line):
            parts = re.split(r",(?![^\[\(]*[\]\)])", given[1])
            names = [part.split("=")[0].split()[-1:] for part in parts]
            found.append([name for some in names for name in some])
    return found


def signatures(function, name) -> list:
    function = getattr(function, "forward", function)  # of a module
    try:
        given = inspect.signature(function).parameters.values()
    except ValueError:
        return documented(function, name)
    return [[one.name for one in given if one.kind == one.POSITIONAL_OR_KEYWORD]]


def named(torch, call) -> set:
    """The call with its last arguments by name, from each place on, in each way."""
    tree = ast.parse(call, mode="eval").body
    if not isinstance(tree, ast.Call) or ast.unparse(tree.func) in LEFT:
        return set()
    places: dict = {}
    exec(SETTING, {"mg": torch}, places)
    places |= {"mg": torch, "F": torch.nn.functional}
    function = eval(ast.unparse(tree.func), places)
    found = set()
    for names in signatures(function, ast.unparse(tree.func).rpartition(".")[2]):
        names = names[1:] if names[:1] == ["self"] else names
        names = list(itertools.takewhile(str.isidentifier, names))
        for first in range(len(tree.args) if len(tree.args) <= len(names) else 0):
            found |= spelled(call, names, first)
    return found


def spelled(call, names, first) -> set:
    """From this argument on by these names, and by NumPy's."""
    found = set()
    for others in ({}, SHORTER):
        tree = ast.parse(call, mode="eval").body
        by_name = zip(names[first:], tree.args[first:], strict=False)
        tree.keywords[:0] = [ast.keyword(others.get(name, name), one) for name, one in by_name]
        tree.args = tree.args[:first]
        found.add(ast.unparse(tree))
    return found


def test_arguments_by_pytorchs_names(live_torch):
    lines = sorted({line for call in CALLS for line in named(live_torch, call)})
    assert len(lines) > 500
    refused = []
    for line in lines:
        expected, found = wrong_kinds.said(live_torch, line), wrong_kinds.said(minigrad, line)
        if not expected.error and expected != found:
            refused.append(f"{line}\n    PyTorch  {expected}\n    minigrad {found}")
    assert not refused, f"{len(refused)} of {len(lines)}:\n" + "\n".join(refused)


LOSSES = {
    "mse_loss": "x, y", "l1_loss": "x, y", "smooth_l1_loss": "x, y", "kl_div": "p.log(), p",
    "binary_cross_entropy": "p, q", "binary_cross_entropy_with_logits": "x, q",
    "cross_entropy": "x, k", "nll_loss": "x, k", "MSELoss": "x, y", "L1Loss": "x, y",
    "SmoothL1Loss": "x, y", "KLDivLoss": "p.log(), p", "BCELoss": "p, q",
    "BCEWithLogitsLoss": "x, q", "CrossEntropyLoss": "x, k", "NLLLoss": "x, k",
}  # fmt: skip
ANSWERS = None, True, False


def outcome(mg, text) -> list:
    """The numbers, or the error, and what was warned of."""
    names: dict = {}
    exec(SETTING, {"mg": mg}, names)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            result = eval(text, names | {"mg": mg, "F": mg.nn.functional})
            found = result.detach().flatten().tolist()
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
    return [found, *(same_names(str(one.message)) for one in told)]


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_knows_the_words_of_older_programs(live_torch, name):
    for average, reduce in itertools.product(ANSWERS, ANSWERS):
        old = f"size_average={average}, reduce={reduce}"
        given = LOSSES[name]
        line = f"F.{name}({given}, {old})" if name.islower() else f"mg.nn.{name}({old})({given})"
        (number, *told), (expected, *words) = outcome(minigrad, line), outcome(live_torch, line)
        near = expected if isinstance(expected, str) else pytest.approx(expected, 1e-5, 1e-6)
        assert (number, told) == (near, words), line


OLDER = (  # with the number before the tensors
    "add_(-0.5, y)", "add(-0.5, y)", "sub_(2, y)", "sub(2, y)", "addcmul_(2, y, y)",
    "addcmul(2, y, y)", "addcdiv_(-0.5, y, y)", "addcdiv(2.0, y, y)", "add_(2, 3)",
    "add_(mg.tensor(2.0), y)", "add_(True, y)",
)  # fmt: skip


@pytest.mark.parametrize("call", OLDER)
def test_an_older_call_has_its_number_first(live_torch, call):
    line = f"x.detach().{call}"
    found, (expected, *_) = outcome(minigrad, line), outcome(live_torch, line)
    assert found == [expected if isinstance(expected, str) else pytest.approx(expected)]
