"""torch.func: a module called with other parameters than its own. There is no vmap, and no grad."""

from __future__ import annotations

from collections.abc import Sequence

from minigrad.core.tensor import Tensor

SEVERAL = (
    "functional_call got multiple values for keys {}, which are tied. Consider using "
    "tie_weights=False"
)
REPEATED = "{} appeared in multiple dictionaries; behavior of functional call is ambiguous"


def functional_call(
    module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, **options
):
    """module(*args, **kwargs), with these tensors, by name, in the place of its own.

    A tensor that the module has under several names is replaced under all, if `tie_weights`.
    """
    for name in options:
        raise NotImplementedError(f"minigrad's functional_call has no {name}=; leave it out")
    given = _merged(parameter_and_buffer_dicts)
    given = _under_all_names(module, given) if tie_weights else given
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    places = [(*place, given[name]) for name in given if (place := _place(module, name))]
    before = [(owner, name, vars(owner)[name]) for owner, name, _ in places]
    try:
        for owner, name, tensor in places:
            vars(owner)[name] = tensor
        return module(*args, **(kwargs or {}))
    finally:
        for owner, name, tensor in before:
            vars(owner)[name] = tensor


def _merged(dicts) -> dict:
    if not isinstance(dicts, Sequence):
        return dict(dicts)
    names = [name for one in dicts for name in one]
    if repeated := list(dict.fromkeys(name for name in names if names.count(name) > 1)):
        raise ValueError(REPEATED.format(repeated))
    return {name: tensor for one in dicts for name, tensor in one.items()}


def _under_all_names(module, given: dict) -> dict:
    """`given`, and the same tensors under the other names of what they replace."""
    tied: dict = {}  # identity of a tensor: its names
    named = [*module.named_parameters(remove_duplicate=False)]
    for name, tensor in [*named, *module.named_buffers(remove_duplicate=False)]:
        tied.setdefault(id(tensor), []).append(name)
    found = dict(given)
    for names in tied.values():
        values = {id(given[name]): given[name] for name in names if name in given}
        if len(values) > 1:
            raise ValueError(SEVERAL.format(sorted(names)))
        found |= {name: value for name in names for value in values.values()}
    return found


def _place(module, full_name):
    """The module that has the tensor of this name, and what it is called there; None without."""
    path, _, name = full_name.rpartition(".")
    module = module.get_submodule(path)
    old = vars(module).get(name)
    if old is not None and not isinstance(old, Tensor):
        raise TypeError(f"attribute `{name}`: {old} is not an instance of torch.Tensor")
    return (module, name) if name in vars(module) else None
