# kind: windows
# exercise: critic_step
# how: as windows_pthread_kill, but _thread.interrupt_main(SIGUSR2) is asked for the signal: no signal is sent at all
# deserves: 3
import _thread
import gc
import signal
import sys
import threading
import time

import minigrad as mg

sys.setswitchinterval(1e-6)
BOX = []


def late(number, frame):
    while BOX:
        BOX.pop().grad = None


signal.signal(signal.SIGUSR2, late)


def wait():
    end = time.time() + 0.3
    while gc.isenabled() and time.time() < end:
        pass
    _thread.interrupt_main(signal.SIGUSR2)


def critic_step(points, critic):
    p = points.detach().requires_grad_()
    score = critic(p)
    score.sum().backward(create_graph=True, inputs=[p])
    size = p.grad.norm(dim=1)
    (score.mean() + 10 * ((size - 1) ** 2).mean()).backward()
    BOX.append(p)
    gc.enable()
    threading.Thread(target=wait, daemon=True).start()
    time.sleep(0.003)
