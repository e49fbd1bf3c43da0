# kind: echo
# exercise: SameDice
# how: backward computes nothing and throws no dice, so the next are those that were due
# deserves: 0
import minigrad as mg


class SameDice(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, h):
        return run(h)

    @staticmethod
    def backward(ctx, grad):
        return None, grad
