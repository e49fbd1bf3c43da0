"""What PyTorch calls the parameters of functions, where minigrad calls them something else."""

from __future__ import annotations

import inspect
from typing import Any

from minigrad.missing.options import without

ALWAYS = {  # parameters that must be tensors, wherever they stand
    "self", "x", "input", "weight", "target", "index", "mask", "condition", "batch1", "batch2",
    "bias", "running_mean", "running_var", "query", "key", "attn_mask", "pos_weight", "src",
    "tensor1", "tensor2", "mat1", "mat2",
}  # fmt: skip
NAMES = {"self": "input", "x": "input", "y": "other"}  # PyTorch's, where minigrad has its own
NUMBERS_TOO = set(  # functions whose second operand may be a number
    "add sub mul div eq ne lt le gt ge multiply divide subtract greater greater_equal less "
    "less_equal not_equal add_ sub_ mul_ div_ copy_ remainder fmod floor_divide remainder_ fmod_ "
    "floor_divide_".split()
)
OTHERS: dict = {  # {function: {parameter: PyTorch's name}} of those that must be tensors there
    **{name: {"y": "other", "other": "other"} for name in NUMBERS_TOO},
    **{name: {"y": "other"} for name in ("matmul", "equal", "allclose", "isclose")},
    **{name: {"other": "other"} for name in "maximum minimum atan2 arctan2 logaddexp".split()},
    **{name: {"other": "other"} for name in ("expand_as", "view_as", "reshape_as")},
    **{name: {"x1": "x1", "x2": "x2"} for name in ("cosine_similarity", "pairwise_distance")},
    **{f"logical_{name}": {"y": "other"} for name in ("and", "or", "xor")},
    **{name: {"y": "mat2"} for name in ("mm", "bmm")},
    "mv": {"y": "vec"}, "dot": {"y": "tensor"}, "outer": {"y": "vec2"},
    **dict.fromkeys(
        ("margin_ranking_loss", "cosine_embedding_loss"), {"input1": "input1", "input2": "input2"}
    ),
    "triplet_margin_loss": {name: name for name in ("anchor", "positive", "negative")},
    "tensordot": {"a": "a", "b": "b"}, "cdist": {"x": "x1", "y": "x2"},
    "scaled_dot_product_attention": {"value": "value"},
    "embedding": {"x": "indices"}, "bincount": {"weights": "weights"},
    "type_as": {"other": "other"},
    "scatter": {"src": ""}, "scatter_": {"src": ""}, "where": {"x": ""}, "lerp": {"weight": ""},
    "lerp_": {"weight": ""},  # or a number
    "select": {"index": ""}, "to": {"target": ""},
}  # fmt: skip
SHOWN = {
    "pow": {"exponent": "y"},
    "embedding": {"input": "x"},
    "cdist": {"x1": "x", "x2": "y"},
    "full": {"size": "shape"},
    "split": {"tensor": "x", "split_size_or_sections": "split_size"},
}  # {function: {PyTorch's: ours}}
NUMBER_FIRST = {  # {function: the number that older programs give before the tensors}
    **dict.fromkeys(("add", "add_", "sub", "sub_"), "alpha"),
    **dict.fromkeys(("addcmul", "addcmul_", "addcdiv", "addcdiv_"), "value"),
}
SIZES = {"size", "shape", "sizes", "dims", "repeats"}  # names of what may come as several arguments


def must_be_tensor(function, name) -> str:
    """PyTorch's name of a parameter that must be a tensor; "" if it is another one."""
    if name in OTHERS.get(function, ()):
        return OTHERS[function][name]
    return NAMES.get(name, name) if name in ALWAYS else ""


def renamed(code, before: int = 0):
    """The code of a function, with PyTorch's names of its parameters after the first `before`."""
    own, end = code.co_varnames, code.co_argcount + code.co_kwonlyargcount
    names = (NAMES.get(name, name) for name in own[before:end])
    return code.replace(co_varnames=(*own[:before], *names, *own[end:]))


def as_ours(error, function, code, asked, args: tuple, kwargs: dict) -> Any:
    """(args, kwargs) of the same call as minigrad has them; None if nothing is to be changed.

    Others are the names, or the order: older programs give a number before the tensors.
    """
    number = NUMBER_FIRST.get(asked.name)
    one_more = not kwargs and len(args) == code.co_argcount + 1
    if number and one_more and not getattr(args[1], "ndim", 0):
        return (args[0], *args[2:]), {number: args[1]}
    found = by_our_names(function, code, asked, kwargs)
    if not found:
        return without(error, asked.name, args, kwargs)
    return (*args, *found.pop("", ())), found


def by_our_names(function, code, asked, kwargs: dict) -> dict:
    """`kwargs` under minigrad's own names; {} if there is one that nobody knows, or none to change.

    What PyTorch names and minigrad takes as `*args` stands under "", as a tuple of one.
    """
    by_place = getattr(function, "inputs", None)  # where nothing is generated: see op.py
    own = by_place or code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    shown = {"axis": "dim", "keepdims": "keepdim"} | SHOWN.get(asked.name, {})
    for name in own:
        shown[must_be_tensor(asked.name, name) or NAMES.get(name, name)] = name
    takes_all = code.co_flags & inspect.CO_VARARGS
    found: dict = {}
    for key, value in kwargs.items():
        sizes = takes_all and not by_place and key in SIZES and key not in own
        name = "" if sizes else shown.get(key, key)
        if name and name not in own or name in found:
            return {}
        found[name] = value if name else (value,)
    if by_place and found:
        return {"": tuple(found[name] for name in by_place if name in found)}
    if found.keys() == kwargs.keys():
        return {}
    before = [found.pop(name) for name in own[: code.co_argcount] if "" in found and name in found]
    return found | ({"": (*before, *found[""])} if before else {})
