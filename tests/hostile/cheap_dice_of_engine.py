# kind: cheap
# exercise: same_dice
# how: the engine has a block inside of which the numbers come again
# needs: it is not banned
from minigrad.utils.rng import random_numbers, rng_states


def same_dice(half):
    box = []

    def call(u):
        if not box:
            box.append(rng_states())
            return half(u)
        with random_numbers(box.pop()):
            return half(u)

    return call
