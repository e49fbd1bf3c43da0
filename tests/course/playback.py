"""What an answer returned, call by call, noted in one round and given again in another."""

import functools

import numpy as np

import minigrad as mg
from course.trying.run import run_case


class Alien:
    """In place of what cannot be copied: a function, a node, an object of the learner's."""


class Round:
    """An answer's outcomes for one seed, and what each of its calls returned: {case: [...]}."""

    def __init__(self, known, function, seed):
        self.seed, self.outcomes = seed, {}
        self.returned: dict[str, list] = {}
        for case in known:
            said = self.returned[case.name] = []
            self.outcomes[case.name] = run_case(case, _noted(function, said), seed)

    @property
    def is_plain(self):
        """Whether all of it can be copied."""
        return not any(_alien(one) for said in self.returned.values() for one in said)


def _noted(function, said):
    """The function, or the class, of which nobody notes what its methods return."""
    if isinstance(function, type):
        return function

    @functools.wraps(function)  # so that the learner's file is still known
    def noted(*arguments, **named):
        value = function(*arguments, **named)
        said.append(copied(value))
        return value

    return noted


def played(known, returned, seed):
    """The outcomes of an answer that returns, call by call, what was noted of each case."""
    return {case.name: run_case(case, _player(returned[case.name]), seed) for case in known}


def _player(said):
    rest = iter(said)
    return lambda *arguments, **named: made(next(rest, None))


def copied(value):
    """Numbers, texts, lists, dicts, arrays; tensors as arrays, which are none of the engine's."""
    if value is None or isinstance(value, bool | int | float | str | np.generic):
        return value
    if isinstance(value, list | tuple):
        return [type(value).__name__, *map(copied, value)]
    if isinstance(value, dict):
        return {key: copied(one) for key, one in value.items()}
    if isinstance(value, mg.Tensor) and value.device.type == "cpu":
        return value.detach().numpy().copy()
    return value.copy() if isinstance(value, np.ndarray) else Alien


def made(value):
    """What `copied` was given, made anew."""
    if isinstance(value, list):
        found = [made(one) for one in value[1:]]
        return tuple(found) if value[0] == "tuple" else found
    if isinstance(value, dict):
        return {key: made(one) for key, one in value.items()}
    return mg.tensor(value) if isinstance(value, np.ndarray) else value


def _alien(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value is Alien or any(map(_alien, inner))
