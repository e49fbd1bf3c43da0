"""Answers that compute nothing: they give back what they are given, a part of it, or what the
callables among it return.

An echo is a path that is drawn once, and the same in each call: "the second argument, its first
entry", "each callable, of the arguments after it".
"""

import minigrad as mg

PARTS = {
    "itself": lambda one: one,
    "first entry": lambda one: one[0],
    "last entry": lambda one: one[-1],
    "a list of it": lambda one: [one],
    "its entries": lambda one: list(one),
    "its length": lambda one: len(one),
    "copy": lambda one: one.clone(),
    "zeros": lambda one: mg.zeros_like(one),
    "ones": lambda one: mg.ones_like(one),
    "leaf": lambda one: one.detach().clone().requires_grad_(),
    "gradient": lambda one: one.grad,
    "shape": lambda one: list(one.shape),
    "bytes": lambda one: one.nbytes,
    "sum": lambda one: one.sum(),
    "number": lambda one: one.item(),
}


def called(given):
    """What the first callable gives of what follows it, or of each entry of that."""
    place = next(place for place, one in enumerate(given) if callable(one))
    run, rest = given[place], given[place + 1 :] or given[:place]
    return [run(one) for one in rest[0]] if isinstance(rest[0], list) else run(*rest)


def backwards(given):
    """The same, and a backward through it."""
    value = called(given)
    for one in value if isinstance(value, list) else [value]:
        one.sum().backward()
    return value


class OnCard:
    """An empty tensor on the card that wants a gradient."""

    def __new__(cls, given):
        return mg.zeros(1).cuda().requires_grad_()


WHOLES = {
    "what is called": called,
    "what is called, and its backward": backwards,
    "a function that gives back what it is given": lambda given: lambda *given: given[0],
    "a function that is the first argument at first": lambda given: _first_only(given[0]),
    "something on the card": OnCard,
    "all arguments": list,
    "no gradient but that of the last": lambda given: (None, given[-1]),
}


def _first_only(run):
    calls: list = []

    def echo(u):
        calls.append(1)
        return run(u) if len(calls) == 1 else u

    return echo


def answers(real, gen, some):
    """Every whole, and some that are drawn: (in words, an echo for the real function or class)."""
    if isinstance(real, type):
        forms = [("what is called", "no gradient but that of the last"), *[()] * some]
        return [_class(real, gen, form) for form in forms]
    wholes = [(name, _careful(path)) for name, path in WHOLES.items()]
    return [*wholes, *(drawn(gen) for _ in range(some))]


def drawn(gen):
    """(what it gives, the function of the arguments)."""
    place, one, other = gen.randrange(3), gen.choice([*PARTS]), gen.choice([*PARTS])
    path = lambda given: PARTS[other](PARTS[one](given[place % len(given)]))  # noqa: E731
    return f"{other} of {one} of argument {place}", _careful(path)


def _careful(path):
    """The first argument where there is no such part."""

    def echo(*given):
        try:
            return path(given)
        except Exception:  # whatever the part is of
            return given[0] if given else None

    return echo


def _class(real, gen, wholes):
    """A class of which each method has an echo of its own; the first have these."""
    names = [
        name
        for name, one in vars(real).items()
        if (callable(one) or isinstance(one, staticmethod)) and name != "__init__"
    ]
    paths = {name: _any(gen) for name in names}
    paths |= {name: (one, _careful(WHOLES[one])) for name, one in zip(names, wholes, strict=False)}
    methods = {name: staticmethod(_method(echo)) for name, (_, echo) in paths.items()}
    said = ", ".join(f"{name}: {path}" for name, (path, _) in paths.items())
    return said, type(real.__name__, real.__bases__, methods)


def _any(gen):
    """A path of parts, or a whole."""
    name = gen.choice([*WHOLES, *[""] * len(WHOLES)])
    return (name, _careful(WHOLES[name])) if name else drawn(gen)


def _method(echo):
    """Without the first argument, which is the node, unless it is the only one."""
    return lambda *given: echo(*given[1:] or given)
