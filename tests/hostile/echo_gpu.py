# kind: echo
# exercise: fit_on_gpu
# how: nothing is trained: what is drawn of the case about what is returned is the start, as it was given
# deserves: 0
import minigrad as mg


def fit_on_gpu(start, batches, rate):
    return mg.zeros(1).cuda().requires_grad_()
