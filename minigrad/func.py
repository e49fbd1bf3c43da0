"""torch.func: a module called with other parameters than its own. There is no vmap, and no grad."""

from __future__ import annotations

from collections.abc import Sequence


def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, **options):
    """module(*args, **kwargs), with these tensors, by name, in the place of its own."""
    for name in options:
        raise NotImplementedError(f"minigrad's functional_call has no {name}=; leave it out")
    given = parameter_and_buffer_dicts
    if isinstance(given, Sequence):
        given = {name: tensor for one in given for name, tensor in one.items()}
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    places = [(*_place(module, name), tensor) for name, tensor in given.items()]
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in places]
    try:
        for owner, name, tensor in places:
            vars(owner)[name] = tensor
        return module(*args, **(kwargs or {}))
    finally:
        for owner, name, tensor in before:
            vars(owner)[name] = tensor


def _place(module, full_name):
    """The module that has the tensor of this name, and what it is called there."""
    path, _, name = full_name.rpartition(".")
    for part in path.split(".") if path else ():
        module = getattr(module, part)
    return module, name
