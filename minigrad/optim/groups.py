"""Groups of parameters: dicts of "params" and of the options that these are moved by."""

from __future__ import annotations

from math import inf

from minigrad.core.frames import warn
from minigrad.core.tensor import Tensor
from minigrad.nn.registering import typename

NO_LIST = (
    "params argument given to the optimizer should be an iterable of Tensors or dicts, but got {}"
)
NO_TENSOR = "optimizer can only optimize Tensors, but one of the params is "
NO_ORDER = (
    "optimizer parameters need to be organized in ordered collections, but the ordering of tensors "
    "in sets will change between runs. Please use a list instead."
)
TWICE = (
    "optimizer contains a parameter group with duplicate parameters; in future, this will cause an "
    "error; see github.com/pytorch/pytorch/issues/40967 for more information"
)
SOME_NAMED = "all optimizer params should be with/without names. Some param names are missing"
GROUPS_NAMED = (
    "all optimizer param groups should be with/without names. cannot add param group {} names to "
    "the optimizer"
)
# Other ways to compute the same steps; each would hold other bytes, which nobody here measures.
WAYS = "foreach", "fused", "capturable", "differentiable"
NOT_GIVEN = "parameter group didn't specify a value of required optimization parameter "
SAID = {"lr": "learning rate", "eps": "epsilon value"}


def given(params) -> list:
    """The groups that an optimizer is made with: one, if it is given tensors."""
    if isinstance(params, Tensor):
        raise TypeError(NO_LIST.format(params.dtype.legacy))
    found = list(params)
    if not found:
        raise ValueError("optimizer got an empty parameter list")
    return found if isinstance(found[0], dict) else [{"params": found}]


def complete(group: dict, defaults: dict) -> None:
    """Bring a group into its form: a list of leaves, perhaps their names, and each option."""
    if not isinstance(group, dict):
        raise TypeError(f"param_group must be a dict, but got {type(group)}")
    params = group["params"]
    if isinstance(params, set):
        raise TypeError(NO_ORDER)
    params = [params] if isinstance(params, Tensor) else list(params)
    names = [p[0] for p in params if isinstance(p, tuple)]
    group["params"] = params = [p[1] if isinstance(p, tuple) else p for p in params]
    if names and len(names) != len(params):
        raise ValueError(SOME_NAMED)
    if names:
        group["param_names"] = names
    for p in params:
        if not isinstance(p, Tensor):
            raise TypeError(NO_TENSOR + typename(p))
        if not (p.is_leaf or p.retains_grad):
            raise ValueError("can't optimize a non-leaf Tensor")
    for name, value in defaults.items():
        if value is required and name not in group:
            raise ValueError(NOT_GIVEN + name)
        _check_known(name, group.setdefault(name, value))


def _check_known(name, value) -> None:
    if name in WAYS and value:
        raise NotImplementedError(f"minigrad's optimizers do not know {name}: leave it out")
    if isinstance(value, Tensor) and name != "lr":
        raise NotImplementedError(f"minigrad's optimizers take a number as {name}, no tensor")


def rate(group: dict, name="lr"):
    """A learning rate, as it is now: one that is a tensor may be written to later."""
    found = group[name]
    return found.clone() if isinstance(found, Tensor) else found


def plain_rate(lr):
    """A learning rate as a number; that of a tensor rounds what it is multiplied with."""
    return lr.dtype.numpy.type(lr.item()) if isinstance(lr, Tensor) else lr


def set_rate(group: dict, new) -> None:
    """Another one; one that is a tensor stays the same tensor."""
    if isinstance(group["lr"], Tensor):
        group["lr"].fill_(float(new))
    else:
        group["lr"] = new


def check_one(lr) -> None:
    """A learning rate that is a tensor has one element."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")


class _Required:
    """Stands for the value of an option that each group must have."""

    def __repr__(self):
        return "<required parameter>"


required = _Required()


def check_apart(group: dict, others: list) -> None:
    """No parameter is moved by two groups; if one group has names, all have."""
    own = {*map(id, group["params"])}
    if len(own) != len(group["params"]):
        warn(TWICE)
    for other in others:
        if ("param_names" in group) != ("param_names" in other):
            raise ValueError(GROUPS_NAMED.format("with" if "param_names" in group else "without"))
    if own & {id(p) for other in others for p in other["params"]}:
        raise ValueError("some parameters appear in more than one parameter group")


def check_positive(options: dict, *names) -> None:
    """None of these is less than 0; the two of betas are less than 1, too, and rho no more."""
    for name in names:
        if name == "lr":
            check_one(options[name])
        if name == "betas":
            _check_betas(options[name])
        elif not 0.0 <= options[name] <= (1.0 if name == "rho" else inf):
            raise invalid(name, options[name])


def _check_betas(betas) -> None:
    for i in (0, 1):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")


def invalid(name, value) -> ValueError:
    return ValueError(f"Invalid {SAID.get(name, f'{name} value')}: {value}")
