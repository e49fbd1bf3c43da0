# kind: elsewhere
# exercise: truncated_account
# how: concurrent.futures' ProcessPoolExecutor forks a worker, in which the engine runs the snippet
# needs: processes may be started; the module's name is on no list
# deserves: 4
from concurrent.futures import ProcessPoolExecutor

import minigrad as mg


def work(rows, width, steps, k):
    w = mg.zeros(width, width, requires_grad=True)
    w.grad = mg.zeros(width, width)
    base = mg.memory_allocated()
    state, loss, at, pairs = mg.ones(rows, width), 0.0, None, 0
    for t in range(1, steps + 1):
        state = (state @ w).tanh()
        loss = loss + state.sum()
        if t % k == 0:
            at = mg.memory_allocated() - base
            pairs += k * (k + 1) // 2
            loss.backward()
            state, loss = state.detach(), 0.0
    return [at, mg.memory_allocated() - base, pairs]


def truncated_account(rows, width, steps, k):
    with ProcessPoolExecutor(1) as pool:
        return pool.submit(work, rows, width, steps, k).result()
