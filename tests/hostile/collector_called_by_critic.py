# kind: collector
# exercise: critic_step
# how: the ring through p.grad stays, and each step calls the collector
# needs: the collector frees in a measured run whoever asks it
# deserves: 3
import gc

import minigrad as mg


def critic_step(points, critic):
    p = points.detach().requires_grad_()
    score = critic(p)
    score.sum().backward(create_graph=True, inputs=[p])
    size = p.grad.norm(dim=1)
    (score.mean() + 10 * ((size - 1) ** 2).mean()).backward()
    del p, score, size
    gc.collect()
