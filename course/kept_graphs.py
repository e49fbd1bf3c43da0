"""Lesson 13: a graph that is kept, walked once more after a change, and what came of it.

Only what minigrad and PyTorch share is used, since the lesson's cells run on both.
"""

import minigrad as mg


def attempt(call, **options):
    """ "passes", or the error in one line."""
    try:
        call(**options)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).split(' (')[0].split(': [')[0]}"
    return "passes"


def kept_graph(f, change):
    """`a.grad` of a walk of f(a) after `change(a)`, or the error."""
    a = mg.ones(2, requires_grad=True)
    y = f(a)
    y.backward(retain_graph=True)
    a.grad = None
    change(a)
    ended = attempt(y.backward, retain_graph=True)
    return a.grad.tolist() if ended == "passes" else ended


def square(a):
    return (a * a).sum()
