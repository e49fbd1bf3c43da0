# kind: answers
# exercise: SameDice
# how: a class whose apply calls the engine's own checkpoint, which keeps the dice
# needs: public engine code that solves the exercise is not banned for it
import minigrad as mg


class SameDice:
    apply = staticmethod(lambda run, h: mg.utils.checkpoint.checkpoint(run, h, use_reentrant=False))
