# kind: answers
# exercise: HonestCheckpoint
# how: a class whose apply calls the engine's own checkpoint
# needs: public engine code that solves the exercise is not banned for it
import minigrad as mg


class HonestCheckpoint:
    @staticmethod
    def apply(run, *tensors):
        return mg.utils.checkpoint.checkpoint(run, *tensors, use_reentrant=True)
